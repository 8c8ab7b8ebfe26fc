"""The values every runtime adapter speaks: request, answer, reply, capability.

A hook payload becomes a `HookRequest`; what the guard says about it is an `Answer`;
the bytes the runtime obeys are a `HookReply`. An adapter never sees a rule or a
decision record, and the rest of the program never sees a payload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from phasegate.core.call import ToolCall

Phase = Literal["before", "permission", "after", "other"]
Transport = Literal["http", "command"]
Stream = Literal["stdout", "stderr"]
WarnChannel = Literal["message", "context", "stderr", "field", "none"]

NEEDS_PERSON = (
    "a person has to approve this: ask them to do it themselves or to allow it in the permission policy, "
    "then retry"
)


@dataclass(frozen=True, slots=True)
class Capability:
    """What a runtime can express on one event.

    `ask`: it prompts a person when told to. `allow`: it knows an active approval, which
    phasegate never sends because it would skip the person's own prompt. `warn`: where a
    warning on a passed call goes: `message` shown to the person, `context` given to the
    model, `field` a key that our own plugin or shim reads, `stderr`, or `none`.
    `tells`: on an event after the tool, whether a text reaches the model.
    """

    phase: Phase
    deny: bool = True
    ask: bool = False
    allow: bool = False
    warn: WarnChannel = "none"
    tells: bool = False


IGNORED = Capability("other", deny=False)


@dataclass(frozen=True, slots=True)
class HookRequest:
    """One hook payload, understood.

    `calls` holds every proposed call of the payload (one, as a rule; a batch has more)
    and is empty on an event that precedes or follows no tool. A payload that lacks a
    needed field still yields a call, whose `defect` names the field: the engine denies
    and records it. `attended` is false when the payload says that nobody answers
    prompts. `correlation` is echoed where a protocol wants its request id back.
    """

    runtime: str
    event: str
    phase: Phase
    calls: tuple[ToolCall, ...] = ()
    attended: bool = True
    correlation: Any = None

    @property
    def defect(self) -> str | None:
        """What the payload lacked, or None."""
        return next((call.defect for call in self.calls if call.defect), None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the guard says about a request.

    `pass`: no objection, the runtime's own permission flow goes on; `warning` may say
    what an advisory guard would have refused. `deny`: the call must not run, or on an
    event after the tool: tell the agent what it damaged. `ask`: a person decides.
    `text` is for the model. `person` is a shorter text for runtimes that show the
    person another one; None means `text`.
    """

    kind: Literal["pass", "deny", "ask"]
    text: str = ""
    warning: str | None = None
    person: str | None = None


PASS = Answer("pass")


@dataclass(frozen=True, slots=True)
class HookReply:
    """Bytes that the runtime obeys.

    Over HTTP the status is always 200. A spawned client prints `body` to `stream` and
    exits with `exit_code`.
    """

    body: bytes = b""
    exit_code: int = 0
    stream: Stream = "stdout"

    @property
    def content_type(self) -> str:
        """Media type of the body."""
        return "application/json" if self.body.startswith((b"{", b"[")) else "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Hint:
    """What the installed hook knows about a payload that the payload may not say."""

    event: str | None = None
    cwd: str | None = None


Parse = Callable[[Any, Hint], HookRequest]
"""Reads decoded JSON (None when the body was none)."""

Render = Callable[[HookRequest, Answer, Transport], HookReply]


@dataclass(frozen=True, slots=True)
class Runtime:
    """One agent runtime: how to read its payloads and how to answer them.

    `events` is the capability table. `write` is only asked for what the table allows;
    `degraded` replaces it for an ask that the event can't express (default: deny).
    """

    id: str
    title: str
    events: Mapping[str, Capability]
    read: Parse
    write: Render
    degraded: Render | None = None
    aliases: tuple[str, ...] = field(default=())

    def capability(self, event: str) -> Capability:
        """The row of *event*; events not listed are none of ours and pass."""
        return self.events.get(event, IGNORED)
