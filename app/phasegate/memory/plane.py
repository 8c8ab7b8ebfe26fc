"""The memory plane on disk: which documents there are, their exact state, and their text.

Files are looked up without following links, bounded in size and number, and read again
only when their signature changes. Whatever is left out is named with its cause.
"""

from __future__ import annotations

import hashlib
import os
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from operator import is_

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import KIB, Content, Refused, Signature, read_file
from phasegate.memory.document import Document, parse_document
from phasegate.memory.folders import MemoryPlace

DOCUMENT_BYTES = 256 * KIB
MAX_DOCUMENTS = 2_000
MAX_NAMES = 50_000
_SUFFIX = ".md"
_VERSION = b"phasegate plane 1\n"
_LENGTH_BYTES = 8
_SHOWN = 100
ABSENT_DIGEST = "sha256:" + hashlib.sha256(b"phasegate plane absent\n").hexdigest()


@dataclass(frozen=True, slots=True)
class Stored:
    """One document's bytes as last read."""

    source: str
    kind: str
    signature: Signature
    size: int
    sha256: bytes
    document: Document | None


@dataclass(frozen=True, slots=True)
class PlaneState:
    """The plane at one moment. `skipped` names what was left out, each with its cause."""

    documents: tuple[Document, ...]
    digest: str
    skipped: tuple[str, ...]

    @property
    def sources(self) -> frozenset[str]:
        return frozenset(document.source for document in self.documents)


class Plane:
    """The plane of one workspace, remembered between readings. Safe to use from several threads."""

    def __init__(self, place: MemoryPlace) -> None:
        self._root = place.root
        self._place = place.plane
        self._folders = place.folders
        self._stored: dict[str, Stored] = {}
        self._kept: tuple[tuple[Document, ...], str] | None = None
        self._guard = threading.Lock()

    def read(self) -> PlaneState:
        """The plane as it is now. Every document's signature is looked at afresh."""
        with self._guard:
            skipped: list[str] = []
            found: dict[str, Stored] = {}
            present = False
            try:
                with Directory.open_root(self._root) as root:
                    for name, base in self._bases(root, skipped):
                        present = True
                        self._read_base(name, base, found, skipped)
            except FileNotFoundError:
                present = False
            if not present:
                self._stored, self._kept = {}, None
                return PlaneState((), ABSENT_DIGEST, tuple(skipped))
            if self._kept is None or not _same(found, self._stored):
                documents = tuple(stored.document for stored in found.values() if stored.document is not None)
                self._kept = documents, _digest(found)
            self._stored = found
            return PlaneState(*self._kept, tuple(skipped))

    def _bases(self, root: Directory, skipped: list[str]) -> Iterator[tuple[str, Directory]]:
        """The plane proper, then the older place if its router says that it is one."""
        with ExitStack() as opened:
            for name in (self._place, self._folders.older):
                try:
                    base = opened.enter_context(root.below(name))
                    marker = base.status(self._folders.marker)
                except FileNotFoundError:
                    continue
                except (FileRefused, FactsUnreadable) as problem:
                    skipped.append(f"{name}: {problem.detail}")
                    continue
                if name == self._place or (marker is not None and marker.kind == "file"):
                    yield name, base

    def _read_base(self, name: str, base: Directory, found: dict[str, Stored], skipped: list[str]) -> None:
        taken = {stored.kind for stored in found.values()}
        for folder in self._folders.folders:
            if folder in taken:
                continue  # the plane proper has documents of this kind: never mixed
            try:
                with base.below(folder) as directory:
                    self._read_folder(folder, directory, found, skipped)
            except FileNotFoundError:
                continue
            except (FileRefused, FactsUnreadable) as problem:
                skipped.append(f"{folder}: {problem.detail}")
        self._report_strangers(name, base, skipped)

    def _read_folder(
        self, folder: str, directory: Directory, found: dict[str, Stored], skipped: list[str]
    ) -> None:
        names = directory.names(MAX_NAMES)
        if names is None:
            skipped.append(f"{folder}: over {MAX_NAMES} names")
            return
        over = 0
        for name in names:
            if name.casefold() in self._folders.routers or name.startswith("."):
                continue
            if not name.endswith(_SUFFIX):
                if name.casefold().endswith((_SUFFIX, ".markdown")):
                    skipped.append(f"{folder}/{_shown(name)}: its name does not end in `{_SUFFIX}`")
                continue
            if len(found) >= MAX_DOCUMENTS:
                over += 1
                continue
            self._read_document(folder, name, directory, found, skipped)
        if over:
            skipped.append(f"{folder}: {over} documents over the limit of {MAX_DOCUMENTS}")

    def _read_document(
        self, folder: str, name: str, directory: Directory, found: dict[str, Stored], skipped: list[str]
    ) -> None:
        source = f"{folder}/{unicodedata.normalize('NFC', name)}"
        if not name.isprintable() or source in found:
            skipped.append(f"{folder}/{_shown(name)}: its name is not plain text, or taken")
            return
        known = self._stored.get(source)
        if known is not None and directory.signature(name) == known.signature:
            stored: Stored | str = known
        else:
            stored = _read(source, folder, name, directory)
        if isinstance(stored, str):
            skipped.append(f"{folder}/{_shown(name)}: {stored}")
            return
        if stored.document is None:
            skipped.append(f"{folder}/{_shown(name)}: it is not valid UTF-8")
        found[source] = stored

    def _report_strangers(self, name: str, base: Directory, skipped: list[str]) -> None:
        """Folders in the plane that nobody reads are named, so that a lesson is not lost unseen."""
        known = {folder.split("/")[0] for folder in self._folders.folders} | {self._folders.archive}
        if name != self._place:
            return
        entries, _ = base.entries(MAX_DOCUMENTS)
        skipped.extend(
            f"{_shown(entry.name)}: not a folder of the plane"
            for entry in entries
            if entry.kind in ("dir", "link") and entry.name not in known
        )


def _read(source: str, folder: str, name: str, directory: Directory) -> Stored | str:
    outcome = read_file(name, DOCUMENT_BYTES, dir_fd=directory.descriptor)
    if isinstance(outcome, Refused):
        return f"it is {outcome.reason}"
    if not isinstance(outcome, Content):
        return "it vanished"
    try:
        document: Document | None = parse_document(outcome.data.decode("utf-8"), source, folder)
    except UnicodeDecodeError:
        document = None
    sha256 = hashlib.sha256(outcome.data).digest()
    return Stored(source, folder, outcome.signature, len(outcome.data), sha256, document)


def _same(one: dict[str, Stored], other: dict[str, Stored]) -> bool:
    """Whether both hold the very same documents in the same order: what is unchanged is kept as the same object."""
    return len(one) == len(other) and all(map(is_, one.values(), other.values()))


def _digest(found: dict[str, Stored]) -> str:
    """Paths, lengths and hashes of every document, length-prefixed, in byte order of the paths."""
    total = hashlib.sha256(_VERSION)
    for path, stored in sorted((os.fsencode(source), stored) for source, stored in found.items()):
        total.update(len(path).to_bytes(_LENGTH_BYTES, "big") + path)
        total.update(stored.size.to_bytes(_LENGTH_BYTES, "big") + stored.sha256)
    return "sha256:" + total.hexdigest()


def _shown(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name[:_SHOWN])
