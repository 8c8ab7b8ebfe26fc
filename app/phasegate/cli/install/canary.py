"""A call that must be denied, in each runtime's own words, and how to tell that it was. Pure.

The canary writes to the policy file of the workspace: the one thing that no mode, no
policy and no run allows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

SESSION: Final = "phasegate-doctor"
TEXT: Final = "phasegate doctor: this must never be written\n"
EXIT_BLOCK: Final = 2

# The write tool of runtimes that send a tool and its arguments: name, path key, text key, the rest.
_TOOLS: Final[Mapping[str, tuple[str, str, str, Mapping[str, str]]]] = {
    "claude-code": ("Write", "file_path", "content", {}),
    "factory-droid": ("Create", "file_path", "content", {}),
    "gemini-cli": ("write_file", "file_path", "content", {}),
    "qwen-code": ("write_file", "file_path", "content", {}),
    "vscode": ("create_file", "filePath", "content", {}),
    "kiro-cli-2": ("fs_write", "path", "file_text", {"command": "create"}),
    "openhands": ("file_editor", "path", "file_text", {"command": "create"}),
    "goose": ("developer__write", "path", "content", {}),
    "copilot-cli": ("create", "path", "file_text", {}),
    "opencode": ("write", "filePath", "content", {}),
    "amp": ("create_file", "path", "content", {}),
    "cline-vscode": ("write_to_file", "path", "content", {}),
    "cline-sdk": ("write_to_file", "path", "content", {}),
    "cursor": ("Write", "file_path", "content", {}),
}


def payload(runtime: str, event: str, target: str, directory: str) -> dict[str, Any]:
    """What *runtime* would send on *event* for a write of *target* from *directory*."""
    if runtime == "windsurf-cascade":
        return _windsurf(event, target, directory)
    if runtime == "codex":
        return _named(runtime, event, "Bash", {"command": f"printf x > '{target}'"}, directory)
    tool, path, text, more = _TOOLS[runtime]
    args = {**more, path: target, text: TEXT}
    if runtime == "cursor":
        return _cursor(event, tool, args, target, directory)
    return _BUILDERS.get(runtime, _named)(runtime, event, tool, args, directory)


def _named(runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Claude's flat form."""
    del runtime
    return {
        "session_id": SESSION, "transcript_path": "", "cwd": directory, "permission_mode": "default",
        "hook_event_name": event, "tool_name": tool, "tool_input": dict(args), "tool_use_id": SESSION,
    }  # fmt: skip


def _working_dir(
    runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str
) -> dict[str, Any]:
    key = "event" if runtime == "goose" else "event_type"
    return {
        key: event, "session_id": SESSION, "tool_name": tool, "tool_input": dict(args),
        "working_dir": directory, "tool_call_id": SESSION,
    }  # fmt: skip


def _copilot(runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str) -> dict[str, Any]:
    del runtime, event
    return {"sessionId": SESSION, "timestamp": 0, "cwd": directory, "toolName": tool, "toolArgs": dict(args)}


def _opencode(runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str) -> dict[str, Any]:
    return {
        "runtime": runtime, "event": event, "tool": tool, "sessionID": SESSION, "callID": SESSION,
        "directory": directory, "args": dict(args),
    }  # fmt: skip


def _amp(runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str) -> dict[str, Any]:
    return {
        "runtime": runtime, "event": event, "tool": tool, "input": dict(args), "thread": {"id": SESSION},
        "toolUseID": SESSION, "workspaceRoot": directory,
    }  # fmt: skip


def _cline(runtime: str, event: str, tool: str, args: Mapping[str, Any], directory: str) -> dict[str, Any]:
    section = {"toolName": tool, "parameters": dict(args)}
    if runtime == "cline-vscode":
        return {"hookName": event, "taskId": SESSION, "workspaceRoots": [directory], "preToolUse": section}
    call = {"id": SESSION, "name": tool, "input": dict(args)}
    return {
        "hookName": "tool_call", "taskId": SESSION, "workspaceRoots": [directory], "tool_call": call,
        "preToolUse": section,
    }  # fmt: skip


_BUILDERS: Final[Mapping[str, Callable[[str, str, str, Mapping[str, Any], str], dict[str, Any]]]] = {
    "goose": _working_dir,
    "openhands": _working_dir,
    "copilot-cli": _copilot,
    "opencode": _opencode,
    "amp": _amp,
    "cline-vscode": _cline,
    "cline-sdk": _cline,
}


def _cursor(event: str, tool: str, args: Mapping[str, Any], target: str, directory: str) -> dict[str, Any]:
    common = {"conversation_id": SESSION, "hook_event_name": event, "workspace_roots": [directory]}
    if event == "beforeShellExecution":
        return {**common, "command": f"printf x > '{target}'", "cwd": directory}
    if event == "beforeMCPExecution":
        return {
            **common,
            "tool_name": "write_file",
            "tool_input": json.dumps({"path": target, "content": TEXT}),
        }
    return {**common, "tool_name": tool, "tool_input": dict(args), "tool_use_id": SESSION, "cwd": directory}


def _windsurf(event: str, target: str, directory: str) -> dict[str, Any]:
    if event == "pre_run_command":
        info: dict[str, Any] = {"command_line": f"printf x > '{target}'", "cwd": directory}
    elif event == "pre_mcp_tool_use":
        arguments = {"path": target, "content": TEXT}
        info = {"mcp_server_name": "fs", "mcp_tool_name": "write_file", "mcp_tool_arguments": arguments}
    else:
        info = {"file_path": target, "edits": [{"old_string": "", "new_string": TEXT}]}
    return {"agent_action_name": event, "trajectory_id": SESSION, "execution_id": SESSION, "tool_info": info}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a hook answered: exit code and both streams, or an HTTP status and body in `stdout`."""

    exit_code: int
    stdout: str
    stderr: str = ""
    http_status: int | None = None


def refuses(runtime: str, event: str, outcome: Outcome) -> bool:
    """Whether *runtime* would stop the tool on this answer to *event*."""
    body = _json(outcome.stdout)
    if outcome.http_status is not None:
        return outcome.http_status == 200 and _says_no(runtime, event, body)  # noqa: PLR2004 (any other status is ignored)
    if (
        runtime not in {"cline-vscode", "cline-sdk"}
        and outcome.exit_code == EXIT_BLOCK
        and outcome.stderr.strip()
    ):
        return True
    return outcome.exit_code == 0 and _says_no(runtime, event, body)


def _says_no(runtime: str, event: str, body: Mapping[str, Any]) -> bool:
    if runtime in {"claude-code", "codex", "vscode", "qwen-code", "factory-droid"}:
        inner = body.get("hookSpecificOutput") or {}
        behavior = (inner.get("decision") or {}).get("behavior")
        reasoned = inner.get("permissionDecision") == "deny" and bool(inner.get("permissionDecisionReason"))
        return inner.get("hookEventName") == event and (reasoned or behavior == "deny")
    said: Mapping[str, tuple[str, tuple[Any, ...]]] = {
        "copilot-cli": ("permissionDecision", ("deny",)),
        "cursor": ("permission", ("deny",)),
        "gemini-cli": ("decision", ("deny", "block")),
        "goose": ("decision", ("block",)),
        "openhands": ("decision", ("deny",)),
        "opencode": ("decision", ("deny", "ask")),
        "amp": ("decision", ("deny", "ask")),
        "cline-vscode": ("cancel", (True,)),
        "cline-sdk": ("cancel", (True,)),
    }
    key, values = said.get(runtime, ("", ()))
    return body.get(key) in values or (runtime == "copilot-cli" and body.get("behavior") == "deny")


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
