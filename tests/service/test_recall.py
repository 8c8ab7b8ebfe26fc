"""A judgement is given again only while everything it rests on shows the same."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phasegate.core.call import ToolCall
from phasegate.service import open_service
from phasegate.service.recall import KEPT, key_of
from phasegate.settings import load_settings
from phasegate.targets.carried import STAND_IN, without_carried_text
from support import inprocess, peer
from support.workspace_changes import DRAFT, LATER, MUTATIONS, RUN

TICK = 0.03


class Asked:
    """A service over the workspace *root*, asked without a log."""

    def __init__(self, root, home, **flags):
        settings = load_settings(
            {"workspace": [f"repo={root}"], "data": str(home / "data"), "mode": "strict", **flags},
            {"HOME": str(home)},
        )
        self.service = open_service(settings)
        self.judge = self.service.judge
        self.root = root

    def call(self, tool, args, **more):
        return ToolCall(tool, args, cwd=str(self.root), **more)

    def stands(self, call):
        """Judge *call* until it can be given again."""
        for _ in range(4):
            found = self.judge.judge(call)
            time.sleep(TICK)
        return found

    def is_kept(self, call):
        key = key_of(call, without_carried_text(call.tool, call.args))
        return key is not None and self.judge.recall.find(key, self.judge.moment()) is not None

    def answer(self, call):
        return shown(self.judge.judge(call).decision)

    def anew(self, call):
        return shown(self.judge.judge(call, traced=True).decision)


def shown(decision):
    return (
        decision.kind,
        decision.verdict,
        decision.rule,
        decision.reason,
        decision.warnings,
        decision.findings,
        decision.run_id,
        decision.active_artifact,
        [(target.path, target.op) for target in decision.extraction.targets],
        decision.extraction.effect,
    )


@pytest.fixture
def asked(tmp_path):
    root = tmp_path / "repo"
    inprocess.make_run(root)
    (root / "src").mkdir()
    (root / "src/app.py").write_text("pass\n")
    found = Asked(root, tmp_path)
    yield found
    found.service.discard()


def write(asked, path, content="one\n", **more):
    return asked.call("write", {"file_path": path, "content": content}, **more)


def calls(asked, content):
    return (
        write(asked, f"{RUN}/{DRAFT}", content),
        write(asked, f"{RUN}/{DRAFT}", content, run_id="r1"),
        write(asked, f"{RUN}/{LATER}", content),
        write(asked, f"{RUN}/{peer.SEQUENCE[0]}", content),
        write(asked, "src/app.py", content, run_id="r1"),
        write(asked, "src/new.py", content),
        write(asked, f"src/{LATER}", content),
        write(asked, f"src/../{RUN}/{LATER}", content),
        write(asked, "linked/x.md", content),
        asked.call("bash", {"command": f"sed -i s/a/b/ {RUN}/{LATER}"}),
        asked.call("bash", {"command": "echo x > src/app.py && rm src/new.py"}, run_id="r1"),
        asked.call("read", {"file_path": "src/app.py"}),
        asked.call("some_new_tool", {"file_path": f"{RUN}/{DRAFT}"}),
        write(asked, ".claude/settings.json", content),
        write(asked, f"{RUN}/notes.md", content),
        write(asked, f"{RUN}/addenda/{DRAFT}", content),
    )


def test_equal_calls_are_judged_once(asked):
    """Whatever the text is that each of them carries."""
    call = write(asked, f"{RUN}/{DRAFT}")
    first = asked.stands(call)

    again = asked.judge.judge(write(asked, f"{RUN}/{DRAFT}", "another text\n"))

    assert again.decision is first.decision
    assert again.call.args["content"] == "another text\n"


def test_no_text_of_a_call_is_kept(asked):
    asked.stands(write(asked, f"{RUN}/{DRAFT}", "a text of its own\n"))

    assert "a text of its own" not in repr(list(asked.judge.recall._kept.items()))


def test_a_first_judgement_does_not_stand_yet(asked):
    """Within one tick of the file system's clock a directory can change twice and show one signature."""
    call = write(asked, f"{RUN}/{DRAFT}")
    asked.judge.judge(call)

    assert not asked.is_kept(call)


@pytest.mark.parametrize(
    "content",
    [
        "Status: LOCKED\n",
        "x\nStatus: `locked`\n",
        "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n",
        " ",
    ],
)
def test_a_text_that_may_matter_is_part_of_the_call(asked, content):
    call = write(asked, f"{RUN}/{DRAFT}", content)

    assert without_carried_text(call.tool, call.args) is call.args
    asked.stands(write(asked, f"{RUN}/{DRAFT}"))
    assert asked.answer(call) == asked.anew(call)


def test_what_rests_on_more_than_names_and_runs_is_judged_anew(asked):
    """A runtime's configuration is read for each call, and so is a document that could be a lock."""
    for path in (".claude/settings.json", f"{RUN}/notes.md", f"{RUN}/addenda/{DRAFT}"):
        asked.stands(write(asked, path))
        assert not asked.is_kept(write(asked, path)), path


def test_a_policy_that_describes_the_tool_decides_what_its_texts_are(asked):
    policy = asked.root / ".recursive/config/recursive-permissions.json"
    policy.parent.mkdir()
    policy.write_text(
        '{"version": 2, "rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}],'
        ' "tools": {"write": {"effect": "write", "paths": ["content"]}}}'
    )
    asked.stands(write(asked, "src/app.py", "src/other.py"))

    found = asked.judge.judge(write(asked, "src/app.py", f"{RUN}/{LATER}")).decision

    assert (found.kind, found.rule) == ("deny", "phase-order")


def test_the_table_is_bounded(asked):
    for number in range(KEPT + 40):
        for _ in range(2):
            asked.judge.judge(write(asked, f"src/{number}.py"))

    assert len(asked.judge.recall._kept) == KEPT
    assert len(asked.judge.recall._met) == KEPT


def test_calls_met_once_put_no_judgement_out_of_the_table(asked):
    call = write(asked, "src/app.py")
    asked.stands(call)
    for number in range(KEPT + 40):
        asked.judge.judge(write(asked, f"src/{number}.py"))

    assert asked.is_kept(call)


def test_calls_of_one_moment_share_its_looks(asked):
    """They had all come before the first look, so nothing that changes after it is an earlier answer's."""
    asked.stands(write(asked, "src/app.py"))
    moment = asked.judge.moment()
    before = asked.judge.judge(write(asked, "src/app.py"), moment=moment)
    assert before.standing is not None
    (asked.root / RUN / DRAFT).write_text("changed\n")

    assert asked.judge.judge(write(asked, "src/app.py"), moment=moment).facts is before.facts
    assert asked.judge.judge(write(asked, "src/other.py"), moment=moment).facts.bound is before.facts.bound


def test_a_judgement_of_looks_that_are_older_than_a_tick_does_not_stand_for_that(asked):
    """A moment's looks count from its beginning, not from the judgement that uses them."""
    moment = asked.judge.moment()
    for _ in range(4):
        time.sleep(TICK)
        found = asked.judge.judge(write(asked, "src/app.py"), moment=moment)

    assert found.standing is None


@pytest.mark.parametrize(
    "args",
    [{"paths": ["a"]}, {"a": {"b": 1}}, {"a": 1.5}, {"a": "x" * 20_000}, {"a": "\ud800"}, {1: "a"}],
)
def test_nested_long_and_odd_arguments_are_judged_each_time(args):
    assert key_of(ToolCall("write", args), args) is None


def test_keys_tell_values_of_different_kinds_apart():
    values = [True, 1, "1", "true", None, "null", ""]
    keys = {key_of(ToolCall("t", {"a": value}), {"a": value}) for value in values}

    assert len(keys) == len(values)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_change_is_seen_by_the_next_call(asked, mutation):
    wanted = calls(asked, "one\n")
    for _ in range(4):
        for call in wanted:
            asked.judge.judge(call)
        time.sleep(TICK)
    assert sum(asked.is_kept(call) for call in wanted) > len(wanted) // 2

    mutation(asked.root, 1)

    for call in calls(asked, "two\n"):
        assert asked.answer(call) == asked.anew(call), call


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from((*MUTATIONS, None)), min_size=3, max_size=10))
def test_answers_never_differ_from_those_judged_anew(tmp_path_factory, steps):
    """Whatever changes in whatever order; None lets a tick pass, so that judgements come to stand."""
    top = tmp_path_factory.mktemp("recall")
    inprocess.make_run(top / "repo")
    (top / "repo/src").mkdir()
    asked = Asked(top / "repo", top)
    numbers = count()
    try:
        for step in steps:
            if step is None:
                time.sleep(TICK)
            else:
                step(asked.root, next(numbers))
            for call in (*calls(asked, "one\n"), *calls(asked, "two\n")):
                assert asked.answer(call) == asked.anew(call), (step, call)
    finally:
        asked.service.discard()


def test_advisory_calls_and_strict_ones_are_kept_apart(tmp_path):
    root = tmp_path / "repo"
    inprocess.make_run(root)
    asked = Asked(root, tmp_path, mode="advisory")
    call = write(asked, f"{RUN}/{LATER}")
    try:
        assert asked.stands(call).decision.kind == "allow"
        assert asked.judge.judge(replace(call, mode="strict")).decision.kind == "deny"
    finally:
        asked.service.discard()


def test_the_stand_in_is_judged_like_any_text(asked):
    """So that a call which happens to carry it is the same call."""
    assert asked.answer(write(asked, f"{RUN}/{LATER}", STAND_IN)) == asked.anew(
        write(asked, f"{RUN}/{LATER}", "anything\n")
    )
