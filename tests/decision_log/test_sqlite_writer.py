"""Records that share a stem are written as any others, only sooner."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest

from phasegate.decision_log import sqlite_writer
from phasegate.decision_log.query import Query
from phasegate.decision_log.sqlite import FRESH, SqliteStore
from phasegate.decision_log.sqlite_rows import COLUMNS
from phasegate.decision_log.sqlite_schema import BLOCK_BITS
from phasegate.decision_log.sqlite_writer import _OFTEN
from phasegate.decision_log.store import verify_store
from phasegate.decision_log.writer import LogWriter
from phasegate.errors import LogUnavailable
from support.records import identifier, of_stem, product_write, stem_for, with_fields

DIGEST = "sha256:" + "ab" * 32


@pytest.fixture
def stem():
    return stem_for(product_write(0, session_id="s-stem"))


def test_records_of_a_stem_come_back_whole(sqlite_store, stem):
    own = [
        {},
        {"call_id": "c"},
        {"args_digest": DIGEST},
        {"call_id": "odd é\U0001f600", "args_digest": "md5:x"},
    ]
    records = [of_stem(stem, number, **own[number % 4]) for number in range(12)]
    for start in range(0, 12, 3):
        sqlite_store.append_many(records[start : start + 3])

    found = list(sqlite_store.scan())

    assert [{k: v for k, v in item.items() if k not in ("seq", "hash", "prev_hash")} for item in found] == [
        record.fields for record in records
    ]
    assert verify_store(sqlite_store).ok
    assert len(sqlite_store.query(Query(session_id="s-stem", target="src/app", limit=50)).items) == 12


def test_odd_ids_and_times_of_a_stem_come_back_as_they_were(sqlite_store, stem):
    records = [
        of_stem(stem, number, decision_id=f"not-a-uuid-{number}", at="yesterday") for number in range(3)
    ]
    for record in records:
        sqlite_store.append_many([record])

    assert [item["decision_id"] for item in sqlite_store.scan()] == [f"not-a-uuid-{n}" for n in range(3)]
    assert verify_store(sqlite_store).ok


def test_a_stem_that_is_met_often_is_written_briefly_and_read_as_ever(sqlite_store, stem):
    own = [
        {"call_id": "c", "args_digest": DIGEST},
        {},
        {"call_id": "odd é\U0001f600", "args_digest": "md5:x"},
        {"decision_id": "no-uuid"},
        {"at": "yesterday"},
        {"latency_us": 2**60},
    ]
    records = [of_stem(stem, number, **own[number % 6]) for number in range(60)]
    for start in range(0, 60, 5):
        sqlite_store.append_many(records[start : start + 5])

    def looks():
        assert verify_store(sqlite_store).ok
        queries = [
            Query(session_id="s-stem", target="src/app", limit=80),
            Query(call_id="c"),
            Query(q="APP.PY", kind="allow", tool="Write", since=0, limit=80),
        ]
        pages = [sqlite_store.query(query).items for query in queries]
        return list(sqlite_store.scan()), pages, [sqlite_store.get(identifier(n)) for n in (0, 48, 49, 51)]

    before = looks()
    brief = "SELECT count(*) FROM fresh WHERE shape IS NOT NULL AND body IS NULL"
    assert sqlite_store._writer.connection.execute(brief).fetchone()[0] >= 15
    assert [
        {k: v for k, v in item.items() if k not in ("seq", "hash", "prev_hash")} for item in before[0]
    ] == [record.fields for record in records]
    assert [len(page) for page in before[1]] == [60, 10, 50]
    sqlite_store._writer.settle(1000)
    assert looks() == before


def test_a_shape_of_a_failed_transaction_is_forgotten(sqlite_store, stem):
    """Its number may be that of another shape by now."""
    broken = with_fields(product_write(2), n=2**70)
    for number in range(_OFTEN):
        sqlite_store.append_many([of_stem(stem, number)])
    with pytest.raises(Exception, match="64-bit"):
        sqlite_store.append_many([of_stem(stem, 20), of_stem(stem, 21), broken])
    other = stem_for(product_write(0, session_id="another"))
    sqlite_store.append_many([of_stem(other, 30 + n) for n in range(2 * _OFTEN)])
    sqlite_store.append_many([of_stem(stem, 60), of_stem(stem, 61)])

    sessions = [item["session_id"] for item in sqlite_store.scan()]
    assert sessions == ["s-stem"] * _OFTEN + ["another"] * 2 * _OFTEN + ["s-stem"] * 2
    assert verify_store(sqlite_store).ok


def test_a_stem_that_shares_nothing_is_written_too(sqlite_store):
    stem = stem_for(with_fields(product_write(0), **dict.fromkeys(product_write(0).fields)))
    for number in range(3 * _OFTEN):
        sqlite_store.append_many([of_stem(stem, number)])

    assert verify_store(sqlite_store).ok


def test_what_a_failed_transaction_found_out_of_a_stem_is_forgotten(sqlite_store, stem):
    """Its numbers may belong to other texts by now."""
    broken = with_fields(product_write(2), n=2**70)
    with pytest.raises(Exception, match="64-bit"):
        sqlite_store.append_many([of_stem(stem, 0), broken])
    sqlite_store.append_many([product_write(3, session_id="another", rel="src/other.py")])
    for number in (4, 5):
        sqlite_store.append_many([of_stem(stem, number)])

    assert [item["session_id"] for item in sqlite_store.scan()] == ["another", "s-stem", "s-stem"]
    assert verify_store(sqlite_store).ok


def test_a_stem_serves_several_files(tmp_path, stem):
    """Each has numbers of its own for the same texts."""
    with closing(SqliteStore(tmp_path / "a.db")) as one, closing(SqliteStore(tmp_path / "b.db")) as other:
        other.append_many([product_write(90, session_id="first", rel="src/first.py")])
        for number in range(3 * _OFTEN):
            one.append_many([of_stem(stem, number), of_stem(stem, 50 + number)])
            if number >= _OFTEN:
                other.append_many([of_stem(stem, number), of_stem(stem, 50 + number)])

        for store in (one, other):
            assert [item["session_id"] for item in store.scan()][-4:] == ["s-stem"] * 4
            assert verify_store(store).ok


def test_the_head_is_read_again_when_another_connection_has_written(sqlite_store, path):
    sqlite_store.append_many([product_write(0)])
    with closing(SqliteStore(path)) as second:
        second.append_many([product_write(1), product_write(2)])
    sqlite_store.append_many([product_write(3)])

    assert [item["seq"] for item in sqlite_store.scan()] == [1, 2, 3, 4]
    assert verify_store(sqlite_store).ok


def test_the_head_is_read_again_after_a_failure(sqlite_store, path):
    sqlite_store.append_many([product_write(0)])
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    with closing(other):
        other.execute("BEGIN IMMEDIATE")
        sqlite_store._writer.connection.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(LogUnavailable, match="another process"):
            sqlite_store.append_many([product_write(1)])
        other.execute("ROLLBACK")

    assert sqlite_store.append_many([product_write(1)])[0].seq == 2
    assert verify_store(sqlite_store).ok


def test_a_call_is_found_in_every_block_of_records(sqlite_store, stem):
    """Also where records are missing between two blocks."""
    count = (2 << BLOCK_BITS) + 10
    sqlite_store.append_many([of_stem(stem, n, call_id=f"toolu_{n:08}") for n in range(count)])
    sqlite_store._writer.settle(count)
    sqlite_store._writer.connection.execute(
        f"UPDATE records SET seq = seq + {9 << BLOCK_BITS} WHERE seq > {count - 5}"  # noqa: S608 (constants)
    )

    for number in (0, (1 << BLOCK_BITS) - 1, 1 << BLOCK_BITS, count - 20, count - 1):
        (item,) = sqlite_store.query(Query(call_id=f"toolu_{number:08}")).items
        assert item["decision_id"] == identifier(number)
    assert sqlite_store.query(Query(call_id=f"toolu_{count:08}")).items == ()


def tampered(path, statement):
    """Run SQL as somebody would who got at the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


class TestSettling:
    """Records move from where they are written fast to where they are found fast, and nobody sees it."""

    @pytest.fixture
    def filled(self, sqlite_store):
        for number in range(2 * FRESH + 10):
            sqlite_store.append_many(
                [product_write(number, rel=f"src/{number % 7}.py", session_id=f"s-{number % 3}")]
            )
        return sqlite_store

    def looks(self, store):
        """What every way of reading gives."""
        queries = [
            Query(limit=500),
            Query(session_id="s-1", limit=500),
            Query(target="src/3", limit=500),
            Query(q="src/4.py", limit=500),
            Query(call_id="toolu_00000005"),
            Query(call_id="toolu_00000520"),
            Query(before=300, limit=50),
            Query(since=0, until=2**60, limit=3),
        ]
        pages = [(page.items, page.next_cursor) for page in map(store.query, queries)]
        return (
            pages,
            [store.get(identifier(n)) for n in (0, 300, 521, 9999)],
            list(store.scan()),
            list(store.scan(400)),
        )

    def test_reading_gives_the_same_before_between_and_after(self, filled):
        before = self.looks(filled)
        assert len(before[2]) == 2 * FRESH + 10

        filled._writer.settle(100)
        assert self.looks(filled) == before
        for moved in (True, False):
            assert filled.tidy() is moved
            assert self.looks(filled) == before
        assert verify_store(filled).ok

    def test_few_records_are_left_where_they_are(self, sqlite_store):
        sqlite_store.append_many([product_write(0)])

        assert not sqlite_store.tidy()
        assert sqlite_store._writer.fresh == 1

    def test_a_store_that_nobody_tidies_does_it_in_the_end(self, sqlite_store):
        for base in range(0, 12 * FRESH, FRESH):
            sqlite_store.append_many([product_write(base + n) for n in range(FRESH)])

        assert sqlite_store._writer.fresh <= 8 * FRESH
        assert verify_store(sqlite_store).ok

    def test_what_an_earlier_process_left_is_counted(self, filled, path):
        filled.close()

        with closing(SqliteStore(path)) as again:
            assert again._writer.fresh == 2 * FRESH + 10
            assert again.tidy()
            assert verify_store(again).ok

    def test_a_page_read_while_records_move_misses_none(self, filled):
        stop = threading.Event()
        seen = []

        def read():
            while not stop.is_set():
                seen.append(len(filled.query(Query(limit=500)).items) + len(list(filled.scan())))

        reader = threading.Thread(target=read)
        reader.start()
        while filled._writer.fresh:
            filled._writer.settle(FRESH // 2)
        stop.set()
        reader.join()

        assert set(seen) == {500 + 2 * FRESH + 10}

    def test_a_move_that_fails_loses_nothing_and_is_told(self, filled, path):
        tampered(path, "INSERT INTO records (seq) VALUES (100)")

        with pytest.raises(LogUnavailable, match="tidied"):
            filled.tidy()
        tampered(path, "DELETE FROM records WHERE seq = 100")
        filled.append_many([product_write(9000)])

        assert filled.tidy()
        assert verify_store(filled).ok

    def test_commits_wait_for_the_disk_also_after_a_move_that_failed(self, filled, path):
        tampered(path, "INSERT INTO records (seq) VALUES (100)")
        with pytest.raises(LogUnavailable, match="tidied"):
            filled.tidy()
        filled.append_many([product_write(9000)])

        assert filled._writer.connection.execute("PRAGMA synchronous").fetchone() == (2,)

    def test_records_are_taken_also_when_they_can_not_be_moved(self, sqlite_store, path):
        """Somebody who puts a row in the way must not stop the log."""
        sqlite_store.append_many([product_write(n) for n in range(FRESH)])
        tampered(path, "INSERT INTO records (seq) VALUES (100)")
        for base in range(FRESH, 20 * FRESH, FRESH):
            sqlite_store.append_many([product_write(base + n) for n in range(FRESH)])

        assert sqlite_store.head().seq == sqlite_store._writer.fresh == 20 * FRESH
        tampered(path, "DELETE FROM records WHERE seq = 100")
        assert verify_store(sqlite_store).ok

    def test_broken_path_lists_do_not_stop_a_move(self, filled):
        filled._writer.connection.execute("UPDATE fresh SET paths = 'x' WHERE seq = 3")

        assert filled.tidy()
        assert len(filled.query(Query(target="src/", limit=500)).items) == 500

    def test_a_row_slipped_in_below_the_settled_ones_is_not_believed(self, filled):
        """No check of the chain comes by it, so no query must show it either."""
        filled._writer.settle(1000)
        columns = ", ".join(COLUMNS)
        filled._writer.connection.execute(
            f"INSERT INTO fresh ({columns}) SELECT {columns} FROM records WHERE seq = 7"  # noqa: S608 (constants)
        )
        filled._writer.connection.execute("UPDATE fresh SET decision_id = x'00'")

        assert filled.get("00") is None
        assert [item["seq"] for item in filled.query(Query(before=9, limit=3)).items] == [8, 7, 6]
        assert verify_store(filled).ok

    def test_the_log_thread_tidies_between_commits(self, path):
        async def story():
            with closing(SqliteStore(path)) as store:
                writer = LogWriter(store)
                await asyncio.gather(*(writer.append(product_write(n)) for n in range(FRESH + 20)))
                await writer.append(product_write(9999))
                await writer.close()
                return store._writer.fresh, writer.untidy

        fresh, untidy = asyncio.run(story())
        assert fresh < FRESH
        assert untidy == 0

    def test_a_write_ahead_log_that_has_grown_too_long_is_copied_by_a_move_itself(
        self, sqlite_store, path, monkeypatch
    ):
        """For a disk on which the copies beside the commits fall behind."""
        monkeypatch.setattr(sqlite_writer, "_LONG_WAL", 200)
        size = path.stat().st_size
        for number in range(FRESH):
            sqlite_store.append_many([product_write(number)])
        assert path.stat().st_size == size

        assert sqlite_store.tidy()
        assert path.stat().st_size > size
