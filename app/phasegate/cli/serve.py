"""`serve`: the service, on TCP, a Unix socket or both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from phasegate.cli.connection import nearest_workspace
from phasegate.cli.listen import listening_sockets, remove_socket
from phasegate.settings import Settings, load_settings


@click.command()
@click.option("--workspace", multiple=True, metavar="[NAME=]DIR", help="A directory to guard. Repeatable.")
@click.option("--workspace-root", metavar="DIR", help="Guard every workspace below DIR.")
@click.option("--mode", type=click.Choice(["strict", "advisory"]), help="Default: strict.")
@click.option("--host", help="Default: 127.0.0.1. Any other than loopback needs a token.")
@click.option("--port", type=int, help="Default: 8787, or none when only --uds is given.")
@click.option("--uds", metavar="PATH", help="Listen on a Unix socket, for its owner only.")
@click.option("--uds-group", help="Group that may use the socket too.")
@click.option("--log", metavar="URL", help="Decision log, sqlite:////absolute/path.")
@click.option("--data", metavar="DIR", help="Data directory. Default: $XDG_STATE_HOME/phasegate.")
@click.option("--token-file", metavar="FILE", help="Bearer token that every request must carry.")
@click.option(
    "--map", multiple=True, metavar="HOST=LOCAL", help="Rewrite path prefixes of calls. Repeatable."
)
@click.option("--read-receipts", type=click.Choice(["accept-v1", "sealed"]))
@click.option("--entry-every-phase", is_flag=True, default=None, help="Every phase needs a read receipt.")
@click.option("--plane-freeze", is_flag=True, default=None, help="Freeze the memory plane until its phase.")
@click.option("--seal-locks", is_flag=True, default=None, help="Put a keyed seal beside every lock receipt.")
@click.option("--mirror", is_flag=True, default=None, help="Copy decisions into the peer's own log files.")
@click.option("--allowed-hosts", multiple=True, metavar="NAME", help="Further names in Host headers.")
@click.option("--max-concurrency", type=int, help="Requests in progress at once. Default: 512.")
@click.option("--config", metavar="FILE", help="Configuration file.")
def serve(**flags: Any) -> None:
    """Answer decisions over HTTP until stopped. Default workspace: the one around this directory."""
    settings = load_settings(flags)
    if not settings.workspaces and settings.workspace_root is None:
        here = str(nearest_workspace(Path.cwd()))
        settings = load_settings({**flags, "workspace": [here]})
    run_service(settings)


def run_service(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; every acknowledged decision is in the log when this returns."""
    # Imported here so that `phasegate --help` does not wait for the web framework.
    from phasegate.api.app import create_app, create_desk, create_gate  # noqa: PLC0415 (see above)
    from phasegate.api.server import make_server  # noqa: PLC0415 (see above)
    from phasegate.service import open_service  # noqa: PLC0415 (see above)

    service = open_service(settings)
    sockets = listening_sockets(settings)
    inode = settings.uds.lstat().st_ino if settings.uds is not None else 0
    for bound in sockets:
        name = bound.getsockname()
        where = name if isinstance(name, str) else f"http://{_host(name[0])}:{name[1]}"
        click.echo(f"phasegate listens on {where}, mode {settings.mode}", err=True)
    try:
        gate = create_gate(settings)
        app, desk = create_app(service, settings, gate), create_desk(service, settings, gate)
        make_server(app, settings.max_header_bytes, desk).run(sockets=sockets)
    finally:
        if settings.uds is not None:
            remove_socket(settings.uds, inode)


def _host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
