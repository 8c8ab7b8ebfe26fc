"""The gate before the requirements, asked of the whole guard over real files."""

import json
import shutil

import pytest

from phasegate.files.keyfile import load_key
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.reopen import reopen_artifact
from support.disk import tree
from support.guarded import guarded
from support.lifecycle import site_of
from support.peer import SEQUENCE, read_rows
from support.plane import reader_of, write

FIRST, SECOND = SEQUENCE[:2]
DRAFTS = "d" * 12
SIDECAR = "memory-injections.json"


@pytest.fixture
def guard(tmp_path):
    with guarded(tmp_path) as opened:
        yield opened


@pytest.fixture
def sealed(tmp_path):
    with guarded(tmp_path, read_receipts="sealed") as opened:
        yield opened


def site(guard):
    return site_of(
        guard.root, key=load_key(str(guard.root.parent / "data")), read_memory=reader_of(guard.root)
    )


def enter(guard, run_id="r1"):
    return enter_phase(site(guard), EntryRequest(run_id, session_id="s-1"))


def writing(guard, name=FIRST, run_id="r1", **fields):
    path = f".recursive/run/{run_id}/{name}"
    return guard.decide("write", {"file_path": path, "content": "x"}, run_id=run_id, **fields)


def verdict(guard, name=FIRST, run_id="r1"):
    reply = writing(guard, name, run_id)
    return reply["kind"], reply["rule"]


def test_a_run_that_was_never_entered_is_closed_and_says_how_to_open_it(guard):
    guard.run(DRAFTS, read=False)

    for name in (FIRST, SECOND):
        reply = writing(guard, name)
        assert (reply["kind"], reply["rule"]) == ("deny", "memory-read")
        assert "recursive_phase" in reply["reason"]
        assert "empty memory plane is fine" in reply["reason"]
        assert reply["remedy"]["action"] == "enter_phase"


def test_one_entry_on_an_empty_plane_opens_both(guard):
    guard.run(DRAFTS, read=False)
    enter(guard)

    assert verdict(guard, FIRST)[0] == verdict(guard, SECOND)[0] == "allow"
    assert verdict(guard, "02-to-be-plan.md") == ("deny", "phase-order")


def test_an_entry_into_the_second_artifact_opens_it(guard):
    guard.run("Ld", read=False)

    assert enter(guard).phase.artifact == SECOND
    assert verdict(guard, SECOND)[0] == "allow"


def test_a_later_phase_reports_the_order_and_an_absent_run_the_gate(guard):
    guard.run(DRAFTS, read=False)

    assert verdict(guard, "02-to-be-plan.md") == ("deny", "phase-order")
    assert verdict(guard, FIRST, "ghost") == ("deny", "memory-read")


def test_advisory_warns(tmp_path):
    with guarded(tmp_path, "advisory") as guard:
        guard.run(DRAFTS, read=False)
        reply = writing(guard)
    assert (reply["kind"], reply["rule"]) == ("allow", "memory-read")
    assert "recursive_phase" in reply["warning"]


def test_the_agent_cannot_write_its_own_receipt(guard):
    guard.run(DRAFTS, read=False)
    path = f".recursive/run/r1/{SIDECAR}"

    assert guard.answer("write", {"file_path": path, "content": read_rows([FIRST])}) == (
        "deny",
        "control-plane",
    )
    assert guard.bash(f"echo '[]' > {path}", run_id="r1")["kind"] == "deny"
    assert verdict(guard) == ("deny", "memory-read")


def test_memory_that_came_later_closes_the_gate_until_it_is_read(guard):
    guard.run(DRAFTS, read=False)
    enter(guard)
    write(guard.root, "domains/x.md", "# Lock\ntext")

    reply = writing(guard)
    assert (reply["kind"], reply["rule"]) == ("deny", "memory-read")
    assert "memory has changed since it was read" in reply["reason"]
    enter(guard)
    assert verdict(guard)[0] == "allow"


def test_a_receipt_of_another_run_is_not_authentic(guard):
    for run_id in ("a", "b"):
        guard.run(DRAFTS, run_id, read=False)
    enter(guard, "a")
    runs = guard.root / ".recursive/run"
    shutil.copy(runs / "a" / SIDECAR, runs / "b" / SIDECAR)

    assert verdict(guard, FIRST, "a")[0] == "allow"
    reply = writing(guard, FIRST, "b")
    assert (reply["kind"], reply["rule"]) == ("deny", "memory-read")
    assert "was not written by the guard" in reply["reason"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row | {"reason": row["reason"] + "!"}, "was not written by the guard"),
        (lambda row: row | {"phasegate": {}}, "is damaged"),
        (lambda row: row | {"shards": "0"}, "is damaged"),
    ],
    ids=["reason", "seal", "shape"],
)
def test_a_changed_receipt_is_told_apart_from_none(sealed, change, words):
    directory = sealed.run(DRAFTS, read=False)
    enter(sealed)
    assert verdict(sealed)[0] == "allow"
    (row,) = json.loads((directory / SIDECAR).read_text())
    (directory / SIDECAR).write_text(json.dumps([change(row)]))

    reply = writing(sealed)
    assert (reply["kind"], reply["rule"]) == ("deny", "memory-read")
    assert words in reply["reason"]


def test_a_receipt_that_anybody_can_write_opens_only_where_that_is_accepted(tmp_path):
    with guarded(tmp_path / "one") as accepting:
        accepting.run(DRAFTS)
        assert verdict(accepting)[0] == "allow"
    with guarded(tmp_path / "two", read_receipts="sealed") as sealed:
        sealed.run(DRAFTS)
        reply = writing(sealed)
        assert (reply["kind"], reply["rule"]) == ("deny", "memory-read")
        assert "carries no seal of the guard" in reply["reason"]
        enter(sealed)
        assert verdict(sealed)[0] == "allow"


@pytest.mark.parametrize("phase", ["000x", "0", "00-notes.md"])
def test_a_loose_phase_name_opens_nothing(guard, phase):
    directory = guard.run(DRAFTS, read=False)
    (directory / SIDECAR).write_text(read_rows([phase]))

    assert verdict(guard) == ("deny", "memory-read")


@pytest.mark.parametrize("text", ["{ not json", "[null]", "", '{"a": 1}', "\ufeff[]"])
def test_a_damaged_file_keeps_the_gate_closed_until_an_entry_repairs_it(guard, text):
    directory = guard.run(DRAFTS, read=False)
    (directory / SIDECAR).write_text(text)

    assert verdict(guard) == ("deny", "memory-read")
    enter(guard)
    assert verdict(guard)[0] == "allow"


def test_after_a_reopen_memory_is_read_again(guard):
    directory = guard.run("d", read=False)
    enter(guard)
    (directory / FIRST).write_text("Status: `DRAFT`\n\n## Text\n\nsaid\n")
    lock_artifact(site(guard), "r1", FIRST)
    reopen_artifact(site(guard), "r1", FIRST, "a requirement was missing")

    assert verdict(guard) == ("deny", "memory-read")
    enter(guard)
    assert verdict(guard)[0] == "allow"


def test_a_link_to_the_requirements_is_the_requirements(guard):
    directory = guard.run(DRAFTS, read=False)
    (directory / "notes.md").symlink_to(FIRST)

    assert verdict(guard, "notes.md") == ("deny", "memory-read")


def test_the_run_that_owns_the_file_is_asked_not_the_active_one(guard):
    for run_id in ("a", "b"):
        guard.run(DRAFTS, run_id, read=False)
    enter(guard, "a")

    reply = guard.decide("write", {"file_path": f".recursive/run/b/{FIRST}", "content": "x"}, run_id="a")
    assert (reply["kind"], reply["rule"], reply["run_id"]) == ("deny", "memory-read", "b")


def test_the_peers_policy_file_keeps_the_gate(guard):
    guard.run(DRAFTS, read=False, policy="shipped")
    assert verdict(guard) == ("deny", "memory-read")

    enter(guard)
    assert verdict(guard)[0] == "allow"


def test_every_phase_can_be_made_to_ask_for_its_own_entry(tmp_path):
    with guarded(tmp_path, entry_every_phase=True) as guard:
        directory = guard.run("LLLLLd", read=False)
        third = SEQUENCE[5]
        asking = site_of(guard.root, key=site(guard).key, entry_every_phase=True)
        from phasegate.errors import LockRefused

        assert verdict(guard, third) == ("deny", "memory-read")
        with pytest.raises(LockRefused, match="no read of memory"):
            lock_artifact(asking, "r1", third)
        assert enter(guard).phase.artifact == third
        assert verdict(guard, third)[0] == "allow"
        assert lock_artifact(asking, "r1", third).artifact == third
        assert directory.is_dir()


def test_the_plane_can_be_frozen_until_its_phase(tmp_path):
    with guarded(tmp_path, plane_freeze=True) as guard:
        write(guard.root, "domains/a.md", "# A\nb")
        path = ".recursive/memory/domains/a.md"
        for locked in range(12):
            guard.run("L" * locked + "d")
            calls = [
                guard.decide("write", {"file_path": path, "content": "x"}, run_id="r1"),
                guard.decide("edit", {"file_path": path, "old_string": "b", "new_string": "c"}, run_id="r1"),
                guard.bash(f"echo x > {path}", run_id="r1"),
            ]
            expected = "allow" if SEQUENCE[locked].startswith("08") else "deny"
            assert {reply["kind"] for reply in calls} == {expected}, SEQUENCE[locked]


def test_deciding_writes_nothing(guard):
    guard.run(DRAFTS, read=False)
    enter(guard)
    before = tree(guard.root)

    for name in SEQUENCE:
        writing(guard, name)

    assert tree(guard.root) == before
