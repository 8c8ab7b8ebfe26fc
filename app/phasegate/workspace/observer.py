"""Look at runs after a tool has run: does everything that was locked still stand?

The disk tells most of it. What it can't tell (a lock receipt removed together with its
artifact, a policy exchanged, a run deleted) is told by comparison with the last look.
That is kept by a `LookBook`; every operation of the guard must refresh it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from phasegate.core.runid import run_id_problem
from phasegate.errors import FactsUnreadable, FileRefused, PhasegateError, RunBusy, RunNotFound
from phasegate.files.directory import Directory
from phasegate.files.kept import real_path
from phasegate.files.read import MIB
from phasegate.workspace.look_book import Look, LookBook
from phasegate.workspace.run_look import RunLook, look_at_run
from phasegate.workspace.site import Site, held_run, newest_run
from phasegate.workspace.tamper import Tamper, TamperKind

CONTROL_LIMIT = 2 * MIB
MAX_PATHS = 1_000
MAX_RUNS = 100
_REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Observation:
    """`tampers` is everything found now, `fresh` what no earlier look has reported."""

    runs: tuple[str, ...]
    checked: int
    tampers: tuple[Tamper, ...]
    fresh: tuple[Tamper, ...]


class Observer:
    """Compares with the last look, which *book* keeps. Thread-safe, and several processes may share a book."""

    def __init__(self, book: LookBook | None = None) -> None:
        self._book = book or LookBook()
        self._control_guard = threading.Lock()

    def observe(self, site: Site, run_id: str | None = None, paths: Iterable[str] = ()) -> Observation:
        """Check the run *run_id*, the runs that own *paths*, or (neither given) the newest run and those that went.

        A path names its run whatever the session is bound to. Raises `InvalidRequest` for
        a malformed run id and `RunBusy`; an absent run is no error.
        """
        runs = self._wanted(site, run_id, paths)
        tampers, fresh = self._control_files(site)
        checked = 0
        for name in runs:
            found, news, count = self._run(site, name)
            tampers += found
            fresh += news
            checked += count
        return Observation(runs, checked, tuple(tampers), tuple(fresh))

    def refresh(self, site: Site, run_id: str) -> None:
        """Take the run as it is now: the guard itself has just changed it.

        What does not stand now is left for the next look to report. A run that somebody
        is changing right now is not waited for: whoever changes it refreshes it too.
        """
        try:
            with held_run(site, run_id) as held:
                before = self._book.last(site.root, held.run_id)
                look = look_at_run(site, held.directory, held.run_id)
                told = before.reported.intersection(look.tampers) if before is not None else ()
                self._book.keep(site.root, held.run_id, _kept(look, told))
        except (RunNotFound, RunBusy, FileRefused):
            return

    def _wanted(self, site: Site, run_id: str | None, paths: Iterable[str]) -> tuple[str, ...]:
        named = [run_id] if run_id is not None else []
        named += runs_of_paths(site, paths)
        if named:
            return tuple(dict.fromkeys(named))[:MAX_RUNS]
        with site.open() as root:
            runs = site.workflow.runs_path
            gone = [name for name in self._book.runs(site.root) if root.status(f"{runs}/{name}") is None]
            try:
                return (newest_run(root, site.workflow), *gone)[:MAX_RUNS]
            except RunNotFound:
                return tuple(gone[:MAX_RUNS])

    def _run(self, site: Site, name: str) -> tuple[list[Tamper], list[Tamper], int]:
        """Findings, those that are new, and how many artifacts were checked."""
        try:
            with held_run(site, name) as held:
                before = self._book.last(site.root, held.run_id)
                look = look_at_run(site, held.directory, held.run_id)
                found = [*look.tampers, *_compared(site, name, before, look)]
                self._book.keep(site.root, held.run_id, _kept(look, found))
            return found, _news(before, found), look.checked
        except (RunNotFound, FileRefused) as problem:
            return *self._lost(site, name, problem), 0

    def _lost(self, site: Site, name: str, problem: PhasegateError) -> tuple[list[Tamper], list[Tamper]]:
        """A run that can't be looked into: a finding when it held locks. It is told once and forgotten."""
        before = self._book.last(site.root, name)
        if before is None or not before.marks:
            self._book.forget(site.root, name)
            return [], []
        kind: TamperKind = "deleted" if isinstance(problem, RunNotFound) else "replaced"
        detail = f"run `{name}` with {len(before.marks)} locked artifacts is gone or a link"
        found = [Tamper(name, f"{site.workflow.runs_path}/{name}", kind, detail)]
        self._book.forget(site.root, name)
        return found, list(found)

    def _control_files(self, site: Site) -> tuple[list[Tamper], list[Tamper]]:
        """Changes of the control files since the last look; each is found once."""
        now = control_digests(site)
        with self._control_guard:
            before = self._book.last(site.root, None)
            self._book.keep(site.root, None, Look(now))
        if before is None:
            return [], []
        found = [
            Tamper(
                None,
                path,
                "deleted" if path not in now else "edited",
                "a file of the control plane changed outside the guard",
            )
            for path in sorted({*before.marks, *now})
            if before.marks.get(path) != now.get(path)
        ]
        return found, list(found)


def _kept(look: RunLook, found: Iterable[Tamper]) -> Look:
    return Look(look.locked, look.sidecar is not None, frozenset(found))


def _news(before: Look | None, found: Iterable[Tamper]) -> list[Tamper]:
    told = before.reported if before is not None else frozenset()
    return [tamper for tamper in found if tamper not in told]


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


def _compared(site: Site, name: str, before: Look | None, now: RunLook) -> Iterator[Tamper]:
    """What a comparison tells beyond the disk: locks that are gone without a trace."""
    if before is None:
        return
    place = f"{site.workflow.runs_path}/{name}"
    told = {tamper.path for tamper in now.tampers}
    for artifact, digest in before.marks.items():
        path = f"{place}/{artifact}"
        if path in told or digest in (now.locked.get(artifact), now.released.get(artifact)):
            continue
        if artifact in now.locked:
            yield Tamper(name, path, "replaced", f"`{artifact}` was locked anew outside the guard")
        else:
            yield Tamper(
                name, path, "unlocked", f"`{artifact}` lost its lock, and its lock receipt, outside the guard"
            )
    if before.read_receipts and now.sidecar is None:
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
