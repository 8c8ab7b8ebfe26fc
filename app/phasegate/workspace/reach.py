"""What a part of a call that can't be understood could reach."""

from __future__ import annotations

from collections.abc import Callable

from phasegate.core.call import OpaqueReason
from phasegate.core.facts import OpaqueFacts
from phasegate.core.ports import FileView
from phasegate.workspace.coverage import Coverage
from phasegate.workspace.locate import Workspace
from phasegate.workspace.placing import Placer


class Reach:
    """Finds the protected places behind the words and directories of opaque parts."""

    def __init__(self, placer: Placer, coverage: Coverage) -> None:
        self._placer = placer
        self._coverage = coverage

    def facts(
        self, reason: OpaqueReason, near: Workspace, view: FileView, unreadable: Callable[[str], None]
    ) -> OpaqueFacts:
        """The facts of one opaque part. Passes on what *view* raises."""
        destroys: list[str] = []
        sealed: list[str] = []
        for directory in reason.destroys:
            for workspace, rel in self.planes_below(directory, near, view):
                if reason.whole_tree_git:
                    covered = self._coverage.below(rel, workspace)
                    sealed.extend(covered.sealed)
                    for text in covered.unreadable:
                        unreadable(text)
                else:
                    destroys.extend(self._coverage.protected(rel, workspace, view))
        return OpaqueFacts(
            reason,
            words=self._protected(reason.words, near, view),
            cwds=self._protected(reason.cwds, near, view),
            destroys=tuple(dict.fromkeys(destroys)),
            destroys_sealed=tuple(dict.fromkeys(sealed)),
        )

    def planes_below(
        self, directory: str, near: Workspace, view: FileView
    ) -> tuple[tuple[Workspace, str], ...]:
        """Control planes that *directory* holds or lies in: pairs of workspace and relative path."""
        placed = self._placer.at(directory, near, view)
        pairs = list(self._placer.covered(directory, near, view))
        rel = placed.place.rel
        if placed.workspace is not None and rel is not None and self._coverage.concerns(rel):
            pairs = [pair for pair in pairs if pair[0].root != placed.workspace.root]
            pairs.insert(0, (placed.workspace, rel))
        return tuple(pairs)

    def _protected(self, paths: tuple[str, ...], near: Workspace, view: FileView) -> tuple[str, ...]:
        rels = (self._placer.at(path, near, view).place.rel for path in paths)
        return tuple(dict.fromkeys(rel for rel in rels if rel is not None and self._coverage.protects(rel)))
