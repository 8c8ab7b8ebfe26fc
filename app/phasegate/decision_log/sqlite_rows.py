"""A record as a row and back. Nothing is lost: what does not fit its column stays in the body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from phasegate.decision_log.query import instant, instant_text, target_paths
from phasegate.decision_log.record import RECORD_TYPES, Entry

# Numbers are stored: never change or reuse one.
CODES: dict[str, dict[str, int]] = {
    "type": {name: number for number, name in enumerate(RECORD_TYPES, 1)},
    "kind": {"allow": 1, "deny": 2},
    "verdict": {"allow": 1, "deny": 2, "ask": 3},
    "mode": {"strict": 1, "advisory": 2},
}
TERMS: dict[str, int] = {
    "rule": 1,
    "tool": 2,
    "runtime": 3,
    "workspace": 4,
    "run_id": 5,
    "session_run_id": 5,
    "session_id": 6,
    "agent_id": 7,
}
LABELS_TERM, FACTS_TERM, PATH_TERM = 8, 9, 10
LABELS = ("v", "host", "service_version", "instance_id", "policy", "rules_off")
COLUMNS = ("seq", "prev_hash", "hash", "decision_id", "at", *CODES, *TERMS, "labels", "facts", "call_id",
           "args_digest", "body")  # fmt: skip
MAX_BODY_BYTES = 128 * 1024
HASH_BYTES = 32
ID_BYTES = 16
_ID_LENGTH = 36
_DIGEST = "sha256:"
_TIME_LENGTH = len("2026-11-30T12:00:00.123456Z")
_WORDS = {field: {number: word for word, number in codes.items()} for field, codes in CODES.items()}

TermNumber = Callable[[int, str], int]
TermText = Callable[[int, int], str | None]


def encode(fields: Mapping[str, Any], entry: Entry, number: TermNumber) -> tuple[Any, ...]:
    """The row of a record in the order of `COLUMNS`."""
    rest = dict(fields)
    row: list[Any] = [
        entry.seq,
        bytes.fromhex(entry.prev_hash),
        bytes.fromhex(entry.hash),
        id_cell(rest.pop("decision_id", None)),
        time_cell(rest.pop("at", None)),
    ]
    for field, codes in CODES.items():
        word = rest.get(field)
        code = codes.get(word) if isinstance(word, str) else None
        if code is not None:
            del rest[field]
        row.append(code)
    for field, kind in TERMS.items():
        text = rest.get(field)
        if isinstance(text, str):
            del rest[field]
            row.append(number(kind, text))
        else:
            row.append(None)
    labels = {name: rest.pop(name) for name in LABELS if name in rest}
    row.append(number(LABELS_TERM, _json(labels)))
    row.append(number(FACTS_TERM, _json(rest.pop("facts"))) if "facts" in rest else None)
    row.append(rest.pop("call_id") if isinstance(rest.get("call_id"), str) else None)
    row.append(digest_cell(rest.pop("args_digest")) if isinstance(rest.get("args_digest"), str) else None)
    row.append(orjson.dumps(rest))
    return tuple(row)


def paths_cell(fields: Mapping[str, Any], number: TermNumber) -> str | None:
    """The terms of the paths that the record's targets name, as a JSON list; None without any."""
    terms = {number(PATH_TERM, path) for path in target_paths(fields)}
    return orjson.dumps(sorted(terms)).decode() if terms else None


def decode(row: Sequence[Any], text: TermText) -> dict[str, Any]:
    """The record of a row, as logged; with `damaged` when a part of it can't be read."""
    cells = dict(zip(COLUMNS, row, strict=True))
    problems: list[str] = []
    record: dict[str, Any] = {}
    for name, reading in _READERS.items():
        try:
            record |= reading(name, cells[name], text)
        except (ValueError, TypeError, OverflowError, KeyError):
            problems.append(f"its {name} can't be read")
    record["seq"] = cells["seq"]
    return {**record, "damaged": "; ".join(problems)} if problems else record


def id_cell(value: Any) -> Any:
    """A UUID in 16 bytes; any other id as it is."""
    if not isinstance(value, str):
        return None
    digits = value.replace("-", "")
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return value
    usual = len(data) == ID_BYTES and data.hex() == digits and value[8::5].startswith("----")
    return data if usual and len(value) == _ID_LENGTH else value


def _uuid_text(data: bytes) -> str:
    text = data.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def time_cell(value: Any) -> Any:
    """Microseconds since 1970 of a time in the one form that they give back; any other text as it is."""
    if not isinstance(value, str):
        return None
    # The characters around the fraction.
    if len(value) != _TIME_LENGTH or value[19::7] != ".Z":
        return value
    fraction, second = value[20:26], _second(value[:19])
    if second is None or not (fraction.isascii() and fraction.isdigit()):
        return value
    return second + int(fraction)


@lru_cache(maxsize=64)
def _second(text: str) -> int | None:
    """Microseconds since 1970 of `2026-11-30T12:00:00`; None for a text of another form."""
    try:
        micros = instant(text)
    except ValueError:
        return None
    return micros if instant_text(micros).startswith(text) else None


def digest_cell(value: str) -> Any:
    """A SHA-256 digest in 32 bytes; any other text as it is."""
    digits = value[len(_DIGEST) :]
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return value
    usual = len(data) == HASH_BYTES and data.hex() == digits and value.startswith(_DIGEST)
    return data if usual else value


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _read_hash(name: str, cell: Any, text: TermText) -> dict[str, Any]:  # noqa: ARG001 (one shape for all readers)
    if not isinstance(cell, bytes) or len(cell) != HASH_BYTES:
        raise ValueError(name)
    return {name: cell.hex()}


def _read_id(name: str, cell: Any, text: TermText) -> dict[str, Any]:
    if isinstance(cell, bytes) and len(cell) == ID_BYTES:
        return {name: _uuid_text(cell)}
    return _read_text(name, cell, text)


def _read_time(name: str, cell: Any, text: TermText) -> dict[str, Any]:
    return {name: instant_text(cell)} if type(cell) is int else _read_text(name, cell, text)


def _read_digest(name: str, cell: Any, text: TermText) -> dict[str, Any]:
    return {name: _DIGEST + cell.hex()} if isinstance(cell, bytes) else _read_text(name, cell, text)


def _read_text(name: str, cell: Any, text: TermText) -> dict[str, Any]:  # noqa: ARG001 (one shape for all readers)
    if cell is None:
        return {}
    if not isinstance(cell, str):
        raise TypeError(name)
    return {name: cell}


def _read_code(name: str, cell: Any, text: TermText) -> dict[str, Any]:  # noqa: ARG001 (one shape for all readers)
    return {} if cell is None else {name: _WORDS[name][cell]}


def _read_term(name: str, cell: Any, text: TermText) -> dict[str, Any]:
    return {} if cell is None else {name: _resolved(TERMS[name], cell, text)}


def _read_labels(name: str, cell: Any, text: TermText) -> dict[str, Any]:  # noqa: ARG001 (one shape for all readers)
    labels = orjson.loads(_resolved(LABELS_TERM, cell, text))
    return {label: labels[label] for label in LABELS if label in labels}


def _read_facts(name: str, cell: Any, text: TermText) -> dict[str, Any]:
    return {} if cell is None else {name: orjson.loads(_resolved(FACTS_TERM, cell, text))}


def _resolved(field: int, cell: Any, text: TermText) -> str:
    found = text(field, cell) if type(cell) is int else None
    if found is None:
        raise ValueError(field)
    return found


def _read_body(name: str, cell: Any, text: TermText) -> dict[str, Any]:  # noqa: ARG001 (one shape for all readers)
    if not isinstance(cell, bytes) or len(cell) > MAX_BODY_BYTES:
        raise TypeError(name)
    body = orjson.loads(cell)
    if not isinstance(body, dict):
        raise TypeError(name)
    return body


_READERS: dict[str, Callable[[str, Any, TermText], dict[str, Any]]] = {
    # The body comes first, so that it can't speak for a column.
    "body": _read_body,
    **dict.fromkeys(("prev_hash", "hash"), _read_hash),
    "decision_id": _read_id,
    "at": _read_time,
    **dict.fromkeys(CODES, _read_code),
    **dict.fromkeys(TERMS, _read_term),
    "labels": _read_labels,
    "facts": _read_facts,
    "call_id": _read_text,
    "args_digest": _read_digest,
}
