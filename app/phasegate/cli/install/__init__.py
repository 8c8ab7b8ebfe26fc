"""`phasegate install` and `uninstall`: the guard's hook in a runtime's own configuration."""

from __future__ import annotations

import os
import py_compile
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from phasegate import hook_client
from phasegate.cli.install.plan import (
    Change,
    apply,
    config_file,
    install_changes,
    supported,
    uninstall_changes,
)
from phasegate.cli.install.register import REGISTRATIONS
from phasegate.cli.install.spawn import Wanted
from phasegate.errors import SettingsError
from phasegate.runtimes import find
from phasegate.runtimes.places import PLACES
from phasegate.settings import client_settings, load_settings

_SCOPE = "project"


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`RUNTIME`, `--project` or `--user`, `--dir`, `--file`."""
    for decorate in (
        click.argument("runtime"),
        click.option(
            "--project", "scope", flag_value=_SCOPE, default=_SCOPE, help="This project. The default."
        ),
        click.option("--user", "scope", flag_value="user", help="Every project of this user."),
        click.option("--dir", "directory", default=".", metavar="DIR", help="The project's directory."),
        click.option("--file", "file", metavar="FILE", help="Another configuration file than the usual one."),
        click.option("--codex-home", envvar="CODEX_HOME", hidden=True, default=""),
        click.option("--copilot-home", envvar="COPILOT_HOME", hidden=True, default=""),
    ):
        command = decorate(command)
    return command


@click.command()
@scope_options
@click.option(
    "--mode", type=click.Choice(["strict", "advisory"]), help="Also what happens without a service."
)
@click.option("--transport", type=click.Choice(["command", "http", "sh"]), default="command")
@click.option("--uds", metavar="PATH", help="Socket of the service.")
@click.option("--url", metavar="URL", help="Address of the service.")
@click.option("--run", "run_id", metavar="RUN", help="Bind every session to this run.")
@click.option("--token-file", metavar="FILE", help="File with the bearer token.")
@click.option("--autostart", is_flag=True, help="Let the hook start the service; needs a socket.")
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
def install(dry_run: bool, **given: Any) -> None:
    """Make RUNTIME ask phasegate before each tool call."""
    runtime, path = target_of(given)
    wanted = _wanted(given)
    changes = install_changes(runtime, path, wanted)
    if not dry_run:
        _compile_hook()
    _carry_out(changes, dry_run=dry_run)
    for note in REGISTRATIONS[runtime].notes if runtime in REGISTRATIONS else ():
        click.echo(f"note: {note}", err=True)
    if not dry_run:
        click.echo(
            f"prove it: phasegate doctor {runtime}" + (" --user" if given["scope"] == "user" else ""),
            err=True,
        )


@click.command()
@scope_options
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
def uninstall(dry_run: bool, **given: Any) -> None:
    """Take phasegate out of RUNTIME's configuration."""
    runtime, path = target_of(given)
    _carry_out(uninstall_changes(runtime, path), dry_run=dry_run)


def target_of(given: dict[str, Any]) -> tuple[str, Path]:
    """The runtime's id and the file to change."""
    adapter = find(given["runtime"])
    if adapter is None or adapter.id not in supported():
        known = ", ".join(f"`{name}`" for name in supported())
        raise SettingsError(
            f"`{given['runtime']}` has no configuration file to install into; known are {known}",
            remedy="frameworks take a class or callback from `phasegate.frameworks`, MCP servers `phasegate mcp-proxy`",
        )
    if given["file"]:
        return adapter.id, Path(given["file"]).absolute()
    user = given["scope"] == "user"
    moved = {"codex": given["codex_home"], "copilot-cli": given["copilot_home"]}.get(adapter.id)
    if user and moved:
        return adapter.id, Path(moved).absolute() / Path(*PLACES[adapter.id].user[0].split("/")[1:])
    base = Path.home() if user else Path(given["directory"]).resolve()
    if not base.is_dir():
        raise SettingsError(f"`{given['directory']}` is not a directory")
    return adapter.id, config_file(adapter.id, base, user=user)


def _wanted(given: dict[str, Any]) -> Wanted:
    uds, url = _address(given)
    settings_token = client_settings().token
    if given["autostart"] and not uds:
        raise SettingsError("`--autostart` needs a socket", remedy="give one with `--uds PATH`")
    if given["transport"] == "http" and not url:
        raise SettingsError(
            "an HTTP hook needs an address", remedy="give one with `--url http://127.0.0.1:8787`"
        )
    if given["transport"] == "sh" and shutil.which("curl") is None:
        raise SettingsError("the `sh` hook needs curl, which is not on this machine")
    directory = None if given["scope"] == "user" else Path(given["directory"]).resolve()
    token_file = str(Path(given["token_file"]).absolute()) if given["token_file"] else ""
    return Wanted(
        uds=uds,
        url=url,
        mode=given["mode"],
        transport=given["transport"],
        run=given["run_id"] or "",
        token_file=token_file,
        has_token=bool(settings_token or token_file),
        autostart=tuple(_serve_command(given, uds, directory)) if given["autostart"] else (),
        scripts=load_settings({}).data / "hooks",
        directory=directory,
    )


def _address(given: dict[str, Any]) -> tuple[str, str]:
    """Socket and URL; the flags win, then the environment, then what the configuration serves."""
    if given["uds"]:
        return str(Path(given["uds"]).absolute()), given["url"] or ""
    if given["url"]:
        return "", given["url"]
    client = client_settings()
    if client.configured and not (given["transport"] == "http" and client.url is None):
        use_socket = client.uds is not None and given["transport"] != "http"
        return (str(client.uds), client.url or "") if use_socket else ("", client.url or "")
    settings = load_settings({})
    if settings.uds is not None and given["transport"] != "http":
        return str(settings.uds), ""
    return "", f"http://{settings.host}:{settings.port}" if settings.port is not None else ""


def _serve_command(given: dict[str, Any], uds: str, directory: Path | None) -> Sequence[str]:
    words = [sys.executable, "-m", "phasegate", "serve", "--uds", uds]
    words += ["--workspace", str(directory)] if directory is not None else []
    words += ["--mode", given["mode"]] if given["mode"] else []
    return words + (
        ["--token-file", str(Path(given["token_file"]).absolute())] if given["token_file"] else []
    )


def _carry_out(changes: Sequence[Change], *, dry_run: bool) -> None:
    needed = [change for change in changes if change.needed]
    if not needed:
        click.echo("nothing to change")
        return
    for change in needed:
        click.echo(change.diff(), nl=False)
        if not dry_run:
            apply(change)
    for change in needed:
        done = "would change" if dry_run else "removed" if change.after is None else "wrote"
        click.echo(f"{done} {change.path}", err=True)


def _compile_hook() -> None:
    """Leave the hook compiled: the interpreter that runs it is told to write nothing."""
    if os.access(Path(hook_client.__file__).parent, os.W_OK):
        py_compile.compile(hook_client.__file__, doraise=True)
