"""Group commit: many callers, one sync, nobody forgotten."""

from __future__ import annotations

import asyncio
import threading

import pytest

from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import verify_store
from phasegate.decision_log.writer import MAX_BATCH, LogWriter
from phasegate.errors import LogUnavailable, Overloaded
from support.memory_store import MemoryStore
from support.records import product_write, with_fields


class GatedStore(MemoryStore):
    """Counts its appends; each waits until the gate is open, or fails with `error`."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.batches: list[int] = []

    def append_many(self, records):
        assert self.gate.wait(10)
        self.batches.append(len(records))
        if self.error is not None:
            raise self.error
        return super().append_many(records)


async def settled(*awaitables):
    return await asyncio.wait_for(asyncio.gather(*awaitables, return_exceptions=True), 20)


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 (the condition is another thread's doing)
            await asyncio.sleep(0.001)


def test_a_record_has_its_place_when_append_returns():
    async def story():
        store = MemoryStore()
        writer = LogWriter(store)
        entry = await writer.append(product_write())
        assert (entry.seq, store.head().hash) == (1, entry.hash)
        await writer.close()

    asyncio.run(story())


def test_callers_of_one_turn_of_the_loop_share_one_commit():
    """The thread must not take the first record while its companions are still being made."""

    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        await writer.start()
        for size in (64, 1, 17):
            await settled(*(writer.append(product_write(n)) for n in range(size)))
        await writer.close()

        assert store.batches == [64, 1, 17]

    asyncio.run(story())


def test_a_loop_that_ends_before_the_hand_over_loses_nothing():
    store = MemoryStore()
    writer = LogWriter(store)
    loop = asyncio.new_event_loop()
    task = loop.create_task(writer.append(product_write()))
    loop.call_soon(loop.stop)
    loop.run_forever()
    task.cancel()
    loop.run_until_complete(settled_task(task))
    loop.close()
    writer.close_sync()

    assert store.head().seq == 1


async def settled_task(task):
    return await asyncio.gather(task, return_exceptions=True)


def test_what_gathers_during_a_commit_shares_the_next_one():
    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        store.gate.clear()
        tasks = [asyncio.create_task(writer.append(product_write(0)))]
        await until(lambda: writer.waiting == 0 and len(tasks) == 1 and writer.commits == 1)
        tasks += [asyncio.create_task(writer.append(product_write(n))) for n in range(1, 65)]
        await until(lambda: writer.waiting == 64)
        store.gate.set()
        entries = await settled(*tasks)
        await writer.close()

        assert store.batches == [1, 64]
        assert sorted(entry.seq for entry in entries) == list(range(1, 66))
        assert (writer.written, writer.commits, writer.failed) == (65, 2, 0)

    asyncio.run(story())


def test_records_of_one_caller_keep_their_order():
    async def story():
        store = MemoryStore()
        writer = LogWriter(store)
        entries = await settled(*(writer.append(product_write(n)) for n in range(300)))
        await writer.close()

        assert [entry.seq for entry in entries] == list(range(1, 301))
        assert [record["decision_id"] for record in store.scan()] == [product_write(n).id for n in range(300)]

    asyncio.run(story())


def test_a_batch_has_a_bound():
    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        store.gate.clear()
        tasks = [asyncio.create_task(writer.append(product_write(n))) for n in range(2 * MAX_BATCH)]
        await until(lambda: writer.commits == 1)
        await asyncio.sleep(0)
        store.gate.set()
        await settled(*tasks)
        await writer.close()

        assert max(store.batches) <= MAX_BATCH
        assert sum(store.batches) == 2 * MAX_BATCH

    asyncio.run(story())


def test_a_full_queue_refuses_at_once_and_writes_what_it_took():
    async def story():
        store = GatedStore()
        writer = LogWriter(store, max_queue=5)
        store.gate.clear()
        first = asyncio.create_task(writer.append(product_write(0)))
        await until(lambda: writer.commits == 1)
        queued = [asyncio.create_task(writer.append(product_write(n))) for n in range(1, 6)]
        await until(lambda: writer.waiting == 5)
        with pytest.raises(Overloaded, match="5 records wait"):
            await writer.append(product_write(9))
        store.gate.set()
        entries = await settled(first, *queued)
        await writer.close()

        assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5, 6]

    asyncio.run(story())


def test_a_failure_reaches_every_waiting_caller_and_the_next_one_finds_the_log_well():
    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        store.error = LogUnavailable(
            "the decision log can't be written: the disk is full", remedy="make room"
        )
        errors = await settled(*(writer.append(product_write(n)) for n in range(20)))
        assert {type(error) for error in errors} == {LogUnavailable}
        assert {(error.detail, error.remedy) for error in errors} == {(store.error.detail, "make room")}
        assert len({id(error) for error in errors}) == 20, (
            "an exception that is shared grows a traceback by each caller"
        )
        assert store.head().seq == 0

        store.error = None
        assert (await writer.append(product_write(0))).seq == 1
        await writer.close()

    asyncio.run(story())


def test_a_full_disk_is_told_to_all_and_recovers(path):
    async def story():
        store = SqliteStore(path)
        writer = LogWriter(store)
        await writer.append(product_write(0))
        connection = store._writer.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        big = [
            product_write(n, rel=f"src/{'x' * 250}{n}.py", session_id="s" * 400 + str(n))
            for n in range(1, 65)
        ]
        errors = await settled(*(writer.append(record) for record in big))
        connection.execute("PRAGMA max_page_count = 1000000")
        failed = [error for error in errors if isinstance(error, LogUnavailable)]
        assert failed
        assert {error.detail for error in failed} == {"the decision log can't be written: the disk is full"}
        assert store.head().seq == 1 + len(errors) - len(failed)

        entries = await settled(*(writer.append(record) for record in big))
        await writer.close()
        assert entries[-1].seq == store.head().seq
        assert verify_store(store).ok
        store.close()

    asyncio.run(story())


def test_one_record_that_can_not_be_stored_does_not_take_the_others_along(path):
    async def story():
        store = SqliteStore(path)
        writer = LogWriter(store)
        records = [product_write(n) for n in range(10)]
        records[4] = with_fields(records[4], n=2**70)
        results = await settled(*(writer.append(record) for record in records))
        await writer.close()

        assert [isinstance(result, LogUnavailable) for result in results] == [n == 4 for n in range(10)]
        assert (verify_store(store).ok, store.head().seq) == (True, 9)
        store.close()

    asyncio.run(story())


def test_a_caller_that_gave_up_is_recorded_all_the_same():
    """The decision was made; a client that hung up doesn't unmake it."""

    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        store.gate.clear()
        task = asyncio.create_task(writer.append(product_write(0)))
        await until(lambda: writer.commits == 1)
        task.cancel()
        store.gate.set()
        await settled(task)
        await writer.append(product_write(1))
        await writer.close()

        assert store.head().seq == 2

    asyncio.run(story())


def test_closing_writes_what_is_queued_and_refuses_what_comes_later():
    async def story():
        store = GatedStore()
        writer = LogWriter(store)
        store.gate.clear()
        tasks = [asyncio.create_task(writer.append(product_write(n))) for n in range(50)]
        await until(lambda: writer.commits == 1)
        closing = asyncio.create_task(writer.close())
        await asyncio.sleep(0.01)
        with pytest.raises(LogUnavailable, match="closed"):
            await writer.append(product_write(99))
        store.gate.set()
        await closing
        entries = await settled(*tasks)

        assert [entry.seq for entry in entries] == list(range(1, 51))
        await writer.close()

    asyncio.run(story())


def test_a_writer_that_was_never_used_closes():
    writer = LogWriter(MemoryStore())
    writer.close_sync()

    with pytest.raises(LogUnavailable, match="closed"):
        writer.append_sync(product_write())


def test_threads_and_event_loops_share_one_writer():
    store = MemoryStore()
    writer = LogWriter(store)
    seen = []

    def sync():
        seen.extend(writer.append_sync(product_write(n), timeout=20).seq for n in range(50))

    def loop():
        async def story():
            await writer.start()
            seen.extend(
                entry.seq for entry in await settled(*(writer.append(product_write(n)) for n in range(50)))
            )

        asyncio.run(story())

    threads = [threading.Thread(target=work) for work in (sync, sync, loop, loop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close_sync()

    assert sorted(seen) == list(range(1, 201))
    assert verify_store(store).ok


def test_a_loop_that_was_closed_does_not_stop_the_writer():
    store = GatedStore()
    writer = LogWriter(store)
    store.gate.clear()

    async def leave():
        task = asyncio.create_task(writer.append(product_write(0)))
        await until(lambda: writer.commits == 1)
        task.cancel()

    asyncio.run(leave())
    store.gate.set()

    assert writer.append_sync(product_write(1), timeout=20).seq == 2
    writer.close_sync()


def test_a_sync_caller_may_stop_waiting():
    store = GatedStore()
    writer = LogWriter(store)
    store.gate.clear()

    with pytest.raises(TimeoutError):
        writer.append_sync(product_write(0), timeout=0.05)
    store.gate.set()
    writer.close_sync()
    assert store.head().seq == 1
