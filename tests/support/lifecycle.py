"""A workspace on disk with a site over it: the start of every lifecycle test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from phasegate.core.reading import MemoryReading, PromotionReading
from phasegate.core.sealing import SealKey
from phasegate.workspace.site import Site
from phasegate.workspace.templates import load_templates
from phasegate.workspace.workflow_file import load_workflow
from support.peer import SEQUENCE, artifact_text, lock_receipt

KEY = SealKey(b"k" * 32)
NOW = "2026-11-30T20:49:23Z"
DONE = "\n## Text\n\nall said\n"


def unread_plane(_request: object) -> MemoryReading:
    """What a reader says of a plane that holds nothing."""
    return MemoryReading("the memory plane is empty, so nothing is injected", "absent", "")


def site_of(root: Path, **changes: Any) -> Site:
    site = Site(
        root=str(root.resolve()),
        workflow=load_workflow(),
        templates=load_templates(),
        key=KEY,
        read_memory=unread_plane,
        promoted=lambda _: PromotionReading(),
        now=lambda: NOW,
        timeout=5.0,
    )
    return replace(site, **changes)


def run_dir(root: Path, run_id: str = "r1") -> Path:
    return root / ".recursive" / "run" / run_id


def make_run(root: Path, run_id: str = "r1", **states: str) -> Path:
    """A run with artifacts by the first word of their name: `make_run(root, a00="locked")`.

    Keys are the artifact's number with `a` before it and `_` for `.` (`a01_5`), and
    `a00w` for the second of phase 0. Locked ones get the peer's lock receipt.
    """
    directory = run_dir(root, run_id)
    directory.mkdir(parents=True, exist_ok=True)
    for name in SEQUENCE:
        state = states.get(_key(name))
        if state is None:
            continue
        (directory / name).write_text(artifact_text(run_id, name, state, DONE))
        if state == "locked":
            write_receipt(directory, name)
    return directory


def write_receipt(directory: Path, name: str) -> None:
    (directory / "locks").mkdir(exist_ok=True)
    (directory / "locks" / f"{name.removesuffix('.md')}.receipt.json").write_text(
        lock_receipt(directory, name)
    )


def all_locked(root: Path, run_id: str = "r1", *, but: Callable[[str], str | None] | None = None) -> Path:
    states = {_key(name): "locked" for name in SEQUENCE}
    if but is not None:
        states |= {_key(name): state for name in SEQUENCE if (state := but(name)) is not None}
    return make_run(root, run_id, **states)


def _key(name: str) -> str:
    number, _, rest = name.partition("-")
    return "a" + number.replace(".", "_") + ("w" if rest == "worktree.md" else "")
