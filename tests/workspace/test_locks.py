"""Locking: the gates in their order, the peer's bytes, one winner, and no state in between."""

import json
import multiprocessing
import shutil

import pytest

from phasegate.core.reading import PromotionReading
from phasegate.errors import FileRefused, InvalidRequest, LockRefused, RunNotFound
from phasegate.workspace.lock_seals import seal_problem
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from support.disk import killed_everywhere, names, tree
from support.lifecycle import DONE, KEY, NOW, all_locked, make_run, run_dir, site_of
from support.peer import SEQUENCE, artifact_text, content_hash, lock_receipt, status

LAST = "08-memory-impact.md"


def lock(root, artifact, run_id="r1", **site):
    return lock_artifact(site_of(root, **site), run_id, artifact)


def refusal(root, artifact, **site):
    with pytest.raises(LockRefused) as caught:
        lock(root, artifact, **site)
    return caught.value.errors[0].get("gate"), caught.value.detail


def before_last(root):
    return all_locked(root, but=lambda name: "draft" if name == LAST else None)


def test_a_lock_verifies_with_the_peers_own_algorithms(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="draft")

    outcome = lock(tmp_path, "00-worktree.md")

    text = (directory / "00-worktree.md").read_text()
    assert status(text) == "LOCKED"
    assert outcome.artifact_hash == content_hash(text)
    data = (directory / "locks/00-worktree.receipt.json").read_text()
    fields = json.loads(data)
    again = json.loads(lock_receipt(directory, "00-worktree.md"))
    assert fields["prerequisite_hashes"] == again["prerequisite_hashes"]
    assert fields["artifact_hash"] == content_hash(text)
    assert fields["locked_at"] == NOW
    assert fields["previous_receipt_hash"] is None
    assert data == json.dumps(fields, indent=2, sort_keys=True)
    assert not data.endswith("\n")


def test_the_bytes_are_those_of_the_peer(tmp_path):
    """Same text, same time: the artifact and its lock receipt equal what the public tool would write."""
    directory = make_run(tmp_path, a00="draft")
    lock(tmp_path, "00-requirements.md", now=lambda: "2026-01-01T00:00:00Z")

    written = tree(directory)
    text = artifact_text("r1", "00-requirements.md", "locked", DONE)
    assert written["00-requirements.md"].decode() == text
    expected = lock_receipt(directory.resolve(), "00-requirements.md")
    assert written["locks/00-requirements.receipt.json"].decode() == expected


def test_a_path_with_other_letters_is_escaped_as_the_peer_does(tmp_path):
    root = tmp_path / "café"
    directory = make_run(root, a00="draft")

    lock(root, "00-requirements.md", now=lambda: "2026-01-01T00:00:00Z")

    written = (directory / "locks/00-requirements.receipt.json").read_bytes()
    assert b"caf\\u00e9" in written
    assert written.decode() == lock_receipt(directory.resolve(), "00-requirements.md")


def test_an_earlier_receipt_that_is_still_there_is_cited(tmp_path):
    directory = make_run(tmp_path, a00="locked")
    before = json.loads((directory / "locks/00-requirements.receipt.json").read_text())
    (directory / "00-requirements.md").write_text(artifact_text("r1", "00-requirements.md", "draft", DONE))

    assert lock(tmp_path, "00-requirements.md").previous_receipt_hash == before["receipt_hash"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Status: `DRAFT`\n", "Status: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\n"),
        ("- Status: draft, really\n", "Status: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\n"),
        (
            "Run: `r1`\nPhase: `x`\nScope note: y\n",
            "Run: `r1`\nPhase: `x`\nStatus: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\nScope note: y\n",
        ),
        ("", "Status: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\n"),
        (
            "Status: LOCKED\nLockHash: old\n- LockedAt: x\nRun: r\n",
            "Status: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\nRun: r\n",
        ),
        ("\ufeffStatus: DRAFT\r\n", "Status: `LOCKED`\nLockedAt: `{at}`\nLockHash: `{hash}`\n"),
    ],
    ids=["plain", "bulleted", "below phase", "no header", "old lock lines", "byte order mark, CRLF"],
)
def test_the_header_gets_exactly_the_three_lines(tmp_path, head, expected):
    directory = make_run(tmp_path)
    (directory / "00-requirements.md").write_bytes((head + DONE).encode())

    outcome = lock(tmp_path, "00-requirements.md")

    text = (directory / "00-requirements.md").read_text()
    assert text == expected.format(at=NOW, hash=outcome.artifact_hash) + DONE
    assert status(text) == "LOCKED"


def test_a_missing_artifact_is_not_found(tmp_path):
    make_run(tmp_path)

    assert refusal(tmp_path, LAST) == ("exists", f"`{LAST}` is not found")


def test_a_locked_artifact_is_not_locked_again(tmp_path):
    make_run(tmp_path, a00="locked")

    assert refusal(tmp_path, "00-requirements.md") == ("not-locked", "`00-requirements.md` is already LOCKED")


@pytest.mark.parametrize("state", ["draft", "stale", None])
def test_every_earlier_artifact_must_be_locked(tmp_path, state):
    states = {"a00": "locked", "a00w": state, "a01": "draft"}
    make_run(tmp_path, **{key: value for key, value in states.items() if value})

    gate, detail = refusal(tmp_path, "01-as-is.md")

    word = {"draft": "DRAFT", "stale": "STALE_LOCK", None: "MISSING"}[state]
    assert (gate, word in detail) == ("lock-order", True)


def test_an_earlier_lock_without_its_receipt_does_not_count(tmp_path):
    directory = make_run(tmp_path, a00="locked", a00w="locked", a01="draft")
    (directory / "locks/00-worktree.receipt.json").unlink()

    assert refusal(tmp_path, "01-as-is.md")[0] == "lock-order"


@pytest.mark.parametrize("reply", [None, "", "  \n"])
def test_work_that_has_not_come_back_holds_up_a_lock(tmp_path, reply):
    directory = make_run(tmp_path, a00="draft")
    place = directory / "subagents/review"
    place.mkdir(parents=True)
    (place / "handoff.md").write_text("please review")
    if reply is not None:
        (place / "reply.md").write_text(reply)

    assert refusal(tmp_path, "00-requirements.md")[0] == "quiescence"
    (place / "reply-2.md").write_text("done")
    lock(tmp_path, "00-requirements.md")


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ("- [ ] later\n", "1 open TODO boxes"),
        ("_Not written yet._\n", "a placeholder"),
        ("Coverage: FAIL\n", "`Coverage` says FAIL"),
        ("- Approval: **FAIL**\n", "`Approval` says FAIL"),
        ("LockHash: x\n", "`LockHash` line stands outside"),
    ],
)
def test_an_artifact_below_its_standard_is_refused(tmp_path, body, failure):
    directory = make_run(tmp_path)
    text = artifact_text("r1", "00-requirements.md", "draft", body)
    (directory / "00-requirements.md").write_text(text)

    gate, detail = refusal(tmp_path, "00-requirements.md")

    assert gate == "standard"
    assert failure in detail


def nothing(_):
    return PromotionReading("no document is listed")


def promoted(_):
    return PromotionReading("", (("episodes/r1.md", "sha256:e"),))


def test_the_last_phase_is_refused_for_order_before_anything_else(tmp_path):
    directory = all_locked(tmp_path, but=lambda n: "draft" if n in (LAST, "05-manual-qa.md") else None)
    (directory / "subagents/a").mkdir(parents=True)
    (directory / "subagents/a/handoff.md").write_text("x")

    gate, detail = refusal(tmp_path, LAST, promoted=nothing)
    assert gate == "lock-order"
    assert "`05-manual-qa.md` is DRAFT" in detail


def test_then_for_open_work_then_for_memory_then_for_its_standard(tmp_path):
    directory = before_last(tmp_path)
    (directory / LAST).write_text(artifact_text("r1", LAST, "draft", "- [ ] open\n"))
    (directory / "subagents/a").mkdir(parents=True)
    (directory / "subagents/a/handoff.md").write_text("x")

    assert refusal(tmp_path, LAST, promoted=nothing)[0] == "quiescence"
    (directory / "subagents/a/reply.md").write_text("x")
    gate, detail = refusal(tmp_path, LAST, promoted=nothing)
    assert gate == "memory"
    assert "no document is listed" in detail
    assert refusal(tmp_path, LAST, promoted=promoted)[0] == "standard"
    (directory / LAST).write_text(artifact_text("r1", LAST, "draft", DONE))
    assert lock(tmp_path, LAST, promoted=promoted).documents == (("episodes/r1.md", "sha256:e"),)


def test_the_memory_gate_is_silent_for_other_phases(tmp_path):
    all_locked(tmp_path, but=lambda n: "draft" if n == "07-state-update.md" else None)
    (run_dir(tmp_path) / LAST).unlink()

    lock(tmp_path, "07-state-update.md", promoted=nothing)


def test_a_memory_document_that_goes_between_gate_and_lock_refuses_the_lock(tmp_path):
    directory = before_last(tmp_path)
    answers = iter([promoted(None), nothing(None)])

    gate, _ = refusal(tmp_path, LAST, promoted=lambda _: next(answers))

    assert gate == "memory"
    assert status((directory / LAST).read_text()) == "DRAFT"


@pytest.mark.parametrize("name", ["  00-requirements.md  ", "./00-requirements.md"])
def test_the_name_of_an_artifact_is_made_plain(tmp_path, name):
    make_run(tmp_path, a00="draft")

    assert lock(tmp_path, name).artifact == "00-requirements.md"


@pytest.mark.parametrize(
    "name",
    ["../r2/00-requirements.md", "/etc/passwd", "notes.md", "", "addenda/../x.md", "addenda", "a\0.md"],
)
def test_other_names_are_refused(tmp_path, name):
    make_run(tmp_path, a00="draft")

    with pytest.raises(InvalidRequest):
        lock(tmp_path, name)


def test_an_addendum_is_locked_without_a_receipt(tmp_path):
    directory = make_run(tmp_path, a00="draft")
    (directory / "addenda").mkdir()
    (directory / "addenda/00.addendum-01.md").write_text("Status: `DRAFT`\n" + DONE)

    outcome = lock(tmp_path, "addenda/00.addendum-01.md")

    assert outcome.receipt_hash is None
    assert status((directory / "addenda/00.addendum-01.md").read_text()) == "LOCKED"
    assert refusal(tmp_path, "addenda/00.addendum-01.md")[0] == "not-locked"


def test_a_run_that_is_not_there_or_a_link_is_refused(tmp_path):
    make_run(tmp_path, "real", a00="draft")
    run_dir(tmp_path, "alias").symlink_to(run_dir(tmp_path, "real"))

    with pytest.raises(RunNotFound):
        lock(tmp_path, "00-requirements.md", "none")
    with pytest.raises(FileRefused):
        lock(tmp_path, "00-requirements.md", "alias")


def test_a_linked_artifact_or_receipt_directory_is_never_followed(tmp_path):
    directory = make_run(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text(artifact_text("r1", "00-requirements.md", "draft", DONE))
    (directory / "00-requirements.md").symlink_to(outside / "a.md")
    before = tree(outside)
    assert refusal(tmp_path, "00-requirements.md")[0] == "exists"

    (directory / "00-requirements.md").unlink()
    shutil.copy(outside / "a.md", directory / "00-requirements.md")
    (directory / "locks").symlink_to(outside)
    with pytest.raises(FileRefused):
        lock(tmp_path, "00-requirements.md")
    assert tree(outside) == before


def test_text_that_is_not_utf8_is_not_locked(tmp_path):
    directory = make_run(tmp_path)
    (directory / "00-requirements.md").write_bytes(b"Status: DRAFT\n\xff\n")

    gate, detail = refusal(tmp_path, "00-requirements.md")
    assert (gate, "UTF-8" in detail) == ("exists", True)


def test_a_keyed_seal_vouches_for_the_receipt(tmp_path):
    directory = make_run(tmp_path, a00="draft")
    lock(tmp_path, "00-requirements.md", seal_locks=True)

    receipt = (directory / "locks/00-requirements.receipt.json").read_bytes()
    seal = (directory / "locks/00-requirements.seal.json").read_bytes()
    assert seal_problem(seal, "r1", receipt, KEY) == ""
    assert seal_problem(seal, "r2", receipt, KEY)
    assert seal_problem(seal, "r1", receipt + b" ", KEY)
    assert seal_problem(seal.replace(b"r1", b"r2"), "r2", receipt, KEY)
    assert seal_problem(b"[]", "r1", receipt, KEY)


def test_a_killed_lock_is_made_or_not_made_and_never_half(tmp_path):
    """The next operation on the run completes what was decided, or nothing was."""
    made = not_made = 0
    directory = make_run(tmp_path, a00="draft")
    before = tree(directory)
    for _ in killed_everywhere(lambda: lock(tmp_path, "00-requirements.md")):
        receipt = (directory / "locks/00-requirements.receipt.json").is_file()
        sealed = status((directory / "00-requirements.md").read_text()) == "LOCKED"
        assert sealed or not receipt
        entry = enter_phase(site_of(tmp_path), EntryRequest("r1", phase=None)).phase.artifact
        after = {name: data for name, data in tree(directory).items() if not name.endswith("injections.json")}
        if entry == "00-worktree.md":
            made += 1
            assert names(directory / "locks") == ["00-requirements.receipt.json"]
            assert status(after["00-requirements.md"].decode()) == "LOCKED"
        else:
            not_made += 1
            assert {name: data for name, data in after.items() if name != "locks/"} == before
        shutil.rmtree(directory)
        make_run(tmp_path, a00="draft")
    assert made >= 10
    assert not_made >= 8


def _try(path, queue):
    try:
        lock(path, "00-requirements.md")
    except LockRefused as refused:
        queue.put(refused.errors[0]["gate"])
    else:
        queue.put("won")


def test_of_several_processes_exactly_one_locks(tmp_path):
    make_run(tmp_path, a00="draft")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    processes = [context.Process(target=_try, args=(tmp_path, queue)) for _ in range(8)]
    for process in processes:
        process.start()
    answers = sorted(queue.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()

    assert answers == ["not-locked"] * 7 + ["won"]


def test_a_whole_run_can_be_locked_in_order(tmp_path):
    directory = make_run(tmp_path)
    for name in SEQUENCE:
        (directory / name).write_text(artifact_text("r1", name, "draft", DONE))
    for name in SEQUENCE:
        lock(tmp_path, name)

    for name in SEQUENCE:
        stem = name.removesuffix(".md")
        fields = json.loads((directory / f"locks/{stem}.receipt.json").read_text())
        assert list(fields["prerequisite_hashes"]) == list(SEQUENCE[: SEQUENCE.index(name)])
        assert fields["artifact_hash"] == content_hash((directory / name).read_text())
