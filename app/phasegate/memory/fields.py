"""`Name: value` lines of a memory document, in any of the dresses people give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REQUIRED = (
    "type",
    "status",
    "scope",
    "owns-paths",
    "watch-paths",
    "source-runs",
    "validated-at-commit",
    "last-validated",
    "tags",
)
OPTIONAL = ("parent", "children", "supersedes", "superseded-by")
STATUSES = frozenset({"CURRENT", "SUSPECT", "STALE", "DEPRECATED", "DRAFT"})
_LISTS = frozenset({"owns-paths", "watch-paths", "source-runs", "tags", "children", "supersedes"})
_KNOWN = frozenset(REQUIRED + OPTIONAL)
_DRESS = "*_` \t\"'"
_BULLETS = "-*+> \t"
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


@dataclass(frozen=True, slots=True)
class Metadata:
    """Fields of one document by lower-case name; each with its values, none when it stands bare."""

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def values(self, name: str) -> tuple[str, ...]:
        return self.fields.get(name, ())

    def value(self, name: str) -> str:
        return next(iter(self.fields.get(name, ())), "")

    @property
    def status(self) -> str:
        """The status in capitals, "" when there is none."""
        return status_word(self.value("status")) or self.value("status").upper()


def named_value(line: str) -> tuple[str, str] | None:
    """Name (lower case) and value of a field line, without the emphasis around the name."""
    head, colon, tail = line.partition(":")
    name = head.strip(_BULLETS + "_`").casefold()
    if not colon or not name:
        return None
    if head.lstrip(" \t->+").startswith(("**", "__")):
        tail = tail.removeprefix("**").removeprefix("__")
    return name, tail.strip(" \t")


def status_word(value: str) -> str:
    """The known status that *value* begins with as a whole word, or ""."""
    value = value.strip(_DRESS)
    length = next((at for at, char in enumerate(value) if char not in _WORD), len(value))
    word = value[:length].upper()
    return word if word in STATUSES else ""


def is_status(value: str) -> bool:
    """Whether the value of a `Status` line is one: a known status, or any single word. Else it is prose."""
    word = value.strip(_DRESS)
    return bool(status_word(word)) or (bool(word) and _WORD.issuperset(word))


def read_metadata(lines: Sequence[str]) -> tuple[Metadata, frozenset[int]]:
    """The block of field lines at the top of a document, and the numbers of its lines.

    Blank lines, rules and one top heading may stand before and between them. The block
    ends at the first other line.
    """
    found: dict[str, tuple[str, ...]] = {}
    taken: set[int] = set()
    current = ""
    for number, line in enumerate(lines):
        named = named_value(line)
        if named is not None and _is_field(named):
            current, value = named
            taken.add(number)
            if current not in found:
                found[current] = _split(current, value)
            continue
        bare = line.strip()
        if current in _LISTS and bare[:2] in ("- ", "* ", "+ "):
            found[current] = (*found[current], *_split(current, bare[2:]))
            taken.add(number)
        elif bare in ("", "---") or (line.startswith("# ") and not found):
            current = ""
        else:
            break
    return Metadata(found), frozenset(taken)


def leading_status(body: str) -> str:
    """The known status that an entry's own first field lines give it, or ""."""
    for line in body.split("\n"):
        named = named_value(line)
        if named is None or named[0] not in _KNOWN:
            return ""
        if named[0] == "status":
            return status_word(named[1])
    return ""


def _is_field(named: tuple[str, str]) -> bool:
    name, value = named
    return name in _KNOWN and (name != "status" or is_status(value))


def _split(name: str, value: str) -> tuple[str, ...]:
    # A `*` belongs to a path pattern, but is emphasis around a single value.
    if name in _LISTS:
        return tuple(part for raw in value.split(",") if (part := raw.strip("` \t\"'")))
    bare = value.strip(_DRESS)
    return (bare,) if bare else ()
