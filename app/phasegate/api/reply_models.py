"""Reply documents, for the OpenAPI document. Replies are written as they are and not validated again."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from phasegate.core.call import Effect, Mode, TargetOp
from phasegate.core.verdict import RemedyAction, TraceOutcome

Kind = Literal["allow", "deny"]
VerdictWord = Literal["allow", "deny", "ask"]


class Document(BaseModel):
    """A reply: exactly these keys."""

    model_config = ConfigDict(extra="forbid")


class Remedy(Document):
    """How to get on after a denial."""

    action: RemedyAction
    artifact: str | None
    text: str
    retryable: bool
    waiting_on: list[str]


class Target(Document):
    """One file or directory that the call would change."""

    path: str | None
    rel: str | None
    typed: str
    op: TargetOp
    recursive: bool
    via: str
    span: tuple[int, int] | None


class OpaqueReason(Document):
    """A part of the call whose targets can't be known."""

    part: str
    why: str
    remedy: str
    span: tuple[int, int] | None


class Finding(Document):
    """One rule's objection."""

    rule: str
    verdict: Literal["deny", "ask"]
    enforced: bool
    reason: str
    target: int | None


class Blocker(Document):
    """An earlier artifact that stands in the way of a lock."""

    artifact: str
    status: str


class Transition(Document):
    """What an allowed lock would still lack."""

    passed: bool
    failures: list[str]


class Option(Document):
    """One way to answer the recovery question."""

    id: str
    text: str


class Ask(Document):
    """The question that a refused lock puts to the host."""

    gate: str
    artifact: str
    blocked: str
    header: str
    question: str
    options: list[Option]


class PolicyMark(Document):
    """Which policy decided."""

    source: Literal["builtin", "file", "defect"]
    digest: str


class Place(Document):
    """The record's place in the log."""

    seq: int
    hash: str


class _Answer(Document):
    decision_id: str
    at: str
    kind: Kind
    verdict: VerdictWord
    mode: Mode
    rule: str
    reason: str
    warning: str | None
    warnings: list[str]
    remedy: Remedy
    run_id: str | None
    active_artifact: str | None
    effect: Effect
    targets: list[Target]
    opaque: bool
    opaque_reasons: list[OpaqueReason]
    findings: list[Finding]
    blockers: list[Blocker]
    transition: Transition | None
    ask: Ask | None
    policy: PolicyMark


class DecisionReply(_Answer):
    """A decision. `kind` is the final answer, `verdict` what the rules said."""

    record: Place | None


class TraceStep(Document):
    """One rule's part in a decision."""

    rule: str
    outcome: TraceOutcome
    reason: str
    facts: dict[str, Any]


class Explanation(_Answer):
    """A decision without a record, with every rule's part."""

    trace: list[TraceStep]


class BatchReply(Document):
    """The decisions, in the order of the calls."""

    decisions: list[DecisionReply]


class TargetsReply(Document):
    """What a call would touch."""

    tool: str
    effect: Effect
    known: bool
    workspace: str
    targets: list[Target]
    opaque: bool
    opaque_reasons: list[OpaqueReason]
    unusable: list[str]


class RecordPage(Document):
    """A page of records, newest first."""

    items: list[dict[str, Any]]
    next_cursor: str | None


class Head(Document):
    """The last record of the log."""

    seq: int
    hash: str


class LogProblem(Document):
    """One thing that is wrong with the log."""

    seq: int
    kind: str
    detail: str


class Verification(Document):
    """What a check of the whole chain found."""

    ok: bool
    checked: int
    first_seq: int | None
    last_seq: int | None
    head: Head
    problems: list[LogProblem]
