"""Gemini CLI: docs/hooks/reference.md. Plain text beside the JSON turns a denial into an allow."""

from __future__ import annotations

from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Answer, Capability, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.replies import json_reply

EVENTS = {
    "BeforeTool": Capability("before", ask=True, allow=True, warn="message"),
    "AfterTool": Capability("after", deny=False, warn="message", tells=True),
}


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """The flat `decision` form; after a tool the text is added to what the model reads."""
    del transport
    if said.kind == "pass":
        return json_reply({"systemMessage": said.warning} if said.warning else {})
    if request.phase == "after":
        told = {"hookEventName": request.event, "additionalContext": said.text}
        return json_reply({"systemMessage": said.text, "hookSpecificOutput": told})
    return json_reply({"decision": said.kind, "reason": said.text})


RUNTIME = Runtime(
    "gemini-cli",
    "Gemini CLI",
    EVENTS,
    reader("gemini-cli", Layout(needs_cwd=True), EVENTS),
    write,
    aliases=("gemini",),
)
