"""The proxy between a real MCP client and a real MCP server, under the real service."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

pytest.importorskip("mcp.client", reason="pip install mcp")

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from mcp import ClientSession
from support import cases, mcp_server, servers
from support.peer import SEQUENCE

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    files = {SEQUENCE[0]: {"kind": "locked"}, SEQUENCE[1]: {"kind": "locked"}, SEQUENCE[2]: {"kind": "draft"}}
    files["memory-injections.json"] = {"kind": "reads", "phases": list(SEQUENCE[:3])}
    cases.build({"setup": {"runs": {"r1": {"files": files}}}}, root)
    with servers.service([root], tmp_path / "data", tcp=False, uds=tmp_path / "s"):
        yield root


async def play(session, root):
    """List the tools, write ahead of the phase, write what is free."""
    await session.initialize()
    tools = await session.list_tools()
    ahead = root / ".recursive" / "run" / "r1" / next(name for name in SEQUENCE if name.startswith("02-to"))
    refused = await session.call_tool("write_file", {"path": str(ahead), "content": "x"})
    written = await session.call_tool("write_file", {"path": str(root / "a.py"), "content": "x"})
    return [tool.name for tool in tools.tools], refused, written, ahead


def check(root, played):
    names, refused, written, ahead = played

    assert names == ["write_file"]
    assert refused.is_error
    assert "lock" in refused.content[0].text
    assert not ahead.exists()
    assert not written.is_error
    assert (root / "a.py").read_text() == "x"


def test_over_standard_streams(repo, tmp_path):
    argv = ["-m", "phasegate", "mcp-proxy", "--", sys.executable, mcp_server.__file__, "stdio"]
    environment = {**os.environ, "PHASEGATE_UDS": str(tmp_path / "s")}
    parameters = StdioServerParameters(command=sys.executable, args=argv, env=environment, cwd=str(repo))

    async def go():
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            return await play(session, repo)

    check(repo, asyncio.run(go()))


def test_over_streamable_http(repo, tmp_path):
    server_port, proxy_port = servers.free_port(), servers.free_port()
    environment = {**os.environ, "PHASEGATE_UDS": str(tmp_path / "s")}
    upstream = f"http://127.0.0.1:{server_port}/mcp"
    server = subprocess.Popen([sys.executable, mcp_server.__file__, "http", str(server_port)])
    proxy = subprocess.Popen(
        [sys.executable, "-m", "phasegate", "mcp-proxy", "--upstream", upstream, "--listen", f"127.0.0.1:{proxy_port}"],
        env=environment, cwd=repo,
    )  # fmt: skip

    async def go():
        url = f"http://127.0.0.1:{proxy_port}/mcp"
        async with streamable_http_client(url) as streams, ClientSession(*streams[:2]) as session:
            return await play(session, repo)

    try:
        servers.wait_until_answers(f"http://127.0.0.1:{server_port}", server, "/mcp")
        servers.wait_until_answers(f"http://127.0.0.1:{proxy_port}", proxy, "/mcp")
        check(repo, asyncio.run(go()))
    finally:
        for process in (proxy, server):
            process.terminate()
            process.wait(30)
