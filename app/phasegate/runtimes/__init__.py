"""Agent runtimes: one module each, found by discovery, pure.

    runtime = find("claude-code")
    request = parse(runtime, body)              # HookRequest: calls to decide
    reply = render(runtime, request, answer(decisions), transport="command")

A module is a runtime when it has a `RUNTIME`. Adding one is adding a module.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from phasegate.core.call import ToolCall
from phasegate.runtimes.answers import answer, deny, joined, model_text
from phasegate.runtimes.model import (
    NEEDS_PERSON,
    PASS,
    Answer,
    Capability,
    Hint,
    HookReply,
    HookRequest,
    Runtime,
    Transport,
)
from phasegate.runtimes.payload import load

__all__ = [
    "NEEDS_PERSON",
    "PASS",
    "Answer",
    "Capability",
    "DuplicateRuntime",
    "Hint",
    "HookReply",
    "HookRequest",
    "Runtime",
    "Transport",
    "answer",
    "deny",
    "discover",
    "find",
    "joined",
    "model_text",
    "parse",
    "render",
    "table",
]


class DuplicateRuntime(ValueError):
    """Two modules claim the same runtime id or alias."""


def table(runtimes: Iterable[Runtime]) -> Mapping[str, Runtime]:
    """Runtimes by id and alias; a name claimed twice raises `DuplicateRuntime`."""
    by_name: dict[str, Runtime] = {}
    for runtime in runtimes:
        for name in (runtime.id, *runtime.aliases):
            if name in by_name:
                raise DuplicateRuntime(f"runtime name `{name}` is claimed by two modules")
            by_name[name] = runtime
    return by_name


@cache
def discover() -> tuple[Runtime, ...]:
    """Every runtime, in the order of their ids."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    found = [module.RUNTIME for module in modules if isinstance(getattr(module, "RUNTIME", None), Runtime)]
    table(found)
    return tuple(sorted(found, key=lambda runtime: runtime.id))


@cache
def _by_name() -> Mapping[str, Runtime]:
    return table(discover())


def find(name: str) -> Runtime | None:
    """The runtime with this id or alias, or None."""
    return _by_name().get(name)


def parse(runtime: Runtime, payload: bytes | Mapping[str, Any], hint: Hint | None = None) -> HookRequest:
    """Read one payload. Never raises: what is missing becomes a call with a defect."""
    data = load(payload) if isinstance(payload, bytes) else payload
    request = runtime.read(data, hint or Hint())
    if request.phase in {"before", "permission"} and not request.calls:
        call = ToolCall(tool="", runtime=runtime.id, defect="payload holds no tool call")
        return HookRequest(runtime.id, request.event, request.phase, (call,))
    return request


def render(
    runtime: Runtime, request: HookRequest, said: Answer, transport: Transport = "command"
) -> HookReply:
    """The reply that makes the runtime do what *said* says.

    What the event can't express becomes a denial that names the way to approve, never
    an allow. A question on the event that *is* the person's prompt lets it appear.
    """
    can = runtime.capability(request.event)
    if _unspeakable(can, said):
        return runtime.write(request, PASS, transport)
    if said.kind == "ask" and not (can.ask and request.attended):
        refused = deny(said.text or NEEDS_PERSON, person=said.person)
        return (runtime.degraded or runtime.write)(request, refused, transport)
    return runtime.write(request, said, transport)


def _unspeakable(can: Capability, said: Answer) -> bool:
    """Whether the event has no place for *said* and nothing depends on it."""
    if can.phase == "other" or (can.phase == "permission" and said.kind == "ask"):
        return True
    if said.kind == "pass":
        return can.warn == "none"
    # The tool has run: there is nothing to stop, only somebody to tell.
    return can.phase == "after" and can.warn == "none" and not can.tells
