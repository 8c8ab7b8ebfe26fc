"""Reopening: what rested on the old text no longer counts, and is named."""

import json
import shutil

import pytest

from phasegate.core.ordering import next_legal_artifact
from phasegate.errors import InvalidRequest, LockRefused, RunComplete
from phasegate.files.directory import Directory
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.read_receipts import is_receipt
from phasegate.workspace.reopen import reopen_artifact
from phasegate.workspace.run_state import read_state
from phasegate.workspace.workflow_file import load_workflow
from support.disk import killed_everywhere, names, tree
from support.lifecycle import all_locked, make_run, site_of
from support.peer import SEQUENCE, read_rows, status

SIDECAR = "memory-injections.json"


def reopen(root, artifact, reason="it was wrong"):
    return reopen_artifact(site_of(root), "r1", artifact, reason)


def statuses(directory):
    with Directory.open_root(str(directory)) as run:
        state = read_state(run, "r1", load_workflow())
    return {name: facts.status for name, facts in state.facts.artifacts.items()}


def test_the_artifact_is_a_draft_again_for_every_reader(tmp_path):
    directory = make_run(tmp_path, a00="locked")

    outcome = reopen(tmp_path, "00-requirements.md", "  a requirement was missing ")

    text = (directory / "00-requirements.md").read_text()
    assert status(text) == "DRAFT"
    assert "LockedAt" not in text
    assert "LockHash" not in text
    assert names(directory / "locks") == ["phasegate-released.json"]
    assert outcome.reason == "a requirement was missing"


def test_everything_that_was_locked_later_is_stale_and_named(tmp_path):
    """A lock made on the old text must not satisfy the order after the text has changed."""
    directory = all_locked(tmp_path)

    outcome = reopen(tmp_path, "02-to-be-plan.md")

    later = SEQUENCE[SEQUENCE.index("02-to-be-plan.md") + 1 :]
    assert outcome.stale == later
    found = statuses(directory)
    assert {found[name] for name in later} == {"STALE_LOCK"}
    assert [found[name] for name in SEQUENCE[:4]] == ["LOCKED"] * 4
    assert found["02-to-be-plan.md"] == "DRAFT"


def test_later_texts_keep_their_bytes(tmp_path):
    directory = all_locked(tmp_path)
    before = tree(directory)

    reopen(tmp_path, "00-requirements.md")

    after = tree(directory)
    assert all(after[name] == before[name] for name in SEQUENCE[1:])


def test_later_artifacts_are_locked_again_one_by_one(tmp_path):
    directory = all_locked(tmp_path)
    reopen(tmp_path, "00-requirements.md")

    with pytest.raises(LockRefused, match="00-requirements"):
        lock_artifact(site_of(tmp_path), "r1", "00-worktree.md")
    for name in SEQUENCE:
        lock_artifact(site_of(tmp_path), "r1", name)

    assert set(statuses(directory).values()) == {"LOCKED"}
    with pytest.raises(RunComplete):
        enter_phase(site_of(tmp_path), EntryRequest("r1"))


def test_memory_must_be_read_again_from_that_phase_on(tmp_path):
    directory = all_locked(tmp_path)
    shard = {"source": "domains/a.md", "title": "A", "phase": "03-implementation-summary.md", "score": 1}
    rows = [*json.loads(read_rows([SEQUENCE[0], SEQUENCE[2], SEQUENCE[5], SEQUENCE[11]])), shard]
    (directory / SIDECAR).write_text(json.dumps(rows))

    outcome = reopen(tmp_path, "02-to-be-plan.md")

    kept = json.loads((directory / SIDECAR).read_text())
    assert [row["phase"] for row in kept if is_receipt(row)] == [SEQUENCE[0], SEQUENCE[2]]
    assert shard in kept
    assert "03-implementation-summary.md" in outcome.forgotten


def test_either_artifact_of_phase_0_closes_the_gate_of_both(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="locked")
    (directory / SIDECAR).write_text(read_rows([SEQUENCE[0], SEQUENCE[1]]))

    reopen(tmp_path, "00-worktree.md")

    assert json.loads((directory / SIDECAR).read_text()) == []


def test_reopening_needs_no_prerequisites(tmp_path):
    make_run(tmp_path, a00="draft", a01="locked")

    assert reopen(tmp_path, "01-as-is.md").stale == ()


def test_a_lock_that_is_no_longer_valid_can_be_reopened(tmp_path):
    directory = make_run(tmp_path, a00="stale")

    reopen(tmp_path, "00-requirements.md")

    assert statuses(directory)["00-requirements.md"] == "DRAFT"


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001])
def test_a_reason_is_needed(tmp_path, reason):
    make_run(tmp_path, a00="locked")

    with pytest.raises(InvalidRequest, match="reason"):
        reopen(tmp_path, "00-requirements.md", reason)


def test_a_draft_and_an_absent_artifact_are_not_reopened(tmp_path):
    make_run(tmp_path, a00="draft")

    with pytest.raises(LockRefused, match="is not locked"):
        reopen(tmp_path, "00-requirements.md")
    with pytest.raises(LockRefused, match="is not found"):
        reopen(tmp_path, "00-worktree.md")


def test_an_addendum_has_no_consequences(tmp_path):
    directory = all_locked(tmp_path)
    (directory / "addenda").mkdir()
    (directory / "addenda/a.md").write_text("Status: `DRAFT`\n\ntext\n")
    lock_artifact(site_of(tmp_path), "r1", "addenda/a.md")

    assert reopen(tmp_path, "addenda/a.md").stale == ()
    assert set(statuses(directory).values()) == {"LOCKED"}


def test_a_killed_reopen_is_made_or_not_made_and_never_half(tmp_path):
    """At no moment does something later count as locked while the artifact is already open."""
    states = {"a00": "locked", "a00w": "locked", "a01": "locked"}
    directory = make_run(tmp_path, **states)
    seen = set()
    for _ in killed_everywhere(lambda: reopen(tmp_path, "00-requirements.md")):
        torn = statuses(directory)
        assert torn["00-requirements.md"] == "LOCKED" or torn["01-as-is.md"] != "LOCKED"
        finished = statuses_after_recovery(tmp_path, directory)
        seen.add((finished["00-requirements.md"], finished["00-worktree.md"], finished["01-as-is.md"]))
        shutil.rmtree(directory)
        make_run(tmp_path, **states)
    assert seen == {("LOCKED",) * 3, ("DRAFT", "STALE_LOCK", "STALE_LOCK")}


def statuses_after_recovery(root, directory):
    from phasegate.workspace.site import held_run

    with held_run(site_of(root), "r1"):
        found = statuses(directory)
    assert "phasegate-pending.json" not in "".join(tree(directory))
    return found


def test_the_next_legal_phase_after_a_reopen_is_the_reopened_one(tmp_path):
    directory = all_locked(tmp_path)
    reopen(tmp_path, "04-test-summary.md")

    with Directory.open_root(str(directory)) as run:
        facts = read_state(run, "r1", load_workflow()).facts
    assert next_legal_artifact(facts, load_workflow()) == "04-test-summary.md"
