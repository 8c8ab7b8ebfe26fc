"""What one extraction has found so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from phasegate.core.call import (
    ContentChange,
    EnterRequest,
    LockRequest,
    OpaqueReason,
    WriteTarget,
)
from phasegate.targets.shell.limits import MAX_CHANGE, MAX_OPAQUE, MAX_PART, MAX_TARGETS, TooMuch

if TYPE_CHECKING:
    from phasegate.targets.shell.source import Span

Key = tuple[str, str, bool, str, "Span | None"]


@dataclass(frozen=True, slots=True)
class ShellTargets:
    """What a command would touch, as far as it can be known."""

    targets: tuple[WriteTarget, ...] = ()
    opaque: tuple[OpaqueReason, ...] = ()
    locks: tuple[LockRequest, ...] = ()
    enters: tuple[EnterRequest, ...] = ()


class Report:
    """Collects targets and reasons, each once, within bounds."""

    def __init__(self) -> None:
        self._targets: dict[Key, WriteTarget] = {}
        self._sources: dict[Key, str] = {}
        self._opaque: dict[tuple[str, str], OpaqueReason] = {}
        self._locks: dict[LockRequest, None] = {}
        self._enters: dict[EnterRequest, None] = {}

    def target(self, target: WriteTarget, source: str) -> Key:
        """Add *target* and return the key under which its change can be given later.

        *source* is the text of the command that causes it, for a change that is not told.
        """
        key = (target.path, target.op, target.recursive, target.via, target.span)
        if key not in self._targets:
            if len(self._targets) >= MAX_TARGETS:
                raise TooMuch("the command names too many files")
            self._targets[key] = target
            self._sources[key] = source[:MAX_CHANGE]
        return key

    @property
    def count(self) -> int:
        """How many targets there are so far."""
        return len(self._targets)

    def change(self, key: Key, change: ContentChange) -> None:
        """Say how the text of the target *key* changes; two different answers make it unknown."""
        old = self._targets[key]
        if old.change is not None and old.change != change:
            text = old.change.text + "\n" + change.text
            change = ContentChange("unknown", text)
        self._targets[key] = replace(old, change=change)

    def opaque(self, reason: OpaqueReason) -> None:
        """Add *reason*, joined with an earlier one about the same part."""
        key = (reason.part[:MAX_PART], reason.why)
        old = self._opaque.get(key)
        if old is not None:
            reason = replace(
                old,
                words=tuple(dict.fromkeys((*old.words, *reason.words))),
                cwds=tuple(dict.fromkeys((*old.cwds, *reason.cwds))),
                destroys=tuple(dict.fromkeys((*old.destroys, *reason.destroys))),
            )
        elif len(self._opaque) >= MAX_OPAQUE:
            raise TooMuch("too many parts of the command can't be understood")
        self._opaque[key] = reason

    def lock(self, request: LockRequest) -> None:
        self._locks[request] = None

    def enter(self, request: EnterRequest) -> None:
        self._enters[request] = None

    def result(self) -> ShellTargets:
        return ShellTargets(
            targets=tuple(self._told(key, target) for key, target in self._targets.items()),
            opaque=tuple(self._opaque.values()),
            locks=tuple(self._locks),
            enters=tuple(self._enters),
        )

    def _told(self, key: Key, target: WriteTarget) -> WriteTarget:
        if target.change is not None or target.op in ("delete", "move_from", "chmod"):
            return target
        change = ContentChange("unknown", self._sources[key])
        return WriteTarget(
            target.path,
            target.lexical,
            target.typed,
            target.op,
            target.recursive,
            target.via,
            target.span,
            change,
            target.source,
        )

    def overflow(self, reason: OpaqueReason) -> None:
        """Add *reason* whatever the bounds say: the rest was not looked at."""
        self._opaque[reason.part[:MAX_PART], reason.why] = reason
