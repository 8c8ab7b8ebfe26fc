"""The decision log: cost of a chain step, of appends at 64 at once, and the size of a record.

Run: `.venv/bin/python tests/bench/log_append.py [DIRECTORY]` (the disk to measure; default: the
system's temporary directory). Ratios are medians of interleaved rounds on that disk.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import orjson

from phasegate.core.engine import decide
from phasegate.decision_log.chain import GENESIS, canonical_bytes, link
from phasegate.decision_log.record import DecisionRecord, decision_record
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import verify_store
from phasegate.decision_log.writer import LogWriter
from phasegate.service.labels import new_id
from support.facts import BUILTIN, call, facts, run, target
from support.records import context, of_stem, ordinary_records, stem_for, with_fields

ROUNDS, STEPS, EACH, CALLERS, SIZED = 7, 20_000, 2_000, 64, 20_000


def chain_step(records) -> float:
    """Microseconds for canonical bytes and hash of one record."""
    logged = [{**record.fields, "seq": number} for number, record in enumerate(records)]
    start = time.process_time()
    previous = GENESIS
    for number in range(STEPS):
        previous = link(previous, canonical_bytes(logged[number % len(logged)]))
    return (time.process_time() - start) / STEPS * 1e6


def build_step() -> float:
    """Microseconds to make the record of an allowed write with a bound run."""
    of = run("LLLLLd", read=("00-requirements.md",))
    world = facts(target("src/app.py"), bound=of)
    request = call("Write", args={"file_path": "src/app.py", "content": "x" * 400}, run_id="r1")
    decision = decide(request, world, BUILTIN)
    around = context()
    start = time.process_time()
    for _ in range(EACH):
        decision_record(request, decision, world, around)
    return (time.process_time() - start) / EACH * 1e6


def one_sync_each(path: Path, records) -> float:
    """Records a second of the plainest durable log: a line and an fdatasync for each record."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    start = time.perf_counter()
    for record in records:
        os.write(descriptor, orjson.dumps(record.fields, option=orjson.OPT_APPEND_NEWLINE))
        os.fdatasync(descriptor)
    seconds = time.perf_counter() - start
    os.close(descriptor)
    return len(records) / seconds


def one_transaction_each(path: Path, records) -> float:
    """Records a second of the same store when every record is its own commit."""
    store = SqliteStore(path)
    start = time.perf_counter()
    for record in records:
        store.append_many([record])
    seconds = time.perf_counter() - start
    store.close()
    return len(records) / seconds


def grouped(path: Path, known, records) -> float:
    """Records a second with 64 callers, each waiting for its own record; *known* are in the log already."""

    async def story() -> float:
        store = SqliteStore(path)
        for start in range(0, len(known), CALLERS):
            store.append_many(known[start : start + CALLERS])
        writer = LogWriter(store, inline=True)
        await writer.start()
        left = iter(records)

        async def caller() -> None:
            for record in left:
                await writer.append(record)

        start = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(CALLERS)))
        seconds = time.perf_counter() - start
        await writer.close()
        store.close()
        return len(records) / seconds

    return asyncio.run(story())


def bytes_per_record(path: Path) -> tuple[float, float]:
    """Bytes of JSON, and bytes of the file with all its indexes, for each record of ordinary work."""
    records = list(ordinary_records(SIZED))
    store = SqliteStore(path)
    for start in range(0, SIZED, CALLERS):
        store.append_many(records[start : start + CALLERS])
    assert verify_store(store).ok
    store.close()
    return sum(len(orjson.dumps(record.fields)) for record in records) / SIZED, path.stat().st_size / SIZED


def as_made_now(record: DecisionRecord) -> DecisionRecord:
    """*record* with an id and a time as the service gives them: one burst has few seconds and ids in order."""
    identifier, at = new_id()
    return with_fields(record, decision_id=identifier, at=at)


def ratio(rates: dict[str, list[float]], one: str, other: str) -> float:
    return statistics.median(a / b for a, b in zip(rates[one], rates[other], strict=True))


def main() -> None:
    both = [as_made_now(record) for record in ordinary_records(2 * EACH)]
    known, records = both[:EACH], both[EACH:]
    stem = stem_for(records[0])
    digest = records[0].fields["args_digest"]
    times = [f"2026-11-30T12:00:00.{n:06}Z" for n in range(EACH)]
    again = [of_stem(stem, n, at=at, call_id=f"call-{n}", args_digest=digest) for n, at in enumerate(times)]
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as directory:
        place = Path(directory)
        rates: dict[str, list[float]] = {"line": [], "transaction": [], "group": [], "again": []}
        for number in range(ROUNDS):
            rates["line"].append(one_sync_each(place / f"{number}.jsonl", records))
            rates["transaction"].append(one_transaction_each(place / f"{number}-each.db", records))
            rates["group"].append(grouped(place / f"{number}-group.db", known, records))
            rates["again"].append(grouped(place / f"{number}-again.db", known, again))
        to_line, to_each = ratio(rates, "group", "line"), ratio(rates, "group", "transaction")
        again_to_line = ratio(rates, "again", "line")
        json_bytes, file_bytes = bytes_per_record(place / "sized.db")
    line, each, group, same = (statistics.median(values) for values in rates.values())
    print(f"chain step                      {chain_step(records):8.1f} us       goal <= 10 us")
    print(f"making a record                 {build_step():8.1f} us")
    print(f"a line and an fdatasync each    {line:8.0f} /s")
    print(f"SQLite, one commit each         {each:8.0f} /s")
    print(f"SQLite, 64 at once              {group:8.0f} /s")
    print(f"  to one fdatasync each         {to_line:8.1f} x        goal >= 4 x")
    print(f"  to one commit each            {to_each:8.1f} x")
    print(f"of one decision, 64 at once     {same:8.0f} /s")
    print(f"  to one fdatasync each         {again_to_line:8.1f} x        goal >= 4 x")
    print(f"a record as JSON                {json_bytes:8.0f} bytes")
    print(f"a record with all its indexes   {file_bytes:8.0f} bytes    goal <= 1024 bytes")


if __name__ == "__main__":
    main()
