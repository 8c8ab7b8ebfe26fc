"""The mirror for the peer's status views: complete lines, newest 500, never in the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from phasegate.core.call import Effect
from phasegate.core.engine import decide
from phasegate.decision_log.mirror import KEPT, decision_row, tamper_row
from phasegate.decision_log.record import TamperEvent, decision_record, tamper_record
from support import cases
from support.facts import BUILTIN, call, facts, in_run, lock, policy, run
from support.mirror_rows import LAYOUT, LOG, mirror, row, write_rows
from support.records import context, moment, product_write

VECTORS = [case for case in cases.load("guard.json") if case["call"]["tool"].startswith("#log")]


def tools(root, limit=0):
    return [item["tool"] for item in mirror().read(str(root), limit)]


@pytest.fixture
def root(tmp_path):
    (tmp_path / LAYOUT.control).mkdir()
    return tmp_path


def refused_lock():
    world = facts(effect=Effect.LOCK, locks=(lock("01-as-is.md", run("Ld"), ""),))
    request = call("recursive_lock")
    return decision_record(request, decide(request, world, BUILTIN), world, context()).fields


class TestVectors:
    def test_all_of_them_are_here(self):
        assert [case["id"] for case in VECTORS] == [f"G{n:02}" for n in range(1, 12)]

    @pytest.mark.parametrize(
        "case", [c for c in VECTORS if c["call"]["tool"] == "#log"], ids=lambda case: case["id"]
    )
    def test_rows_are_kept_and_read(self, case, root):
        args, value = case["call"]["args"], case["expect"]["value"]
        place = str(root)
        if "root" in args:
            place = args["root"]
        if args.get("root_is_file"):
            place = str(root / "file")
            Path(place).write_text("x")
        for tool in args.get("append", [f"tool-{n}" for n in range(args.get("append_count", 0))]):
            mirror().append(place, row(tool))
        if "then_raw" in args:
            (root / LOG).parent.mkdir(exist_ok=True)
            with (root / LOG).open("a") as stream:
                stream.write(args["then_raw"])
        for tool in args.get("then_append", []):
            assert mirror().append(place, row(tool))
        seen = [item["tool"] for item in mirror().read(place, args["read_limit"])]

        if isinstance(value, list):
            assert seen == value
        else:
            lines = (root / LOG).read_text().count("\n")
            counted = {"count": len(seen), "newest": seen[0], "oldest": seen[-1], "lines_on_disk": lines}
            assert counted == value

    def test_writers_at_once_lose_nothing(self, root):
        args = next(case for case in VECTORS if case["call"]["tool"] == "#log_concurrent")["call"]["args"]
        threads = [
            threading.Thread(target=write_rows, args=(str(root), f"w{n}", args["each"]))
            for n in range(args["writers"])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(set(tools(root))) == args["writers"] * args["each"]

    def test_a_refused_lock_has_the_peers_fields(self):
        expected = next(case for case in VECTORS if case["call"]["tool"] == "#log_record_fields")["expect"][
            "value"
        ]

        assert list(decision_row(refused_lock())) == expected


class TestRows:
    def test_an_allow_has_no_reason(self):
        assert decision_row(product_write().fields) == {
            "at": moment(0),
            "runId": "",
            "tool": "Write",
            "kind": "allow",
            "rule": "none",
        }

    def test_a_warning_is_the_reason_of_an_allow(self):
        world = facts(in_run("08-memory-impact.md", run("LLd")))
        decision = decide(call(), world, policy(mode="advisory"))
        fields = decision_record(call(), decision, world, context()).fields

        assert decision_row(fields)["reason"] == decision.warning

    def test_tampering_names_run_path_and_reason(self):
        event = TamperEvent("deleted", ".recursive/run/r1/01-as-is.md", "it is gone", run_id="r1")

        assert tamper_row(tamper_record(event, context()).fields) == {
            "at": moment(0),
            "runId": "r1",
            "path": ".recursive/run/r1/01-as-is.md",
            "reason": "it is gone",
        }


class TestFile:
    def test_no_control_directory_is_made(self, tmp_path):
        assert not mirror().append(str(tmp_path), row("x"))
        assert list(tmp_path.iterdir()) == []

    def test_the_directory_inside_it_is(self, root):
        assert mirror().append(str(root), row("x"))
        assert tools(root) == ["x"]

    def test_processes_that_write_above_the_bound_lose_only_the_oldest(self, root):
        """A rewrite that reads before it locks would drop what others append meanwhile."""
        write_rows(str(root), "old", KEPT - 20)
        spawn = multiprocessing.get_context("spawn")
        workers = [spawn.Process(target=write_rows, args=(str(root), f"w{n}", 40)) for n in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        seen = tools(root)

        assert [worker.exitcode for worker in workers] == [0, 0, 0]
        assert len(seen) == KEPT
        assert {f"w{n}-{m}" for n in range(3) for m in range(40)} <= set(seen)

    @pytest.mark.parametrize("part", [LAYOUT.control, LOG.rpartition("/")[0], LOG])
    def test_a_link_is_not_followed(self, tmp_path, part):
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "file").write_text("mine\n")
        root = tmp_path / "root"
        link = root / part
        link.parent.mkdir(parents=True)
        link.symlink_to(elsewhere / "file" if part == LOG else elsewhere)

        assert not mirror().append(str(root), row("x"))
        assert mirror().read(str(root)) == []
        assert [path.name for path in elsewhere.iterdir()] == ["file"]
        assert (elsewhere / "file").read_text() == "mine\n"

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "directory"])
    def test_another_kind_of_file_is_left_alone(self, root, make):
        (root / LOG).parent.mkdir()
        make(root / LOG)

        assert not mirror().append(str(root), row("x"))
        assert mirror().read(str(root)) == []

    def test_a_row_over_its_size_is_left_out(self, root):
        assert not mirror().append(str(root), row("x" * 20_000))
        assert not mirror().append(str(root), {"tool": "\udc80"})
        assert tools(root) == []

    def test_of_a_huge_file_the_end_is_read(self, root):
        (root / LOG).parent.mkdir()
        with (root / LOG).open("w") as stream:
            stream.write(json.dumps(row("first")) + "\n" + "x" * 9_000_000 + "\n")
        assert mirror().append(str(root), row("last"))

        assert tools(root) == ["last"]

    def test_blank_and_odd_lines_are_dropped_when_it_is_written_anew(self, root):
        write_rows(str(root), "a", KEPT)
        with (root / LOG).open("a") as stream:
            stream.write('\n\nnull\n{"torn": ')
        assert mirror().append(str(root), row("new"))

        assert (root / LOG).read_text().count("\n") == KEPT
        assert (tools(root)[0], tools(root)[-1]) == ("new", "a-1")

    def test_no_temporary_file_is_left(self, root):
        write_rows(str(root), "a", KEPT + 3)

        assert [path.name for path in (root / LOG).parent.iterdir()] == [LOG.rpartition("/")[2]]
