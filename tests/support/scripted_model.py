"""A model that plays a list of tool calls, for driving real agent programs without a network.

It listens on loopback and speaks the protocol of Claude Code (`anthropic`), Codex CLI
(`openai`) or Gemini CLI (`gemini`). One call is played per turn of the model, then it says
"done". `told` keeps the last message of every request: what the agent told its model.
`heard` is the longest conversation it was sent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass
class ScriptedModel:
    """Calls are `{"name": ..., "input": ...}`, for Codex's free-form tools with `"custom": True`."""

    protocol: str
    calls: Sequence[dict[str, Any]]
    told: list[str] = field(default_factory=list)
    heard: str = ""
    port: int = 0
    _played: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def next_call(self) -> dict[str, Any] | None:
        with self._lock:
            if self._played == len(self.calls):
                return None
            self._played += 1
            return self.calls[self._played - 1]

    @property
    def turn(self) -> int:
        return self._played

    def answer(self, path: str, request: dict[str, Any]) -> tuple[bytes, str]:
        turns = request.get("messages") or request.get("input") or request.get("contents") or []
        if isinstance(turns, list) and turns:
            self.told.append(json.dumps(turns[-1], ensure_ascii=False))
            self.heard = max(self.heard, json.dumps(turns, ensure_ascii=False), key=len)
        speak: Callable[[ScriptedModel, str, dict[str, Any]], tuple[bytes, str]] = PROTOCOLS[self.protocol]
        return speak(self, path, request)


def events(pairs: Sequence[tuple[str, dict[str, Any]]]) -> bytes:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs).encode()


def anthropic(model: ScriptedModel, path: str, request: dict[str, Any]) -> tuple[bytes, str]:
    if "count_tokens" in path or "/messages" not in path:
        return b'{"input_tokens": 1}', JSON
    call = model.next_call() if request.get("tools") else None
    block: dict[str, Any] = {"type": "text", "text": "done"}
    start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    if call:
        identity = {"type": "tool_use", "id": f"toolu_{model.turn}", "name": call["name"]}
        block = {**identity, "input": call["input"]}
        start = {**identity, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
    stop = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": f"msg_{model.turn}", "type": "message", "role": "assistant", "model": request.get("model", "m"),
        "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not request.get("stream"):
        return json.dumps(message).encode(), JSON
    opening = {**message, "content": [], "stop_reason": None}
    pairs = [
        ("message_start", {"type": "message_start", "message": opening}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": start}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": 1},
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    return events(pairs), EVENTS


def openai(model: ScriptedModel, path: str, request: dict[str, Any]) -> tuple[bytes, str]:
    del path
    call, turn = model.next_call(), model.turn
    if call is None:
        content = [{"type": "output_text", "text": "done", "annotations": []}]
        item: dict[str, Any] = {"type": "message", "id": "msg", "role": "assistant", "content": content}
    elif call.get("custom"):
        item = {"type": "custom_tool_call", "id": f"ctc_{turn}", "input": call["input"]}
    else:
        item = {"type": "function_call", "id": f"fc_{turn}", "arguments": json.dumps(call["input"])}
    if call is not None:
        item |= {"call_id": f"call_{turn}", "name": call["name"]}
    item["status"] = "completed"
    usage = {
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    response = {
        "id": f"resp_{turn}", "object": "response", "status": "completed", "model": request.get("model"),
        "output": [item], "usage": usage,
    }  # fmt: skip
    opening = {**response, "status": "in_progress", "output": []}
    pairs = [
        ("response.created", {"type": "response.created", "response": opening}),
        (
            "response.output_item.added",
            {"type": "response.output_item.added", "output_index": 0, "item": item},
        ),
        ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
        ("response.completed", {"type": "response.completed", "response": response}),
    ]
    return events(pairs), EVENTS


# The router and the next-speaker check of Gemini CLI ask for JSON.
GEMINI_JSON = {
    "reasoning": "x", "model_choice": "flash", "complexity_score": 1, "complexity_reasoning": "x",
    "next_speaker": "user",
}  # fmt: skip


def gemini(model: ScriptedModel, path: str, request: dict[str, Any]) -> tuple[bytes, str]:
    tools = [item for tool in request.get("tools", []) for item in tool.get("functionDeclarations", [])]
    call = model.next_call() if tools else None
    if call:
        part: dict[str, Any] = {"functionCall": {"name": call["name"], "args": call["input"]}}
    else:
        part = {"text": "done" if tools else json.dumps(GEMINI_JSON)}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}
    if "stream" in path:
        return f"data: {json.dumps(body)}\r\n\r\n".encode(), EVENTS
    return json.dumps(body).encode(), JSON


PROTOCOLS = {"anthropic": anthropic, "openai": openai, "gemini": gemini}


@contextmanager
def playing(protocol: str, calls: Sequence[dict[str, Any]]) -> Iterator[ScriptedModel]:
    """The model on a free port."""
    model = ScriptedModel(protocol, calls)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    model.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _reply(self, body: bytes, kind: str = JSON) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self) -> None:
            self._reply(b'{"models": [], "data": []}')

        do_HEAD = do_GET  # noqa: N815 (the name that http.server looks for)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                request = json.loads(raw)
            except ValueError:
                request = {}
            self._reply(*model.answer(self.path, request if isinstance(request, dict) else {}))

    return Handler
