"""Paths as records may show them: relative to a served workspace, absolute only outside all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from phasegate.decision_log.record.texts import root_mark


class Placed(NamedTuple):
    """A path below a served workspace."""

    workspace: str
    rel: str


class Places:
    """Knows the served roots; *own* is the name of the record's workspace."""

    def __init__(self, roots: Mapping[str, str], own: str) -> None:
        self.own = own
        trimmed = {name: root.rstrip("/") for name, root in roots.items()}
        # The longest root first: a workspace may lie inside another one. A root of "/" hides nothing.
        self._roots = sorted(
            ((root, name) for name, root in trimmed.items() if root), key=lambda item: -len(item[0])
        )
        # Each root with the mark that stands for it in texts, in the same order.
        self.marks = {root: self._mark(name) for root, name in self._roots}

    def place(self, path: str) -> Placed | None:
        """Where *path* lies; None outside every served workspace."""
        for root, name in self._roots:
            if path.startswith(root) and path[len(root) :][:1] in ("", "/"):
                return Placed(name, path[len(root) + 1 :])
        return None

    def hide(self, path: str) -> str:
        """*path* with the root it begins with replaced by its mark."""
        for root, name in self._roots:
            if path.startswith(root) and path[len(root) :][:1] in ("", "/"):
                return self._mark(name) + path[len(root) :]
        return path

    def _mark(self, name: str) -> str:
        return root_mark(None if name == self.own else name)
