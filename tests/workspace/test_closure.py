"""Closing: what may be counted, and who may object."""

import json

import pytest

from phasegate.core.reading import MemoryReading, ShownEntry
from phasegate.errors import ClosureRefused, RunBusy
from phasegate.workspace.closure import CLOSURE_CHECKS, ClosureCheck, close_run
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from support.disk import tree
from support.lifecycle import all_locked, make_run, site_of
from support.peer import read_rows

FIRST, SECOND, LAST = "00-requirements.md", "00-worktree.md", "08-memory-impact.md"


def shard(source, phase):
    return {"source": source, "title": "t", "phase": phase, "score": 1}


def shown(root, **options):
    return close_run(site_of(root), "r1", **options).shown


def test_rows_of_locked_phases_are_counted_and_others_not(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="draft")
    rows = [*json.loads(read_rows([FIRST])), shard("domains/a.md", FIRST), shard("domains/b.md", SECOND)]
    (directory / "memory-injections.json").write_text(json.dumps(rows))

    assert shown(tmp_path) == ((FIRST, "domains/a.md"),)
    assert shown(tmp_path, sealed_only=True) == ()


def test_a_damaged_receipt_is_never_taken_for_something_shown(tmp_path):
    directory = make_run(tmp_path, a00="locked")
    row = {"source": "memory-read:attempt", "title": FIRST, "phase": FIRST, "score": 0}
    (directory / "memory-injections.json").write_text(json.dumps([row]))

    assert shown(tmp_path) == ()


def test_a_sealed_receipt_says_itself_what_was_shown(tmp_path):
    """Rows that somebody adds beside it, or left there from an earlier entry, count nothing."""
    directory = make_run(tmp_path, a00="draft")
    reading = MemoryReading("injected 1 of 1", "p", "q", "s", (ShownEntry("domains/a.md", "A", "e", 1),))
    enter_phase(site_of(tmp_path, read_memory=lambda _: reading), EntryRequest("r1"))
    lock_artifact(site_of(tmp_path), "r1", FIRST)
    sidecar = directory / "memory-injections.json"
    sidecar.write_text(json.dumps([*json.loads(sidecar.read_text()), shard("domains/x.md", FIRST)]))

    assert shown(tmp_path) == ((FIRST, "domains/a.md"),)
    assert shown(tmp_path, sealed_only=True) == ((FIRST, "domains/a.md"),)

    sidecar.write_text(sidecar.read_text().replace('"domains/a.md"', '"domains/z.md"'))
    assert shown(tmp_path) == ()


def last_open(root, **site):
    all_locked(root, but=lambda name: "draft" if name == LAST else None)
    return site_of(root, **site)


def test_the_lock_of_the_last_artifact_closes_the_run_and_counts(tmp_path):
    counted = []

    def settle(run_id, pairs):
        counted.append((run_id, pairs))
        return pairs

    site = last_open(tmp_path, settle=settle)
    rows = [shard("domains/a.md", FIRST), shard("domains/b.md", LAST)]
    (tmp_path / ".recursive/run/r1/memory-injections.json").write_text(json.dumps(rows))

    outcome = lock_artifact(site, "r1", LAST)

    assert outcome.settled == ((FIRST, "domains/a.md"), (LAST, "domains/b.md"))
    assert counted == [("r1", outcome.settled)]


def test_any_other_lock_counts_nothing(tmp_path):
    make_run(tmp_path, a00="draft")

    site = site_of(tmp_path, settle=lambda *_: pytest.fail("counted"))
    assert lock_artifact(site, "r1", FIRST).settled == ()


def test_the_lock_stands_when_counting_fails(tmp_path, caplog):
    def settle(*_):
        raise RunBusy("another process is changing `.recursive`")

    site = last_open(tmp_path, settle=settle)

    assert lock_artifact(site, "r1", LAST).settled == ()
    assert "was not counted" in caplog.text


def test_a_check_refuses_the_lock_that_would_close_the_run(tmp_path):
    site = last_open(tmp_path)
    before = tree(tmp_path)
    checks = (ClosureCheck("owed", lambda *_: "a reply is owed"),)

    with pytest.raises(ClosureRefused, match="a reply is owed"):
        lock_artifact(site, "r1", LAST, checks=checks)
    assert tree(tmp_path) == before


def test_nothing_is_written(tmp_path):
    make_run(tmp_path, a00="locked")
    before = tree(tmp_path)

    close_run(site_of(tmp_path), "r1")

    assert tree(tmp_path) == before


def test_no_check_is_shipped_and_any_can_be_added(tmp_path):
    make_run(tmp_path, a00="locked")
    assert CLOSURE_CHECKS == ()
    checks = (
        ClosureCheck("one", lambda held, _: f"run `{held.run_id}` owes a reply", "answer it"),
        ClosureCheck("two", lambda *_: ""),
    )

    with pytest.raises(ClosureRefused, match="owes a reply") as caught:
        close_run(site_of(tmp_path), "r1", checks=checks)
    assert caught.value.errors == [{"check": "one", "reason": "run `r1` owes a reply"}]
    assert caught.value.remedy == "answer it"
