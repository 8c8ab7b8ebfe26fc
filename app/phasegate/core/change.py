"""What a content change leaves behind, as far as decisions look at it."""

from __future__ import annotations

from phasegate.core.call import ContentChange
from phasegate.core.header import claims_lock, header_lines

# A runtime's configuration file is known by this word to hold our hook entry.
HOOK_MARK = "phasegate"
MAX_RESULT = 4 * 1024 * 1024
MAX_WORK = 16 * 1024 * 1024
"""Characters that the edits of one change may run over, all together."""
_LOCK_FIELDS = ("Status:", "LockedAt:", "LockHash:")


def apply_change(text: str, change: ContentChange) -> str | None:
    """The text after a change whose result can be computed; replacements stop at a few MiB.

    None when the edits are so many, or make the text so long, that following them would
    hold up every other call.

    Several tools match the text to replace loosely. What is not found to the letter is
    taken as left alone, unless the new text makes a lock: then the worst is assumed.
    """
    if change.kind == "replace":
        return change.text
    if change.kind == "append":
        return text + change.text
    work = 0
    for old, new, every in change.edits:
        work += len(text) + len(new)
        if work > MAX_WORK:
            return None
        if old and old not in text:
            text = f"{new}\n{text}" if claims_lock(new) else text
        elif old:
            text = text.replace(old, new, max(1, MAX_RESULT // (len(new) + 1)) if every else 1)
        else:
            text = new + text
    return text


def lock_lines(text: str) -> list[str]:
    """The lines of the header block that make a lock."""
    return [line.strip() for line in header_lines(text) if line.strip().startswith(_LOCK_FIELDS)]


def claim_lines(text: str) -> list[str]:
    """The lines of the header block that make a lock or only look like it, as a list item does."""
    lines = [line.strip() for line in header_lines(text)]
    return [line for line in lines if line.lstrip("-*+> \t").startswith(_LOCK_FIELDS)]
