"""Queries as SQL, chosen so that the rare is found by an index and the common by going back from the newest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Literal

import orjson

from phasegate.decision_log.query import ANY_TYPE, EXACT, Query, mentions, target_paths
from phasegate.decision_log.sqlite_rows import CODES, MAX_BODY_BYTES, PATH_TERM, TERMS
from phasegate.decision_log.sqlite_schema import BLOCK_BITS
from phasegate.decision_log.sqlite_shapes import RECENT

# Up to this many candidates are looked up and sorted; beyond, going back from the newest is cheaper.
_FEW = 2000
_READABLE = f"typeof(body) = 'blob' AND length(body) <= {MAX_BODY_BYTES}"
_LAST_CHAR = "\U0010ffff"

# A row below the settled ones was put there by somebody else; no check of the chain would see it.
IS_FRESH = "seq > (SELECT ifnull(max(seq), 0) FROM records)"

# The blocks that there are, newest first, each found from the one before it.
_BLOCKS = f"""WITH RECURSIVE blocks (n) AS (
    SELECT max(seq) >> {BLOCK_BITS} FROM records UNION ALL
    SELECT (SELECT max(seq) >> {BLOCK_BITS} FROM records WHERE seq < n << {BLOCK_BITS}) FROM blocks WHERE n NOTNULL
) SELECT n FROM blocks"""  # noqa: S608 (constants)

Condition = tuple[str, tuple[Any, ...]]
Table = Literal["fresh", "records"]


def register(connection: sqlite3.Connection) -> None:
    """Give the connection the functions that queries use."""
    connection.create_function("log_mentions", 2, _body_mentions, deterministic=True)
    connection.create_function("log_touches", 2, _body_touches, deterministic=True)


def matching(connection: sqlite3.Connection, query: Query) -> list[int]:
    """Sequence numbers of the matching records, newest first, one more than a page holds."""
    found: list[int] = []
    for table in ("fresh", "records"):
        wanted = query.limit + 1 - len(found)
        if wanted > 0:
            found += _matching(connection, query, table, wanted)
    return found


def _matching(connection: sqlite3.Connection, query: Query, table: Table, most: int) -> list[int]:
    conditions: list[Condition] = []
    for condition in _conditions(connection, query, table):
        if condition is None:
            return []
        conditions.append(condition)
    where = " AND ".join(sql for sql, _ in conditions) or "1"
    values = [value for _, values in conditions for value in values]
    source = RECENT if table == "fresh" else table
    sql = f"SELECT seq FROM {source} WHERE {where} ORDER BY seq DESC LIMIT ?"  # noqa: S608 (fixed pieces, values bound)
    return [row[0] for row in connection.execute(sql, (*values, most))]


def _conditions(connection: sqlite3.Connection, query: Query, table: Table) -> Iterator[Condition | None]:
    """The parts of the WHERE clause; None when nothing can match."""
    if table == "fresh":
        yield IS_FRESH, ()
    if query.before is not None:
        yield "seq < ?", (query.before,)
    if query.type != ANY_TYPE:
        yield _code("type", query.type)
    for field in EXACT:
        wanted = getattr(query, field)
        if wanted is not None:
            yield _exact(connection, field, wanted, table)
    if query.since is not None or query.until is not None:
        yield _period(connection, query)
    if query.target is not None:
        yield _target(connection, query.target, table)
    if query.q is not None:
        yield _mention(connection, query.q)


def _exact(connection: sqlite3.Connection, field: str, wanted: str, table: Table) -> Condition | None:
    if field in CODES:
        return _code(field, wanted)
    if field == "call_id" and table == "fresh":
        return "call_id = ?", (wanted,)
    if field == "call_id":
        # The plus keeps SQLite from putting the value in for the column, which would hide the index.
        indexed = f"call_id IS NOT NULL AND seq >> {BLOCK_BITS} IN ({_BLOCKS})"
        return f"{indexed} AND substr(call_id, -8) = substr(?, -8) AND +call_id = ?", (wanted, wanted)
    if field == "rule" and wanted == "none":
        return f"rule IS NULL AND type = {CODES['type']['decision']}", ()
    row = connection.execute(
        "SELECT id FROM terms WHERE field = ? AND text = ?", (TERMS[field], wanted)
    ).fetchone()
    return (f"{field} = ?", (row[0],)) if row is not None else None


def _code(field: str, wanted: str) -> Condition | None:
    number = CODES[field].get(wanted)
    if number is None:
        return None
    # A partial index is used only where its own condition stands in the query.
    return f"{field} = {number}" + (f" AND {field} > 1" if number > 1 and field != "mode" else ""), ()


def _period(connection: sqlite3.Connection, query: Query) -> Condition:
    since = query.since if query.since is not None else -(2**63)
    until = query.until if query.until is not None else 2**63 - 1
    few = _at_most(connection, "SELECT 1 FROM records WHERE at >= ? AND at < ?", (since, until))
    column = "at" if few else "+at"
    return f"{column} >= ? AND {column} < ?", (since, until)


def _target(connection: sqlite3.Connection, prefix: str, table: Table) -> Condition:
    if table == "fresh":
        return _computed("log_touches"), (prefix,)
    paths = "SELECT id FROM terms WHERE field = ? AND text >= ? AND text < ?"
    bounds = (PATH_TERM, prefix, prefix + _LAST_CHAR)
    records = f"SELECT seq FROM touched WHERE path IN ({paths})"  # noqa: S608 (fixed pieces, values bound)
    if _at_most(connection, records, bounds):
        return f"seq IN ({records})", bounds
    return _computed("log_touches"), (prefix,)


def _mention(connection: sqlite3.Connection, text: str) -> Condition:
    wanted = text.casefold()
    parts: list[str] = []
    for field in ("rule", "tool"):
        ids = [
            str(int(number))
            for number, word in connection.execute(
                "SELECT id, text FROM terms WHERE field = ?", (TERMS[field],)
            )
            if isinstance(word, str) and wanted in word.casefold()
        ]
        if ids:
            parts.append(f"{field} IN ({', '.join(ids)})")
    if wanted in "none":
        parts.append(f"(rule IS NULL AND type = {CODES['type']['decision']})")
    return f"({' OR '.join([*parts, _computed('log_mentions')])})", (wanted,)


def _computed(function: str) -> str:
    return f"CASE WHEN {_READABLE} THEN {function}(body, ?) ELSE 0 END"


def _at_most(connection: sqlite3.Connection, rows: str, values: tuple[Any, ...]) -> bool:
    counted = f"SELECT count(*) FROM ({rows} LIMIT {_FEW + 1})"  # noqa: S608 (fixed pieces, values bound)
    count: int = connection.execute(counted, values).fetchone()[0]
    return count <= _FEW


def _body_mentions(body: bytes, wanted: str) -> bool:
    record = _loaded(body)
    return (
        isinstance(record.get("summary", ""), str)
        and isinstance(record.get("reason", ""), str)
        and mentions({"summary": record.get("summary", ""), "reason": record.get("reason", "")}, wanted)
    )


def _body_touches(body: bytes, prefix: str) -> bool:
    try:
        return any(path.startswith(prefix) for path in target_paths(_loaded(body)))
    except (AttributeError, TypeError):
        return False


def _loaded(body: bytes) -> dict[str, Any]:
    try:
        record = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return record if isinstance(record, dict) else {}
