"""A run under many processes, and under processes that die: nothing lost, nothing torn, never open too far."""

import json
import multiprocessing
import time

import pytest

from phasegate.core.facts import RunFacts
from phasegate.errors import LockRefused, PhaseRefused, RunBusy, RunComplete
from phasegate.files.directory import Directory
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.read_receipts import is_receipt, receipt_facts
from phasegate.workspace.run_state import read_state
from phasegate.workspace.workflow_file import load_workflow
from support.disk import kill_at, killed_everywhere, names
from support.lifecycle import DONE, make_run, site_of
from support.peer import SEQUENCE, artifact_text, content_hash, lock_receipt, read_rows, status
from support.plane import reader_of, write

SIDECAR = "memory-injections.json"
SECONDS = 10.0
PROCESSES = 8


def gate(directory):
    path = directory / SIDECAR
    data = path.read_bytes() if path.exists() else None
    found, defect = receipt_facts(data, run_id="r1", artifacts=SEQUENCE, key=site_of(directory).key)
    return {phase: facts.state for phase, facts in found.items()}, defect


def test_a_killed_entry_leaves_the_old_rows_or_the_new_ones(tmp_path):
    """The gate is never open without the whole receipt, and never loses somebody else's row."""
    directory = make_run(tmp_path, a00="draft", a00w="draft")
    write(tmp_path, "domains/a.md", "# Lock\ntext")
    before = read_rows([SEQUENCE[2]])
    site = site_of(tmp_path, read_memory=reader_of(tmp_path))
    seen = set()
    (directory / SIDECAR).write_text(before)

    for _ in killed_everywhere(lambda: enter_phase(site, EntryRequest("r1", query="lock"))):
        states, defect = gate(directory)
        assert defect == ""
        assert states[SEQUENCE[2]] == "valid"
        rows = json.loads((directory / SIDECAR).read_text())
        entered = SEQUENCE[0] in states
        assert len(rows) == (3 if entered else 1)
        seen.add(entered)
        (directory / SIDECAR).write_text(before)
    assert seen == {False, True}

    enter_phase(site, EntryRequest("r1", query="lock"))
    assert [name for name in names(directory) if name.endswith("-tmp")] == []


@pytest.mark.parametrize("moment", [1, 4, 7, 10])
def test_a_damaged_file_survives_a_killed_repair(tmp_path, moment):
    directory = make_run(tmp_path, a00="draft")
    (directory / SIDECAR).write_text("{ broken")

    kill_at(moment, lambda: enter_phase(site_of(tmp_path), EntryRequest("r1")))

    kept = [name for name in names(directory) if name.startswith(SIDECAR)]
    assert any((directory / name).read_text() == "{ broken" for name in kept)
    enter_phase(site_of(tmp_path), EntryRequest("r1"))
    assert gate(directory)[0] == {SEQUENCE[0]: "valid"}


def _crowd(root, number, deadline, log):
    site = site_of(root, timeout=30.0)
    entered = won = 0
    wins = []
    while time.monotonic() < deadline:
        try:
            enter_phase(site, EntryRequest("r1", phase=None, session_id=f"s-{number}"))
            entered += 1
        except (PhaseRefused, RunComplete):
            pass
        for name in SEQUENCE:
            try:
                lock_artifact(site, "r1", name)
            except LockRefused:
                continue
            won += 1
            wins.append(name)
    log.put((number, entered, won, wins))


def explainable(facts: RunFacts) -> bool:
    """Whether the statuses fit some moment of a serial history: what is locked is a start of the sequence."""
    locked = [facts.artifacts[name].status == "LOCKED" for name in SEQUENCE]
    return locked == sorted(locked, reverse=True)


@pytest.mark.slow
def test_eight_processes_lose_nothing_and_each_lock_has_one_winner(tmp_path):
    directory = make_run(tmp_path)
    for name in SEQUENCE:
        (directory / name).write_text(artifact_text("r1", name, "draft", DONE))
    context = multiprocessing.get_context("fork")
    log = context.Queue()
    deadline = time.monotonic() + SECONDS
    crowd = [context.Process(target=_crowd, args=(tmp_path, n, deadline, log)) for n in range(PROCESSES)]
    for process in crowd:
        process.start()
    seen_receipts: set[str] = set()
    looks = 0
    while time.monotonic() < deadline:
        states, defect = gate(directory)
        assert defect == ""
        assert set(states.values()) <= {"valid"}
        assert seen_receipts <= set(states)
        seen_receipts |= set(states)
        with Directory.open_root(str(directory)) as run:
            assert explainable(read_state(run, "r1", load_workflow()).facts)
        looks += 1
        time.sleep(0.01)
    results = [log.get(timeout=60) for _ in crowd]
    for process in crowd:
        process.join()

    wins = sorted(name for _, _, _, names_won in results for name in names_won)
    assert wins == sorted(SEQUENCE)
    assert looks > 50
    for name in SEQUENCE:
        text = (directory / name).read_text()
        assert status(text) == "LOCKED"
        stem = name.removesuffix(".md")
        fields = json.loads((directory / f"locks/{stem}.receipt.json").read_text())
        again = json.loads(lock_receipt(directory.resolve(), name))
        assert fields["prerequisite_hashes"] == again["prerequisite_hashes"]
        assert fields["artifact_hash"] == content_hash(text)
    rows = json.loads((directory / SIDECAR).read_text())
    assert {row["phase"] for row in rows if is_receipt(row)} == seen_receipts
    assert names(directory / "locks") == sorted(f"{n.removesuffix('.md')}.receipt.json" for n in SEQUENCE)


def _die_often(root, number):
    site = site_of(root, timeout=30.0)
    for attempt in range(30):
        kill_at(
            1 + (attempt * 7 + number * 5) % 30,
            lambda: [_quiet(lambda name=name: lock_artifact(site, "r1", name)) for name in SEQUENCE[:3]],
        )


def _quiet(work):
    try:
        work()
    except (LockRefused, RunBusy):
        return


def test_processes_that_die_all_the_time_block_nobody(tmp_path):
    directory = make_run(tmp_path)
    for name in SEQUENCE[:3]:
        (directory / name).write_text(artifact_text("r1", name, "draft", DONE))
    context = multiprocessing.get_context("fork")
    crowd = [context.Process(target=_die_often, args=(tmp_path, n)) for n in range(3)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()

    site = site_of(tmp_path)
    for name in SEQUENCE[:3]:
        _quiet(lambda name=name: lock_artifact(site, "r1", name))
    assert {status((directory / name).read_text()) for name in SEQUENCE[:3]} == {"LOCKED"}
    assert names(directory / "locks") == sorted(f"{n.removesuffix('.md')}.receipt.json" for n in SEQUENCE[:3])
    assert [name for name in names(directory) if name.startswith(".")] == []


def test_a_directory_that_is_swapped_for_a_link_is_never_followed(tmp_path):
    """Between the check and the write stands an open descriptor, not a path."""
    directory = make_run(tmp_path, a00="draft")
    outside = tmp_path / "outside"
    outside.mkdir()
    moved = tmp_path / "moved"

    from phasegate.files.steps import observed_by

    def swap(moment):
        if moment == "before open" and not moved.exists():
            directory.rename(moved)
            directory.symlink_to(outside)

    with observed_by(swap):
        enter_phase(site_of(tmp_path), EntryRequest("r1"))

    assert names(outside) == []
    assert SIDECAR in names(moved)
    assert directory.is_symlink()
