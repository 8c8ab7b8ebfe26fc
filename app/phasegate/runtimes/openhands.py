"""OpenHands software-agent-sdk: sdk/hooks. Its `ask` does not exist yet."""

from __future__ import annotations

from phasegate.runtimes import exit_code
from phasegate.runtimes.layout import Layout, reader
from phasegate.runtimes.model import Answer, Capability, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.replies import SILENCE, json_reply

EVENTS = {
    "PreToolUse": Capability("before", allow=True, warn="context"),
    "PostToolUse": Capability("after", deny=False, warn="context", tells=True),
}
LAYOUT = Layout(
    event=("event_type", "hook_event_name"),
    cwd=("working_dir", "cwd"),
    call=("tool_call_id",),
    needs_cwd=True,
)


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """The flat `decision` form; warnings and findings after a tool are added context."""
    del transport
    if said.kind == "pass":
        return json_reply({"additionalContext": said.warning}) if said.warning else SILENCE
    if request.phase == "after":
        return json_reply({"additionalContext": said.text})
    return json_reply({"decision": "deny", "reason": said.text})


RUNTIME = Runtime(
    "openhands",
    "OpenHands",
    EVENTS,
    reader("openhands", LAYOUT, EVENTS),
    write,
    degraded=exit_code.write,
)
