"""How the texts of a call change the file they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.core.call import ContentChange
from phasegate.targets.arguments import Texts
from phasegate.targets.patch_forms import is_patch, parse_patch
from phasegate.targets.tools import TextMode

MAX_TEXT = 1 << 20
"""Characters kept of the text of an unknown change; the rest can't hold a header block."""

_SEARCH, _MIDDLE, _REPLACE = ("<<<<<<<", "-------"), "=======", (">>>>>>>", "+++++++")


def change_of(texts: Sequence[Texts], mode: TextMode) -> ContentChange | None:
    """The change that *texts* make to one file, or None when the call carries no text.

    *mode*: what a text without a counterpart does. Several edits are applied in order;
    anything mixed is unknown, because which text the tool takes is not known.
    """
    if not texts:
        return None
    changes: list[ContentChange] = []
    for entry in texts:
        changes.extend(_changes(entry, mode))
    if len(changes) == 1:
        return changes[0]
    if changes and all(change.kind == "edit" for change in changes):
        return ContentChange("edit", edits=tuple(edit for change in changes for edit in change.edits))
    return unknown(*(_source_of(change) for change in changes)) if changes else None


def unknown(*texts: str) -> ContentChange:
    """A change whose result can't be computed, caused by *texts*."""
    return ContentChange("unknown", text="\n".join(texts)[:MAX_TEXT])


def _changes(texts: Texts, mode: TextMode) -> list[ContentChange]:
    changes: list[ContentChange] = []
    if texts.vague:
        return [unknown(texts.new or "", *texts.content, *texts.patch)]
    if texts.old is not None:
        changes.append(ContentChange("edit", edits=((texts.old, texts.new or "", texts.every),)))
    elif texts.new is not None:
        changes.append(ContentChange("append", text=texts.new) if mode == "append" else unknown(texts.new))
    for text in texts.content:
        if texts.old is not None or mode == "unknown":
            changes.append(unknown(text))
        else:
            changes.append(ContentChange(mode, text=text))
    changes.extend(_patched(text) for text in texts.patch)
    return changes


def _patched(text: str) -> ContentChange:
    edits = _blocks(text)
    if not edits and is_patch(text):
        for entry in parse_patch(text).files:
            edits.extend(("\n".join(old), "\n".join(new), False) for old, new in entry.edits)
    if edits and all(old for old, _, _ in edits):
        return ContentChange("edit", edits=tuple(edits))
    return unknown(text)


def _blocks(text: str) -> list[tuple[str, str, bool]]:
    """Blocks of the form SEARCH, old text, `=======`, new text, REPLACE."""
    edits: list[tuple[str, str, bool]] = []
    old: list[str] = []
    new: list[str] = []
    into: list[str] | None = None
    for line in text.split("\n"):
        head = line.rstrip()
        if head.startswith(_SEARCH) and head.endswith("SEARCH"):
            old, new = [], []
            into = old
        elif head.startswith(_REPLACE) and head.endswith("REPLACE") and into is new:
            edits.append(("\n".join(old), "\n".join(new), False))
            into = None
        elif head == _MIDDLE and into is old:
            into = new
        elif into is old and _is_block_header(head, old):
            old.clear()
        elif into is not None:
            into.append(line)
    return edits


def _is_block_header(head: str, before: list[str]) -> bool:
    """Lines such as `:start_line:3` and the rule below them, which are no part of the old text."""
    if head.startswith((":start_line:", ":end_line:")):
        return not before
    return head == _SEARCH[1] and not before


def _source_of(change: ContentChange) -> str:
    return "\n".join(new for _, new, _ in change.edits) if change.kind == "edit" else change.text
