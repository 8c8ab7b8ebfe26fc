"""Counters of how often a memory document was shown in a phase that was then finished.

The file is the peer's: an object from source to `applied` and `contradicted`. Ours adds
`settled`, the (run, phase) pairs already counted, so that counting again changes nothing.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import MIB
from phasegate.files.runlock import DEFAULT_TIMEOUT, locked
from phasegate.files.write import create, make_directories, move_aside, replace, sweep
from phasegate.memory.folders import Folders, MemoryPlace

BOOK_LIMIT = 1 * MIB
_COUNT_LIMIT = 1_000_000_000
_SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Counters:
    applied: int = 0
    contradicted: int = 0


@dataclass(frozen=True, slots=True)
class Book:
    """`counters` by source relative to the plane. `raw` is the document as it stands; `defect` why it is unusable."""

    counters: Mapping[str, Counters]
    raw: Mapping[str, Any]
    defect: str = ""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What settling changed: the (phase, source) pairs counted now. `set_aside` names a damaged book's copy."""

    counted: tuple[tuple[str, str], ...]
    set_aside: str | None = None


def bonuses(counters: Mapping[str, Counters]) -> Mapping[str, int]:
    """The sign of applied less contradicted, for every source."""
    return {
        source: (book.applied > book.contradicted) - (book.applied < book.contradicted)
        for source, book in counters.items()
    }


def read_book(place: MemoryPlace) -> Book:
    """The counters in force; the older place counts only while the current file is missing or blank."""
    try:
        with Directory.open_root(place.root) as directory:
            data, _ = _current(directory, place)
    except (FileNotFoundError, FileRefused, FactsUnreadable) as problem:
        return Book({}, {}, str(problem))
    return parse_book(data, place.folders)


def parse_book(data: bytes | None, folders: Folders) -> Book:
    """Read the file's bytes. Nothing raises; values of another shape are skipped or zero."""
    if data is None or not data.strip():
        return Book({}, {})
    try:
        raw = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return Book({}, {}, "the feedback counters are not JSON")
    if not isinstance(raw, dict):
        return Book({}, {}, "the feedback counters are not a JSON object")
    found: dict[str, Counters] = {}
    for key, value in raw.items():
        if isinstance(value, dict):
            source = relative_source(key, folders)
            one, other = found.get(source, Counters()), value
            found[source] = Counters(
                one.applied + _count(other.get("applied")),
                one.contradicted + _count(other.get("contradicted")),
            )
    return Book(found, raw)


def relative_source(source: str, folders: Folders) -> str:
    """A document's path below the plane; a peer's absolute path of the same document is cut to it."""
    parts = source.replace("\\", "/").split("/")
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] == folders.older and len(parts) - at > 2:  # noqa: PLR2004 (plane, folder, name)
            return "/".join(parts[at + 1 :])
    return source


def settle(
    place: MemoryPlace,
    run_id: str,
    shown: Iterable[tuple[str, str]],
    *,
    known: Collection[str],
    timeout: float = DEFAULT_TIMEOUT,
) -> Settlement:
    """Count each (phase, source) of *shown* once for this run; sources outside *known* are ignored.

    A damaged book is set aside, never overwritten unseen. Raises `RunBusy`.
    """
    pairs = sorted({(phase, relative_source(source, place.folders)) for phase, source in shown})
    wanted = [(phase, source) for phase, source in pairs if source in known]
    if not wanted:
        return Settlement(())
    with (
        Directory.open_root(place.root) as root,
        locked(root, place.layout.control, timeout=timeout),
    ):
        make_directories(root, place.plane)
        sweep(root, place.plane)
        data, set_aside = _current(root, place, repair=True)
        raw = dict(parse_book(data, place.folders).raw)
        counted = tuple(pair for pair in wanted if _count_once(raw, run_id, *pair))
        if counted:
            replace(root, place.feedback, _render(raw), limit=BOOK_LIMIT)
    return Settlement(counted, set_aside)


def _count_once(raw: dict[str, Any], run_id: str, phase: str, source: str) -> bool:
    present = raw.get(source)
    entry = dict(present) if isinstance(present, dict) else {}
    settled = entry.get(_SETTLED)
    done = [item for item in settled if isinstance(item, str)] if isinstance(settled, list) else []
    mark = f"{run_id}/{phase}"
    if mark in done:
        return False
    raw[source] = {
        **entry,
        "applied": _count(entry.get("applied")) + 1,
        "contradicted": _count(entry.get("contradicted")),
        _SETTLED: sorted([*done, mark]),
    }
    return True


def _current(
    directory: Directory, place: MemoryPlace, *, repair: bool = False
) -> tuple[bytes | None, str | None]:
    """Bytes of the book in force, and the name of a damaged one's copy when *repair* set it aside."""
    path = place.feedback
    set_aside = None
    try:
        data = directory.read(path, BOOK_LIMIT)
    except FileRefused:
        if not repair:
            raise
        set_aside, data = move_aside(directory, path), None
    if data is not None and data.strip():
        if repair and parse_book(data, place.folders).defect:
            set_aside = f"{path}.corrupt-{secrets.token_hex(6)}"
            create(directory, set_aside, data)
        return data, set_aside
    older = f"{place.folders.older}/{path.rsplit('/', 1)[-1]}"
    try:
        return directory.read(older, BOOK_LIMIT), set_aside
    except (FileRefused, FactsUnreadable):
        return None, set_aside


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    if value != value or abs(value) > _COUNT_LIMIT:  # noqa: PLR0124 (not a number)
        return 0
    return int(value)


def _render(raw: Mapping[str, Any]) -> bytes:
    text = json.dumps(raw, indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"
