"""The decision as a function of call, facts and policy."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.call import ContentChange, Effect, EnterRequest, OpaqueReason
from phasegate.core.engine import decide
from phasegate.core.facts import EnterFacts, OpaqueFacts
from phasegate.core.policy import by_precedence, pattern_entry
from phasegate.core.rule import Rule
from phasegate.core.verdict import Ask, Deny, Pass
from support.facts import BUILTIN, WORKFLOW, call, facts, in_run, lock, policy, run, target


def boom(*_):
    raise KeyError("x")


def rule_saying(verdict, label="house", order=5):
    return Rule(label, order, "", lambda *_: (verdict,))


def test_nothing_objects_means_allow():
    decision = decide(call(), facts(target("src/a.py")), BUILTIN, traced=True)

    assert (decision.kind, decision.verdict, decision.rule, decision.reason) == ("allow", "allow", "none", "")
    assert decision.warning is None
    assert {step.outcome for step in decision.trace} <= {"pass", "abstain"}


@pytest.mark.parametrize("mode", ["strict", "advisory"])
@pytest.mark.parametrize(
    ("more", "settings", "told"),
    [
        ({"defect": "`tool` is blank"}, {}, "blank"),
        ({}, {"defect": "not JSON"}, "the policy can't be believed: not JSON"),
    ],
)
def test_a_malformed_call_and_a_broken_policy_deny_in_both_modes(mode, more, settings, told):
    decision = decide(call(**more), facts(), policy(mode=mode, **settings))

    assert (decision.kind, decision.rule) == ("deny", "none")
    assert told in decision.reason


@pytest.mark.parametrize(("mode", "kind"), [("strict", "deny"), ("advisory", "allow")])
@pytest.mark.parametrize(
    "more", [{"run_id_problem": "`run_id` is empty"}, {"unreadable": ("x can't be read",)}]
)
def test_unusable_evidence_denies_in_strict_and_warns_in_advisory(mode, kind, more):
    decision = decide(call(), facts(target("src/a.py"), **more), policy(mode=mode))

    assert (decision.kind, decision.rule, decision.mode) == (kind, "none", mode)
    assert (decision.warning is None) is (kind == "deny")


@pytest.mark.parametrize(("mode", "kind"), [("strict", "deny"), ("advisory", "allow")])
def test_a_rule_that_raises_denies_or_warns_and_is_named(mode, kind):
    decision = decide(call(), facts(), policy(mode=mode, rules=(Rule("broken", 1, "", boom),)), traced=True)

    assert decision.kind == kind
    assert decision.rule == "broken"
    assert "KeyError" in decision.reason
    assert decision.trace[0].outcome == "error"


@pytest.mark.parametrize(
    ("service", "asked", "kind", "warned"),
    [
        ("strict", None, "deny", False),
        ("strict", "advisory", "deny", True),
        ("advisory", None, "allow", False),
        ("advisory", "strict", "deny", False),
    ],
)
def test_a_call_may_only_tighten_the_mode(service, asked, kind, warned):
    decision = decide(call(mode=asked), facts(), policy(mode=service, rules=(rule_saying(Deny("no")),)))

    assert decision.kind == kind
    assert any("ignored" in warning for warning in decision.warnings) is warned


def test_ask_is_a_denial_in_strict_and_a_warning_in_advisory():
    rules = (rule_saying(Ask("a person decides")),)

    strict = decide(call(), facts(), policy(rules=rules))
    advisory = decide(call(), facts(), policy(rules=rules, mode="advisory"))

    assert (strict.kind, strict.verdict) == ("deny", "ask")
    assert (advisory.kind, advisory.verdict, advisory.warning) == ("allow", "ask", "a person decides")


def test_headline_is_the_first_enforced_finding_and_every_objection_is_kept():
    rules = (rule_saying(Deny("first"), "one", 1), rule_saying(Deny("second"), "two", 2))

    decision = decide(call(), facts(), policy(rules=rules, modes={"one": "advisory"}))

    assert (decision.kind, decision.rule, decision.reason, decision.mode) == (
        "deny",
        "two",
        "second",
        "strict",
    )
    assert [(f.rule, f.enforced) for f in decision.findings] == [("one", False), ("two", True)]


def test_a_rules_own_mode_can_tighten_an_advisory_service():
    rules = (rule_saying(Deny("no"), "one", 1),)

    assert (
        decide(call(), facts(), policy(rules=rules, mode="advisory", modes={"one": "strict"})).kind == "deny"
    )


def test_nothing_softens_the_control_plane():
    loose = policy(mode="advisory", modes={"control-plane": "advisory"})

    decision = decide(call(), facts(target(".recursive/config/recursive-permissions.json")), loose)

    assert (decision.kind, decision.rule) == ("deny", "control-plane")


def test_a_rule_that_is_switched_off_does_not_object_and_the_reply_says_so():
    off = policy(rules_off={"memory-read": "trial week"})

    decision = decide(call(), facts(in_run("00-requirements.md", run("dd"))), off, traced=True)

    assert decision.kind == "allow"
    assert "trial week" in decision.warnings[0]
    assert ("memory-read", "abstain") in [(step.rule, step.outcome) for step in decision.trace]


def test_a_refused_lock_asks_how_to_go_on():
    decision = decide(
        call("recursive_lock"),
        facts(effect=Effect.LOCK, locks=(lock("01-as-is.md", run("dd")),)),
        BUILTIN,
    )

    assert decision.rule == "lock-order"
    assert [blocker.artifact for blocker in decision.blockers] == ["00-requirements.md", "00-worktree.md"]
    assert decision.ask is not None
    assert decision.ask.artifact == "01-as-is.md"
    assert [name for name, _ in decision.ask.options] == ["fix", "reopen", "abandon"]
    assert decision.transition is not None
    assert not decision.transition.passed


def test_no_question_in_advisory_mode():
    locks = (lock("01-as-is.md", run("dd")),)

    decision = decide(call(), facts(effect=Effect.LOCK, locks=locks), policy(mode="advisory"))

    assert decision.ask is None
    assert decision.rule == "lock-order"


def test_an_allowed_lock_that_lacks_something_is_relabelled_with_a_warning():
    decision = decide(
        call(), facts(effect=Effect.LOCK, locks=(lock("00-requirements.md", run("d"), "x"),)), BUILTIN
    )

    assert (decision.kind, decision.rule) == ("allow", "transition")
    assert "Effective Inputs Re-read" in (decision.warning or "")


def test_judged_run_is_the_locks_then_the_targets_then_the_bound_one():
    bound, other, entered = run("d", "bound"), run("dd", "other"), run("", "entered")
    ask = decide(call(), facts(target("src/a.py"), bound=bound), BUILTIN)
    own = decide(call(), facts(target("src/a.py"), in_run("notes.md", other, index=1), bound=bound), BUILTIN)
    enter = facts(effect=Effect.ENTER, enters=(EnterFacts(EnterRequest(), entered),), bound=bound)

    assert (ask.run_id, ask.active_artifact) == ("bound", "00-requirements.md")
    assert own.run_id == "other"
    assert decide(call(), enter, BUILTIN).run_id == "entered"
    assert decide(call(), facts(), BUILTIN).run_id is None


STATUSES = st.text("Lds-n", min_size=12, max_size=12)
NAMES = st.sampled_from(
    [*WORKFLOW.artifacts, "notes.md", "addenda/a.md", "locks/x", "memory-injections.json", ""]
)
CHANGES = st.sampled_from(
    [
        None,
        ContentChange("replace", "Status: LOCKED\n"),
        ContentChange("append", "x"),
        ContentChange("unknown", "LOCKED"),
    ]
)
OPS = st.sampled_from(["write", "append", "truncate", "delete", "move_from", "move_to", "chmod"])


POLICIES = st.fixed_dictionaries(
    {
        "patterns": st.lists(
            st.builds(
                lambda pattern, verdict, label: pattern_entry(
                    pattern, verdict, "said", label, conditional=label is not None
                ),
                st.sampled_from(["write", "w*", "*e", "*", "bash"]),
                st.sampled_from(["allow", "deny", "ask"]),
                st.sampled_from([None, *(rule.label for rule in BUILTIN.rules)]),
            ),
            max_size=4,
        ).map(by_precedence),
        "modes": st.dictionaries(
            st.sampled_from([rule.label for rule in BUILTIN.rules]),
            st.sampled_from(["strict", "advisory"]),
            max_size=3,
        ),
        "entry_every_phase": st.booleans(),
        "plane_freeze": st.booleans(),
    }
)


@st.composite
def worlds(draw):
    of = run(draw(STATUSES), read=("00-worktree.md",) if draw(st.booleans()) else ())
    picked = draw(st.lists(st.tuples(NAMES, OPS, CHANGES), max_size=3))
    targets = [in_run(name, of, op, index, change=change) for index, (name, op, change) in enumerate(picked)]
    if draw(st.booleans()):
        targets.append(
            target(draw(st.sampled_from(["src/a.py", ".recursive/STATE.md", None])), index=len(targets))
        )
    bound = of if draw(st.booleans()) else None
    effect = draw(st.sampled_from([Effect.WRITE, Effect.EXECUTE, Effect.DELETE]))
    locks = ()
    if draw(st.booleans()):
        text = draw(st.sampled_from([None, "TDD Mode: strict", "TDD Mode: strict\nRED: a\nGREEN: b"]))
        problem = draw(st.sampled_from(["", "it is empty"]))
        name = draw(st.sampled_from(WORKFLOW.artifacts))
        locks = (lock(name, of, text, reopen=draw(st.booleans()), run_problem=problem),)
    part = OpaqueReason("eval x", "it is computed")
    opaque = draw(
        st.lists(st.builds(partial(OpaqueFacts, part), st.sampled_from([(), ("run/r1",)])), max_size=2)
    )
    unusable = draw(st.sampled_from([(), ("args.path",)]))
    return facts(*targets, effect=effect, bound=bound, locks=locks, opaque=tuple(opaque), unusable=unusable)


@given(worlds(), POLICIES)
def test_advisory_never_denies_what_strict_allows(world, more):
    strict = decide(call(), world, policy(mode="strict", **more))
    advisory = decide(call(), world, policy(mode="advisory", **more))

    assert not (strict.kind == "allow" and advisory.kind == "deny")
    assert strict.verdict == advisory.verdict


@given(worlds(), worlds(), POLICIES)
def test_a_denial_for_one_target_is_never_hidden_by_another(world, other, more):
    alone = decide(call(), world, policy(**more))
    extra = [replace(item, index=len(world.targets) + n) for n, item in enumerate(other.targets)]
    both = (*world.targets, *extra)
    extraction = replace(world.extraction, targets=tuple(item.target for item in both))
    together = decide(call(), replace(world, targets=both, extraction=extraction), policy(**more))

    # A write that names no target is denied for that alone in a phase that only documents.
    if alone.kind == "deny" and world.targets:
        assert together.kind == "deny"


@given(worlds(), POLICIES, st.sampled_from([rule.label for rule in BUILTIN.rules if not rule.always]))
def test_switching_a_rule_on_never_turns_a_denial_into_an_allowance(world, more, label):
    off = decide(call(), world, policy(rules_off={label: "test"}, **more))
    on = decide(call(), world, policy(**more))

    assert not (off.kind == "deny" and on.kind == "allow")


def test_a_condition_that_only_warns_does_not_stand_before_a_denial():
    """Out of order, the second target meets the condition; the first is still a tool that nobody may use."""
    condition = pattern_entry("write", "deny", "in order", "phase-order", conditional=True)
    closed = pattern_entry("*", "deny", "closed", None, conditional=False)
    found = policy(patterns=(condition, closed), modes={"phase-order": "advisory"})
    early = in_run("02-to-be-plan.md", run("d"), index=1)

    alone = decide(call(), facts(target("src/a.py")), found)
    together = decide(call(), facts(target("src/a.py"), early), found)

    assert (alone.kind, alone.reason) == ("deny", "closed")
    assert (together.kind, together.reason) == ("deny", "closed")
    assert ("phase-order", False) in [(finding.rule, finding.enforced) for finding in together.findings]


@given(worlds())
def test_asking_twice_gives_one_answer(world):
    assert decide(call(), world, BUILTIN) == decide(call(), world, BUILTIN)


def test_a_pass_that_applied_is_told_apart_from_an_abstention():
    rules = (rule_saying(Pass(), "a", 1), rule_saying(Pass(applied=False), "b", 2))

    decision = decide(call(), facts(), policy(rules=rules), traced=True)

    assert [step.outcome for step in decision.trace] == ["pass", "abstain"]


def test_a_decision_carries_no_trace_unless_asked():
    assert decide(call(), facts(target("src/a.py")), BUILTIN).trace == ()


def test_a_reopen_has_no_report():
    locks = (lock("01-as-is.md", run("LL"), reopen=True),)

    assert decide(call(), facts(effect=Effect.LOCK, locks=locks), BUILTIN).transition is None


def test_a_trace_shows_the_evidence_of_each_step():
    of = run("Ld", read=("00-worktree.md",))

    decision = decide(call(), facts(in_run("01-as-is.md", of)), BUILTIN, traced=True)

    step = next(step for step in decision.trace if step.rule == "phase-order")
    assert step.facts == {
        "target": ".recursive/run/r1/01-as-is.md",
        "run_id": "r1",
        "artifacts": {"00-requirements.md": "LOCKED", "00-worktree.md": "DRAFT"},
        "read_receipts": ["00-worktree.md"],
    }


def test_a_trace_of_an_objection_outside_every_workspace_shows_the_spelling():
    rules = (rule_saying(Deny("no", target=0)),)

    decision = decide(call(), facts(target(None)), policy(rules=rules), traced=True)

    assert decision.trace[0].facts == {"target": "/elsewhere/file"}


@pytest.mark.parametrize(
    ("here", "there", "kind"),
    [
        ({"rules_off": {"phase-order": "mine"}}, {}, "deny"),
        ({}, {"rules_off": {"phase-order": "theirs"}}, "allow"),
        ({"modes": {"phase-order": "advisory"}}, {}, "deny"),
        ({}, {"modes": {"phase-order": "advisory"}}, "allow"),
        ({}, {"defect": "not JSON"}, "deny"),
    ],
)
def test_the_policy_of_the_workspace_that_owns_the_target_judges_it(here, there, kind):
    """Going to a workspace with a loose policy must not open the others."""
    other = in_run("02-to-be-plan.md", run("d"), workspace="other")

    decision = decide(call(), facts(other), policy(**here), owners={"other": policy(**there)})

    assert decision.kind == kind


def test_an_objection_without_a_target_stands_under_the_calls_own_policy():
    rules = (rule_saying(Deny("no")),)

    decision = decide(
        call(), facts(), policy(rules=rules), owners={"other": policy(rules_off={"house": "x"})}
    )

    assert decision.kind == "deny"


def test_a_lock_command_in_a_shell_has_no_report_of_its_own():
    """It asks for the lock when it runs, and is told then; twice would be noise."""
    locks = (lock("00-requirements.md", run("d"), "x"),)
    world = facts(effect=Effect.LOCK, locks=locks)
    in_shell = replace(world, extraction=replace(world.extraction, command="phasegate run lock r1 x"))

    decision = decide(call("bash"), in_shell, BUILTIN)

    assert (decision.kind, decision.rule, decision.transition) == ("allow", "none", None)
