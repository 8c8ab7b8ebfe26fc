"""The answers: one rule's verdict, the engine's decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, NamedTuple

from phasegate.core.call import Extraction, Mode
from phasegate.core.values import value

TraceOutcome = Literal["pass", "abstain", "deny", "ask", "error"]
RemedyAction = Literal[
    "enter_phase",
    "lock",
    "reopen",
    "wait",
    "ask_person",
    "declare_tool",
    "rewrite_command",
    "fix_policy",
    "none",
]


@value(frozen=True, slots=True)
class Remedy:
    """How to get on after a denial. `text` is one line a model can act on."""

    action: RemedyAction
    text: str
    artifact: str | None = None
    retryable: bool = False
    waiting_on: tuple[str, ...] = ()


NO_REMEDY = Remedy("none", "")


@value(frozen=True, slots=True)
class Blocker:
    """An earlier artifact that stands in the way of a lock, with its status."""

    artifact: str
    status: str


@value(frozen=True, slots=True)
class Pass:
    """The rule has no objection. `applied` is false when it had nothing to look at."""

    applied: bool = True


PASS = Pass()
NOT_APPLIED = Pass(applied=False)
"""The two passes there are; most verdicts are one of them."""


@value(frozen=True, slots=True)
class Deny:
    """The rule objects. `target` is the index into the extraction's targets, if one is to blame."""

    reason: str
    remedy: Remedy = NO_REMEDY
    target: int | None = None
    blockers: tuple[Blocker, ...] = ()


@value(frozen=True, slots=True)
class Ask:
    """A person should decide."""

    reason: str
    remedy: Remedy = NO_REMEDY
    target: int | None = None


Verdict = Pass | Deny | Ask


class Finding(NamedTuple):
    """An objection, with whether the mode in force makes it binding.

    `rule` is the label of the objecting rule, `none` for a policy rule without a label.
    """

    rule: str
    verdict: Literal["deny", "ask"]
    reason: str
    enforced: bool
    remedy: Remedy = NO_REMEDY
    target: int | None = None
    mode: Mode = "strict"
    blockers: tuple[Blocker, ...] = ()


@value(frozen=True, slots=True)
class TransitionReport:
    """What an allowed lock would still lack. Report only: it never denies."""

    passed: bool
    failures: tuple[str, ...] = ()


@value(frozen=True, slots=True)
class RecoveryAsk:
    """The question a refused lock puts to the host: go back and fix, reopen, or abandon."""

    artifact: str
    blocked: str
    header: str
    question: str
    options: tuple[tuple[str, str], ...]
    gate: str = "gate-block"


@value(frozen=True, slots=True)
class TraceStep:
    """One rule's part in a decision, for `explain`."""

    rule: str
    outcome: TraceOutcome
    reason: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@value(frozen=True, slots=True)
class Decision:
    """The engine's answer to one call.

    `verdict` is what the rules said, `kind` the final answer in the mode in force.
    `rule`, `reason`, `remedy` and `mode` are the headline finding's. `warning` is set
    when an objection was not enforced, or an allowed lock fails its transition report.
    """

    kind: Literal["allow", "deny"]
    verdict: Literal["allow", "deny", "ask"]
    mode: Mode
    rule: str
    reason: str
    extraction: Extraction
    warning: str | None = None
    warnings: tuple[str, ...] = ()
    remedy: Remedy = NO_REMEDY
    run_id: str | None = None
    active_artifact: str | None = None
    findings: tuple[Finding, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    transition: TransitionReport | None = None
    ask: RecoveryAsk | None = None
    trace: tuple[TraceStep, ...] = ()
