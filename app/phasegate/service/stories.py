"""What the service does, one method for each story."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import Any

from phasegate.core.call import ToolCall
from phasegate.decision_log.query import Page, parse_query
from phasegate.decision_log.record import (
    Entry,
    LifecycleEvent,
    TamperEvent,
    decision_record,
    expanded,
    lifecycle_record,
    tamper_record,
)
from phasegate.decision_log.store import DecisionStore, export, verify_store
from phasegate.decision_log.writer import LogWriter
from phasegate.errors import DecisionNotFound, LogUnavailable
from phasegate.service.answers import Answer, Answers
from phasegate.service.counters import Counters
from phasegate.service.documents import policy_document
from phasegate.service.judge import Judge, Judged, ParserNeeded
from phasegate.service.labels import Labels
from phasegate.service.rounds import Rounds
from phasegate.service.runs import RunParts, RunStories
from phasegate.workspace.locate import Workspace
from phasegate.workspace.shared import Moment


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
        roots = {item.name: item.root for item in judge.workspaces.served}
        self._answers = Answers(labels, counters, roots)
        self.rounds = Rounds(judge, self._answers, self._log)

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

    async def evaluate(self, call: ToolCall, started: int | None = None) -> Answer:
        """Decide one call and record the decision, durably, before this returns.

        *started* is `perf_counter_ns` at its arrival. Raises `WorkspaceNotServed` or
        `WorkspaceRequired`.
        """
        started = perf_counter_ns() if started is None else started
        return await self._answer(await self._judged(call, self.judge.moment()), started)

    async def evaluate_all(self, calls: Sequence[ToolCall]) -> list[Answer]:
        """Decide several calls, then record them together. Raises before any is recorded."""
        started = perf_counter_ns()
        moment = self.judge.moment()
        judged = [await self._judged(call, moment) for call in calls]
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
        context = self._answers.context(judged.workspace, judged.policy)
        record = decision_record(call, judged.decision, judged.facts, context)
        reply = Answer(judged.decision, record, None, self._answers.roots).reply()
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
        context = self._answers.context(place, self.judge.policies.policy(place))
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

    async def _judged(self, call: ToolCall, moment: Moment) -> Judged:
        """Decide here and now, or in a thread when a process has to be waited for."""
        try:
            return self.judge.judge(call, at_once=True, moment=moment)
        except ParserNeeded:
            return await asyncio.to_thread(self.judge.judge, call)

    async def _answer(self, judged: Judged, started: int) -> Answer:
        record = self._answers.record(judged, started)
        try:
            outcome: Entry | LogUnavailable = await self._log.append(record)
        except LogUnavailable as error:
            outcome = error
        return self._answers.given(judged, record, outcome, started)

    def _workspace_state(self, place: Workspace) -> dict[str, Any]:
        policy = self.judge.policies.policy(place)
        return {
            "name": place.name,
            "policy": {"source": policy.source, "digest": policy.digest},
            "problem": policy.defect,
        }

    async def _log_state(self) -> str | None:
        """Why the log can't be used: as the last append found it, else as a look at its head does."""
        if self._answers.log_problem is not None:
            return self._answers.log_problem
        try:
            await asyncio.to_thread(self._store.head)
        except LogUnavailable as error:
            return error.detail
        return None
