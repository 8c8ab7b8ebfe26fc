"""The values around a record: what surrounds a decision, the record itself, its place in the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from phasegate.core.values import value
from phasegate.core.workflow import Workflow

FORMAT = 1

RecordType = Literal["decision", "tamper", "lifecycle", "label", "checkpoint"]
RECORD_TYPES: tuple[RecordType, ...] = ("decision", "tamper", "lifecycle", "label", "checkpoint")


@dataclass(frozen=True, slots=True)
class RecordContext:
    """What a record needs beyond the call, its facts and the decision.

    `id` is a UUIDv7 text, `at` the time as `2026-11-30T12:00:00.123456Z`. `workspace` is
    the served name; `roots` maps every served name to its absolute root, which no record
    shows. `latency_us`: microseconds from the request's arrival to the decision.
    `session_run_id` is the request's own run id, judged or not; absent, it is the call's.
    `rules_off` names the rules that the policy switches off.
    """

    id: str
    at: str
    workspace: str
    roots: Mapping[str, str]
    workflow: Workflow
    host: str
    service_version: str
    instance_id: str
    policy_digest: str
    policy_source: str
    latency_us: int = 0
    session_run_id: str | None = None
    rules_off: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The absolute root of the record's own workspace, "" when it is not served."""
        return self.roots.get(self.workspace, "")


@dataclass(frozen=True, slots=True)
class Origin:
    """Who acted, as the runtime says. Recorded, never trusted."""

    runtime: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    call_id: str | None = None
    session_run_id: str | None = None


@value(frozen=True, slots=True)
class Entry:
    """A record's place in the log. Hashes are 64 lower-case hex digits."""

    seq: int
    prev_hash: str
    hash: str


OWN_FIELDS = ("args_digest", "at", "call_id", "decision_id", "latency_us")
"""What sets apart records of one stem, in code-point order; `args_digest` and `call_id` may be absent."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordStem:
    """The fields that records of equal decisions share: all but `OWN_FIELDS`.

    Compared by identity: a store may keep what it has worked out of one. `derived` is
    for that, by name of the module that put it there. `marks` are those of the roots
    that no text may show, for the texts that are still to come.
    """

    fields: Mapping[str, Any]
    marks: Mapping[str, str] = field(default_factory=dict, repr=False)
    derived: dict[str, Any] = field(init=False, default_factory=dict, repr=False)


@value(frozen=True, slots=True)
class DecisionRecord:
    """One record, before it has a place in the log.

    `fields` holds JSON values only. A field that would be null, false, empty or the
    text `none` is left out: absent means exactly that. With a `stem` they are its
    fields and some of `OWN_FIELDS`.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    stem: RecordStem | None = field(default=None, compare=False, repr=False)

    @property
    def id(self) -> str:
        return str(self.fields.get("decision_id", ""))

    def logged(self, entry: Entry) -> dict[str, Any]:
        """The record as it is exported: with its sequence number and hashes."""
        return {**self.fields, "seq": entry.seq, "prev_hash": entry.prev_hash, "hash": entry.hash}
