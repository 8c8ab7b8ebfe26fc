"""The SQLite store: a full or read-only disk, readers beside the writer, several processes, size."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from phasegate.decision_log import sqlite as sqlite_module
from phasegate.decision_log.query import Query
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.sqlite_writer import Writer
from phasegate.decision_log.store import verify_store
from phasegate.errors import LogUnavailable
from support.records import identifier, ordinary_records, product_write, with_fields

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(sqlite_store):
    return sqlite_store


class TestDisk:
    def test_a_full_disk_writes_nothing_and_recovers(self, store):
        store.append_many([product_write(0)])
        connection = store._writer.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        many = [product_write(n, rel=f"src/{'x' * 200}{n}.py") for n in range(1, 300)]

        with pytest.raises(LogUnavailable, match="the disk is full"):
            store.append_many(many)
        assert (store.head().seq, verify_store(store).ok) == (1, True)

        connection.execute("PRAGMA max_page_count = 1000000")
        assert store.append_many(many)[-1].seq == 300
        assert verify_store(store).ok

    def test_a_read_only_file_writes_nothing_and_recovers(self, store):
        """`query_only` refuses writes to every user; file modes would not stop root."""
        store.append_many([product_write(0)])
        store._writer.connection.execute("PRAGMA query_only = ON")

        with pytest.raises(LogUnavailable, match="read-only"):
            store.append_many([product_write(1)])
        assert store.query(Query()).items[0]["seq"] == 1

        store._writer.connection.execute("PRAGMA query_only = OFF")
        assert store.append_many([product_write(1)])[0].seq == 2

    def test_a_connection_that_can_only_read_is_told_apart_from_a_full_disk(self, store, path):
        store.append_many([product_write(0)])
        store._drop_writer()
        reader = sqlite3.connect(
            f"file:{path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
        )
        store._writer = Writer(reader)

        with pytest.raises(LogUnavailable, match="read-only"):
            store.append_many([product_write(1)])

    def test_terms_of_a_failed_transaction_are_forgotten(self, store):
        """A number that was rolled back may belong to another text by now."""
        store.append_many([product_write(0)])
        bad = with_fields(product_write(1, session_id="lost"), body="x" * 10)
        broken = with_fields(product_write(2), n=2**70)

        with pytest.raises(Exception, match="64-bit"):
            store.append_many([bad, broken])
        store.append_many([product_write(3, session_id="kept")])
        store.append_many([product_write(4, session_id="lost")])

        assert [item["session_id"] for item in store.query(Query()).items] == ["lost", "kept", "s-1"]
        assert verify_store(store).ok

    def test_a_busy_file_is_waited_for(self, store, path):
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        with closing(other):
            other.execute("BEGIN IMMEDIATE")
            timer = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
            timer.start()
            entries = store.append_many([product_write(0)])
            timer.join()

        assert entries[0].seq == 1

    def test_a_lost_connection_is_opened_again(self, store):
        store.append_many([product_write(0)])
        store._writer.connection.close()

        with pytest.raises(LogUnavailable):
            store.append_many([product_write(1)])
        assert store.append_many([product_write(1)])[0].seq == 2

    def test_errors_name_no_path(self, store, path):
        store._writer.connection.execute("PRAGMA query_only = ON")

        with pytest.raises(LogUnavailable) as caught:
            store.append_many([product_write(0)])
        assert str(path.parent) not in caught.value.detail + caught.value.remedy


class TestReaders:
    def test_a_query_does_not_wait_for_a_writer(self, store, path):
        store.append_many([product_write(0)])
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("DELETE FROM records")

            assert len(store.query(Query()).items) == 1
            other.execute("ROLLBACK")

    def test_a_scan_does_not_hold_up_the_writer(self, store):
        store.append_many([product_write(n) for n in range(600)])
        scan = store.scan()
        next(scan)

        assert store.append_many([product_write(600)])[0].seq == 601
        assert sum(1 for _ in scan) == 600

    def test_a_query_that_takes_too_long_is_broken_off(self, store, monkeypatch):
        store.append_many([product_write(n) for n in range(1000)])
        monkeypatch.setattr(sqlite_module, "QUERY_SECONDS", -1.0)
        monkeypatch.setattr(sqlite_module, "_STEPS_BETWEEN_LOOKS", 100)

        with pytest.raises(LogUnavailable, match="too long") as caught:
            store.query(Query(q="nowhere"))
        assert "narrow" in caught.value.remedy

        monkeypatch.setattr(sqlite_module, "QUERY_SECONDS", 5.0)
        assert store.query(Query()).items != (), "the connection is of use again"

    def test_a_reader_can_not_write(self, store):
        with store._reader(None) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM records")

    def test_readers_and_writers_at_once(self, store):
        stop = threading.Event()
        failures = []

        def read():
            while not stop.is_set():
                try:
                    page = store.query(Query(limit=20, q="app"))
                    numbers = [item["seq"] for item in page.items]
                    assert numbers == sorted(numbers, reverse=True)
                    store.head()
                except (LogUnavailable, AssertionError) as error:
                    failures.append(error)

        readers = [threading.Thread(target=read) for _ in range(6)]
        for reader in readers:
            reader.start()
        for number in range(60):
            store.append_many([product_write(number)])
        stop.set()
        for reader in readers:
            reader.join()

        assert failures == []
        assert verify_store(store).checked == 60

    def test_broad_targets_and_long_periods_are_answered_from_the_newest(self, store):
        store.append_many([product_write(n, rel=f"src/{n % 50}.py") for n in range(2500)])

        assert [item["seq"] for item in store.query(Query(target="src/", limit=3)).items] == [
            2500,
            2499,
            2498,
        ]
        assert [item["seq"] for item in store.query(Query(since=0, limit=2)).items] == [2500, 2499]
        assert len(store.query(Query(target="src/7.py", limit=500)).items) == 50


CHILD = """
import sys
sys.path[:0] = [{tests!r}, {app!r}]
from pathlib import Path
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.sqlite_writer import Writer
from support.records import product_write
store = SqliteStore(Path(sys.argv[1]))
for number in range(150):
    store.append_many([product_write(number, session_id=sys.argv[2], rel=f"src/{{number}}.py")])
store.close()
"""


def test_two_processes_that_share_a_file_make_one_chain(path):
    program = CHILD.format(tests=str(ROOT / "tests"), app=str(ROOT / "app"))
    children = [subprocess.Popen([sys.executable, "-c", program, str(path), f"s-{n}"]) for n in range(2)]

    assert [child.wait(60) for child in children] == [0, 0]
    with closing(SqliteStore(path)) as store:
        report = verify_store(store)
        assert (report.ok, report.checked) == (True, 300)
        for session in ("s-0", "s-1"):
            assert len(store.query(Query(session_id=session, limit=500)).items) == 150


def test_a_record_with_all_its_indexes_takes_less_than_a_kilobyte(path):
    """Ordinary work: sessions of 200 calls, files edited again and again, a bound run, some denials."""
    records = list(ordinary_records(4000))
    store = SqliteStore(path)
    for start in range(0, len(records), 64):
        store.append_many(records[start : start + 64])
    assert verify_store(store).ok
    store.close()

    assert path.stat().st_size / len(records) < 1024


def test_a_look_up_does_not_read_the_whole_log(path):
    """No benchmark: a cap that a scan of 20,000 records for each look-up would break many times over."""
    with closing(SqliteStore(path)) as store:
        for base in range(0, 20_000, 500):
            store.append_many([product_write(base + n, session_id=f"s-{n}") for n in range(500)])
        started = time.monotonic()
        for n in range(500):
            assert len(store.query(Query(session_id=f"s-{n}", limit=5)).items) == 5
            assert store.get(identifier(n))["seq"] == n + 1

        assert time.monotonic() - started < 30
