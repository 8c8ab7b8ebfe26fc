"""Values by signature: what may be believed, and for how long."""

import threading

from phasegate.files.cache import COARSE_TICK_NS, Kept, SignatureCache, keep
from phasegate.files.read import TICK_NS, Signature


def signature(ctime_ns=1_000_000_001, size=1):
    return Signature(1, 2, size, 3, ctime_ns)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


def cache(limit=10):
    clock = Clock()
    return SignatureCache(limit, clock), clock


def test_a_value_is_not_believed_before_a_tick_has_passed():
    """A second write inside the tick would leave the signature as it was."""
    table, clock = cache()
    table.put("a", signature(), "value", started=table.now())

    assert table.get("a", signature()) is None
    clock.now += TICK_NS - 1
    table.put("a", signature(), "value", started=table.now())
    assert table.get("a", signature()) is None


def test_a_value_read_again_after_a_tick_is_believed():
    table, clock = cache()
    table.put("a", signature(), "first", started=table.now())
    clock.now += TICK_NS
    table.put("a", signature(), "second", started=table.now())

    assert table.get("a", signature()).value == "second"


def test_a_read_that_began_inside_the_tick_does_not_count():
    """It may have seen the bytes before the second write, however long it took."""
    table, clock = cache()
    table.put("a", signature(), "first", started=table.now())
    started = table.now()
    clock.now += 10 * TICK_NS
    table.put("a", signature(), "second", started=started)

    assert table.get("a", signature()) is None


def test_another_signature_is_never_answered():
    table, clock = cache()
    for _ in range(2):
        table.put("a", signature(), "value", started=table.now())
        clock.now += TICK_NS

    assert table.get("a", signature(size=2)) is None
    assert table.get("b", signature()) is None


def test_a_change_starts_the_wait_afresh():
    table, clock = cache()
    for _ in range(2):
        table.put("a", signature(), "old", started=table.now())
        clock.now += TICK_NS
    table.put("a", signature(size=2), "new", started=table.now())

    assert table.get("a", signature(size=2)) is None


def test_a_file_system_that_keeps_whole_seconds_is_given_more_time():
    coarse = signature(ctime_ns=5_000_000_000)
    first = keep(None, coarse, "v", started=0, ended=0)

    assert not keep(first, coarse, "v", started=COARSE_TICK_NS - 1, ended=COARSE_TICK_NS).settled
    assert keep(first, coarse, "v", started=COARSE_TICK_NS, ended=COARSE_TICK_NS).settled


def test_a_kept_value_does_not_hold_for_a_missing_file():
    assert not Kept(signature(), "v", 0, settled=True).holds_for(None)


def test_the_least_recently_used_entry_goes_first():
    table, clock = cache(limit=2)
    for _ in range(2):
        for key in ("a", "b"):
            table.put(key, signature(), key, started=table.now())
        clock.now += TICK_NS
    table.get("a", signature())
    table.put("c", signature(), "c", started=table.now())

    assert len(table) == 2
    assert table.get("a", signature()) is not None
    assert table.get("b", signature()) is None


def test_threads_may_share_it():
    table, _ = cache(limit=8)

    def work(number):
        for index in range(500):
            table.put(index % 16, signature(), number, started=0)
            table.get(index % 16, signature())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(table) == 8
