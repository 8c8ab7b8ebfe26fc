"""What an artifact's text declares about its tests: mode, and labelled evidence lines."""

from __future__ import annotations

from phasegate.core.header import text_field, unify_newlines

TDD_MODE = "TDD Mode"
QA_MODE = "QA Execution Mode"
LABELS = ("RED", "GREEN")
MAX_EVIDENCE_PATHS = 64
_SIGN_OFF = "sign-off"


def tdd_mode(text: str) -> str | None:
    """The declared mode in lower case, or None when none is declared."""
    value = text_field(text, TDD_MODE)
    return value.casefold() if value else None


def labelled_paths(text: str, label: str) -> tuple[str, ...]:
    """Paths that lines such as `RED: evidence/logs/red.txt` name, separators comma and blank."""
    found: list[str] = []
    for line in unify_newlines(text).split("\n"):
        bare = line.strip(" \t-*`")
        if bare[: len(label)].casefold() != label.casefold():
            continue
        rest = bare[len(label) :].lstrip()
        if rest.casefold().startswith("evidence"):
            rest = rest[len("evidence") :].lstrip()
        if rest.startswith(":"):
            found.extend(word.strip("`\"'") for word in rest[1:].replace(",", " ").split())
    return tuple(path for path in found if path)[:MAX_EVIDENCE_PATHS]


def evidence_paths(text: str) -> tuple[str, ...]:
    """Every path that a labelled evidence line names."""
    return tuple(path for label in LABELS for path in labelled_paths(text, label))


def signed_off(text: str) -> bool:
    """Whether a line `...sign-off: NAME` with a value stands in the text."""
    for line in unify_newlines(text).split("\n"):
        head, colon, value = line.partition(":")
        if colon and head.casefold().rstrip(" `*").endswith(_SIGN_OFF) and value.strip(" `*"):
            return True
    return False
