"""Start a run: scaffold its directories and drafts. What exists is never overwritten."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from phasegate.errors import InvalidRequest
from phasegate.files.directory import Directory
from phasegate.files.runlock import locked
from phasegate.files.trees import HIDDEN_SUFFIX, publish, remove_tree, sweep_trees
from phasegate.files.write import create, make_directories
from phasegate.workspace.approval import Approval, read_approval
from phasegate.workspace.site import Site, checked_run_id
from phasegate.workspace.templates import new_artifact

MAX_TITLE = 500
# Names that another system, or a command line, would take for something else.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
)


@dataclass(frozen=True, slots=True)
class StartedRun:
    """`created` and `existing` name files, and directories with a `/` at the end, in sequence order."""

    run_id: str
    directory: str
    created: tuple[str, ...]
    existing: tuple[str, ...]
    approval: Approval


def start_run(site: Site, run_id: str, title: str = "") -> StartedRun:
    """Scaffold a run. A new one appears whole, or not at all; an existing one gets what it lacks.

    Starting a run enters no phase and reads no memory. Raises `InvalidRequest` before
    anything is touched, `FileRefused` when a link stands where the run would lie.
    """
    name = _new_run_id(run_id)
    clean = " ".join(title.split())
    if len(clean) > MAX_TITLE:
        raise InvalidRequest(
            f"the title is over {MAX_TITLE} characters", errors=[{"loc": ["title"], "msg": "too long"}]
        )
    control, runs = site.workflow.layout.control, site.workflow.runs_path
    with site.open() as root:
        make_directories(root, runs)
        with locked(root, control, timeout=site.timeout) as held:
            sweep_trees(held)
            if root.status(f"{runs}/{name}") is None:
                return _publish(site, held, name, clean)
        with locked(root, f"{runs}/{name}", timeout=site.timeout) as run:
            return _fill(site, run, name, clean)


def _new_run_id(run_id: str) -> str:
    name = checked_run_id(run_id)
    if name.startswith("-") or name.split(".")[0].casefold() in _DEVICES:
        raise InvalidRequest(
            f"`{name}` would be taken for an option or a device",
            remedy="choose another name",
            errors=[{"loc": ["run_id"], "msg": "reserved"}],
        )
    return name


def _publish(site: Site, control: Directory, name: str, title: str) -> StartedRun:
    """Build the run under a hidden name beside the runs, then rename it into place."""
    hidden = f".{name}.{secrets.token_hex(4)}{HIDDEN_SUFFIX}"
    make_directories(control, hidden)
    try:
        with control.below(hidden) as run:
            made = _fill(site, run, name, title)
        publish(control, hidden, f"{site.workflow.layout.runs}/{name}")
    except BaseException:
        remove_tree(control, hidden)
        raise
    return made


def _fill(site: Site, run: Directory, name: str, title: str) -> StartedRun:
    created: list[str] = []
    existing: list[str] = []
    for rel in _directories(site):
        (created if make_directories(run, rel) else existing).append(f"{rel}/")
    for phase in site.workflow.phases:
        text = new_artifact(site.templates, site.workflow, phase, run_id=name, title=title)
        made = create(run, phase.artifact, text.encode())
        (created if made else existing).append(phase.artifact)
    return StartedRun(
        name,
        f"{site.workflow.runs_path}/{name}",
        tuple(created),
        tuple(existing),
        read_approval(run, site.workflow.layout),
    )


def _directories(site: Site) -> tuple[str, ...]:
    """Every directory of a run, parents before what lies in them."""
    found: dict[str, None] = {}
    for rel in site.workflow.layout.run_directories:
        parts = rel.split("/")
        for length in range(1, len(parts) + 1):
            found["/".join(parts[:length])] = None
    return tuple(found)
