"""The store with a mirror: the log first, the copy after it and never in its way."""

from __future__ import annotations

import threading

import pytest

from phasegate.decision_log import mirrored
from phasegate.decision_log.mirror import Mirror
from phasegate.decision_log.mirrored import MirroredStore
from phasegate.decision_log.query import Query
from phasegate.decision_log.record import LifecycleEvent, TamperEvent, lifecycle_record, tamper_record
from phasegate.errors import LogUnavailable
from support.memory_store import MemoryStore
from support.mirror_rows import LAYOUT, mirror
from support.records import context, identifier, product_write, with_fields


@pytest.fixture
def root(tmp_path):
    (tmp_path / LAYOUT.control).mkdir()
    return tmp_path


@pytest.fixture
def store(root):
    made = MirroredStore(MemoryStore(), {context().workspace: str(root)}.get, LAYOUT.control, LAYOUT.logs)
    yield made
    made.close()


def tampers(root):
    return Mirror(LAYOUT.control, LAYOUT.logs[1]).read(str(root))


def test_decisions_and_tampering_go_to_their_files_and_nothing_else_does(store, root):
    event = TamperEvent("deleted", ".recursive/run/r1/01-as-is.md", "it is gone", run_id="r1")
    lock = LifecycleEvent("lock", "x was locked", "r1")
    records = [product_write(), tamper_record(event, context()), lifecycle_record(lock, context())]

    store.append_many(records)
    store.close()

    assert [row["tool"] for row in mirror().read(str(root))] == ["Write"]
    assert [row["path"] for row in tampers(root)] == [".recursive/run/r1/01-as-is.md"]


def test_a_record_of_another_workspace_is_in_the_log_alone(root):
    store = MirroredStore(MemoryStore(), {}.get, LAYOUT.control, LAYOUT.logs)

    assert len(store.append_many([product_write()])) == 1
    store.close()

    assert mirror().read(str(root)) == []


def test_reads_are_those_of_the_log(store):
    (entry,) = store.append_many([product_write(0)])

    assert store.head().seq == entry.seq
    assert [item["seq"] for item in store.scan()] == [entry.seq]
    assert store.query(Query()).items[0]["hash"] == entry.hash
    assert store.get(identifier(0))["seq"] == entry.seq


def test_what_the_log_did_not_take_is_not_mirrored(store, root, monkeypatch):
    def full(_records):
        raise LogUnavailable("the disk is full")

    monkeypatch.setattr(store._store, "append_many", full)

    with pytest.raises(LogUnavailable):
        store.append_many([product_write()])
    store.close()

    assert mirror().read(str(root)) == []


def test_a_mirror_that_hangs_holds_up_nothing_and_drops_the_oldest(store, root, monkeypatch):
    hold = threading.Event()
    real = Mirror.append

    def slow(self, place, row):
        hold.wait(30)
        return real(self, place, row)

    monkeypatch.setattr(Mirror, "append", slow)
    monkeypatch.setattr(mirrored, "CLOSE_SECONDS", 60)
    count = mirrored.KEPT + 10

    for number in range(count):
        store.append_many([with_fields(product_write(number), tool=f"t{number}")])
    assert store.head().seq == count
    hold.set()
    store.close()

    seen = [row["tool"] for row in mirror().read(str(root), 0)]
    assert seen[0] == f"t{count - 1}"
    assert len(seen) == mirrored.KEPT


def test_a_closed_store_stays_closed(store):
    store.close()
    with pytest.raises(LogUnavailable):
        store.append_many([product_write()])
