"""Model Context Protocol: `tools/call` requests as a proxy sees them, alone or in a batch.

A refusal is a tool result with `isError`: clients show that to the model, while they
often hide protocol errors.
"""

from __future__ import annotations

from typing import Any

from phasegate.runtimes.layout import Layout, call_of
from phasegate.runtimes.model import Answer, Capability, Hint, HookReply, HookRequest, Runtime, Transport
from phasegate.runtimes.payload import MAX_CALLS, Fields
from phasegate.runtimes.replies import SILENCE, json_reply

ID = "mcp-proxy"
EVENTS = {"tools/call": Capability("before", allow=True)}
LAYOUT = Layout(
    tool=("params.name",),
    args=("params.arguments",),
    event=("method",),
    session=("session_id",),
    call=("id",),
)


def read(data: Any, hint: Hint) -> HookRequest:
    """Read one message or a batch; messages other than `tools/call` are none of ours."""
    if not isinstance(data, list) or not data:
        return _request([data], hint)
    if len(data) > MAX_CALLS:
        fields = Fields({})
        fields.note(f"batch holds more than {MAX_CALLS} messages")
        call = call_of(ID, fields, LAYOUT, hint)
        return HookRequest(ID, "tools/call", "before", (call,))
    return _request(data, hint)


def _request(messages: list[Any], hint: Hint) -> HookRequest:
    ours = [message for message in messages if not _is_other(message)]
    if not ours:
        return HookRequest(ID, "other", "other")
    calls = tuple(_call(Fields(message), hint) for message in ours)
    first = ours[0].get("id") if isinstance(ours[0], dict) else None
    return HookRequest(ID, "tools/call", "before", calls, correlation=first)


def _is_other(message: Any) -> bool:
    """Another method, or an answer to a request of the server's."""
    if not isinstance(message, dict):
        return False
    method = message.get("method")
    if method is None:
        return "result" in message or "error" in message
    return isinstance(method, str) and method != "tools/call"


def _call(fields: Fields, hint: Hint) -> Any:
    # The protocol lets a call leave its arguments out.
    args = fields.need_args("params.arguments") if fields.has("params.arguments") else {}
    return call_of(ID, fields, LAYOUT, hint, args=args)


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """Nothing to forward, an error result to refuse."""
    del transport
    if said.kind == "pass":
        return SILENCE
    result = {"content": [{"type": "text", "text": said.text}], "isError": True}
    return json_reply({"jsonrpc": "2.0", "id": request.correlation, "result": result})


RUNTIME = Runtime(ID, "MCP proxy", EVENTS, read, write, aliases=("mcp",))
