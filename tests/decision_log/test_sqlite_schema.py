"""The tables: old files are brought up to date, newer ones refused, and the rare is found by an index."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from phasegate.decision_log.query import Query
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.sqlite_query import matching
from phasegate.decision_log.sqlite_schema import MIGRATIONS, migrate
from phasegate.decision_log.store import verify_store
from phasegate.errors import LogUnavailable
from support.records import product_write, with_fields


@pytest.fixture
def store(sqlite_store):
    return sqlite_store


def tampered(path, *statements):
    """Run SQL as somebody would who got at the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


class TestSchema:
    def test_a_newer_file_is_refused_by_name(self, path):
        SqliteStore(path).close()
        tampered(path, "UPDATE schema_version SET version = 99")

        for read_only in (False, True):
            with pytest.raises(
                LogUnavailable, match=r"`decisions\.db` has schema version 99, this program knows 4"
            ):
                SqliteStore(path, read_only=read_only)

    def test_an_older_file_is_brought_up_to_date_and_keeps_its_records(self, path):
        with closing(SqliteStore(path)) as store:
            store.append_many([product_write()])
        later = (
            *MIGRATIONS,
            ("CREATE TABLE labels (seq INTEGER)", "CREATE INDEX labels_seq ON labels (seq)"),
        )
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            migrate(connection, path.name, later)
            migrate(connection, path.name, later)

            assert connection.execute("SELECT version FROM schema_version").fetchall() == [(5,)]
            assert connection.execute("SELECT count(*) FROM fresh").fetchone() == (1,)
            assert connection.execute("SELECT count(*) FROM labels").fetchone() == (0,)

    def test_records_that_the_version_before_left_unsettled_are_read_and_followed(self, path):
        with closing(SqliteStore(path)) as store:
            store.append_many([product_write(n) for n in range(3)])
        tampered(
            path,
            "CREATE TABLE old AS SELECT * FROM fresh",
            *(f"ALTER TABLE old DROP COLUMN {name}" for name in ("shape", "hashes", "latency_us")),
            "DROP TABLE fresh",
            "ALTER TABLE old RENAME TO fresh",
            "DROP TABLE shapes",
            "UPDATE schema_version SET version = 2",
        )

        with closing(SqliteStore(path)) as store:
            assert store.append_many([product_write(3)])[0].seq == 4
            assert verify_store(store).checked == 4
            assert verify_store(store).ok

    def test_a_failing_migration_leaves_the_file_as_it_was(self, path):
        SqliteStore(path).close()
        broken = (*MIGRATIONS, ("CREATE TABLE labels (seq INTEGER)", "CREATE NONSENSE"))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            with pytest.raises(sqlite3.Error):
                migrate(connection, path.name, broken)

            assert connection.execute("SELECT version FROM schema_version").fetchall() == [(4,)]
            assert connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'labels'"
            ).fetchone() == (0,)

    def test_a_file_without_our_tables_can_not_be_read_only(self, path):
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE x (y)")

        with pytest.raises(LogUnavailable, match="schema version 0"):
            SqliteStore(path, read_only=True)

    def test_two_services_may_start_on_a_new_file_at_once(self, path):
        failures = []

        def start():
            try:
                SqliteStore(path).close()
            except LogUnavailable as error:
                failures.append(error)

        threads = [threading.Thread(target=start) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert failures == []

    @pytest.mark.parametrize(
        ("query", "index"),
        [
            (Query(session_id="s-1"), "records_session"),
            (Query(agent_id="a-1"), "records_agent"),
            (Query(run_id="r1"), "records_run"),
            (Query(call_id="toolu_00000001"), "records_call"),
            (Query(rule="phase-order"), "records_rule"),
            (Query(kind="deny"), "records_kind"),
            (Query(verdict="ask"), "records_verdict"),
            (Query(type="tamper"), "records_type"),
            (Query(since=0, until=1), "records_at"),
            (Query(target="src/rare"), "touched"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_the_rare_is_found_by_its_index(self, store, query, index):
        """A look-up must not read the whole log."""
        rare = with_fields(
            product_write(1, rel="src/rare.py", agent_id="a-1"), rule="phase-order", run_id="r1"
        )
        store.append_many([rare])
        plans = []
        with store._reader(None) as connection:
            connection.set_trace_callback(plans.append)
            matching(connection, query)
            connection.set_trace_callback(None)
            plan = connection.execute("EXPLAIN QUERY PLAN " + plans[-1]).fetchall()

        assert index in str(plan)
        assert "SCAN records" not in str(plan)
