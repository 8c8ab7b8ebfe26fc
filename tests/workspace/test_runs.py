"""Facts of runs: what is read, what is remembered, which runs there are."""

import json
import os
import threading

import pytest

from phasegate.core.reading import MemoryReading
from phasegate.core.sealing import SealKey
from phasegate.errors import FactsUnreadable
from phasegate.files import kept
from phasegate.files.read import watch_opens
from phasegate.workspace.locate import Workspace
from phasegate.workspace.read_receipts import seal_receipt, sealed_with
from phasegate.workspace.runs import Runs
from support.descriptors import open_descriptors
from support.facts import WORKFLOW
from support.lifecycle import all_locked, make_run, run_dir
from support.peer import SEQUENCE, artifact_text, read_rows
from support.reading import Steps, ask, settle, statuses

FIRST, SECOND, THIRD = SEQUENCE[:3]
SIDECAR = WORKFLOW.layout.read_receipts


@pytest.fixture
def runs():
    found = Runs(WORKFLOW, clock=Steps())
    yield found
    found.close()


@pytest.fixture
def workspace(tmp_path):
    return Workspace("w", str(tmp_path.resolve()))


class TestReading:
    def test_every_artifact_has_a_status(self, runs, workspace, tmp_path):
        make_run(tmp_path, a00="locked", a00w="draft", a01="stale")

        facts = ask(runs, workspace)

        assert (facts.run_id, facts.exists) == ("r1", True)
        assert list(facts.artifacts) == list(SEQUENCE)
        assert statuses(facts, FIRST, SECOND, THIRD) == ["LOCKED", "DRAFT", "STALE_LOCK"]
        assert {facts.artifacts[name].status for name in SEQUENCE[3:]} == {"MISSING"}

    def test_an_absent_run_is_a_fact(self, runs, workspace, tmp_path):
        for made in (False, True):
            facts = ask(runs, workspace)

            assert facts.exists is False
            assert {item.status for item in facts.artifacts.values()} == {"MISSING"}
            if not made:
                (tmp_path / ".recursive" / "run").mkdir(parents=True)

    def test_a_file_in_a_runs_place_is_no_run(self, runs, workspace, tmp_path):
        run_dir(tmp_path).parent.mkdir(parents=True)
        run_dir(tmp_path).write_text("")

        assert ask(runs, workspace).exists is False

    def test_a_lock_without_receipt_is_sealed_and_does_not_count(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="locked")
        (directory / "locks" / "00-requirements.receipt.json").unlink()

        found = ask(runs, workspace).artifacts[FIRST]

        assert (found.status, found.sealed, found.lacks) == (
            "STALE_LOCK",
            True,
            "its lock receipt is missing",
        )

    def test_read_receipts_come_only_when_asked_for(self, runs, workspace, tmp_path):
        directory = make_run(tmp_path, a00="draft")
        (directory / SIDECAR).write_text(read_rows([FIRST]))

        with watch_opens() as opened:
            assert ask(runs, workspace).read_receipts == {}
        assert SIDECAR not in opened
        assert ask(runs, workspace, receipts=True).read_receipts[FIRST].state == "valid"

    @pytest.mark.parametrize(
        ("make", "defect"),
        [
            (lambda path: path.write_text("{ torn"), "not JSON"),
            (lambda path: path.mkdir(), "a directory"),
            (os.mkfifo, "not a regular file"),
            (lambda path: path.symlink_to("/dev/zero"), "a link"),
            (lambda path: path.write_bytes(b" " * (1024 * 1024 + 1)), "over 1 MiB"),
        ],
    )
    def test_a_file_of_read_receipts_that_is_not_believed_says_why(
        self, runs, workspace, tmp_path, make, defect
    ):
        make(make_run(tmp_path, a00="draft") / SIDECAR)

        facts = ask(runs, workspace, receipts=True)

        assert defect in facts.read_receipts_defect
        assert facts.read_receipts == {}


class TestWhatIsRemembered:
    def test_an_unchanged_run_is_not_read_again(self, runs, workspace, tmp_path):
        directory = all_locked(tmp_path)
        (directory / SIDECAR).write_text(read_rows([FIRST]))
        settle(runs, workspace)

        with watch_opens() as opened:
            first = ask(runs, workspace, receipts=True)
            again = ask(runs, workspace, receipts=True)

        assert opened == []
        assert first is again

    def test_only_what_differs_is_read_again(self, runs, workspace, tmp_path):
        directory = all_locked(tmp_path)
        settle(runs, workspace)
        (directory / THIRD).write_text("Status: DRAFT\n")

        with watch_opens() as opened:
            ask(runs, workspace)

        assert set(opened) == {THIRD}

    def test_fresh_facts_are_read_whatever_the_signatures_say(self, runs, workspace, tmp_path):
        all_locked(tmp_path)
        settle(runs, workspace)

        with watch_opens() as opened:
            reading = runs.fresh(workspace, "r1")

        assert set(SEQUENCE) <= set(opened)
        assert statuses(reading.facts, *SEQUENCE) == ["LOCKED"] * 12
        assert runs.fresh(workspace, "none").facts.exists is False

    def test_runs_kept_open_are_bounded(self, workspace, tmp_path):
        few = Runs(WORKFLOW, limit=3, clock=Steps())
        before = open_descriptors()
        for index in range(20):
            make_run(tmp_path, f"run-{index}", a00="locked")
            assert statuses(ask(few, workspace, f"run-{index}"), FIRST) == ["LOCKED"]

        assert open_descriptors() == before + 6
        few.close()
        assert open_descriptors() == before
        assert statuses(ask(few, workspace, "run-0"), FIRST) == ["LOCKED"]
        few.close()

    def test_a_sealed_read_receipt_is_judged_by_the_memory_plane_at_each_call(self, workspace, tmp_path):
        key, digests = SealKey(b"k" * 32), iter(["one", "two"])
        runs = Runs(WORKFLOW, key=key, plane_digest=lambda _: next(digests), clock=Steps())
        reading = MemoryReading("empty", "one", "q")
        row = sealed_with(seal_receipt(FIRST, reading, run_id="r1", session_id=None, order=(1, None)), key)
        (make_run(tmp_path, a00="draft") / SIDECAR).write_text(json.dumps([row]))

        states = [ask(runs, workspace, receipts=True).read_receipts[FIRST].state for _ in range(2)]

        assert states == ["valid", "stale"]
        runs.close()


class TestListing:
    def test_newest_first_then_by_name(self, runs, workspace, tmp_path):
        for name, mtime in (("old", 1), ("b", 5), ("a", 5), ("new", 9)):
            os.utime(make_run(tmp_path, name), (mtime, mtime))

        assert [entry.run_id for entry in runs.listing(workspace)] == ["new", "a", "b", "old"]
        assert runs.newest(workspace) == "new"

    def test_links_to_directories_count_and_other_entries_do_not(self, runs, workspace, tmp_path):
        make_run(tmp_path, "real")
        base = run_dir(tmp_path).parent
        (base / "linked").symlink_to("real")
        (base / "dangling").symlink_to("nowhere")
        (base / ".gitkeep").write_text("")
        (base / "file").write_text("")
        (base / ".hidden").mkdir()
        (base / "we ird").mkdir()

        found = {entry.run_id: entry.linked for entry in runs.listing(workspace)}

        assert found == {"real": False, "linked": True}

    def test_no_runs_at_all(self, runs, workspace):
        assert runs.listing(workspace) == ()
        assert runs.newest(workspace) is None

    def test_a_directory_of_runs_that_can_not_be_listed_is_unreadable(
        self, runs, workspace, tmp_path, monkeypatch
    ):
        make_run(tmp_path)

        def denied(_path):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(kept.os, "scandir", denied)

        with pytest.raises(FactsUnreadable, match="permission denied"):
            runs.newest(workspace)


class TestVerify:
    def test_a_whole_run_is_in_order(self, runs, workspace, tmp_path):
        all_locked(tmp_path)

        report = runs.verify(workspace, "r1")

        assert (report.ok, report.checked) == (True, 12)
        assert runs.verify(workspace, "none").checked == 0

    def test_a_change_that_signatures_do_not_show_is_found(self, runs, workspace, tmp_path):
        directory = all_locked(tmp_path)
        settle(runs, workspace)
        (directory / SECOND).write_text(artifact_text("r1", SECOND, "locked", "other\n"))

        kinds = {(problem.phase, problem.kind) for problem in runs.verify(workspace, "r1").problems}

        assert (SECOND, "receipt-hash-mismatch") in kinds
        assert (THIRD, "prerequisite-hash-mismatch") in kinds


def test_threads_reading_a_changing_run_see_whole_states_and_no_exception(workspace, tmp_path):
    """One of the statuses that the file really had, each time; nothing raises, nothing leaks."""
    runs = Runs(WORKFLOW, limit=2)
    directory = make_run(tmp_path, a00="locked", a00w="locked")
    make_run(tmp_path, "r2", a00="locked")
    make_run(tmp_path, "r3", a00="locked")
    before = open_descriptors()
    locked = (directory / FIRST).read_bytes()
    seen: set[str] = set()
    failures: list[BaseException] = []
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for data in (b"Status: DRAFT\n", locked):
                (directory / "new").write_bytes(data)
                (directory / "new").rename(directory / FIRST)
            directory.rename(directory.with_name("away"))
            directory.with_name("away").rename(directory)

    def look(run_id):
        try:
            while not stop.is_set():
                reading = runs.facts(workspace, run_id, receipts=True)
                assert all("changing while" in reason for reason in reading.unreadable)
                if run_id == "r1" and not reading.unreadable:
                    seen.add(reading.facts.artifacts[FIRST].status)
        except BaseException as error:  # noqa: BLE001 (handed to the test's own thread)
            failures.append(error)

    threads = [threading.Thread(target=change)]
    threads += [threading.Thread(target=look, args=(name,)) for name in ("r1", "r1", "r2", "r3")]
    for thread in threads:
        thread.start()
    threading.Event().wait(1.0)
    stop.set()
    for thread in threads:
        thread.join()
    runs.close()

    assert failures == []
    assert seen <= {"LOCKED", "DRAFT", "MISSING"}
    assert open_descriptors() == before


def test_the_cost_of_a_run_does_not_depend_on_how_many_there_are(workspace, tmp_path, monkeypatch):
    """Counted in system calls: what is measured on one machine holds on all."""
    counts = []
    for total in (1, 10, 1000):
        for index in range(total):
            run_dir(tmp_path, f"run-{index}").mkdir(parents=True, exist_ok=True)
        make_run(tmp_path, "run-0", a00="locked")
        runs = Runs(WORKFLOW, clock=Steps())
        for _ in range(3):
            ask(runs, workspace, "run-0", receipts=True)
        with monkeypatch.context() as patch, watch_opens() as opened:
            calls = count_calls(patch)
            ask(runs, workspace, "run-0", receipts=True)
        counts.append((len(calls), len(opened)))
        runs.close()

    assert counts[0] == counts[1] == counts[2]
    assert counts[0][0] < 40
    assert counts[0][1] == 0


def count_calls(patch):
    calls: list[str] = []
    for name in ("stat", "lstat", "open", "scandir", "listdir", "readlink", "fstat"):
        real = getattr(os, name)

        def counted(*args, _real=real, _name=name, **more):
            calls.append(_name)
            return _real(*args, **more)

        patch.setattr(os, name, counted)
    return calls
