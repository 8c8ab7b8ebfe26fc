"""Decision records for tests: real ones, made by the engine and the builder."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from phasegate.core.engine import decide
from phasegate.decision_log.record import (
    OWN_FIELDS,
    DecisionRecord,
    RecordContext,
    RecordStem,
    decision_record,
)
from support.facts import BUILTIN, ROOT, WORKFLOW, call, facts, in_run, run, target

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
_ID = 0x0193A1B27C3D7E4F8A5B6C7D8E9F0000


def identifier(number: int) -> str:
    text = f"{_ID + number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def moment(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat(timespec="microseconds")[:-6] + "Z"


def context(number: int = 0, **more: Any) -> RecordContext:
    base = RecordContext(
        id=identifier(number),
        at=moment(number),
        workspace="w",
        roots={"w": ROOT},
        workflow=WORKFLOW,
        host="devbox",
        service_version="0.1.0",
        instance_id="f1c2d3e4a5b60718",
        policy_digest="sha256:" + "a" * 64,
        policy_source="builtin",
        latency_us=213,
    )
    return replace(base, **more)


def product_write(
    number: int = 0, rel: str = "src/app.py", tool: str = "Write", **more: Any
) -> DecisionRecord:
    """An allowed write of a product file. *more* are fields of the call."""
    world = facts(target(rel))
    fields = {"runtime": "claude-code", "session_id": "s-1", "call_id": f"toolu_{number:08}", **more}
    request = call(tool, args={"file_path": rel}, **fields)
    return decision_record(request, decide(request, world, BUILTIN), world, context(number))


def with_fields(record: DecisionRecord, **fields: Any) -> DecisionRecord:
    """*record* with some fields exchanged; None removes one."""
    merged: Mapping[str, Any] = {**record.fields, **fields}
    return DecisionRecord({key: value for key, value in merged.items() if value is not None})


def refused_write(number: int = 0, **more: Any) -> DecisionRecord:
    """A denied write into a locked artifact of a bound run. *more* are fields of the call."""
    of = run("LLLLLd", read=("00-requirements.md",))
    world = facts(in_run("02-to-be-plan.md", of), bound=of)
    request = call("Edit", run_id="r1", runtime="claude-code", **more)
    return decision_record(request, decide(request, world, BUILTIN), world, context(number))


def ordinary_records(count: int) -> Iterator[DecisionRecord]:
    """What a day leaves: sessions of 200 calls, the same files again and again, every eighth call denied."""
    chance = random.Random(1)  # noqa: S311 (test data)
    for number in range(count):
        fields = {
            "session_id": str(uuid.UUID(int=number // 200)),
            "agent_id": f"agent-{number // 50}",
            "call_id": "toolu_01" + "".join(chance.choices("abcdefghijkLMNOPQRST123456", k=22)),
        }
        if number % 8 == 0:
            record = refused_write(number, **fields)
        else:
            rel = f"src/package/module_{chance.randrange(250)}.py"
            record = product_write(number, rel, run_id="r1", **fields)
        yield with_fields(record, decision_id=str(uuid.UUID(int=chance.getrandbits(128))))


def stem_for(record: DecisionRecord) -> RecordStem:
    """A stem of everything in *record* that is not its own."""
    return RecordStem({name: value for name, value in record.fields.items() if name not in OWN_FIELDS})


def of_stem(stem: RecordStem, number: int, **own: Any) -> DecisionRecord:
    """The record *number* of *stem*. *own*: more of its own fields."""
    fields = {"decision_id": identifier(number), "at": moment(number), "latency_us": number, **own}
    return DecisionRecord({**stem.fields, **fields}, stem)
