"""The decision: a function of a call, the facts and the policy.

Combining is *ordered deny-overrides*: every rule is asked, every objection is kept as
a finding, any enforced finding denies, and the first enforced one in rule order gives
the headline. After the built-in rules comes the policy's own list of tool patterns.

Failure modes, each named: a malformed call and a broken policy deny in both modes; a
malformed run id, unreadable evidence and a rule that raises deny in strict mode and
warn in advisory mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.core.call import Mode, ToolCall
from phasegate.core.facts import EnterFacts, Facts, LockFacts, RunFacts, TargetFacts
from phasegate.core.headline import About, headline
from phasegate.core.ordering import active_artifact
from phasegate.core.policy import Policy
from phasegate.core.rule import Rule
from phasegate.core.tool_policy import judge_tool
from phasegate.core.transition import transition_report
from phasegate.core.verdict import (
    Ask,
    Decision,
    Deny,
    Finding,
    Pass,
    Remedy,
    TraceOutcome,
    TraceStep,
    TransitionReport,
    Verdict,
)

_FIX_POLICY = Remedy("fix_policy", "a person has to correct the policy file (`phasegate policy check`)")
_RESEND = Remedy("rewrite_command", "send the call again in the documented shape", retryable=True)
_READABLE = Remedy("ask_person", "a person has to make the named evidence readable", retryable=True)


def effective_mode(call: ToolCall, policy: Policy) -> Mode:
    """The mode of a call: the service's, which a call may only tighten."""
    return "strict" if policy.mode == "strict" or call.mode == "strict" else "advisory"


NO_OWNERS: Mapping[str, Policy] = {}


def decide(
    call: ToolCall,
    facts: Facts,
    policy: Policy,
    *,
    owners: Mapping[str, Policy] = NO_OWNERS,
    traced: bool = False,
) -> Decision:
    """Answer one call. Never raises: a rule that does becomes a finding.

    *owners* holds the policies of other served workspaces that own a target, by name:
    a rule that is off or advisory where the call comes from still binds there. *traced*
    fills `Decision.trace` with every rule's part, for people who ask why.
    """
    state = _State(call, facts, policy, effective_mode(call, policy), owners, traced, [], [], {})
    _preconditions(state)
    if call.defect is None and policy.defect is None:
        _ask_rules(state)
        for finding in judge_tool(call, facts, policy, state.verdicts, state.mode):
            state.object(finding)
    run = judged_run(facts)
    about = About(
        _transition(facts, policy) if facts.locks else None,
        tuple(_warnings(call, policy)) if call.mode or policy.rules_off else (),
        run.run_id if run is not None else None,
        active_artifact(run, policy.workflow) if run is not None else None,
        tuple(state.trace),
    )
    return headline(state.mode, facts, tuple(state.findings), about)


def judged_run(facts: Facts) -> RunFacts | None:
    """The run that a decision is about: a lock's, else the first target's, else the bound one."""
    kinds: tuple[Iterable[LockFacts | EnterFacts | TargetFacts], ...]
    kinds = (facts.locks, facts.enters, facts.targets)
    for holders in kinds:
        for holder in holders:
            if holder.run is not None:
                return holder.run
    return facts.bound


@dataclass(slots=True)
class _State:
    """What one evaluation has gathered so far."""

    call: ToolCall
    facts: Facts
    policy: Policy
    mode: Mode
    owners: Mapping[str, Policy]
    traced: bool
    findings: list[Finding]
    trace: list[TraceStep]
    verdicts: dict[str, tuple[Verdict, ...]]

    def object(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.note(finding.rule, finding.verdict, finding.reason, finding.target)

    def note(self, rule: str, outcome: TraceOutcome, reason: str = "", target: int | None = None) -> None:
        if self.traced:
            self.trace.append(TraceStep(rule, outcome, reason, looked_at(self.facts, target)))


def _preconditions(state: _State) -> None:
    call, facts, policy = state.call, state.facts, state.policy
    if call.defect is not None:
        state.object(Finding("none", "deny", call.defect, enforced=True, remedy=_RESEND))
    if policy.defect is not None:
        reason = f"the policy can't be believed: {policy.defect}"
        state.object(Finding("none", "deny", reason, enforced=True, remedy=_FIX_POLICY))
    for name, other in state.owners.items():
        if other.defect is not None:
            reason = f"the policy of workspace `{name}` can't be believed: {other.defect}"
            state.object(Finding("none", "deny", reason, enforced=True, remedy=_FIX_POLICY))
    if not facts.run_id_problem and not facts.unreadable:
        return
    soft = [(facts.run_id_problem, _RESEND), *((reason, _READABLE) for reason in facts.unreadable)]
    for reason, remedy in soft:
        if reason:
            enforced = state.mode == "strict"
            state.object(Finding("none", "deny", reason, enforced, remedy, mode=state.mode))


def _ask_rules(state: _State) -> None:
    call, facts, policy = state.call, state.facts, state.policy
    for rule in policy.rules:
        try:
            verdicts = tuple(rule.judge(call, facts, policy))
        except Exception as error:  # noqa: BLE001 (a rule that fails must deny or warn, never pass in silence)
            _rule_failed(state, rule, error)
            continue
        if verdicts:
            _weigh(state, rule, verdicts)
        elif state.traced:
            state.note(rule.label, "abstain")


def _weigh(state: _State, rule: Rule, verdicts: tuple[Verdict, ...]) -> None:
    state.verdicts[rule.label] = verdicts
    applied, objected = False, False
    for verdict in verdicts:
        if isinstance(verdict, Pass):
            applied = applied or verdict.applied
            continue
        policy = _owner_policy(state, verdict) if state.owners else state.policy
        if rule.label in policy.rules_off:
            state.note(rule.label, "abstain", f"switched off: {policy.rules_off[rule.label]}")
        else:
            mode = state.mode if policy is state.policy else effective_mode(state.call, policy)
            state.object(_finding(rule, verdict, rule_mode(rule, mode, policy)))
        objected = True
    if state.traced and not objected:
        state.note(rule.label, "pass" if applied else "abstain")


def _owner_policy(state: _State, verdict: Deny | Ask) -> Policy:
    """The policy that a verdict stands under: the one of the workspace that owns its target."""
    if verdict.target is None:
        return state.policy
    owner = next((item.workspace for item in state.facts.targets if item.index == verdict.target), None)
    return state.owners.get(owner or "", state.policy)


def _rule_failed(state: _State, rule: Rule, error: Exception) -> None:
    mode = rule_mode(rule, state.mode, state.policy)
    reason = f"the rule `{rule.label}` failed ({type(error).__name__}), so the call can't be judged"
    finding = Finding(rule.label, "deny", reason, mode == "strict", _READABLE, mode=mode)
    state.findings.append(finding)
    state.note(rule.label, "error", reason)


def rule_mode(rule: Rule, mode: Mode, policy: Policy) -> Mode:
    """A rule's mode: strict for rules that nothing softens, else the policy's own or the call's."""
    return "strict" if rule.always else policy.modes.get(rule.label, mode)


def _finding(rule: Rule, verdict: Deny | Ask, mode: Mode) -> Finding:
    said, enforced = verdict.reason, mode == "strict"
    if isinstance(verdict, Deny):
        return Finding(
            rule.label, "deny", said, enforced, verdict.remedy, verdict.target, mode, verdict.blockers
        )
    return Finding(rule.label, "ask", said, enforced, verdict.remedy, verdict.target, mode)


def looked_at(facts: Facts, target: int | None) -> dict[str, Any]:
    """The evidence behind one step, for a reader: the target and the statuses of the run it is about."""
    item = next((item for item in facts.targets if item.index == target), None)
    run = item.run if item is not None else judged_run(facts)
    shown: dict[str, Any] = {}
    if item is not None:
        shown["target"] = item.rel if item.rel is not None else item.target.typed
    if run is not None:
        present = {name: facts.status for name, facts in run.artifacts.items() if facts.status != "MISSING"}
        shown |= {"run_id": run.run_id, "artifacts": present, "read_receipts": sorted(run.read_receipts)}
    return shown


def _transition(facts: Facts, policy: Policy) -> TransitionReport | None:
    """The report on a lock tool's call. A lock command in a shell makes its own report when it runs."""
    if facts.extraction.command is not None:
        return None
    reports = [transition_report(lock, policy.workflow) for lock in facts.locks]
    given = [report for report in reports if report is not None]
    if not given:
        return None
    failures = tuple(failure for report in given for failure in report.failures)
    return TransitionReport(not failures, failures)


def _warnings(call: ToolCall, policy: Policy) -> Iterator[str]:
    if call.mode == "advisory" and policy.mode == "strict":
        yield "`mode` may only tighten: the service is strict, so `advisory` was ignored"
    for label in policy.rules_off:
        yield f"the rule `{label}` is switched off by the policy: {policy.rules_off[label]}"
