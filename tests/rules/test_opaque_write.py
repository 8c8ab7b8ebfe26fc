"""What can't be understood may not reach a protected place."""

import pytest

from phasegate.core.call import Effect, OpaqueReason
from phasegate.core.facts import OpaqueFacts
from phasegate.core.verdict import Deny, Pass
from phasegate.rules.opaque_write import RULE
from support.facts import BUILTIN, call, facts

PLAN = ".recursive/run/r1/02-to-be-plan.md"


def judge(remedy="", **reach):
    part = OpaqueFacts(OpaqueReason("python3 fix.py", "a program on disk", remedy), **reach)
    return next(iter(RULE.judge(call("bash"), facts(effect=Effect.EXECUTE, opaque=(part,)), BUILTIN)))


@pytest.mark.parametrize(
    ("reach", "told"),
    [
        ({"words": (PLAN,)}, f"names `{PLAN}`"),
        ({"cwds": (".recursive/run/r1",)}, "runs in `.recursive/run/r1`"),
        ({"destroys": (".recursive/run",)}, "around `.recursive/run`"),
        ({"destroys_sealed": (PLAN,)}, "which is LOCKED"),
    ],
)
def test_denies_a_call_that_reaches_a_protected_place_and_quotes_it(reach, told):
    verdict = judge(**reach)
    assert isinstance(verdict, Deny)
    assert "`python3 fix.py` can't be judged (a program on disk)" in verdict.reason
    assert told in verdict.reason
    assert verdict.remedy.action == "rewrite_command"
    assert verdict.remedy.text


def test_an_unknown_tool_is_to_be_declared():
    verdict = judge("name the tool in the policy's `tools`", words=(PLAN,))
    assert isinstance(verdict, Deny)
    assert verdict.remedy.action == "declare_tool"


def test_names_with_line_breaks_leave_the_reason_and_the_remedy_one_line_each():
    """A program's name may be a whole patch, and the reason why it can't be judged quotes it."""
    odd = OpaqueReason("a\nb", "what `a\nb` does is not known", "declare `a\nb`")
    part = OpaqueFacts(odd, words=(PLAN,))
    (verdict,) = RULE.judge(call("bash"), facts(effect=Effect.EXECUTE, opaque=(part,)), BUILTIN)

    assert verdict.reason == f"`a?b` can't be judged (what `a?b` does is not known) and names `{PLAN}`"
    assert verdict.remedy.text == "declare `a?b`"


def test_everything_else_that_is_opaque_passes():
    assert judge() == Pass()


@pytest.mark.parametrize(
    ("effect", "denied"), [(Effect.WRITE, True), (Effect.READ, False), (Effect.OTHER, False)]
)
def test_a_path_that_cant_be_read_as_one_is_refused_for_writers(effect, denied):
    verdicts = list(RULE.judge(call("Write"), facts(effect=effect, unusable=("file_path",)), BUILTIN))
    assert bool(verdicts) is denied
    if denied:
        assert "`file_path`" in verdicts[0].reason
