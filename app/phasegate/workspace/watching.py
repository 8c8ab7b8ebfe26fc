"""Watch a workspace's control directory and observe the runs in which something changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from watchfiles import watch

from phasegate.errors import RunBusy
from phasegate.files.write import TEMPORARY_SUFFIX
from phasegate.workspace.observer import Observation, Observer
from phasegate.workspace.site import Site

QUIET_MS = 100


def watch_runs(site: Site, observer: Observer, stop: threading.Event | None = None) -> Iterator[Observation]:
    """Observe at once, then after each burst of changes; ends when *stop* is set.

    The control directory must exist. Our own temporary files are no news. A run that is
    being changed right now is looked at with the next burst.
    """
    yield observer.observe(site)
    place = f"{site.root}/{site.workflow.layout.control}"
    for changes in watch(
        place,
        stop_event=stop,
        step=QUIET_MS,
        watch_filter=lambda _, path: not path.endswith(TEMPORARY_SUFFIX),
    ):
        try:
            observation = observer.observe(site, paths=sorted(path for _, path in changes))
        except RunBusy:
            continue
        if observation.runs or observation.tampers:
            yield observation
