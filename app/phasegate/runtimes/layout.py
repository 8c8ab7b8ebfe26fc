"""The flat payload: event, tool, arguments and ids as named fields of one object.

Most runtimes differ only in the names. A `Layout` holds them; `reader` turns one into
the function that reads payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.core.call import ToolCall
from phasegate.runtimes.model import IGNORED, Capability, Hint, HookRequest, Parse
from phasegate.runtimes.payload import MAX_PATH, Fields

SESSION = ("session_id", "sessionId")
AGENT = ("agent_id", "agentId")
CALL = ("tool_use_id", "tool_call_id", "toolUseId", "toolCallId")


@dataclass(frozen=True, slots=True)
class Layout:
    """Names of the fields, alternatives in order; dotted names go into nested objects.

    `default_event` is used when neither the payload nor the hint names one; without it
    the event is a needed field. `bare` is the argument name for arguments that arrive as
    plain text. `needs_cwd`: the runtime documents that it always sends its directory.
    """

    tool: tuple[str, ...] = ("tool_name",)
    args: tuple[str, ...] = ("tool_input",)
    event: tuple[str, ...] = ("hook_event_name",)
    cwd: tuple[str, ...] = ("cwd",)
    session: tuple[str, ...] = SESSION
    agent: tuple[str, ...] = AGENT
    call: tuple[str, ...] = CALL
    default_event: str | None = None
    bare: str | None = None
    needs_cwd: bool = False


def event_of(
    fields: Fields, layout: Layout, events: Mapping[str, Capability], hint: Hint
) -> tuple[str, Capability]:
    """The event's name and row. An absent name is a defect, judged as the first event of the table."""
    name = fields.text(*layout.event) or hint.event or layout.default_event
    if name is None:
        fields.need_text(*layout.event)
        name = next(iter(events))
    return name, events.get(name, IGNORED)


def call_of(runtime: str, fields: Fields, layout: Layout, hint: Hint, **known: Any) -> ToolCall:
    """The call that the fields describe. `tool`, `args` and `cwd` in *known* replace what would be read."""
    tool = known["tool"] if "tool" in known else fields.need_text(*layout.tool)
    args = known["args"] if "args" in known else fields.need_args(*layout.args, bare=layout.bare)
    cwd = known.get("cwd") or fields.text(*layout.cwd, limit=MAX_PATH) or hint.cwd
    if cwd is None and layout.needs_cwd:
        cwd = fields.need_path(*layout.cwd)
    return ToolCall(
        tool=tool,
        args={} if fields.defect else args,
        cwd=cwd,
        runtime=runtime,
        session_id=fields.text(*layout.session),
        agent_id=fields.text(*layout.agent),
        call_id=fields.text(*layout.call),
        defect=fields.defect,
    )


def reader(
    runtime: str,
    layout: Layout,
    events: Mapping[str, Capability],
    attended: Callable[[Fields], bool] = lambda _: True,
) -> Parse:
    """The reader of a runtime whose every payload has *layout*."""

    def read(data: Any, hint: Hint) -> HookRequest:
        fields = Fields(data)
        event, can = event_of(fields, layout, events, hint)
        if can.phase == "other":
            return HookRequest(runtime, event, "other")
        call = call_of(runtime, fields, layout, hint)
        return HookRequest(runtime, event, can.phase, (call,), attended(fields))

    return read


def prompts(*silent: str, key: tuple[str, ...] = ("permission_mode",)) -> Callable[[Fields], bool]:
    """Whether a person answers prompts: not in the permission modes *silent*."""

    def attended(fields: Fields) -> bool:
        return fields.text(*key) not in silent

    return attended
