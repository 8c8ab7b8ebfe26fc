"""Records that share a stem are written as any others, only sooner."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from phasegate.decision_log.query import Query
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import verify_store
from phasegate.errors import LogUnavailable
from support.records import of_stem, product_write, stem_for, with_fields

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


def test_a_stem_that_shares_nothing_is_written_too(sqlite_store):
    stem = stem_for(with_fields(product_write(0), **dict.fromkeys(product_write(0).fields)))
    for number in range(3):
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
        for number in range(4):
            one.append_many([of_stem(stem, number)])
            other.append_many([of_stem(stem, number)])

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
