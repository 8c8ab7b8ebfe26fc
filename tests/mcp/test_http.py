"""The reverse proxy in front of a streamable HTTP endpoint."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from phasegate.mcp.gate import PASSES, Passage
from phasegate.mcp.http import HttpProxy

REFUSAL = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}}


class FixedGate:
    """Refuses what contains `write`."""

    async def judge(self, raw):
        if b"silent" in raw:
            return Passage(False)
        return Passage(False, REFUSAL) if b"write" in raw else PASSES


class Upstream:
    """Keeps requests and answers with an event stream."""

    def __init__(self):
        self.seen = []

    async def __call__(self, request):
        self.seen.append((request.method, str(request.url), dict(request.headers), await request.aread()))
        headers = {"content-type": "text/event-stream", "mcp-session-id": "s1"}
        return httpx.Response(200, headers=headers, stream=Chunks())


class Chunks(httpx.AsyncByteStream):
    async def __aiter__(self):
        yield b"data: 1\n\n"
        yield b"data: 2\n\n"


def send(upstream, method="POST", body=b"{}", url="http://proxy/mcp", **headers):
    async def go():
        proxy = HttpProxy(FixedGate(), "http://server/mcp", transport=httpx.MockTransport(upstream))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(proxy)) as client:
            return await client.request(method, url, content=body, headers=headers)

    return asyncio.run(go())


def test_a_refused_message_is_answered_here():
    upstream = Upstream()
    response = send(upstream, body=b'{"name":"write"}')

    assert response.json() == REFUSAL
    assert response.headers["content-type"] == "application/json"
    assert upstream.seen == []


def test_a_refused_notification_is_accepted_and_dropped():
    upstream = Upstream()

    assert send(upstream, body=b"silent").status_code == 202
    assert upstream.seen == []


@pytest.mark.parametrize(("method", "body"), [("POST", b'{ "odd" : 1 }'), ("GET", b""), ("DELETE", b"")])
def test_everything_else_goes_up_and_comes_back_unchanged(method, body):
    upstream = Upstream()
    headers = {"mcp-session-id": "s1", "authorization": "Bearer x", "accept": "text/event-stream"}
    response = send(upstream, method, body, "http://proxy/mcp?a=1", **headers)
    seen_method, url, seen_headers, seen_body = upstream.seen[0]

    assert (seen_method, url, seen_body) == (method, "http://server/mcp?a=1", body)
    assert {key: seen_headers[key] for key in headers} == headers
    assert seen_headers["host"] == "server"
    assert response.content == b"data: 1\n\ndata: 2\n\n"
    assert response.headers["mcp-session-id"] == "s1"


def test_a_server_that_is_away_is_a_bad_gateway():
    def away(request):
        raise httpx.ConnectError("refused", request=request)

    assert send(away).status_code == 502


def test_a_message_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr("phasegate.mcp.http.MAX_BODY", 10)

    assert send(Upstream(), body=json.dumps({"a": "x" * 20}).encode()).status_code == 413
