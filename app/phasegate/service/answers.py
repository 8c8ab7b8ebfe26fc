"""From a judgement to its answer: the record, its place in the log, the reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter_ns
from typing import Any

import orjson

from phasegate.core.engine import effective_mode
from phasegate.core.policy import Policy
from phasegate.core.values import value
from phasegate.core.verdict import Decision, Finding, Remedy
from phasegate.decision_log.record import (
    DecisionRecord,
    Entry,
    RecordContext,
    decision_record,
    record_again,
    reply_bytes,
    reply_to,
    root_marks,
    stem_of,
)
from phasegate.errors import LogUnavailable
from phasegate.service.counters import Counters
from phasegate.service.judge import Judged
from phasegate.service.labels import Labels, new_id
from phasegate.workspace.locate import Workspace

LOG_DOWN = "decision log unavailable"
_NANO = 1e-9
_RESTORE_LOG = Remedy(
    "ask_person", "a person has to make the decision log writable (`phasegate doctor`)", retryable=True
)


@value(frozen=True, slots=True)
class Answer:
    """A decision as it was given. `entry` is None when the log could not be written."""

    decision: Decision
    record: DecisionRecord
    entry: Entry | None
    roots: Mapping[str, str]

    def reply(self) -> dict[str, Any]:
        """The documented reply."""
        return reply_to(self.record, self.entry, self.roots)

    def reply_bytes(self) -> bytes:
        """The same as JSON."""
        if self.entry is None:
            return orjson.dumps(self.reply())
        return reply_bytes(self.record, self.entry, self.roots)


class Answers:
    """Makes records and answers of judgements, and counts them.

    *roots*: those of the workspaces served by name. `log_problem`: why the last record
    could not be written.
    """

    def __init__(self, labels: Labels, counters: Counters, roots: Mapping[str, str]) -> None:
        self.roots = roots
        self.log_problem: str | None = None
        self._labels = labels
        self._counters = counters

    def record(self, judged: Judged, started: int) -> DecisionRecord:
        """The record of a decision; one that was given before is only brought up to date."""
        latency_us = (perf_counter_ns() - started) // 1000
        call, standing = judged.call, judged.standing
        origin = (call.runtime, call.session_id, call.agent_id)
        stem = standing.stems.get(origin) if standing is not None else None
        if stem is not None:
            record = record_again(stem, call, *new_id(), latency_us)
            if record is not None:
                return record
        context = self.context(judged.workspace, judged.policy, latency_us)
        record = decision_record(call, judged.decision, judged.facts, context)
        if standing is not None and stem is None:
            stem = stem_of(record, call, root_marks(context))
            if stem is not None:
                standing.remember(origin, stem)
                record = DecisionRecord(record.fields, stem)
        return record

    def given(
        self, judged: Judged, record: DecisionRecord, outcome: Entry | LogUnavailable, started: int
    ) -> Answer:
        """The answer, after the log took *record* or could not."""
        if isinstance(outcome, LogUnavailable):
            answer = self._unrecorded(judged, outcome, record.fields["latency_us"])
        else:
            self.log_problem = None
            answer = Answer(judged.decision, record, outcome, self.roots)
        decision = answer.decision
        seconds = (perf_counter_ns() - started) * _NANO
        self._counters.decided(decision.kind, decision.rule, decision.mode, seconds)
        return answer

    def _unrecorded(self, judged: Judged, error: LogUnavailable, latency_us: int) -> Answer:
        self.log_problem = error.detail
        self._counters.unrecorded += 1
        decision = _without_log(judged, error)
        context = self.context(judged.workspace, judged.policy, latency_us)
        return Answer(
            decision, decision_record(judged.call, decision, judged.facts, context), None, self.roots
        )

    def context(self, workspace: Workspace, policy: Policy, latency_us: int = 0) -> RecordContext:
        """What a record says besides its decision, with a new id."""
        roots = self.roots
        if workspace.name not in roots:
            roots = {**roots, workspace.name: workspace.root}
        decision_id, at = new_id()
        return RecordContext(
            id=decision_id,
            at=at,
            workspace=workspace.name,
            roots=roots,
            workflow=policy.workflow,
            host=self._labels.host,
            service_version=self._labels.service_version,
            instance_id=self._labels.instance_id,
            policy_digest=policy.digest,
            policy_source=policy.source,
            latency_us=latency_us,
            rules_off=tuple(policy.rules_off),
        )


def _without_log(judged: Judged, error: LogUnavailable) -> Decision:
    """What is answered when the log can't be written: strict denies, advisory warns."""
    decision = judged.decision
    warnings = (*decision.warnings, f"{LOG_DOWN}: {error.detail}")
    if effective_mode(judged.call, judged.policy) == "advisory":
        warning = LOG_DOWN if decision.kind == "allow" and decision.warning is None else decision.warning
        return replace(decision, warning=warning, warnings=warnings)
    return replace(
        decision,
        kind="deny",
        verdict="deny",
        mode="strict",
        rule="none",
        reason=LOG_DOWN,
        warning=None,
        warnings=warnings,
        remedy=_RESTORE_LOG,
        findings=(Finding("none", "deny", LOG_DOWN, enforced=True, remedy=_RESTORE_LOG), *decision.findings),
        ask=None,
    )
