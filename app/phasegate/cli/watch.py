"""`watch`: look after a workspace whose agents call no hook."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from phasegate.cli.connection import ask, nearest_workspace
from phasegate.cli.output import json_option, printable
from phasegate.errors import InvalidRequest, PhasegateError, RunBusy
from phasegate.workspace.watching import EVERYTHING, Burst, watch_runs
from phasegate.workspace.workflow_file import load_workflow

EXIT_BROKEN = 5
RUNS_AT_ONCE = 100
_RUNTIME = "phasegate-watch"


@click.command()
@click.argument("directory", required=False)
@click.option("--workspace", help="Name of the served workspace. Default: the only one.")
@click.option("--once", is_flag=True, help="Look once; exit code 5 when something does not stand.")
@json_option
def watch(as_json: bool, directory: str | None, workspace: str | None, once: bool) -> None:
    """Look at the runs in DIRECTORY whenever a file changes; what was tampered with is recorded.

    Default: the workspace around this directory. Each new finding is printed once.
    """
    workflow = load_workflow()
    root = (Path(directory) if directory is not None else nearest_workspace(Path.cwd())).resolve()
    if not (root / workflow.layout.control).is_dir():
        raise InvalidRequest(
            f"`{root.name}` has no `{workflow.layout.control}` directory",
            remedy="name the directory that holds it, or start a run (`phasegate run start RUN`)",
        )
    runs = workflow.runs_path
    if once:
        found = _look(EVERYTHING, workspace, runs, "tampered")
        _show(found, as_json=as_json)
        if not found and not as_json:
            click.echo("everything that was locked stands")
        sys.exit(EXIT_BROKEN if found else 0)
    try:
        for burst in watch_runs(str(root), workflow):
            _show(_patiently(burst, workspace, runs), as_json=as_json)
    except KeyboardInterrupt:
        sys.exit(0)


def _patiently(burst: Burst, workspace: str | None, runs: str) -> list[dict[str, Any]]:
    """New findings of one burst. A service that is away is told of; the next burst asks it again."""
    try:
        return _look(burst, workspace, runs, "fresh")
    except PhasegateError as error:
        if error.http_status < 500:  # noqa: PLR2004 (what will not mend by itself)
            raise
        click.echo(f"phasegate: {error.detail}; not looked at", err=True)
        return []


def _look(burst: Burst, workspace: str | None, runs: str, which: str) -> list[dict[str, Any]]:
    """Ask for an observation of the runs of *burst*, or of all; the findings named *which*."""
    params = {"workspace": workspace}
    paths: Sequence[str] = burst
    parts: list[dict[str, Any]] = []
    if burst == EVERYTHING:
        items = ask("GET", "/v1/runs", params=params).document["items"]
        paths = [f"{runs}/{item['run_id']}" for item in items]
        parts.append({})  # the control files, and runs that went
    parts += [{"paths": paths[at : at + RUNS_AT_ONCE]} for at in range(0, len(paths), RUNS_AT_ONCE)]
    found: dict[str, dict[str, Any]] = {}
    for body in parts:
        try:
            reply = ask("POST", "/v1/observations", params=params, body={**body, "runtime": _RUNTIME})
        except RunBusy:
            continue  # whoever is changing it looks at it too, and makes the next burst
        found |= {json.dumps(tamper): tamper for tamper in reply.document[which]}
    return list(found.values())


def _show(found: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    for tamper in found:
        line = f"{tamper['kind']}  {tamper['path']}: {tamper['detail']}"
        click.echo(json.dumps(tamper, ensure_ascii=False) if as_json else printable(line))
    sys.stdout.flush()
