"""Calls that are there at the same time are decided together, and each on what was there when it came."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns

import orjson
import pytest

from phasegate.core.call import ToolCall
from phasegate.service import Asked, rounds
from phasegate.workspace.runs import Runs
from support import inprocess
from support.workspace_changes import MUTATIONS

TICK = 0.03


@pytest.fixture
def root(tmp_path):
    found = tmp_path / "repo"
    inprocess.make_run(found)
    (found / "src").mkdir()
    (found / "src/app.py").write_text("pass\n")
    return found


@pytest.fixture
def guard(root, tmp_path):
    with inprocess.guard({"repo": root}, tmp_path, mode="strict") as running:
        yield running


def write(guard, rel="src/app.py", **more):
    cwd = guard.service.judge.workspaces.served[0].root
    return ToolCall("write", {"file_path": rel, "content": "x"}, cwd=cwd, run_id="r1", **more)


def ask_all(guard, calls):
    """The replies to *calls*, asked in one turn of the loop; None for one that a round leaves alone."""

    async def story():
        found = [asyncio.get_running_loop().create_future() for _ in calls]
        for call, future in zip(calls, found, strict=True):
            guard.service.rounds.ask(Asked(call, perf_counter_ns(), future.set_result))
        async with asyncio.timeout(20):
            return await asyncio.gather(*found)

    return [reply if reply is None else orjson.loads(reply) for reply in guard.run(story())]


async def until(condition):
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 (a callback gives no event to wait for)
            await asyncio.sleep(0.001)


def standing(guard, *calls):
    for _ in range(4):
        ask_all(guard, calls)
        guard.run(asyncio.sleep(TICK))


@pytest.fixture
def uncut(monkeypatch):
    """No round is cut, however slow this machine is."""
    monkeypatch.setattr(rounds, "_ROUND_NS", 10**12)


@pytest.fixture
def looks(monkeypatch, uncut):
    """The runs looked at on disk."""
    seen = []
    facts = Runs.facts

    def counted(self, workspace, run_id, *, receipts=False):
        seen.append(run_id)
        return facts(self, workspace, run_id, receipts=receipts)

    monkeypatch.setattr(Runs, "facts", counted)
    return seen


def test_a_round_is_one_commit_in_the_order_of_asking(guard, uncut):
    calls = [write(guard, f"src/{number}.py") for number in range(20)]
    before = guard.service._log.commits
    replies = ask_all(guard, calls)

    assert guard.service._log.commits == before + 1
    assert [reply["record"]["seq"] for reply in replies] == list(range(1, 21))
    assert [reply["targets"][0]["rel"] for reply in replies] == [f"src/{number}.py" for number in range(20)]


def test_a_round_looks_at_a_run_once_and_the_next_one_again(guard, looks):
    calls = [write(guard, f"src/{number}.py") for number in range(20)]
    for rounds_made in range(1, 4):
        ask_all(guard, calls)
        assert len(looks) == rounds_made


def test_a_judgement_that_stands_is_compared_with_the_disk_once_a_round(guard, looks):
    standing(guard, write(guard))
    looks.clear()
    ask_all(guard, [write(guard)] * 20)

    assert len(looks) == 1


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_what_changes_between_two_rounds_is_seen_by_all_of_the_second(guard, root, mutation):
    calls = [write(guard), write(guard, "src/other.py"), write(guard, ".recursive/run/r1/02-to-be-plan.md")]
    standing(guard, *calls)
    mutation(root, 1)

    found = ask_all(guard, calls * 3)

    anew = [guard.service.judge.judge(call, traced=True).decision for call in calls] * 3
    assert [(reply["kind"], reply["rule"], reply["reason"]) for reply in found] == [
        (decision.kind, decision.rule, decision.reason) for decision in anew
    ]


def test_the_calls_of_one_request_share_their_looks_too(guard, looks, root):
    calls = [write(guard, f"src/{number}.py") for number in range(20)]
    guard.run(guard.service.evaluate_all(calls))
    assert len(looks) == 1
    (root / ".recursive/run/r1/00-requirements.md").write_text("draft\n")

    again = guard.run(guard.service.evaluate_all(calls))
    assert len(looks) == 2
    assert {answer.decision.active_artifact for answer in again} == {"00-requirements.md"}


def test_a_call_that_can_not_be_decided_is_left_alone_and_hurts_no_other(guard):
    lost = ToolCall("write", {}, workspace="/nowhere")
    for calls in ([lost], [write(guard), lost, write(guard)], [lost, lost]):
        assert [reply is None for reply in ask_all(guard, calls)] == [call is lost for call in calls]

    # Nothing is left behind that would keep the log from being written.
    assert guard.decide("write", {"file_path": "src/app.py"})["record"]["seq"] == 3


def test_a_command_for_a_parser_process_is_left_alone(guard):
    command = ToolCall("bash", {"command": "for a in 1 2; do cp x y; done"}, cwd=write(guard).cwd)

    assert ask_all(guard, [command, write(guard)])[0] is None


def test_a_full_log_leaves_all_of_a_round_alone(guard, uncut, monkeypatch):
    monkeypatch.setattr(guard.service._log, "_max_queue", 2)

    assert ask_all(guard, [write(guard)] * 3) == [None] * 3
    assert None not in ask_all(guard, [write(guard)] * 2)


def test_a_defect_in_one_answer_is_told_and_hurts_no_other(guard, monkeypatch):
    given = guard.service._answers.given
    failing = write(guard, "src/bad.py")

    def fail(judged, *rest):
        if judged.call is failing:
            raise ZeroDivisionError
        return given(judged, *rest)

    monkeypatch.setattr(guard.service._answers, "given", fail)

    async def story():
        told: list[object] = []
        for call in (write(guard), failing, write(guard)):
            guard.service.rounds.ask(Asked(call, perf_counter_ns(), told.append))
        await until(lambda: len(told) == 3)
        return told

    assert [type(item) for item in guard.run(story())] == [bytes, ZeroDivisionError, bytes]


def test_a_long_round_is_cut_and_the_rest_looks_for_itself(guard, looks, monkeypatch):
    """Nobody waits for the judging of hundreds of others, and no look grows old."""
    monkeypatch.setattr(rounds, "_ROUND_NS", 0)
    calls = [write(guard, f"src/{number}.py") for number in range(6)]
    replies = ask_all(guard, calls)

    assert [reply["record"]["seq"] for reply in replies] == [1, 2, 3, 4, 5, 6]
    assert len(looks) == 6


def test_calls_that_come_while_a_round_answers_are_asked_after_its_rest(guard, monkeypatch):
    monkeypatch.setattr(rounds, "_ROUND_NS", 0)
    order: list[int] = []

    async def story():
        service = guard.service

        def ask(number):
            service.rounds.ask(Asked(write(guard), perf_counter_ns(), lambda reply: answered(number, reply)))

        def answered(number, reply):
            order.append(number)
            if number < 5:
                ask(number + 10)
            assert reply is not None

        for number in range(5):
            ask(number)
        await until(lambda: len(order) == 10)

    guard.run(story())

    assert sorted(order) == [*range(5), *range(10, 15)]


def test_a_change_made_before_calls_were_asked_is_missed_by_none_of_them(guard, root):
    """The change follows a round at once, and rounds that were asked before it are still at work."""
    later = ".recursive/run/r1/02-to-be-plan.md"
    first = root / ".recursive/run/r1/00-requirements.md"
    whole = first.read_bytes()

    async def ask(count):
        futures = [asyncio.get_running_loop().create_future() for _ in range(count)]
        for future in futures:
            guard.service.rounds.ask(Asked(write(guard, later), perf_counter_ns(), future.set_result))
        return futures

    async def story():
        found = []
        for number in range(60):
            before = await ask(3)
            await before[0]
            is_whole = number % 2 == 0
            first.write_bytes(whole if is_whole else b"draft\n")
            replies = [orjson.loads(reply) for reply in await asyncio.gather(*await ask(16))]
            found.append((is_whole, {reply["active_artifact"] for reply in replies}))
        return found

    for is_whole, active in guard.run(story()):
        assert active == {"01-as-is.md" if is_whole else first.name}
