"""`phasegate doctor`: prove an installation by a call that must be denied."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from phasegate.cli.install import scope_options, target_of
from phasegate.cli.install.examine import Scene, examine
from phasegate.settings import client_settings
from phasegate.workspace.workflow_file import load_workflow

_MARKS = {True: "ok  ", False: "FAIL", None: "skip"}


@click.command()
@scope_options
def doctor(**given: Any) -> None:
    """Send a forbidden write through RUNTIME's installed hook and check that it is stopped."""
    runtime, path = target_of(given)
    directory = Path(given["directory"]).resolve()
    scene = Scene(
        path=path,
        directory=directory,
        target=directory / load_workflow().policy_path,
        codex_home=Path(given["codex_home"] or Path.home() / ".codex"),
        token=client_settings().token or "",
    )
    failed = 0
    for finding in examine(runtime, scene):
        click.echo(f"{_MARKS[finding.ok]} {finding.what}" + (f": {finding.why}" if finding.why else ""))
        failed += finding.ok is False
    if failed:
        click.echo(f"{runtime}: {failed} of the checks failed", err=True)
        sys.exit(1)
    click.echo(f"{runtime}: calls are checked")
