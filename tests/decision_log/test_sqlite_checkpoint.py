"""The write-ahead log is copied where no commit waits for it, and begins anew."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing

import pytest

from phasegate.decision_log import sqlite_checkpoint
from phasegate.decision_log.sqlite import FRESH, SqliteStore
from phasegate.decision_log.sqlite_checkpoint import MOVES, Checkpoints
from phasegate.decision_log.store import verify_store
from phasegate.errors import LogUnavailable
from support.records import product_write


def fill(store, count, start=0):
    for number in range(start, start + count, 32):
        store.append_many([product_write(number + n) for n in range(32)])


def moves(store, count):
    """*count* moves, each of which finds enough to move; a copy that they begin comes to its end."""
    for number in range(count):
        fill(store, FRESH, number * FRESH)
        assert store.tidy()
        copied(store)


def copied(store):
    thread = store._checkpoints._thread
    if thread is not None:
        thread.join(20)
        assert not thread.is_alive()


def in_the_file(path):
    """The last record that the file holds without its write-ahead log."""
    alone = path.with_name("alone.db")
    shutil.copy(path, alone)
    with closing(sqlite3.connect(alone)) as connection:
        return connection.execute("SELECT max(seq) FROM records").fetchone()[0]


def test_no_append_copies(sqlite_store, path):
    size = path.stat().st_size
    fill(sqlite_store, 3 * FRESH)

    assert path.stat().st_size == size


def test_several_moves_begin_a_copy_and_the_next_one_ends_it(sqlite_store, path):
    size = path.stat().st_size
    moves(sqlite_store, MOVES - 1)
    assert path.stat().st_size == size
    moves(sqlite_store, 1)
    assert in_the_file(path) == MOVES * FRESH
    moves(sqlite_store, 1)

    assert in_the_file(path) == (MOVES + 1) * FRESH


def test_the_log_begins_anew_and_does_not_grow(sqlite_store, path):
    wal = path.with_name(path.name + "-wal")
    moves(sqlite_store, 2 * MOVES)
    grown = wal.stat().st_size
    moves(sqlite_store, 4 * MOVES)

    assert wal.stat().st_size <= 1.5 * grown
    assert verify_store(sqlite_store).ok


def test_commits_go_on_during_a_copy(sqlite_store, path, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    connect = sqlite_checkpoint.connect_writer

    def slow(path):
        begun.set()
        assert go_on.wait(20)
        return connect(path)

    monkeypatch.setattr(sqlite_checkpoint, "connect_writer", slow)
    for number in range(MOVES):
        fill(sqlite_store, FRESH, number * FRESH)
        sqlite_store.tidy()
    assert begun.wait(20)
    fill(sqlite_store, 2 * FRESH, 10_000)
    assert sqlite_store.tidy()
    go_on.set()
    copied(sqlite_store)
    moves(sqlite_store, 1)

    assert in_the_file(path) == sqlite_store.head().seq


def test_a_copy_that_fails_is_told_by_a_later_move_and_stops_no_record(sqlite_store, monkeypatch):
    def fail(path):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_checkpoint, "connect_writer", fail)
        moves(sqlite_store, MOVES)
    fill(sqlite_store, FRESH, 10_000)
    with pytest.raises(LogUnavailable, match="can't be tidied"):
        sqlite_store.tidy()
    head = sqlite_store.head().seq
    moves(sqlite_store, MOVES + 1)

    assert sqlite_store.head().seq == head + (MOVES + 1) * FRESH
    assert verify_store(sqlite_store).ok


def test_closing_waits_for_a_copy(path, monkeypatch):
    connect, ended = sqlite_checkpoint.connect_writer, threading.Event()
    begun = threading.Event()

    def slow(path):
        begun.set()
        threading.Event().wait(0.1)
        made = connect(path)
        ended.set()
        return made

    monkeypatch.setattr(sqlite_checkpoint, "connect_writer", slow)
    store = SqliteStore(path)
    for number in range(MOVES):
        fill(store, FRESH, number * FRESH)
        store.tidy()
    assert begun.wait(20)
    store.close()

    assert ended.is_set()


def test_a_system_without_another_thread_stops_no_move(sqlite_store, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_checkpoint.Thread, "start", refuse)
        moves(sqlite_store, MOVES + 1)
    moves(sqlite_store, 2)

    assert verify_store(sqlite_store).ok


def test_closing_without_a_copy_waits_for_nothing(path):
    Checkpoints(path).close()
