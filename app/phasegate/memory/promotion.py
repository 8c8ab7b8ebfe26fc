"""Whether a run has put what it learned into the plane: the gate before its last lock."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from phasegate.core.header import unify_newlines
from phasegate.core.reading import PromotionReading, PromotionRequest
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.memory.document import Document, parse_document
from phasegate.memory.fields import REQUIRED
from phasegate.memory.folders import MemoryPlace
from phasegate.memory.plane import DOCUMENT_BYTES

MAX_DECLARED = 200
_TYPES = frozenset({"domain", "pattern", "incident", "episode", "training"})
_GOOD = ("CURRENT", "DRAFT")
_SEPARATORS = str.maketrans(dict.fromkeys("()`'\"<>[],;", " "))


class PromotionCheck:
    """Call it with the artifact's text. Reads the listed documents afresh, following no link."""

    def __init__(self, place: MemoryPlace) -> None:
        self._root = place.root
        self._plane = place.plane
        self._folders = place.folders

    def __call__(self, request: PromotionRequest) -> PromotionReading:
        declared = tuple(dict.fromkeys(self._declared(request.text)))[:MAX_DECLARED]
        if not declared:
            return PromotionReading(
                f"the section `## {self._folders.section}` lists no document of `{self._plane}/`"
            )
        problems: list[str] = []
        counted: list[tuple[str, str]] = []
        with Directory.open_root(self._root) as root:
            for path in declared:
                digest, problem = self._judge(root, path, request.run_id)
                if problem:
                    problems.append(f"`{path}` {problem}")
                else:
                    counted.append((path, digest))
        if counted:
            return PromotionReading("", tuple(sorted(counted)))
        return PromotionReading("; ".join(problems[:3]))

    def _declared(self, text: str) -> Iterator[str]:
        """Plane-relative paths of the section's list items, as written otherwise."""
        inside = False
        for line in unify_newlines(text).split("\n"):
            if line.startswith("#"):
                inside = line.startswith("## ") and line[3:].strip() == self._folders.section
            elif inside and line.lstrip().startswith(("- ", "* ", "+ ")):
                for word in line.translate(_SEPARATORS).split():
                    path = self._below_plane(word)
                    if path is not None:
                        yield path

    def _below_plane(self, word: str) -> str | None:
        bare = word.removeprefix("./").lstrip("/").rstrip(".:")
        if not bare.endswith(".md"):
            return None
        if bare.startswith(f"{self._plane}/"):
            return bare[len(self._plane) + 1 :]
        short = bare.removeprefix(f"{self._plane.rsplit('/', 1)[-1]}/")
        return short if short != bare and short.split("/")[0] in self._folders.folders else None

    def _judge(self, root: Directory, path: str, run_id: str) -> tuple[str, str]:
        """The document's digest, or why it does not count."""
        folder, _, name = path.rpartition("/")
        if ".." in path.split("/"):
            return "", "lies outside the plane"
        if folder not in self._folders.folders or name.casefold() in self._folders.routers:
            return "", "is not in a folder that memory is read from"
        try:
            data = root.read(f"{self._plane}/{path}", DOCUMENT_BYTES)
        except (FileRefused, FactsUnreadable) as problem:
            return "", f"does not count: {problem.detail}"
        if data is None:
            return "", "does not exist"
        try:
            document = parse_document(data.decode("utf-8"), path, folder)
        except UnicodeDecodeError:
            return "", "is not valid UTF-8"
        return "sha256:" + hashlib.sha256(data).hexdigest(), self._fault(document, run_id)

    def _fault(self, document: Document, run_id: str) -> str:
        metadata = document.metadata
        missing = [name for name in REQUIRED if name not in metadata.fields]
        if run_id not in {_run_named(value) for value in metadata.values(self._folders.run_field)}:
            return "does not name this run in its `Source-Runs`"
        if missing:
            return f"lacks the fields {', '.join(missing)}"
        if metadata.status not in _GOOD:
            return f"has status {metadata.status[:40]}"
        if metadata.value("type").casefold() not in _TYPES:
            return f"has an unknown type `{metadata.value('type')[:40]}`"
        if not any(entry.body for entry in document.entries):
            return "says nothing"
        return ""


def _run_named(value: str) -> str:
    """The run id in `r1` or in a path such as `/.recursive/run/r1/`."""
    return value.strip("/").rsplit("/", 1)[-1]
