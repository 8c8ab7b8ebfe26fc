"""The event loop makes the commits that are quicker than waking a thread."""

from __future__ import annotations

import asyncio
import itertools
import threading
from types import SimpleNamespace

import pytest

from phasegate.decision_log import writer as writer_module
from phasegate.decision_log.store import verify_store
from phasegate.decision_log.writer import LogWriter
from phasegate.errors import LogUnavailable, Overloaded
from support.memory_store import MemoryStore
from support.records import product_write


class TimedStore(MemoryStore):
    """Notes which thread commits, and takes as long as it is told."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.takes = 0
        self.threads = []
        self.tidied = 0
        self.broken = False

    def append_many(self, records):
        self.threads.append(threading.current_thread().name)
        self.clock.now += self.takes
        if self.broken:
            raise LogUnavailable("the disk is full")
        return super().append_many(records)

    def tidy(self):
        self.tidied += 1
        return True


class TestInline:
    """The event loop makes the commits that are quicker than waking a thread."""

    @pytest.fixture
    def store(self, monkeypatch):
        clock = SimpleNamespace(now=0)
        monkeypatch.setattr(writer_module, "perf_counter_ns", lambda: clock.now)
        return TimedStore(clock)

    def run(self, store, story):
        async def whole():
            writer = LogWriter(store, inline=True)
            try:
                await story(writer)
            finally:
                await writer.close()
            return writer

        return asyncio.run(whole())

    async def several(self, writer, start, count):
        return await asyncio.gather(*(writer.append(product_write(start + n)) for n in range(count)))

    def test_quick_commits_are_made_by_the_loop_one_for_each_turn(self, store):
        async def story(writer):
            await writer.append(product_write(0))
            store.threads.clear()
            entries = await self.several(writer, 1, 40)
            assert [entry.seq for entry in entries] == list(range(2, 42))

        self.run(store, story)

        assert store.threads == ["MainThread"]

    def test_nothing_is_known_of_the_first_commit(self, store):
        self.run(store, lambda writer: writer.append(product_write(0)))

        assert store.threads == ["phasegate-log"]

    def test_a_disk_that_has_become_slow_is_left_to_the_thread_until_it_is_quick_again(self, store):
        async def story(writer):
            for number in range(4):
                await writer.append(product_write(number))
            store.takes = 400_000_000
            await writer.append(product_write(4))
            store.takes = 0
            store.threads.clear()
            for number in range(5, 205):
                await writer.append(product_write(number))

        self.run(store, story)

        assert store.threads[:30] == ["phasegate-log"] * 30
        assert store.threads[-30:] == ["MainThread"] * 30

    def test_many_records_at_once_are_left_to_the_thread(self, store):
        async def story(writer):
            await self.several(writer, 0, 3)
            store.threads.clear()
            await self.several(writer, 3, 600)

        self.run(store, story)

        assert store.threads == ["phasegate-log"]

    def test_the_thread_tidies_what_the_loop_has_written(self, store):
        async def story(writer):
            await writer.append(product_write(0))
            before = store.tidied
            for number in range(6):
                await self.several(writer, 1 + 100 * number, 100)
            for _ in range(100):
                if store.tidied > before:
                    return
                await asyncio.sleep(0.01)

        self.run(store, story)

        assert 2 <= store.tidied <= 4
        assert store.threads.count("phasegate-log") <= 2

    def test_a_failure_reaches_every_caller_of_the_turn(self, store):
        async def story(writer):
            await writer.append(product_write(0))
            store.broken = True
            found = await asyncio.gather(
                *(writer.append(product_write(n)) for n in range(1, 4)), return_exceptions=True
            )
            assert [str(type(item).__name__) for item in found] == ["LogUnavailable"] * 3
            store.broken = False
            assert (await writer.append(product_write(4))).seq == 2

        writer = self.run(store, story)

        assert writer.failed == 3

    def test_a_caller_that_gave_up_is_recorded_all_the_same(self, store):
        async def story(writer):
            await writer.append(product_write(0))
            task = asyncio.ensure_future(writer.append(product_write(1)))
            await asyncio.sleep(0)
            task.cancel()
            assert (await writer.append(product_write(2))).seq == 3

        self.run(store, story)

        assert store.head().seq == 3

    def test_callers_with_and_without_a_loop_share_the_log(self, store):
        async def story(writer):
            await writer.append(product_write(0))
            threads = [
                threading.Thread(
                    target=lambda base=base: [writer.append_sync(product_write(base + n)) for n in range(50)]
                )
                for base in (1000, 2000)
            ]
            for thread in threads:
                thread.start()
            for number in range(100):
                await writer.append(product_write(number))
            await asyncio.to_thread(lambda: [thread.join() for thread in threads])

        self.run(store, story)

        assert store.head().seq == 201
        assert verify_store(store).ok

    def test_closing_in_the_turn_of_an_append_writes_it(self, store):
        async def whole():
            writer = LogWriter(store, inline=True)
            await writer.append(product_write(0))
            task = asyncio.ensure_future(writer.append(product_write(1)))
            await asyncio.sleep(0)
            await asyncio.gather(writer.close(), task)
            return task.result().seq

        assert asyncio.run(whole()) == 2

    def test_a_busy_interpreter_is_not_taken_for_a_slow_disk(self, store):
        """A commit in the thread may have waited for the interpreter: its time says nothing bad of the disk."""

        async def story(writer):
            for number in range(4):
                await writer.append(product_write(number))
            writer._working = True  # as while the thread tidies
            store.takes = 400_000_000
            await writer.append(product_write(4))
            store.takes = 0
            store.threads.clear()
            await writer.append(product_write(5))

        self.run(store, story)

        assert store.threads == ["MainThread"]

    def test_the_loop_tries_again_whether_commits_are_quick_and_less_often_where_they_are_not(self, store):
        async def story(writer):
            for number in range(4):
                await writer.append(product_write(number))
            store.takes = 50_000_000
            for number in range(4, 400):
                await writer.append(product_write(number))
            own = [place for place, name in enumerate(store.threads) if name == "MainThread" and place > 3]
            gaps = [later - earlier for earlier, later in itertools.pairwise(own)][1:]
            assert len(gaps) >= 2
            assert gaps == sorted(gaps)
            assert gaps[-1] >= 2 * gaps[0] - 2

        self.run(store, story)


class TestRounds:
    """All that a turn of the loop has to write, handed over at once."""

    def round(self, writer, records):
        told = []
        writer.append_round([(record, told.append) for record in records])
        return told

    def test_quick_commits_have_told_all_callers_when_it_returns(self):
        async def story():
            store = MemoryStore()
            writer = LogWriter(store, inline=True)
            await writer.append(product_write(0))
            told = self.round(writer, [product_write(n) for n in range(1, 9)])
            assert [entry.seq for entry in told] == list(range(2, 10))
            await writer.close()

        asyncio.run(story())

    def test_what_was_queued_before_in_the_turn_goes_first(self):
        async def story():
            writer = LogWriter(MemoryStore(), inline=True)
            await writer.append(product_write(0))
            task = asyncio.ensure_future(writer.append(product_write(1)))
            await asyncio.sleep(0)
            told = self.round(writer, [product_write(2)])
            assert ((await task).seq, told[0].seq) == (2, 3)
            await writer.close()

        asyncio.run(story())

    def test_an_empty_round_keeps_no_later_record_waiting(self):
        async def story():
            writer = LogWriter(MemoryStore(), inline=True)
            for number in range(3):
                self.round(writer, [])
                async with asyncio.timeout(10):
                    await writer.append(product_write(number))
            await writer.close()

        asyncio.run(story())

    def test_a_round_that_does_not_fit_is_refused_whole(self):
        async def story():
            store = MemoryStore()
            writer = LogWriter(store, inline=True, max_queue=3)
            with pytest.raises(Overloaded):
                self.round(writer, [product_write(n) for n in range(4)])
            assert store.head().seq == 0
            assert len(self.round(writer, [product_write(n) for n in range(3)])) in (0, 3)
            await writer.close()
            assert store.head().seq == 3

        asyncio.run(story())

    def test_a_caller_that_fails_keeps_no_other_waiting(self, caplog):
        async def story():
            writer = LogWriter(MemoryStore(), inline=True)
            await writer.append(product_write(0))
            told = []

            def fail(outcome):
                raise ZeroDivisionError

            writer.append_round([(product_write(1), fail), (product_write(2), told.append)])
            assert [entry.seq for entry in told] == [3]
            await writer.close()

        asyncio.run(story())
        assert "ZeroDivisionError" in caplog.text
