"""Targets of tools that name their files in arguments: writers, editors, deleters, movers."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from phasegate.core.call import ContentChange, Effect, OpaqueReason, TargetOp, WriteTarget
from phasegate.targets.arguments import Arguments, Group, Spelled, collect
from phasegate.targets.changes import change_of
from phasegate.targets.patch import patch_targets
from phasegate.targets.patch_forms import BEGIN
from phasegate.targets.paths import normalise
from phasegate.targets.resolve import resolve
from phasegate.targets.site import Site, bases, places
from phasegate.targets.tools import Tool

MAX_TARGETS = 200
_BARE_NAMES = frozenset(("filename", "filenames", "file", "files"))


@dataclass(slots=True)
class Found:
    """What the arguments of a call would change."""

    targets: list[WriteTarget] = field(default_factory=list)
    opaque: list[OpaqueReason] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)

    def add(self, targets: Iterable[WriteTarget]) -> None:
        """Append *targets* that are not there yet."""
        for target in targets:
            if target not in self.targets:
                self.targets.append(target)


def file_call(tool: Tool, args: Mapping[str, Any], site: Site, *, strict: bool = True) -> Found:
    """The targets that path arguments name. *strict*: see `phasegate.targets.arguments.collect`."""
    moves = tool.effect is Effect.MOVE or tool.copies
    arguments = collect(args, extra=tool.extra, strict=strict, moves=moves)
    found = Found(unusable=list(arguments.unusable))
    whole = _Call(tool, site, bases(args, site, tool.own_base))
    for group in arguments.groups:
        found.add(islice(whole.targets(group), MAX_TARGETS + 1))
        _add_patches(found, group, whole)
        if len(found.targets) > MAX_TARGETS:
            break
    _bound(found, arguments, strict=strict)
    return found


def _add_patches(found: Found, group: Group, call: _Call) -> None:
    """A patch that names its own files changes those, whatever path stands beside it."""
    for texts in group.texts:
        for text in (*texts.patch, *texts.content):
            if text.lstrip().startswith(BEGIN) and (text in texts.patch or not group.paths):
                for base in call.bases:
                    result = patch_targets(text, base=base, view=call.site.view)
                    found.add(result.targets)
                    found.opaque.extend(result.opaque)


def _bound(found: Found, arguments: Arguments, *, strict: bool) -> None:
    """Say that there was more than is looked at. Of a tool not known to write files that may be mere data."""
    if len(found.targets) <= MAX_TARGETS and not arguments.overflow:
        return
    if strict or found.targets:
        found.unusable.append("args")
    del found.targets[MAX_TARGETS:]
    found.opaque.append(
        OpaqueReason(
            part="args",
            why="the arguments name more than can be looked at",
            remedy="split it into several calls",
            words=tuple(target.path for target in found.targets),
        )
    )


class _Call(NamedTuple):
    """One call of a file tool, with the directories its relative paths may be taken from."""

    tool: Tool
    site: Site
    bases: tuple[str, ...]

    def targets(self, group: Group) -> Iterator[WriteTarget]:
        change = change_of(group.texts, self.tool.text)
        if self.tool.effect is Effect.MOVE or self.tool.copies:
            yield from self._moved(group)
        elif self.tool.effect is Effect.DELETE:
            for spelled in _with_names(group):
                yield from self._at(spelled, group, "delete")
        else:
            op: TargetOp = "append" if change is not None and change.kind == "append" else "write"
            for spelled in _with_names(group):
                yield from self._at(spelled, group, op, change)

    def _at(
        self, spelled: Spelled, group: Group, op: TargetOp, change: ContentChange | None = None
    ) -> Iterator[WriteTarget]:
        takes = op in ("delete", "move_from")
        for base in self.bases if group.folder is None else self._bases(spelled, group.folder):
            for place in places(self.site, base, spelled.text, follow_last=not takes):
                whole = takes and self._is_directory(place.path)
                yield WriteTarget(
                    place.path, place.lexical, spelled.text, op, whole, spelled.via, None, change
                )

    def _bases(self, spelled: Spelled, beside: str | None) -> Iterator[str]:
        """A folder that stands beside a bare file name is where the file goes; or the tool ignores it."""
        joined = beside is not None and (spelled.key in _BARE_NAMES or spelled.role == "name")
        for base in self.bases:
            if joined and beside is not None:
                folder = normalise(beside, base=base, home=self.site.view.home())
                yield resolve(self.site.view, base, folder).path
            if not joined or not self.tool.joins_folder:
                yield base

    def _moved(self, group: Group) -> Iterator[WriteTarget]:
        sources = [spelled for spelled in group.paths if spelled.role != "dest"]
        whole = False
        for spelled in sources:
            for target in self._at(spelled, group, "move_from"):
                whole = whole or target.recursive
                if not self.tool.copies:
                    yield target
        for spelled in group.paths:
            if spelled.role == "dest":
                yield from self._arrivals(spelled, group, sources, whole=whole)
        for spelled in group.names:
            yield from self._renamed(spelled, group, sources, whole=whole)

    def _arrivals(
        self, spelled: Spelled, group: Group, sources: list[Spelled], *, whole: bool
    ) -> Iterator[WriteTarget]:
        """The destination, and the names that things get in it if it is a directory."""
        op: TargetOp = "write" if self.tool.copies else "move_to"
        origins = [found.path for source in sources for found in self._at(source, group, "move_from")]
        for target in self._at(spelled, group, op):
            whole_target = replace(target, recursive=whole)
            for origin in origins or (None,):
                yield replace(whole_target, source=origin)
            if self._is_directory(target.path):
                for origin in origins:
                    place = resolve(self.site.view, target.path, posixpath.basename(origin))
                    yield replace(whole_target, path=place.path, lexical=place.lexical, source=origin)

    def _renamed(
        self, spelled: Spelled, group: Group, sources: list[Spelled], *, whole: bool
    ) -> Iterator[WriteTarget]:
        """A bare new name goes beside its source; with separators it is a path like any other."""
        op: TargetOp = "write" if self.tool.copies else "move_to"
        for source in sources:
            for base in self._bases(source, group.folder):
                operand = normalise(source.text, base=base, home=self.site.view.home())
                origin = resolve(self.site.view, base, operand, follow_last=False).path
                beside = resolve(self.site.view, base, posixpath.dirname(operand.rstrip("/")) or ".").path
                for place in places(self.site, beside, spelled.text, follow_last=True):
                    yield WriteTarget(
                        place.path, place.lexical, spelled.text, op, whole, spelled.via, source=origin
                    )

    def _is_directory(self, path: str) -> bool:
        status = self.site.view.lstat(path)
        return status is not None and status.kind == "dir"


def _with_names(group: Group) -> list[Spelled]:
    """The paths of a group; bare names only where a folder says that they are files."""
    return group.names if group.folder is not None and not group.paths else group.paths
