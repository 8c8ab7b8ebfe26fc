"""Watch a workspace's control directory: which runs something happened in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from watchfiles import watch

from phasegate.core.workflow import Workflow
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
        identity = _identity(place)
        if identity is not None:
            gone = False
            yield from _until_exchanged(place, identity, workflow.layout.runs, stop)
        elif gone:
            stop.wait(LOOK_AGAIN_MS / 1000)
        else:
            gone = True
            yield EVERYTHING


def _until_exchanged(
    place: Path, identity: tuple[int, int], runs: str, stop: threading.Event
) -> Iterator[Burst]:
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
            elif _identity(place) != identity:
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


def _identity(place: Path) -> tuple[int, int] | None:
    try:
        status = place.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
