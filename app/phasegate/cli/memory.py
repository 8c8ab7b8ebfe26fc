"""`memory`: why a memory entry is shown or not."""

from __future__ import annotations

import click

from phasegate.cli.connection import ask
from phasegate.cli.output import json_option, print_json, table


@click.group()
def memory() -> None:
    """Look into the memory plane."""


@memory.command()
@click.argument("query")
@click.option("--phase", help="Rank as for this phase.")
@click.option("--workspace", help="Name of a served workspace. Default: the only one.")
@json_option
def explain(as_json: bool, query: str, phase: str | None, workspace: str | None) -> None:
    """Rank every entry for QUERY and say why each is shown or left out."""
    params = {"q": query, "phase": phase, "workspace": workspace}
    reply = ask("GET", "/v1/memory/explain", params=params).document
    if as_json:
        print_json(reply)
        return
    click.echo(reply["reason"])
    table(
        ("score", "shown", "source", "title", "because"),
        [
            (row["score"], "yes" if row["included"] else "no", row["source"], row["title"], row["reason"])
            for row in reply["rows"]
        ],
    )
    for skipped in reply["skipped"]:
        click.echo(f"not read: {skipped}")
