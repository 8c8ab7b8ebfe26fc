"""Files that a patch text changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.core.call import ContentChange, OpaqueReason, TargetOp, WriteTarget
from phasegate.targets.patch_forms import MAX_FILES, FilePatch, parse_patch
from phasegate.targets.paths import has_drive, normalise
from phasegate.targets.resolve import readings

if TYPE_CHECKING:
    from phasegate.core.ports import FileView

_REMEDY = "write the patch with `*** Add File:`, `*** Update File:` and `*** Delete File:` lines"


@dataclass(frozen=True, slots=True)
class PatchTargets:
    """What a patch would change; `opaque` is not empty when a part of it was not understood."""

    targets: tuple[WriteTarget, ...]
    opaque: tuple[OpaqueReason, ...]


def patch_targets(text: str, *, base: str, view: FileView, via: str = "apply_patch") -> PatchTargets:
    """The targets of *text*, relative paths taken from the absolute directory *base*."""
    parsed = parse_patch(text)
    targets: list[WriteTarget] = []
    for entry in parsed.files[:MAX_FILES]:
        targets.extend(_targets(entry, base, view, via))
    if not parsed.defect:
        return PatchTargets(tuple(targets), ())
    reason = OpaqueReason(
        part=text[:120],
        why=f"the patch can't be read: {parsed.defect}",
        remedy=_REMEDY,
        words=tuple(target.path for target in targets),
        cwds=(base,),
    )
    return PatchTargets(tuple(targets), (reason,))


def _targets(entry: FilePatch, base: str, view: FileView, via: str) -> Iterator[WriteTarget]:
    if entry.action == "delete":
        yield from _places(entry, entry.path, "delete", base, view, via)
    elif entry.moved_to is not None:
        yield from _places(entry, entry.path, "move_from", base, view, via)
        yield from _places(entry, entry.moved_to, "move_to", base, view, via)
    else:
        yield from _places(entry, entry.path, "write", base, view, via)


def _places(
    entry: FilePatch, typed: str, op: TargetOp, base: str, view: FileView, via: str
) -> Iterator[WriteTarget]:
    follow = op in ("write", "move_to")
    for spelling in _spellings(typed, base, view, prefixed=entry.prefixed):
        operand = normalise(spelling, base=base, home=view.home())
        for place in readings(view, base, operand, follow_last=follow) if operand else ():
            yield WriteTarget(place.path, place.lexical, typed, op, via=via, change=_change(entry, op))


def _spellings(typed: str, base: str, view: FileView, *, prefixed: bool) -> Iterator[str]:
    """*typed* as it stands, and the shorter names that some programs make of it.

    Some readers of the agents' form cut a name at a second colon; `patch -p1` cuts the
    first directory off, which is likely when there is no such directory.
    """
    yield typed
    head, colon, _ = (typed[2:] if has_drive(typed) else typed).partition(":")
    if colon and head.strip() and not typed.lower().startswith("file:"):
        yield typed[: typed.index(head) + len(head)]
    first, slash, rest = typed.partition("/")
    if prefixed and slash and first and rest and view.lstat(f"{base}/{first}") is None:
        yield rest


def _change(entry: FilePatch, op: TargetOp) -> ContentChange | None:
    if op == "move_to":
        # The destination becomes the edited source, whose text is not that of the destination.
        return ContentChange("unknown", text=_added_text(entry))
    if op != "write":
        return None
    if entry.action == "add":
        return ContentChange("replace", text="\n".join(entry.added) + "\n")
    edits = tuple(("\n".join(old), "\n".join(new), False) for old, new in entry.edits)
    if edits and all(old for old, _, _ in edits):
        return ContentChange("edit", edits=edits)
    return ContentChange("unknown", text=_added_text(entry))


def _added_text(entry: FilePatch) -> str:
    return "\n".join(line for _, new in entry.edits for line in new)
