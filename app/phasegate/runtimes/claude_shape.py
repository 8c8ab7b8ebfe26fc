"""Writing replies in Claude's nested shape, which five runtimes share with small differences."""

from __future__ import annotations

from phasegate.runtimes.model import Answer, HookReply, HookRequest, Render, Transport
from phasegate.runtimes.replies import blocked, json_reply, nested, nested_permission, nested_warning

EMPTY_OBJECT = b"{}"


def writer(*, silence: bytes = b"", interrupt: bool = True, context: bool = True) -> Render:
    """
    A renderer of the nested shape.

    *silence* is what a spawned hook prints to say nothing. *interrupt*: the permission
    reply carries that key. *context*: a warning also goes to the model.
    """

    def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
        if said.kind != "pass":
            return _refusal(request, said)
        if said.warning and request.phase == "permission":
            return json_reply({"systemMessage": said.warning})
        if said.warning:
            return nested_warning(request.event, said.warning, context=context)
        return HookReply(EMPTY_OBJECT if transport == "http" else silence)

    def _refusal(request: HookRequest, said: Answer) -> HookReply:
        if request.phase == "after":
            return blocked(said.text)
        if request.phase == "permission":
            return nested_permission(request.event, said.text, interrupt=interrupt)
        return nested(request.event, said.kind, said.text)

    return write
