"""Look at runs after a tool has run: does everything that was locked still stand?

The disk tells most of it. What it can't tell (a lock receipt removed together with its
artifact, a policy exchanged, a run deleted) is told by comparison with the last look.
That lives in this process's memory; every operation of the guard must refresh it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from phasegate.core.runid import run_id_problem
from phasegate.errors import FactsUnreadable, FileRefused, RunNotFound
from phasegate.files.directory import Directory
from phasegate.files.kept import real_path
from phasegate.files.read import MIB
from phasegate.workspace.run_look import RunLook, look_at_run
from phasegate.workspace.site import Site, held_run, newest_run
from phasegate.workspace.tamper import Tamper, TamperKind

CONTROL_LIMIT = 2 * MIB
MAX_PATHS = 1_000
MAX_RUNS = 100
_REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Observation:
    """`tampers` is everything found now, `fresh` what no earlier look of this process has reported."""

    runs: tuple[str, ...]
    checked: int
    tampers: tuple[Tamper, ...]
    fresh: tuple[Tamper, ...]


class Observer:
    """Remembers, per workspace, how things stood. Thread-safe."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], RunLook] = {}
        self._control: dict[str, dict[str, str]] = {}
        self._reported: dict[str, set[Tamper]] = {}
        self._guard = threading.Lock()

    def observe(self, site: Site, run_id: str | None = None, paths: Iterable[str] = ()) -> Observation:
        """Check the run *run_id*, the runs that own *paths*, or (neither given) the newest run.

        A path names its run whatever the session is bound to. Raises `InvalidRequest` for
        a malformed run id and `RunBusy`; an absent run is no error.
        """
        runs = self._wanted(site, run_id, paths)
        tampers: list[Tamper] = list(self._control_files(site))
        checked = 0
        for name in runs:
            found, count = self._run(site, name)
            tampers += found
            checked += count
        return Observation(runs, checked, tuple(tampers), self._fresh(site, tampers))

    def refresh(self, site: Site, run_id: str) -> None:
        """Take the run and the control files as they are now: the guard itself has just changed them."""
        try:
            with held_run(site, run_id) as held:
                look = look_at_run(site, held.directory, held.run_id)
        except (RunNotFound, FileRefused):
            return
        with self._guard:
            self._runs[site.root, held.run_id] = look
            self._control[site.root] = control_digests(site)

    def _wanted(self, site: Site, run_id: str | None, paths: Iterable[str]) -> tuple[str, ...]:
        named = [run_id] if run_id is not None else []
        named += runs_of_paths(site, paths)
        if named:
            return tuple(dict.fromkeys(named))[:MAX_RUNS]
        try:
            with site.open() as root:
                return (newest_run(root, site.workflow),)
        except RunNotFound:
            return ()

    def _run(self, site: Site, name: str) -> tuple[list[Tamper], int]:
        with self._guard:
            before = self._runs.get((site.root, name))
        try:
            with held_run(site, name) as held:
                look = look_at_run(site, held.directory, held.run_id)
        except (RunNotFound, FileRefused) as problem:
            if before is None or not before.locked:
                return [], 0
            kind: TamperKind = "deleted" if isinstance(problem, RunNotFound) else "replaced"
            detail = f"run `{name}` with {len(before.locked)} locked artifacts is gone or a link"
            return [Tamper(name, f"{site.workflow.runs_path}/{name}", kind, detail)], 0
        with self._guard:
            self._runs[site.root, held.run_id] = look
        return [*look.tampers, *_compared(site, name, before, look)], look.checked

    def _control_files(self, site: Site) -> Iterator[Tamper]:
        now = control_digests(site)
        with self._guard:
            before = self._control.get(site.root)
            self._control[site.root] = now
        for path in sorted({*(before or {}), *now}) if before is not None else ():
            if before is not None and before.get(path) != now.get(path):
                kind: TamperKind = "deleted" if path not in now else "edited"
                yield Tamper(None, path, kind, "a file of the control plane changed outside the guard")

    def _fresh(self, site: Site, tampers: list[Tamper]) -> tuple[Tamper, ...]:
        with self._guard:
            known = self._reported.get(site.root, set())
            self._reported[site.root] = set(tampers)
        return tuple(tamper for tamper in tampers if tamper not in known)


def control_digests(site: Site) -> dict[str, str]:
    """Digest of the policy file, if there is one.

    The feedback counters are left out: closing a run changes them, in whichever process.
    """
    with site.open() as root:
        digest = _digest(root, site.workflow.policy_path)
    return {} if digest is None else {site.workflow.policy_path: digest}


def runs_of_paths(site: Site, paths: Iterable[str]) -> list[str]:
    """The runs that own *paths*, in any spelling: absolute or relative, either slash, through links."""
    runs = f"{site.root}/{site.workflow.runs_path}/"
    found: dict[str, None] = {}
    for _, path in zip(range(MAX_PATHS), paths, strict=False):
        spelled = os.path.normpath(f"{site.root}/{path}" if not _absolute(path) else path.replace("\\", "/"))
        for candidate in (spelled.replace("\\", "/"), real_path(spelled)):
            name = candidate.removeprefix(runs).split("/")[0]
            if candidate.startswith(runs) and run_id_problem(name) is None:
                found[name] = None
    return list(found)


def _compared(site: Site, name: str, before: RunLook | None, now: RunLook) -> Iterator[Tamper]:
    """What a comparison tells beyond the disk: locks that are gone without a trace."""
    if before is None:
        return
    place = f"{site.workflow.runs_path}/{name}"
    told = {tamper.path for tamper in now.tampers}
    for artifact, digest in before.locked.items():
        path = f"{place}/{artifact}"
        if path in told or digest in (now.locked.get(artifact), now.released.get(artifact)):
            continue
        if artifact in now.locked:
            yield Tamper(name, path, "replaced", f"`{artifact}` was locked anew outside the guard")
        else:
            yield Tamper(
                name, path, "unlocked", f"`{artifact}` lost its lock, and its lock receipt, outside the guard"
            )
    if before.sidecar is not None and now.sidecar is None:
        yield Tamper(
            name, f"{place}/{site.workflow.layout.read_receipts}", "deleted", "the read receipts are gone"
        )


def _digest(root: Directory, rel: str) -> str | None:
    try:
        data = root.read(rel, CONTROL_LIMIT)
    except (FileRefused, FactsUnreadable):
        return _REFUSED
    return None if data is None else hashlib.sha256(data).hexdigest()


def _absolute(path: str) -> bool:
    return path.startswith(("/", "\\"))
