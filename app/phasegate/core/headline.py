"""From findings to the answer: kind, headline, warning, recovery question."""

from __future__ import annotations

from typing import Literal, NamedTuple

from phasegate.core.call import Mode
from phasegate.core.facts import Facts
from phasegate.core.verdict import (
    NO_REMEDY,
    Decision,
    Finding,
    RecoveryAsk,
    TraceStep,
    TransitionReport,
)


class About(NamedTuple):
    """What a decision carries besides its findings. Fields as in `Decision`."""

    transition: TransitionReport | None = None
    warnings: tuple[str, ...] = ()
    run_id: str | None = None
    active_artifact: str | None = None
    trace: tuple[TraceStep, ...] = ()


def headline(mode: Mode, facts: Facts, findings: tuple[Finding, ...], about: About) -> Decision:
    """Combine *findings* (in rule order) into one decision."""
    first = _first(findings)
    denied = first is not None and first.enforced
    transition = about.transition
    rule, warning = "none", None
    if first is not None:
        rule = first.rule
        warning = None if denied else first.reason
    elif transition is not None and not transition.passed:
        rule, warning = "transition", "the lock is allowed but incomplete: " + "; ".join(transition.failures)
    # By position: so many names cost as much as all the rest of this.
    return Decision(
        "deny" if denied else "allow",
        _verdict(findings),
        mode if first is None else first.mode,
        rule,
        (warning or "") if first is None else first.reason,
        facts.extraction,
        warning,
        about.warnings,
        NO_REMEDY if first is None else first.remedy,
        about.run_id,
        about.active_artifact,
        findings,
        () if first is None else first.blockers,
        transition,
        _recovery(first, facts) if denied and first is not None else None,
        about.trace,
    )


def _first(findings: tuple[Finding, ...]) -> Finding | None:
    """The finding of the headline: the first enforced one, else the first."""
    for finding in findings:
        if finding.enforced:
            return finding
    return findings[0] if findings else None


def _verdict(findings: tuple[Finding, ...]) -> Literal["allow", "deny", "ask"]:
    for finding in findings:
        if finding.verdict == "deny":
            return "deny"
    return "ask" if findings else "allow"


def _recovery(first: Finding, facts: Facts) -> RecoveryAsk | None:
    """The question of a refused lock. The blockers are the trigger, not the label."""
    if not first.blockers or not facts.locks:
        return None
    artifact = (facts.locks[0].request.artifact or "").strip()
    earliest = first.blockers[0].artifact
    return RecoveryAsk(
        artifact=artifact,
        blocked=first.reason,
        header="Lock refused",
        question=f"`{artifact}` can't be locked yet. How should the run go on?",
        options=(
            ("fix", f"go back, finish `{earliest}` and lock it first"),
            ("reopen", "reopen an earlier artifact and correct it"),
            ("abandon", "stop the run here"),
        ),
    )
