"""Documentation phases write their documents."""

from dataclasses import replace

import pytest

from phasegate.core.call import Effect
from phasegate.core.verdict import Deny, Pass
from phasegate.rules.documentation_phase import RULE, plane_of
from support.facts import BUILTIN, call, facts, in_run, run, target

PHASE_1, PHASE_3 = "LLd", "LLLLLd"
PHASE_6, PHASE_7, PHASE_8 = "L" * 9 + "d", "L" * 10 + "d", "L" * 11 + "d"
DECISIONS, STATE, MEMORY = ".recursive/DECISIONS.md", ".recursive/STATE.md", ".recursive/memory/domains/x.md"


def judge(rel, statuses, effect=Effect.EXECUTE, policy=BUILTIN):
    world = facts(target(rel), effect=effect, bound=run(statuses))
    return next(iter(RULE.judge(call(), world, policy)))


@pytest.mark.parametrize("statuses", [PHASE_6, PHASE_7, PHASE_8])
@pytest.mark.parametrize("effect", [Effect.WRITE, Effect.EXECUTE, Effect.DELETE])
def test_product_files_are_frozen_for_every_kind_of_tool(statuses, effect):
    verdict = judge("src/a.py", statuses, effect)
    assert isinstance(verdict, Deny)
    assert f"phase {len(statuses) - 4}" in verdict.reason


@pytest.mark.parametrize(
    ("rel", "statuses", "allowed"),
    [
        (DECISIONS, PHASE_6, True),
        (STATE, PHASE_7, True),
        (MEMORY, PHASE_8, True),
        (STATE, PHASE_6, False),
        (DECISIONS, PHASE_8, False),
        (MEMORY, PHASE_1, False),
        (DECISIONS, PHASE_1, False),
        (MEMORY, PHASE_3, True),
        ("src/a.py", PHASE_1, True),
        ("docs/state.md", PHASE_1, True),
        ("src/a.py", "", True),
        ("src/a.py", "LL", True),
        ("src/a.py", "L" * 12, True),
        (None, PHASE_8, True),
    ],
)
def test_each_phase_writes_what_is_its_own(rel, statuses, allowed):
    assert isinstance(judge(rel, statuses), Pass) is allowed


def test_the_runs_own_documents_stay_writable_but_not_the_directory_itself():
    of = run(PHASE_8)
    inside = facts(in_run("evidence/x.log", of), bound=of)
    itself = facts(in_run("", of, "delete"), bound=of)
    assert next(iter(RULE.judge(call(), inside, BUILTIN))) == Pass()
    assert isinstance(next(iter(RULE.judge(call(), itself, BUILTIN))), Deny)


def test_the_run_that_owns_the_target_judges_it():
    world = facts(in_run("notes.md", run(PHASE_3, "other")), bound=run(PHASE_8))
    assert next(iter(RULE.judge(call(), world, BUILTIN))) == Pass()


def test_an_unbound_session_freezes_nothing():
    assert next(iter(RULE.judge(call(), facts(target("src/a.py")), BUILTIN))) == Pass(applied=False)


@pytest.mark.parametrize(
    ("bound", "effect", "denied"),
    [
        (run(PHASE_8), Effect.WRITE, True),
        (run(PHASE_1), Effect.MOVE, True),
        (run(PHASE_8), Effect.EXECUTE, False),
        (run("dd"), Effect.WRITE, False),
        (run("LL"), Effect.WRITE, False),
        (None, Effect.WRITE, False),
    ],
)
def test_a_write_tool_without_any_target_is_refused_where_writing_is_limited(bound, effect, denied):
    verdicts = list(RULE.judge(call(), facts(effect=effect, bound=bound), BUILTIN))
    assert any(isinstance(verdict, Deny) for verdict in verdicts) is denied


def test_the_memory_plane_can_be_frozen_until_its_phase():
    frozen = replace(BUILTIN, plane_freeze=True)
    assert isinstance(judge(MEMORY, PHASE_3, policy=frozen), Deny)
    assert isinstance(judge(STATE, PHASE_3, policy=frozen), Pass)
    assert isinstance(judge(MEMORY, PHASE_8, policy=frozen), Pass)


@pytest.mark.parametrize(
    ("rel", "plane"),
    [
        (DECISIONS, "decisions"), (STATE, "state"), (MEMORY, "memory"), (".recursive/memory", "memory"),
        (".recursive/memory-x/y", None), ("docs/STATE.md", None), (".recursive/STATE.md/x", None),
    ],
)  # fmt: skip
def test_only_the_real_planes_count(rel, plane):
    assert plane_of(rel, BUILTIN.workflow) == plane
