"""What becomes of a message from an MCP client: no transport, one question to the guard.

A refused call is answered with a tool result that has `isError`: clients show that to
the model, while they often hide protocol errors. A batch with one refused call is
refused as a whole, so that nothing of it runs half.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from phasegate.client import AsyncPhasegateClient
from phasegate.errors import PhasegateError
from phasegate.runtimes import HookRequest, find, parse
from phasegate.runtimes.payload import load

RUNTIME: Final = "mcp-proxy"
CALL: Final = "tools/call"
PARSE_ERROR: Final = -32700
REFUSED: Final = -32000


@dataclass(frozen=True, slots=True)
class Passage:
    """`forward`: the message goes on as it came. Else `reply` is the answer, None for silence."""

    forward: bool
    reply: Any = None

    def reply_bytes(self) -> bytes:
        """The answer as one line of JSON."""
        return json.dumps(self.reply, ensure_ascii=False, separators=(",", ":")).encode()


PASSES: Final = Passage(forward=True)


class Gate:
    """Judges messages with *client*."""

    def __init__(self, client: AsyncPhasegateClient) -> None:
        self._client = client
        runtime = find(RUNTIME)
        if runtime is None:
            raise LookupError(f"runtime `{RUNTIME}` is not known")
        self._runtime = runtime

    async def judge(self, raw: bytes) -> Passage:
        """Whether the message (or batch) *raw* may go to the server."""
        message = load(raw)
        if message is None:
            # A server with another idea of JSON might still read a call in it.
            return (
                PASSES if not raw.strip() else Passage(False, _error(None, PARSE_ERROR, "this is not JSON"))
            )
        request = parse(self._runtime, message)
        if request.phase != "before":
            return PASSES
        refused = await self._refusal(request)
        return PASSES if refused is None else Passage(False, _answers(message, refused))

    async def _refusal(self, request: HookRequest) -> str | None:
        for call in request.calls:
            if call.defect is not None:
                return call.defect
            cwd = {} if self._client.has_cwd else {"cwd": str(Path.cwd())}
            try:
                decision = await self._client.decide(
                    call.tool, call.args, runtime=RUNTIME, call_id=call.call_id, **cwd
                )
            except PhasegateError as error:
                return f"phasegate: {error.detail}. {error.remedy}".removesuffix(". ")
            if not decision.allowed:
                return decision.text
        return None


def _answers(message: Any, refused: str) -> Any:
    """An answer for every request in *message*; None when it holds only notifications."""
    if not isinstance(message, list):
        return _answer(message, refused)
    found = [_answer(item, refused) for item in message]
    return [item for item in found if item is not None] or None


def _answer(message: Any, refused: str) -> Mapping[str, Any] | None:
    if not isinstance(message, dict):
        return _error(None, REFUSED, refused)
    if message.get("id") is None:
        return None
    if message.get("method") != CALL:
        return _error(message["id"], REFUSED, f"a call in the same batch was refused: {refused}")
    result = {"content": [{"type": "text", "text": refused}], "isError": True}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _error(request_id: Any, code: int, text: str) -> Mapping[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
