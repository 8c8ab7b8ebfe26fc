"""Build records: of decisions, of the guard's own acts, of tampering found afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from phasegate.core.call import ToolCall
from phasegate.core.facts import Facts
from phasegate.core.verdict import Decision, Finding, RecoveryAsk, Remedy
from phasegate.decision_log.record.facts_form import (
    LINE_BYTES,
    NAME_BYTES,
    PATH_BYTES,
    FactsForm,
    compact,
)
from phasegate.decision_log.record.model import FORMAT, DecisionRecord, Origin, RecordContext, RecordType
from phasegate.decision_log.record.places import Places
from phasegate.decision_log.record.summary import SUMMARY_BYTES, args_digest, summary_of
from phasegate.decision_log.record.texts import Texts, clip, one_line

MAX_RECORD_BYTES = 64 * 1024
MAX_TARGETS = 100
MAX_LISTED = 20
_MAX_LATENCY = 2**53
_DETAILS = 32
_DETAIL_NAME_BYTES = 64
# Longest text in bytes (a digest fits) and most items of a list, step by step.
_SHRINKING = ((256, 20), (128, 4), (80, 1))


@dataclass(frozen=True, slots=True)
class LifecycleEvent:
    """An act of the guard itself: `lock`, `reopen`, `enter`, `run_created`, `service_started`, ..."""

    action: str
    summary: str
    run_id: str | None = None
    artifact: str | None = None
    origin: Origin = field(default_factory=Origin)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TamperEvent:
    """Evidence that changed behind the guard's back. `rel` is relative to the workspace."""

    kind: str
    rel: str
    reason: str
    run_id: str | None = None
    artifact: str | None = None
    origin: Origin = field(default_factory=Origin)
    details: Mapping[str, Any] = field(default_factory=dict)


def decision_record(
    call: ToolCall, decision: Decision, facts: Facts | None, context: RecordContext
) -> DecisionRecord:
    """The record of one decision. *facts* is None when they could not be gathered. Never raises on odd input."""
    places = _places(tuple(context.roots.items()), context.workspace)
    texts = Texts(places.marks)
    form = FactsForm(texts, places, context.workflow, facts)
    extraction = decision.extraction
    targets = [form.target(target, i) for i, target in enumerate(extraction.targets[:MAX_TARGETS])]
    opaque = [form.opaque(reason, i) for i, reason in enumerate(extraction.opaque[:MAX_LISTED])]
    fields = {
        **_answer(decision, texts),
        **_origin(
            Origin(
                call.runtime,
                call.session_id,
                call.agent_id,
                call.call_id,
                context.session_run_id if context.session_run_id is not None else call.run_id,
            ),
            texts,
        ),
        "tool": texts.short(call.tool, NAME_BYTES),
        "effect": extraction.effect.value,
        "targets": targets,
        "opaque_reasons": opaque,
        "args_digest": args_digest(call.args),
        "summary": summary_of(call, extraction, texts, places),
        "latency_us": min(max(context.latency_us, 0), _MAX_LATENCY),
        "cut": _cut(decision),
    }
    record = compact(fields)
    rest = form.rest(call.tool, call.mode, call.defect)
    if rest is not None:
        record["facts"] = rest
    return DecisionRecord(_bounded(texts.settle(record) | _common("decision", context)))


@lru_cache(maxsize=64)
def _places(roots: tuple[tuple[str, str], ...], own: str) -> Places:
    """A value that depends on the served roots alone, which seldom change."""
    return Places(dict(roots), own)


def root_marks(context: RecordContext) -> Mapping[str, str]:
    """The marks of the roots that no text of a record may show."""
    return _places(tuple(context.roots.items()), context.workspace).marks


def lifecycle_record(event: LifecycleEvent, context: RecordContext) -> DecisionRecord:
    """The record of an act of the guard."""
    return _event("lifecycle", event, context, {"action": event.action, "summary": event.summary})


def tamper_record(event: TamperEvent, context: RecordContext) -> DecisionRecord:
    """The record of tampering."""
    fields = {
        "action": event.kind,
        "reason": event.reason,
        "summary": f"{event.kind} {event.rel}",
        "targets": [{"rel": clip(event.rel, PATH_BYTES)}],
    }
    return _event("tamper", event, context, fields)


def _event(
    kind: RecordType, event: LifecycleEvent | TamperEvent, context: RecordContext, own: dict[str, Any]
) -> DecisionRecord:
    texts = Texts(_places(tuple(context.roots.items()), context.workspace).marks)
    fields = {
        **_origin(event.origin, texts),
        **own,
        "action": texts.short(own["action"], NAME_BYTES),
        "summary": texts.short(one_line(own["summary"]), SUMMARY_BYTES),
        "reason": texts.short(own.get("reason", ""), LINE_BYTES),
        "run_id": event.run_id and texts.short(event.run_id, NAME_BYTES),
        "active_artifact": event.artifact and texts.short(event.artifact, NAME_BYTES),
        "details": _details(event.details, texts),
    }
    return DecisionRecord(texts.settle(compact(fields)) | _common(kind, context))


def _common(kind: RecordType, context: RecordContext) -> dict[str, Any]:
    """The fields that the service alone determines."""
    fields = {
        "v": FORMAT,
        "type": kind,
        "decision_id": context.id,
        "at": context.at,
        "workspace": context.workspace,
        "host": context.host,
        "service_version": context.service_version,
        "instance_id": context.instance_id,
        "policy": {"source": context.policy_source, "digest": context.policy_digest},
        "rules_off": list(context.rules_off),
    }
    return compact(fields)


def _origin(origin: Origin, texts: Texts) -> dict[str, Any]:
    named = {
        "runtime": origin.runtime,
        "session_id": origin.session_id,
        "agent_id": origin.agent_id,
        "call_id": origin.call_id,
        "session_run_id": origin.session_run_id,
    }
    return {key: texts.short(value, NAME_BYTES) for key, value in named.items() if value}


def _answer(decision: Decision, texts: Texts) -> dict[str, Any]:
    reason = texts.short(decision.reason, LINE_BYTES)
    warning = decision.warning and texts.short(decision.warning, LINE_BYTES)
    return {
        "kind": decision.kind,
        "verdict": decision.verdict,
        "mode": decision.mode,
        "rule": decision.rule if decision.rule != "none" else None,
        "reason": reason,
        # Absent with `warned`: the warning says what the reason says.
        "warned": warning is not None and warning == reason,
        "warning": warning if warning != reason else None,
        "warnings": [texts.short(text, LINE_BYTES) for text in decision.warnings[:MAX_LISTED]],
        "remedy": _remedy(decision.remedy, texts),
        "run_id": decision.run_id and texts.short(decision.run_id, NAME_BYTES),
        "active_artifact": decision.active_artifact,
        "findings": [_finding(item, decision.reason, texts) for item in decision.findings[:MAX_LISTED]],
        "blockers": [{"artifact": b.artifact, "status": b.status} for b in decision.blockers[:MAX_LISTED]],
        "transition": {
            "passed": decision.transition.passed,
            "failures": [texts.short(text, LINE_BYTES) for text in decision.transition.failures[:MAX_LISTED]],
        }
        if decision.transition is not None
        else None,
        "ask": _ask(decision.ask, texts) if decision.ask is not None else None,
    }


def _remedy(remedy: Remedy, texts: Texts) -> dict[str, Any] | None:
    if remedy.action == "none" and not remedy.text:
        return None
    form = {
        "action": remedy.action,
        "artifact": remedy.artifact,
        "text": texts.short(remedy.text, LINE_BYTES),
        "retryable": remedy.retryable,
        "waiting_on": [texts.short(name, NAME_BYTES) for name in remedy.waiting_on[:MAX_LISTED]],
    }
    return compact(form)


def _finding(finding: Finding, headline: str, texts: Texts) -> dict[str, Any]:
    form = {
        "rule": texts.short(finding.rule, NAME_BYTES),
        "verdict": finding.verdict,
        "enforced": finding.enforced,
        # Absent: the headline's own reason.
        "reason": texts.short(finding.reason, LINE_BYTES) if finding.reason != headline else None,
        "target": finding.target,
    }
    return compact(form)


def _ask(ask: RecoveryAsk, texts: Texts) -> dict[str, Any]:
    return {
        "gate": ask.gate,
        "artifact": texts.short(ask.artifact, NAME_BYTES),
        "blocked": texts.short(ask.blocked, LINE_BYTES),
        "header": ask.header,
        "question": texts.short(ask.question, LINE_BYTES),
        "options": [{"id": name, "text": texts.short(text, LINE_BYTES)} for name, text in ask.options],
    }


def _details(details: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    """Plain values only, each as a short text, number or boolean."""
    kept: dict[str, Any] = {}
    for key, value in list(details.items())[:_DETAILS]:
        plain = isinstance(value, bool) or (isinstance(value, int) and abs(value) <= _MAX_LATENCY)
        kept[texts.treated(clip(str(key), _DETAIL_NAME_BYTES))] = (
            value if plain else texts.short(str(value), LINE_BYTES)
        )
    return kept


def _cut(decision: Decision) -> dict[str, int]:
    """How many there were of what is listed only in part."""
    extraction = decision.extraction
    sizes = {
        "targets": (len(extraction.targets), MAX_TARGETS),
        "opaque_reasons": (len(extraction.opaque), MAX_LISTED),
        "findings": (len(decision.findings), MAX_LISTED),
        "blockers": (len(decision.blockers), MAX_LISTED),
        "warnings": (len(decision.warnings), MAX_LISTED),
    }
    return {name: size for name, (size, most) in sizes.items() if size > most}


def _bounded(fields: dict[str, Any]) -> dict[str, Any]:
    """*fields* within the size of a record: the facts go first, then the tails of lists and texts."""
    size = len(orjson.dumps(fields))
    if size <= MAX_RECORD_BYTES:
        return fields
    kept = {name: value for name, value in fields.items() if name != "facts"}
    kept["cut"] = {**fields.get("cut", {}), "facts": 1, "bytes": size}
    for text_bytes, items in _SHRINKING:
        if len(orjson.dumps(kept)) <= MAX_RECORD_BYTES:
            break
        kept = _shrunk(kept, text_bytes, items)
    return kept


def _shrunk(value: Any, text_bytes: int, items: int) -> Any:
    if isinstance(value, str):
        return clip(value, text_bytes)
    if isinstance(value, dict):
        return {key: _shrunk(item, text_bytes, items) for key, item in value.items()}
    if isinstance(value, list):
        return [_shrunk(item, text_bytes, items) for item in value[:items]]
    return value
