"""Request and reply documents of the API: what the OpenAPI document shows, and what is checked."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from phasegate.api.problems import invalid_request
from phasegate.api.strict_json import parse_json
from phasegate.core.call import Mode, ToolCall
from phasegate.workspace.workflow_file import load_workflow

BATCH_LIMIT = 100

AbsolutePath = Annotated[str, Field(max_length=4096, pattern=r"^/[^\x00]*$")]
Word = Annotated[str, Field(max_length=512)]

EXAMPLE_ARTIFACT = load_workflow().artifacts[4]
EXAMPLE_CALL: dict[str, Any] = {
    "tool": "write",
    "args": {"file_path": f"{load_workflow().runs_path}/r1/{EXAMPLE_ARTIFACT}", "content": "..."},
    "run_id": "r1",
    "runtime": "claude-code",
    "session_id": "s-1",
}


class DecisionRequest(BaseModel):
    """One proposed tool call."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE_CALL]})

    tool: Word = Field(
        description="Tool id as the runtime names it. A blank one is denied and recorded.", examples=["write"]
    )
    args: Any = Field(
        default=None,
        description="The tool's arguments: an object, or a JSON string of one; absent or null means empty. "
        "Anything else is denied and recorded.",
    )
    workspace: AbsolutePath | None = Field(
        default=None,
        description="Absolute path of the control-plane root. Absent: found from `cwd`, or the only served one.",
    )
    cwd: AbsolutePath | None = Field(default=None, description="The tool's own working directory.")
    run_id: str | None = Field(default=None, description="The run that the session is bound to.")
    mode: Mode | None = Field(
        default=None, description="May only tighten: `advisory` is ignored by a strict service."
    )
    runtime: Word | None = None
    session_id: Word | None = None
    agent_id: Word | None = None
    call_id: Word | None = None


class BatchRequest(BaseModel):
    """Several proposed calls, decided in order."""

    model_config = ConfigDict(extra="forbid")

    calls: Annotated[list[DecisionRequest], Field(max_length=BATCH_LIMIT)]


_request = TypeAdapter(DecisionRequest)
_BLANK_TOOL = "the call names no tool"
_BAD_ARGS = "`args` is neither an object nor the JSON text of one"


def parse_call(body: bytes) -> ToolCall:
    """One request body as a call.

    Raises `InvalidRequest` naming each defective field and its remedy. A blank tool and
    arguments of the wrong kind are no errors of the request: they become the call's
    `defect`, which is denied and recorded.
    """
    try:
        value = parse_json(body) if body else None
        return tool_call(_request.validate_python(value))
    except json.JSONDecodeError as error:
        raise invalid_request([json_defect(error)]) from error
    except ValidationError as error:
        raise invalid_request(error.errors(include_url=False, include_input=False)) from error


def json_defect(error: json.JSONDecodeError) -> dict[str, Any]:
    """A JSON error in the form of pydantic's defects."""
    return {"type": "json_invalid", "loc": ("body",), "msg": "", "ctx": {"error": error.msg}}


def tool_call(request: DecisionRequest) -> ToolCall:
    """The call that a checked request describes."""
    args = request.args
    defect = None
    if isinstance(args, str):
        args = _parsed(args)
    if args is None and request.args is None:
        args = {}
    elif not isinstance(args, dict):
        args, defect = {}, _BAD_ARGS
    if not request.tool.strip():
        defect = _BLANK_TOOL
    return ToolCall(
        tool=request.tool,
        args=args,
        workspace=request.workspace,
        cwd=request.cwd,
        run_id=request.run_id,
        mode=request.mode,
        runtime=request.runtime,
        session_id=request.session_id,
        agent_id=request.agent_id,
        call_id=request.call_id,
        defect=defect,
    )


def _parsed(text: str) -> Any:
    """The value of a JSON text, or the text itself when it is none."""
    try:
        return parse_json(text.encode())
    except ValueError:
        return text
