"""`run`: enter phases, lock and reopen artifacts, see where a run stands."""

from __future__ import annotations

import sys
from typing import Any

import click

from phasegate.cli.connection import ask
from phasegate.cli.output import json_option, print_json, table

workspace_option = click.option("--workspace", help="Name of a served workspace. Default: the only one.")


@click.group()
def run() -> None:
    """Work with runs."""


@run.command()
@click.argument("run_id")
@click.argument("phase", required=False)
@click.option("--session", "session_id")
@workspace_option
@json_option
def enter(
    as_json: bool, run_id: str, phase: str | None, session_id: str | None, workspace: str | None
) -> None:
    """Enter a phase: memory is read and the read receipt written. Default: the next legal phase."""
    body = {key: value for key, value in (("phase", phase), ("session_id", session_id)) if value is not None}
    reply = ask("POST", f"/v1/runs/{run_id}/phase", params={"workspace": workspace}, body=body).document
    print_json(reply) if as_json else _entered(reply)


@run.command()
@click.argument("run_id")
@workspace_option
@json_option
def status(as_json: bool, run_id: str, workspace: str | None) -> None:
    """Show every artifact of a run and which one is active."""
    reply = ask("GET", f"/v1/runs/{run_id}", params={"workspace": workspace}).document
    if as_json:
        print_json(reply)
        return
    click.echo(f"run {reply['run_id']}, active artifact {reply['active_artifact'] or 'none'}")
    table(
        ("phase", "artifact", "status", "lacks"),
        [(item["phase"], item["name"], item["status"], item["lacks"]) for item in reply["artifacts"]],
    )


def _entered(reply: dict[str, Any]) -> None:
    click.echo(f"entered {reply['phase']} of run {reply['run_id']}")


_ = sys
