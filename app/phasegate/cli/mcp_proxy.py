"""`phasegate mcp-proxy`: the guard in front of an MCP server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import click
import uvicorn

from phasegate.client import AsyncPhasegateClient
from phasegate.errors import SettingsError
from phasegate.mcp import stdio
from phasegate.mcp.gate import Gate
from phasegate.mcp.http import HttpProxy


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--upstream", metavar="URL", help="A streamable HTTP server, instead of a command.")
@click.option("--listen", default="127.0.0.1:8788", show_default=True, metavar="HOST:PORT")
@click.option("--mode", type=click.Choice(["strict", "advisory"]), default="strict", show_default=True)
@click.argument("server", nargs=-1, type=click.UNPROCESSED)
def mcp_proxy(upstream: str | None, listen: str, mode: str, server: tuple[str, ...]) -> None:
    """Refuse denied tool calls to an MCP server, pass everything else through unchanged.

    `phasegate mcp-proxy -- SERVER ARGS` starts a server and speaks for it on the standard
    streams; `--upstream URL` listens on `--listen` in front of a streamable HTTP server.
    """
    if (upstream is None) == (not server):
        raise SettingsError("give either a server command after `--` or `--upstream URL`")
    if upstream is not None:
        host, _, port = listen.rpartition(":")
        if not host or not port.isdigit():
            raise SettingsError(f"`--listen` is `{listen}`; it has to be HOST:PORT")
        application = HttpProxy(Gate(_client(mode)), upstream)
        uvicorn.run(
            application, host=host.strip("[]"), port=int(port), log_level="warning", server_header=False
        )
        return
    sys.exit(asyncio.run(_stdio(mode, server)))


async def _stdio(mode: str, server: Sequence[str]) -> int:
    async with _client(mode) as client:
        try:
            return await stdio.run(Gate(client), server)
        except OSError as error:
            raise SettingsError(f"`{server[0]}` can't be started: {error.strerror}") from error


def _client(mode: str) -> AsyncPhasegateClient:
    failure = "advisory" if mode == "advisory" else "strict"
    return AsyncPhasegateClient.from_environment(failure_mode=failure)
