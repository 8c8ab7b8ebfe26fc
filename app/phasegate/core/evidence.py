"""What an artifact's text declares about its tests: mode, and labelled evidence lines."""

from __future__ import annotations

from phasegate.core.header import field_lines, opening, text_field

TDD_MODE = "TDD Mode"
QA_MODE = "QA Execution Mode"
LABELS = ("RED", "GREEN")
MAX_EVIDENCE_PATHS = 64
MAX_LINE = 4_096
_SIGN_OFF = "sign-off"
_RATIONALE = "rationale"


def tdd_mode(text: str) -> str | None:
    """The declared mode in lower case, or None when none is declared."""
    value = text_field(text, TDD_MODE)
    return value.casefold() if value else None


def labelled_paths(text: str, label: str) -> tuple[str, ...]:
    """Paths that lines such as `RED: evidence/logs/red.txt` name, separators comma and blank."""
    found: list[str] = []
    wanted = label.casefold()
    for line in field_lines(text):
        bare = line[:MAX_LINE].strip(" \t-*`")
        if bare[: len(label)].casefold() != wanted:
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
    for line in field_lines(text):
        head, colon, value = line[:MAX_LINE].partition(":")
        if colon and head.casefold().rstrip(" `*").endswith(_SIGN_OFF) and value.strip(" `*"):
            return True
    return False


def gives_rationale(text: str) -> bool:
    """Whether the document gives a reason for testing less than strictly."""
    return _RATIONALE in opening(text).casefold()
