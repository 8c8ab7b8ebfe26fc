"""`policy`: check a policy file, show the one in force."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from phasegate.cli.connection import ask, nearest_workspace
from phasegate.cli.output import json_option, print_json, table
from phasegate.core.policy import builtin_policy
from phasegate.core.policy_text import MAX_POLICY_BYTES, parse_policy
from phasegate.errors import PolicyDefect
from phasegate.rules import discover
from phasegate.workspace.workflow_file import load_workflow


@click.group()
def policy() -> None:
    """Check and show policies."""


@policy.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def check(as_json: bool, file: Path | None) -> None:
    """Check a policy file. Default: the one of the workspace around here. Exit code 0 when it can be believed."""
    workflow = load_workflow()
    path = file or nearest_workspace(Path.cwd()) / workflow.policy_path
    base = builtin_policy(workflow, discover())
    if file is None and not path.exists():
        report = {"ok": True, "source": "builtin", "digest": base.digest, "defect": None}
    else:
        try:
            with path.open("rb") as stream:
                found = parse_policy(stream.read(MAX_POLICY_BYTES + 1), base)
            report = {"ok": True, "source": "file", "digest": found.digest, "defect": None}
        except PolicyDefect as error:
            report = {"ok": False, "source": "defect", "digest": None, "defect": error.detail}
    if as_json:
        print_json(report)
    else:
        name = "built-in policy" if report["source"] == "builtin" else f"`{path}`"
        click.echo(f"{name}: {'ok, ' + str(report['digest']) if report['ok'] else report['defect']}")
    sys.exit(0 if report["ok"] else PolicyDefect.exit_code)


@policy.command()
@click.option("--workspace", help="Name of a served workspace.")
@json_option
def show(as_json: bool, workspace: str | None) -> None:
    """Show the policy in force."""
    document = ask("GET", "/v1/policy", params={"workspace": workspace}).document
    if as_json:
        print_json(document)
        return
    click.echo(f"source {document['source']}, digest {document['digest']}, mode {document['mode']}")
    if document["defect"]:
        click.echo(f"defect: {document['defect']}")
    table(
        ("rule", "mode", "what it denies"),
        [
            (rule["label"], rule["mode"] if rule["on"] else "off", rule["summary"])
            for rule in document["rules"]
        ],
    )
    if document["patterns"]:
        table(
            ("pattern", "verdict", "label", "reason"),
            [
                (entry["pattern"], entry["verdict"], entry["label"], entry["reason"])
                for entry in document["patterns"]
            ],
        )
