"""The tables of the SQLite log, and how an older file becomes a current one.

Texts that repeat (tools, sessions, runs, paths, instance labels, run states) stand once
in `terms`; a record refers to them by number. That keeps a record with all its indexes
under a kilobyte. What is in no column is the JSON object `body`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from phasegate.errors import LogUnavailable

Migration = tuple[str, ...]

_V1: Migration = (
    "CREATE TABLE terms (id INTEGER PRIMARY KEY, field INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (field, text))",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash BLOB NOT NULL)",
    """CREATE TABLE records (
        seq INTEGER PRIMARY KEY, prev_hash BLOB, hash BLOB, decision_id BLOB, at INTEGER,
        type INTEGER, kind INTEGER, verdict INTEGER, mode INTEGER,
        rule INTEGER, tool INTEGER, runtime INTEGER, workspace INTEGER, run_id INTEGER,
        session_run_id INTEGER, session_id INTEGER, agent_id INTEGER, labels INTEGER, facts INTEGER,
        call_id TEXT, args_digest BLOB, body BLOB
    )""",
    "CREATE TABLE touched (path INTEGER, seq INTEGER, PRIMARY KEY (path, seq)) WITHOUT ROWID",
    "CREATE INDEX records_id ON records (decision_id)",
    "CREATE INDEX records_at ON records (at)",
    # Ids of calls are long and differ at the end: eight characters find the few candidates.
    "CREATE INDEX records_call ON records (substr(call_id, -8)) WHERE call_id IS NOT NULL",
    "CREATE INDEX records_session ON records (session_id) WHERE session_id IS NOT NULL",
    "CREATE INDEX records_agent ON records (agent_id) WHERE agent_id IS NOT NULL",
    "CREATE INDEX records_run ON records (run_id) WHERE run_id IS NOT NULL",
    # The rare values are indexed, the common ones are found soon by going back from the newest.
    "CREATE INDEX records_rule ON records (rule) WHERE rule IS NOT NULL",
    "CREATE INDEX records_kind ON records (kind) WHERE kind > 1",
    "CREATE INDEX records_verdict ON records (verdict) WHERE verdict > 1",
    "CREATE INDEX records_type ON records (type) WHERE type > 1",
)

# A commit that touches every index writes a dozen pages for one record. New records go to
# `fresh`, which has none, and are moved many at a time; `paths` are the terms that `touched`
# will need.
_V2: Migration = (
    """CREATE TABLE fresh (
        seq INTEGER PRIMARY KEY, prev_hash BLOB, hash BLOB, decision_id BLOB, at INTEGER,
        type INTEGER, kind INTEGER, verdict INTEGER, mode INTEGER,
        rule INTEGER, tool INTEGER, runtime INTEGER, workspace INTEGER, run_id INTEGER,
        session_run_id INTEGER, session_id INTEGER, agent_id INTEGER, labels INTEGER, facts INTEGER,
        call_id TEXT, args_digest BLOB, body BLOB, paths TEXT
    )""",
)

# Decisions repeat. What the records of equal ones share stands once in `shapes`, and a fresh
# record that has a shape fills only these columns: `hashes` are its `prev_hash`, `hash`,
# `decision_id` and `args_digest` (if any) in a row.
_V3: Migration = (
    """CREATE TABLE shapes (
        id INTEGER PRIMARY KEY,
        type INTEGER, kind INTEGER, verdict INTEGER, mode INTEGER,
        rule INTEGER, tool INTEGER, runtime INTEGER, workspace INTEGER, run_id INTEGER,
        session_run_id INTEGER, session_id INTEGER, agent_id INTEGER, labels INTEGER, facts INTEGER,
        body BLOB, paths TEXT
    )""",
    "ALTER TABLE fresh ADD COLUMN shape INTEGER",
    "ALTER TABLE fresh ADD COLUMN hashes BLOB",
    "ALTER TABLE fresh ADD COLUMN latency_us INTEGER",
)

# Ids of calls are random, so that each new one fell on a page of its own: three of four pages
# that were written. Ordered by block of records first, a block's ids share a few pages.
BLOCK_BITS = 12
_V4: Migration = (
    "DROP INDEX IF EXISTS records_call",
    f"CREATE INDEX records_call ON records (seq >> {BLOCK_BITS}, substr(call_id, -8)) WHERE call_id IS NOT NULL",
)

MIGRATIONS: tuple[Migration, ...] = (_V1, _V2, _V3, _V4)


def migrate(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """
    Bring the file up to the newest version, in one transaction.

    Raises `LogUnavailable` for a file of a later program: what it means is not known.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        _refuse_newer(version, name, len(migrations))
        for number, statements in enumerate(migrations[version:], version + 1):
            for statement in statements:
                connection.execute(statement)
            connection.execute("DELETE FROM schema_version")
            connection.execute("INSERT INTO schema_version VALUES (?)", (number,))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def check_version(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file that a reader can't use as it is."""
    version = _version(connection, create=False)
    _refuse_newer(version, name, len(MIGRATIONS))
    if version < len(MIGRATIONS):
        raise LogUnavailable(
            f"the decision log `{name}` has schema version {version}, older than {len(MIGRATIONS)}",
            remedy="start the service once, which brings it up to date",
        )


def _version(connection: sqlite3.Connection, *, create: bool = True) -> int:
    if create:
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    elif not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone():
        return 0
    row = connection.execute("SELECT version FROM schema_version").fetchone()
    return row[0] if row is not None and type(row[0]) is int else 0


def _refuse_newer(version: int, name: str, known: int) -> None:
    if version > known:
        raise LogUnavailable(
            f"the decision log `{name}` has schema version {version}, this program knows {known}",
            remedy="use the newer phasegate that wrote it, or name another file",
        )
