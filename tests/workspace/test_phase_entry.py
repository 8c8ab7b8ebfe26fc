"""Entering a phase: which one, what is recorded, and what is never touched."""

import json
import os

import pytest

from phasegate.core.reading import MemoryReading, ShownEntry
from phasegate.errors import (
    FileRefused,
    InvalidRequest,
    PhaseRefused,
    RunComplete,
    RunNotFound,
    WorkspaceNotServed,
)
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.read_receipts import receipt_facts
from phasegate.workspace.templates import load_templates, new_artifact
from phasegate.workspace.workflow_file import load_workflow
from support.disk import names, tree
from support.lifecycle import DONE, all_locked, make_run, run_dir, site_of
from support.peer import SEQUENCE, artifact_text

SIDECAR = "memory-injections.json"
READ = MemoryReading(
    "injected 1 of 4",
    "sha256:p",
    "sha256:q",
    "## memory",
    (ShownEntry("domains/a.md", "A", "sha256:e", 3),),
    ("domains/b.md: a link",),
)


def enter(root, run_id="r1", **fields):
    return enter_phase(site_of(root), EntryRequest(run_id, **fields))


def rows(directory):
    return json.loads((directory / SIDECAR).read_text())


def test_an_entry_without_a_plane_opens_the_gate(tmp_path):
    directory = make_run(tmp_path, a00="draft", a00w="draft")

    entry = enter(tmp_path)

    data = (directory / SIDECAR).read_bytes()
    found, _ = receipt_facts(data, run_id="r1", artifacts=SEQUENCE, key=site_of(tmp_path).key)
    assert found["00-requirements.md"].state == "valid"
    assert "empty" in entry.reading.reason
    assert entry.payload()["memory"] == ""


def test_the_payload_has_the_peers_fields(tmp_path):
    make_run(tmp_path, a00="draft", a00w="draft")

    payload = enter_phase(site_of(tmp_path, read_memory=lambda _: READ), EntryRequest("r1")).payload()

    assert list(payload)[:11] == [
        "runId",
        "phase",
        "fileName",
        "label",
        "requiredSections",
        "audited",
        "tdd",
        "qa",
        "memoryWrite",
        "memory",
        "memoryReason",
    ]
    assert (payload["runId"], payload["label"]) == ("r1", "00-requirements")
    assert payload["memory"] == "## memory"
    assert payload["memoryReason"] == "injected 1 of 4"
    assert payload["memoryWrite"] is None
    assert payload["memorySkipped"] == ["domains/b.md: a link"]
    assert payload["rules"]
    assert "ask" not in payload


def test_the_receipt_and_the_shard_rows_are_written_together(tmp_path):
    directory = make_run(tmp_path, a00="draft", a00w="draft")

    enter_phase(site_of(tmp_path, read_memory=lambda _: READ), EntryRequest("r1", session_id="s-1"))

    shard, receipt = rows(directory)
    assert shard == {"source": "domains/a.md", "title": "A", "phase": "00-requirements.md", "score": 3}
    assert receipt["injected"] is True
    assert receipt["phasegate"]["session"] == "s-1"
    assert receipt["phasegate"]["entries"][0]["digest"] == "sha256:e"


@pytest.mark.parametrize(
    ("states", "phase"),
    [
        ({}, "00-requirements.md"),
        ({"a00": "locked", "a00w": "draft"}, "00-worktree.md"),
        ({"a00": "stale", "a00w": "draft"}, "00-requirements.md"),
        ({"a00": "locked", "a00w": "locked"}, "06-decisions-update.md"),
        ({"a00": "locked", "a00w": "locked", "a02": "draft"}, "02-to-be-plan.md"),
    ],
    ids=["empty run", "second of phase 0", "stale lock", "absent optional phases", "present optional phase"],
)
def test_the_next_legal_phase_is_entered(tmp_path, states, phase):
    make_run(tmp_path, **states)

    assert enter(tmp_path).phase.artifact == phase


def test_a_lock_without_its_lock_receipt_does_not_count(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="locked")
    (directory / "locks/00-worktree.receipt.json").unlink()

    assert enter(tmp_path).phase.artifact == "00-worktree.md"


def test_a_named_phase_is_entered_when_nothing_before_it_is_open(tmp_path):
    make_run(tmp_path, a00="locked", a00w="locked")

    assert enter(tmp_path, phase="01-as-is").phase.artifact == "01-as-is.md"
    with pytest.raises(PhaseRefused, match="is locked"):
        enter(tmp_path, phase="00-requirements.md")


def test_a_later_phase_is_refused_with_what_blocks_it(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="draft")

    with pytest.raises(PhaseRefused, match=r"`00-worktree.md` \(DRAFT\)") as caught:
        enter(tmp_path, phase="01-as-is.md")
    assert caught.value.errors == [{"artifact": "00-worktree.md", "status": "DRAFT"}]
    assert SIDECAR not in names(directory)


def test_a_phase_outside_the_workflow_is_refused(tmp_path):
    make_run(tmp_path)

    with pytest.raises(InvalidRequest, match="no phase"):
        enter(tmp_path, phase="../x")


@pytest.mark.parametrize(
    ("run_id", "problem"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("../x", "separator"),
        ("/etc", "separator"),
        ("a/b", "separator"),
        ("E:\\x", "drive"),
        ("E:x", "drive"),
        ("ab:c", "colon"),
        (".hid", "dot"),
        ("end.", "dot"),
        ("a b", "only ASCII"),
        ("ü", "only ASCII"),
        ("x" * 101, "longer"),
    ],
)
def test_a_malformed_run_id_is_named_and_changes_nothing(tmp_path, run_id, problem):
    make_run(tmp_path, a00="draft")
    before = tree(tmp_path)

    with pytest.raises(InvalidRequest, match=problem):
        enter(tmp_path, run_id)
    assert tree(tmp_path) == before


def test_blanks_around_a_run_id_are_ignored(tmp_path):
    make_run(tmp_path)

    assert enter(tmp_path, "  r1  ").run_id == "r1"


def test_entry_never_creates_a_run(tmp_path):
    make_run(tmp_path)
    before = tree(tmp_path)

    with pytest.raises(RunNotFound, match="`r1x`"):
        enter(tmp_path, "r1x")
    assert tree(tmp_path) == before


def test_no_workspace_no_run_and_a_finished_run_are_told_apart(tmp_path):
    with pytest.raises(WorkspaceNotServed):
        enter(tmp_path / "gone")
    with pytest.raises(RunNotFound, match="no run"):
        enter(tmp_path, None)
    assert tree(tmp_path) == {}
    directory = all_locked(tmp_path)
    with pytest.raises(RunComplete):
        enter(tmp_path)
    assert SIDECAR not in names(directory)


def test_without_an_id_the_newest_run_is_entered(tmp_path):
    for name, time in (("a", 1), ("b", 2)):
        os.utime(make_run(tmp_path, name), (time, time))

    assert enter(tmp_path, None).run_id == "b"
    os.utime(run_dir(tmp_path, "a"), (3, 3))
    assert enter(tmp_path, None).run_id == "a"


def test_entering_an_old_run_by_name_does_not_make_it_the_newest(tmp_path):
    for name, time in (("a", 1), ("b", 2)):
        os.utime(make_run(tmp_path, name), (time, time))

    enter(tmp_path, "a")

    assert enter(tmp_path, None).run_id == "b"


def test_a_linked_run_is_refused(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    make_run(tmp_path, "real")
    run_dir(tmp_path, "r1").symlink_to(outside)

    with pytest.raises(FileRefused):
        enter(tmp_path)
    assert names(outside) == []


def test_the_owed_question_is_asked_until_the_artifact_answers_it(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="locked", a03="draft")
    ask = enter(tmp_path).payload()["ask"]
    assert (ask["gate"], ask["artifact"]) == ("tdd-mode", "03-implementation-summary.md")

    text = artifact_text("r1", "03-implementation-summary.md", "draft", "- TDD Mode: strict\n")
    (directory / "03-implementation-summary.md").write_text(text)
    payload = enter(tmp_path).payload()
    assert "ask" not in payload
    assert payload["tdd"]


def test_the_phase_that_owns_memory_is_told_how_to_write_it(tmp_path):
    all_locked(tmp_path, but=lambda name: "draft" if name.startswith("08") else None)

    write = enter(tmp_path).payload()["memoryWrite"]

    assert write["alwaysAvailable"] == ".recursive/memory/episodes/r1.md"
    assert write["section"] == "Affected Memory Docs"
    assert write["provenanceField"] == "Source-Runs"


def seen_request(tmp_path, text, **fields):
    directory = make_run(tmp_path, a00="draft", a00w="draft")
    (directory / "00-requirements.md").write_text(text)
    seen = []

    def read(request):
        seen.append(request)
        return READ

    enter_phase(site_of(tmp_path, read_memory=read), EntryRequest("r1", **fields))
    return seen[0]


def test_only_the_first_4000_characters_of_the_requirements_are_searched_for(tmp_path):
    request = seen_request(tmp_path, "a" * 3999 + " " + "needle")

    assert "needle" not in request.query
    assert len(request.query) == 4000


def test_a_pair_that_the_cut_would_split_is_left_out(tmp_path):
    request = seen_request(tmp_path, "a" * 3999 + "\U0001f600")

    assert request.query == "a" * 3999


def test_an_unfilled_form_is_no_query(tmp_path):
    workflow = load_workflow()
    draft = new_artifact(load_templates(), workflow, workflow.phases[0], run_id="r1", title="")

    request = seen_request(tmp_path, draft)

    assert request.template_query
    assert request.query.strip() == ""


def test_what_was_written_into_the_form_is_the_query(tmp_path):
    workflow = load_workflow()
    draft = new_artifact(load_templates(), workflow, workflow.phases[0], run_id="r1", title="Fix the parser")

    request = seen_request(tmp_path, draft)

    assert not request.template_query
    assert "Fix the parser" in request.query


def test_the_callers_query_and_paths_are_passed_on_within_bounds(tmp_path):
    request = seen_request(tmp_path, DONE, query="lexer", changed_paths=("a",) * 100_000)

    assert request.query == "lexer"
    assert len(request.changed_paths) == 5_000
