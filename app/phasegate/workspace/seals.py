"""Seals and texts of single files, wherever in a run tree they lie."""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.core.ports import FileStat, FileView
from phasegate.files.cache import SignatureCache
from phasegate.files.read import ARTIFACT_BYTES, Absent, Content, Outcome, Refused, Signature, read_file
from phasegate.workspace.artifacts import FileSeal, seal_of, text_of

_SEALS_KEPT = 4_096
_NOTHING = FileSeal(present=False)


@dataclass(frozen=True, slots=True)
class TextReading:
    """A file's text; None when there is none or it can't be used. `unreadable`: the system refused."""

    text: str | None
    unreadable: str = ""


class Seals:
    """What files of run trees say about their lock, remembered by signature."""

    def __init__(self) -> None:
        self._cache: SignatureCache[str, FileSeal] = SignatureCache(_SEALS_KEPT)

    def at(self, path: str, view: FileView) -> FileSeal:
        """The seal of the file at *path* as the call's *view* sees it; links are not followed."""
        status = view.lstat(path)
        if status is None or status.kind != "file":
            return _NOTHING
        kept = self._cache.get(path, _signature(status))
        if kept is not None:
            return kept.value
        started = self._cache.now()
        outcome = read_file(path, ARTIFACT_BYTES)
        seal = seal_of(outcome)
        if isinstance(outcome, Content):
            self._cache.put(path, outcome.signature, seal, started=started)
        return seal


def text_at(path: str) -> TextReading:
    """The present text of the file at the real path *path*, read now."""
    return text_from(read_file(path, ARTIFACT_BYTES))


def text_from(outcome: Outcome) -> TextReading:
    """The text that a read gave."""
    match outcome:
        case Absent():
            return TextReading(None)
        case Refused(reason, system):
            return TextReading(None, f"it is {reason}" if system else "")
        case Content(data):
            return TextReading(text_of(data))


def _signature(status: FileStat) -> Signature:
    return Signature(status.dev, status.ino, status.size, status.mtime_ns, status.ctime_ns)
