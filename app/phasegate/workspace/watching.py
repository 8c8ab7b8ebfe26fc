"""Watch a workspace's control directory: which runs something happened in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from watchfiles import watch

from phasegate.core.workflow import Workflow
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.write import TEMPORARY_SUFFIX

QUIET_MS = 100
LOOK_AGAIN_MS = 500
Burst = tuple[str, ...]
EVERYTHING: Burst = ()


def watch_runs(root: str, workflow: Workflow, stop: threading.Event | None = None) -> Iterator[Burst]:
    """After each burst of changes the runs it touched, as paths relative to the workspace *root*.

    `EVERYTHING` comes when watching begins, begins anew because the control directory
    was exchanged, or when something outside of the runs changed: then all of it has to be
    looked at. Our own temporary files are no news. Ends when *stop* is set.
    """
    stop = stop or threading.Event()
    place = Path(root) / workflow.layout.control
    gone = False
    while not stop.is_set():
        held = _open(place)
        if held is not None:
            gone = False
            with held:
                yield from _until_exchanged(place, held, workflow.layout.runs, stop)
        elif gone:
            stop.wait(LOOK_AGAIN_MS / 1000)
        else:
            gone = True
            yield EVERYTHING


def _until_exchanged(place: Path, held: Directory, runs: str, stop: threading.Event) -> Iterator[Burst]:
    """*held* is the open directory: while it is open, no new one can get its inode number."""
    begun = False
    try:
        for changes in watch(
            place,
            stop_event=stop,
            step=QUIET_MS,
            rust_timeout=LOOK_AGAIN_MS,
            yield_on_timeout=True,
            watch_filter=lambda _, path: not path.endswith(TEMPORARY_SUFFIX),
        ):
            if not begun:
                begun = True
                yield EVERYTHING
            elif changes:
                yield _touched(place, runs, (path for _, path in changes))
            elif not _is_at(place, held):
                return
    except FileNotFoundError:
        return  # it went between the look and the watch


def _touched(place: Path, runs: str, paths: Iterator[str]) -> Burst:
    found: dict[str, None] = {}
    for path in sorted(paths):
        inside = path.removeprefix(f"{place}/")
        parts = inside.split("/")
        depth = len(runs.split("/"))
        if inside == path or "/".join(parts[:depth]) != runs or len(parts) == depth:
            return EVERYTHING
        found["/".join((place.name, *parts[: depth + 1]))] = None
    return tuple(found)


def _open(place: Path) -> Directory | None:
    try:
        return Directory.open_root(str(place))
    except (OSError, FileRefused, FactsUnreadable):
        return None


def _is_at(place: Path, held: Directory) -> bool:
    """Whether the open directory *held* is still the one at *place*."""
    now = _open(place)
    if now is None:
        return False
    with now:
        return now.identity() == held.identity()
