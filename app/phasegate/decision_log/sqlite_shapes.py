"""Records that share a stem as rows: whole, or briefly, with what they share standing once in `shapes`.

A brief row holds what sets its record apart. `RECENT` gives brief and whole rows of
`fresh` the same columns; a record that moves to its indexes is whole again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from phasegate.decision_log.record import Entry
from phasegate.decision_log.sqlite_rows import (
    CODES,
    COLUMNS,
    HASH_BYTES,
    ID_BYTES,
    MAX_BODY_BYTES,
    TERMS,
    TermNumber,
    digest_cell,
    encode,
    id_cell,
    paths_cell,
    time_cell,
)

SHAPE_COLUMNS = (*CODES, *TERMS, "labels", "facts", "body", "paths")
BRIEF_COLUMNS = ("seq", "at", "call_id", "shape", "hashes", "latency_us")

_NO_ENTRY = Entry(0, "", "")
_FIRST_SHARED, _FIRST_OWN = COLUMNS.index("type"), COLUMNS.index("call_id")
_MAX_LATENCY = 2**53


@dataclass(slots=True)
class Shape:
    """What the rows of one stem share: the cells from `type` to `facts`, the rest of the body, the paths.

    `uses` counts the rows made of it, `id` is its number in `shapes`, None while it is not there.
    """

    cells: tuple[Any, ...]
    body: bytes
    paths: str | None
    uses: int = 0
    id: int | None = None

    def row(self) -> tuple[Any, ...]:
        """The row in the order of `SHAPE_COLUMNS`."""
        return (*self.cells, self.body, self.paths)


def shape_of(fields: Mapping[str, Any], number: TermNumber) -> Shape:
    """What is the same in the rows of all records that share *fields*."""
    row = encode(fields, _NO_ENTRY, number)
    rest: bytes = row[-1][1:]
    return Shape(
        row[_FIRST_SHARED:_FIRST_OWN], rest if rest == b"}" else b"," + rest, paths_cell(fields, number)
    )


def whole_row(fields: Mapping[str, Any], entry: Entry, shape: Shape) -> tuple[Any, ...]:
    """The row of a record in the order of `COLUMNS`, then its paths, from what it shares and its own fields."""
    digest = fields.get("args_digest")
    return (
        entry.seq,
        bytes.fromhex(entry.prev_hash),
        bytes.fromhex(entry.hash),
        id_cell(fields["decision_id"]),
        time_cell(fields["at"]),
        *shape.cells,
        fields.get("call_id"),
        None if digest is None else digest_cell(digest),
        orjson.dumps({"latency_us": fields["latency_us"]})[:-1] + shape.body,
        shape.paths,
    )


def brief_row(fields: Mapping[str, Any], entry: Entry, shape: Shape) -> tuple[Any, ...] | None:
    """The row in the order of `BRIEF_COLUMNS`; None for a record with a field of another form than usual."""
    identifier, at = id_cell(fields["decision_id"]), time_cell(fields["at"])
    digest, latency = (
        digest_cell(fields["args_digest"]) if "args_digest" in fields else b"",
        fields["latency_us"],
    )
    usual = type(identifier) is bytes and type(digest) is bytes and type(at) is int
    if not usual or type(latency) is not int or not 0 <= latency <= _MAX_LATENCY:
        return None
    hashes = bytes.fromhex(entry.prev_hash + entry.hash) + identifier + digest
    return entry.seq, at, fields.get("call_id"), shape.id, hashes, latency


_HASHES_BYTES = 2 * HASH_BYTES + ID_BYTES + HASH_BYTES
_LONGEST_ID = 4096
# Nothing huge may be loaded to be compared or taken apart: somebody else may have put it there.
_HASHES = f"CASE WHEN typeof(hashes) = 'blob' AND length(hashes) <= {_HASHES_BYTES} THEN hashes END"
_BODY = (
    "CASE WHEN typeof(latency_us) = 'integer' AND typeof(shapes.body) = 'blob'"
    f" AND length(shapes.body) <= {MAX_BODY_BYTES}"
    """ THEN CAST('{"latency_us":' || latency_us || shapes.body AS BLOB) END"""
)
_OF_BRIEF = {
    "prev_hash": f"substr({_HASHES}, 1, {HASH_BYTES})",
    "hash": f"substr({_HASHES}, {HASH_BYTES + 1}, {HASH_BYTES})",
    "decision_id": f"substr({_HASHES}, {2 * HASH_BYTES + 1}, {ID_BYTES})",
    "args_digest": f"nullif(substr({_HASHES}, {2 * HASH_BYTES + ID_BYTES + 1}), x'')",
    **{name: f"shapes.{name}" for name in SHAPE_COLUMNS},
    "body": _BODY,
}
_OF_ANY = ", ".join(
    f"ifnull(fresh.{name}, {_OF_BRIEF[name]}) AS {name}" if name in _OF_BRIEF else f"fresh.{name} AS {name}"
    for name in (*COLUMNS, "paths")
)

RECENT = f"(SELECT {_OF_ANY} FROM fresh LEFT JOIN shapes ON shapes.id = fresh.shape)"  # noqa: S608 (constants)
"""The rows of `fresh`, all of them whole, to stand in a query where a table does."""

HAS_ID = (
    f"CASE WHEN length(decision_id) <= {_LONGEST_ID} THEN decision_id = ?1"
    f" ELSE {_OF_BRIEF['decision_id']} = ?1 END"
)
"""Whether a row of `fresh`, whole or brief, is that of the decision `?1`."""
