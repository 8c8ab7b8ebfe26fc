"""`phasegate mcp-proxy -- SERVER`: two real processes and a pipe on each side."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from support.stub_service import Stub, on_socket

ALLOW = {"kind": "allow", "verdict": "allow", "mode": "strict", "rule": "none", "reason": ""}
DENY = {**ALLOW, "kind": "deny", "verdict": "deny", "reason": "not now"}

# Answers every line with what it got, so that a test sees what reached the server.
ECHO = (
    "import sys, json\n"
    "for line in sys.stdin.buffer:\n"
    "    sys.stdout.write(json.dumps({'got': line.decode()}) + '\\n')\n"
    "    sys.stdout.flush()\n"
    "sys.exit(7)\n"
)


def answer(decision):
    body = json.dumps(decision).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


def proxied(lines, uds, *options):
    done = subprocess.run(
        [sys.executable, "-m", "phasegate", "mcp-proxy", *options, "--", sys.executable, "-c", ECHO],
        input=b"".join(lines), capture_output=True, timeout=60, check=False,
        env={**os.environ, "PHASEGATE_UDS": uds},
    )  # fmt: skip
    return done, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def uds(tmp_path):
    return str(tmp_path / "s")


CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{}}}\n'


def test_what_passes_is_unchanged_to_the_byte_and_the_exit_code_is_the_servers(uds):
    odd = b'{ "jsonrpc" : "2.0",  "method":"x", "params": {"u":"\\u00fc"} }\r\n'
    with on_socket(Stub(answer(ALLOW)), uds):
        done, got = proxied([odd, CALL], uds)

    assert [item["got"].encode() for item in got] == [odd, CALL]
    assert done.returncode == 7


def test_a_denied_call_never_reaches_the_server(uds):
    other = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
    with on_socket(Stub(answer(DENY)), uds):
        _, got = proxied([CALL, other], uds)

    assert [item["got"].encode() for item in got if "got" in item] == [other]
    refused = next(item for item in got if "result" in item)
    assert refused["result"] == {"content": [{"type": "text", "text": "not now"}], "isError": True}


def test_without_a_service_the_mode_decides(uds):
    _, strict = proxied([CALL], uds)
    _, advisory = proxied([CALL], uds, "--mode", "advisory")

    assert strict[0]["result"]["isError"]
    assert advisory == [{"got": CALL.decode()}]


def test_a_server_that_can_not_be_started_is_an_error():
    done = subprocess.run(
        [sys.executable, "-m", "phasegate", "mcp-proxy", "--", "/no/such/server"],
        input=b"", capture_output=True, check=False,
    )  # fmt: skip

    assert done.returncode != 0
    assert b"/no/such/server" in done.stderr
    assert b"Traceback" not in done.stderr
