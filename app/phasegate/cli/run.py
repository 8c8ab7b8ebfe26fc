"""`run`: enter phases, lock and reopen artifacts, see where a run stands."""

from __future__ import annotations

import sys
from typing import Any

import click

from phasegate.cli.connection import ask
from phasegate.cli.output import json_option, print_json, table

EXIT_BROKEN = 5
workspace_option = click.option("--workspace", help="Name of a served workspace. Default: the only one.")


@click.group()
def run() -> None:
    """Work with runs."""


@run.command()
@click.argument("run_id")
@click.argument("phase", required=False)
@click.option("--session", "session_id", metavar="ID", help="Recorded in the read receipt.")
@click.option("--query", metavar="TEXT", help="What to search memory for. Default: the requirements.")
@click.option(
    "--changed", "changed_paths", multiple=True, metavar="PATH", help="A path the work touches. Repeatable."
)
@workspace_option
@json_option
def enter(as_json: bool, run_id: str, workspace: str | None, **given: Any) -> None:
    """Enter a phase: memory is read and the read receipt written. Default: the next legal phase."""
    body = {key: value for key, value in given.items() if value not in (None, ())}
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


@run.command()
@click.argument("run_id")
@click.option("--title", default="", help="Title for the drafts.")
@workspace_option
@json_option
def start(as_json: bool, run_id: str, title: str, workspace: str | None) -> None:
    """Start a run, or add what an existing one lacks. It enters no phase."""
    body = {"run_id": run_id, "title": title}
    reply = ask("POST", "/v1/runs", params={"workspace": workspace}, body=body).document
    if as_json:
        print_json(reply)
        return
    click.echo(
        f"run {reply['run_id']} in {reply['directory']}: {len(reply['created'])} files and directories made"
    )
    click.echo(f"next: phasegate run enter {reply['run_id']}")


@run.command("list")
@workspace_option
@json_option
def listing(as_json: bool, workspace: str | None) -> None:
    """The runs of a workspace, newest first."""
    items = ask("GET", "/v1/runs", params={"workspace": workspace}).document["items"]
    print_json(items) if as_json else table(("run",), [(item["run_id"],) for item in items])


@run.command()
@click.argument("run_id")
@click.argument("artifact")
@workspace_option
@json_option
def lock(as_json: bool, run_id: str, artifact: str, workspace: str | None) -> None:
    """Lock an artifact. Exit code 3 when a gate refuses."""
    body = {"artifact": artifact}
    reply = ask("POST", f"/v1/runs/{run_id}/locks", params={"workspace": workspace}, body=body).document
    print_json(reply) if as_json else click.echo(f"locked {reply['artifact']} of run {run_id}")


@run.command()
@click.argument("run_id")
@click.argument("artifact")
@click.option("--reason", required=True, help="Why; it is recorded.")
@workspace_option
@json_option
def reopen(as_json: bool, run_id: str, artifact: str, reason: str, workspace: str | None) -> None:
    """Reopen a locked artifact. Later artifacts that rested on it no longer count as locked."""
    body = {"artifact": artifact, "reason": reason}
    reply = ask("POST", f"/v1/runs/{run_id}/reopen", params={"workspace": workspace}, body=body).document
    if as_json:
        print_json(reply)
        return
    click.echo(f"reopened {reply['artifact']} of run {run_id}")
    for name in reply["stale"]:
        click.echo(f"  {name} no longer counts as locked")


@run.command()
@click.argument("run_id")
@workspace_option
@json_option
def verify(as_json: bool, run_id: str, workspace: str | None) -> None:
    """Check the lock receipts of a run against its artifacts. Exit code 5 when they disagree."""
    reply = ask("GET", f"/v1/runs/{run_id}/verify", params={"workspace": workspace}).document
    if as_json:
        print_json(reply)
    else:
        click.echo(f"{'intact' if reply['ok'] else 'BROKEN'}: {reply['checked']} lock receipts checked")
        for problem in reply["problems"]:
            click.echo(f"  {problem['phase']}: {problem['kind']}: {problem['detail']}")
    sys.exit(0 if reply["ok"] else EXIT_BROKEN)


def _entered(reply: dict[str, Any]) -> None:
    click.echo(f"entered {reply['phase']} of run {reply['runId']}; {reply['memoryReason']}")
    if reply["memory"]:
        click.echo(reply["memory"])
    if "ask" in reply:
        click.echo(f"this phase still owes an answer: {reply['ask']['question']}")
    for warning in reply["warnings"]:
        click.echo(f"warning: {warning}")
