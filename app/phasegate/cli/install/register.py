"""How each runtime's configuration names a hook: one row each, in the vendor's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from phasegate.cli.install.spawn import RUNTIME_TIMEOUT, Hook

MILLISECONDS: Final = RUNTIME_TIMEOUT * 1000

Entry = Callable[[Hook], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Registration:
    """A JSON file: `events` below the keys `root`, each a list that gets one entry.

    `skeleton` is what a new file starts with. `closed` is the runtime's fail-closed
    switch and its value; `notes` are told to the person who installs. `http`: the
    runtime posts by itself.
    """

    events: tuple[str, ...]
    entry: Entry
    root: tuple[str, ...] = ("hooks",)
    skeleton: Mapping[str, Any] = field(default_factory=dict)
    closed: tuple[str, Any] | None = None
    http: bool = False
    notes: tuple[str, ...] = ()


def _grouped(matcher: str, handler: Entry) -> Entry:
    """Claude's nesting: a matcher and its handlers."""
    return lambda hook: {"matcher": matcher, "hooks": [handler(hook)]}


def _command(timeout: int, key: str = "timeout", **more: Any) -> Entry:
    return lambda hook: {"type": "command", **more, "command": hook.command(), key: timeout}


def _closed(switch: tuple[str, Any], handler: Entry) -> Entry:
    """*handler* with the fail-closed switch, unless the installation is advisory."""
    return lambda hook: {**handler(hook), **({switch[0]: switch[1]} if hook.wanted.closed else {})}


def _posting(handler: Entry) -> Entry:
    """*handler*, or an HTTP handler where that is wanted."""

    def entry(hook: Hook) -> Mapping[str, Any]:
        if hook.wanted.transport != "http":
            return handler(hook)
        posted: dict[str, Any] = {"type": "http", "url": hook.url(), "timeout": RUNTIME_TIMEOUT}
        if hook.wanted.has_token:
            posted["headers"] = {"Authorization": "Bearer $PHASEGATE_TOKEN"}
            posted["allowedEnvVars"] = ["PHASEGATE_TOKEN"]
        return {**posted, "statusMessage": "phasegate"}

    return entry


_BLOCK: Final = ("onFailure", "block")
_FAIL_CLOSED: Final = ("failClosed", True)
_GOOSE_BLOCK: Final = ("on_failure", "block")

REGISTRATIONS: Final[Mapping[str, Registration]] = {
    "claude-code": Registration(
        ("PreToolUse", "PermissionRequest", "PostToolUse"),
        _grouped("*", _closed(_BLOCK, _posting(_command(RUNTIME_TIMEOUT)))),
        closed=_BLOCK,
        http=True,
        notes=("Claude Code before 2.1.295 ignores `onFailure`: there the hook command itself fails closed",),
    ),
    "codex": Registration(
        ("PreToolUse", "PermissionRequest", "PostToolUse"),
        _grouped("", _command(RUNTIME_TIMEOUT)),
        notes=(
            "Codex skips a hook silently until it is trusted: open `/hooks` in Codex once and trust phasegate",
        ),
    ),
    "gemini-cli": Registration(
        ("BeforeTool", "AfterTool"),
        _grouped(".*", _command(MILLISECONDS, name="phasegate")),
        notes=("Gemini CLI runs project hooks in trusted folders only: accept the folder and its hooks",),
    ),
    "qwen-code": Registration(
        ("PreToolUse", "PermissionRequest", "PostToolUse"),
        _grouped("*", _posting(_command(MILLISECONDS))),
        http=True,
    ),
    "factory-droid": Registration(("PreToolUse", "PostToolUse"), _grouped("*", _command(RUNTIME_TIMEOUT))),
    "vscode": Registration(
        ("PreToolUse", "PostToolUse"),
        _command(RUNTIME_TIMEOUT),
        notes=("VS Code ignores matchers and fails open: the hook command itself fails closed",),
    ),
    "goose": Registration(
        ("PreToolUse", "PostToolUse"),
        _grouped(".*", _closed(_GOOSE_BLOCK, _command(RUNTIME_TIMEOUT))),
        closed=_GOOSE_BLOCK,
    ),
    "openhands": Registration(
        ("pre_tool_use", "post_tool_use"), _grouped("*", _command(RUNTIME_TIMEOUT)), root=()
    ),
    "cursor": Registration(
        (
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "afterFileEdit",
            "afterShellExecution",
            "postToolUse",
        ),
        _closed(_FAIL_CLOSED, lambda hook: {"command": hook.command(), "timeout": RUNTIME_TIMEOUT}),
        skeleton={"version": 1},
        closed=_FAIL_CLOSED,
    ),
    "copilot-cli": Registration(
        ("preToolUse", "permissionRequest", "postToolUse"),
        lambda hook: {"type": "command", "bash": hook.command(), "timeoutSec": RUNTIME_TIMEOUT},
        skeleton={"version": 1},
        notes=("Copilot CLI lets a call run when its hook times out; the hook answers before that",),
    ),
    "windsurf-cascade": Registration(
        ("pre_write_code", "pre_run_command", "pre_mcp_tool_use", "post_write_code", "post_run_command"),
        lambda hook: {"command": hook.command(), "show_output": True},
    ),
    "kiro-cli-2": Registration(
        ("preToolUse", "postToolUse"),
        lambda hook: {
            "matcher": "*",
            "command": hook.command(),
            "timeout_ms": MILLISECONDS,
            "cache_ttl_seconds": 0,
        },
        skeleton={"name": "phasegate", "description": "The default agent behind phasegate", "tools": ["*"]},
        notes=(
            "start the agent with `kiro-cli chat --agent phasegate`, or copy its `hooks` to your own agent",
        ),
    ),
}

# The runtime's own names for events that the hook names otherwise.
EVENT_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "openhands": {"pre_tool_use": "PreToolUse", "post_tool_use": "PostToolUse"},
}


def hook_event(runtime: str, event: str) -> str:
    """The event as the payloads name it, for the configuration key *event*."""
    return EVENT_NAMES.get(runtime, {}).get(event, event)
