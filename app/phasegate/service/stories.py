"""What the service does, one method for each story."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import Any

import orjson

from phasegate.core.call import ToolCall
from phasegate.core.engine import effective_mode
from phasegate.core.policy import Policy
from phasegate.core.values import value
from phasegate.core.verdict import Decision, Finding, Remedy
from phasegate.decision_log.query import Page, parse_query
from phasegate.decision_log.record import (
    DecisionRecord,
    Entry,
    LifecycleEvent,
    RecordContext,
    TamperEvent,
    decision_record,
    expanded,
    lifecycle_record,
    record_again,
    reply_bytes,
    reply_to,
    root_marks,
    stem_of,
    tamper_record,
)
from phasegate.decision_log.store import DecisionStore, export, verify_store
from phasegate.decision_log.writer import LogWriter
from phasegate.errors import DecisionNotFound, LogUnavailable
from phasegate.service.counters import Counters
from phasegate.service.documents import policy_document
from phasegate.service.judge import Judge, Judged, ParserNeeded
from phasegate.service.labels import Labels, new_id
from phasegate.service.runs import RunParts, RunStories
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


class Service:
    """One running guard."""

    def __init__(
        self, judge: Judge, store: DecisionStore, counters: Counters, labels: Labels, parts: RunParts
    ) -> None:
        self.judge = judge
        self.runs = RunStories(self, parts)
        self.counters = counters
        self._store = store
        self._log = LogWriter(store, inline=True)
        self._labels = labels
        self._log_problem: str | None = None
        self._roots = {item.name: item.root for item in judge.workspaces.served}

    async def start(self) -> None:
        """Begin to write the log."""
        await self._log.start()

    async def close(self) -> None:
        """Write what is queued, then close the log."""
        await self._log.close()
        self._release()

    def discard(self) -> None:
        """The same for a service without an event loop."""
        self._log.close_sync()
        self._release()

    def _release(self) -> None:
        self._store.close()
        self.runs.close()

    async def decide(self, call: ToolCall, started: int) -> bytes:
        """The reply to one call as bytes. *started* is `perf_counter_ns` at its arrival."""
        return (await self.evaluate(call, started)).reply_bytes()

    async def evaluate(self, call: ToolCall, started: int | None = None) -> Answer:
        """Decide one call and record the decision, durably, before this returns.

        Raises `WorkspaceNotServed` or `WorkspaceRequired`.
        """
        started = perf_counter_ns() if started is None else started
        return await self._answer(await self._judged(call), started)

    async def evaluate_all(self, calls: Sequence[ToolCall]) -> list[Answer]:
        """Decide several calls, then record them together. Raises before any is recorded."""
        started = perf_counter_ns()
        judged = [await self._judged(call) for call in calls]
        return list(await asyncio.gather(*(self._answer(item, started) for item in judged)))

    async def evaluate_hook(self, call: ToolCall) -> Answer | None:
        """The same for a hook. None, counted, when nothing of it is served: other projects go on."""
        if call.workspace is None and not self.judge.is_at_home(call):
            owner = await asyncio.to_thread(self.judge.owner, call)
            if owner is None:
                self.counters.unserved += 1
                return None
            call = replace(call, workspace=owner.root)
        return await self.evaluate(call)

    def explain(self, call: ToolCall) -> dict[str, Any]:
        """The decision without a record, with every rule's part."""
        judged = self.judge.judge(call, traced=True)
        record = decision_record(
            call, judged.decision, judged.facts, self._context(judged.workspace, judged.policy, 0)
        )
        reply = Answer(judged.decision, record, None, self._roots).reply()
        del reply["record"]
        reply["trace"] = [
            {"rule": step.rule, "outcome": step.outcome, "reason": step.reason, "facts": dict(step.facts)}
            for step in judged.decision.trace
        ]
        return reply

    def targets(self, call: ToolCall) -> dict[str, Any]:
        """What a call would touch."""
        reply = self.explain(call)
        extraction, workspace = self.judge.extraction(call)
        shown = {key: reply[key] for key in ("effect", "targets", "opaque", "opaque_reasons")}
        return {
            "tool": extraction.canonical,
            "known": extraction.known,
            "workspace": workspace.name,
            **shown,
            "unusable": list(extraction.unusable),
        }

    def policy(self, workspace: str | None) -> dict[str, Any]:
        """The policy in force in a workspace, by its served name."""
        place = self.judge.workspaces.by_name(workspace)
        return {"workspace": place.name, **policy_document(self.judge.policies.policy(place))}

    async def readiness(self) -> dict[str, Any]:
        """Whether decisions can be made and recorded in every served workspace, and why not."""
        places = await asyncio.to_thread(self.judge.workspaces.all)
        spaces = [self._workspace_state(place) for place in places]
        log = await self._log_state()
        ready = log is None and all(space["problem"] is None for space in spaces)
        return {"ready": ready, "log": {"problem": log}, "workspaces": spaces}

    async def note(self, event: LifecycleEvent | TamperEvent, place: Workspace) -> Entry | None:
        """Record an act of the guard, or tampering. None, counted, when the log can't be written."""
        context = self._context(place, self.judge.policies.policy(place), 0)
        if isinstance(event, LifecycleEvent):
            record = lifecycle_record(event, context)
        else:
            record = tamper_record(event, context)
        try:
            return await self._log.append(record)
        except LogUnavailable:
            self.counters.unrecorded += 1
            return None

    async def query(self, params: Mapping[str, str]) -> dict[str, Any]:
        """One page of records. Raises `InvalidRequest` for what is no filter."""
        query = parse_query(params)
        page: Page = await asyncio.to_thread(self._store.query, query)
        return {"items": [expanded(item) for item in page.items], "next_cursor": page.next_cursor}

    async def get(self, decision_id: str) -> dict[str, Any]:
        """One record in full. Raises `DecisionNotFound`."""
        found = await asyncio.to_thread(self._store.get, decision_id)
        if found is None:
            raise DecisionNotFound("there is no decision with this id", remedy="see `phasegate log tail`")
        return expanded(found)

    async def verify(self) -> dict[str, Any]:
        """Check the whole chain."""
        return (await asyncio.to_thread(verify_store, self._store)).as_json()

    def export(self) -> Iterator[bytes]:
        """The whole log as JSON Lines, its head last: enough to check the chain without this program."""
        return export(self._store)

    async def _judged(self, call: ToolCall) -> Judged:
        """Decide here and now, or in a thread when a process has to be waited for."""
        try:
            return self.judge.judge(call, at_once=True)
        except ParserNeeded:
            return await asyncio.to_thread(self.judge.judge, call)

    async def _answer(self, judged: Judged, started: int) -> Answer:
        latency = (perf_counter_ns() - started) // 1000
        record = self._record(judged, latency)
        try:
            answer = Answer(judged.decision, record, await self._log.append(record), self._roots)
            self._log_problem = None
        except LogUnavailable as error:
            self._log_problem = error.detail
            self.counters.unrecorded += 1
            decision = _without_log(judged, error)
            context = self._context(judged.workspace, judged.policy, latency)
            record = decision_record(judged.call, decision, judged.facts, context)
            answer = Answer(decision, record, None, self._roots)
        decision = answer.decision
        seconds = (perf_counter_ns() - started) * _NANO
        self.counters.decided(decision.kind, decision.rule, decision.mode, seconds)
        return answer

    def _record(self, judged: Judged, latency_us: int) -> DecisionRecord:
        """The record of a decision; one that was given before is only brought up to date."""
        call, standing = judged.call, judged.standing
        origin = (call.runtime, call.session_id, call.agent_id)
        stem = standing.stems.get(origin) if standing is not None else None
        if stem is not None:
            record = record_again(stem, call, *new_id(), latency_us)
            if record is not None:
                return record
        context = self._context(judged.workspace, judged.policy, latency_us)
        record = decision_record(call, judged.decision, judged.facts, context)
        if standing is not None and stem is None:
            stem = stem_of(record, call, root_marks(context))
            if stem is not None:
                standing.remember(origin, stem)
                record = DecisionRecord(record.fields, stem)
        return record

    def _workspace_state(self, place: Workspace) -> dict[str, Any]:
        policy = self.judge.policies.policy(place)
        return {
            "name": place.name,
            "policy": {"source": policy.source, "digest": policy.digest},
            "problem": policy.defect,
        }

    async def _log_state(self) -> str | None:
        """Why the log can't be used: as the last append found it, else as a look at its head does."""
        if self._log_problem is not None:
            return self._log_problem
        try:
            await asyncio.to_thread(self._store.head)
        except LogUnavailable as error:
            return error.detail
        return None

    def _context(self, workspace: Workspace, policy: Policy, latency_us: int) -> RecordContext:
        roots = self._roots
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
