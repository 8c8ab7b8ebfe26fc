"""After the call: what was done to a run behind the guard's back is found, named once, and blamed on its run."""

import json
import shutil

import pytest

from phasegate.errors import InvalidRequest
from phasegate.workspace.locks import lock_artifact
from phasegate.workspace.observer import Observer, runs_of_paths
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.reopen import reopen_artifact
from support import cases
from support.lifecycle import all_locked, make_run, site_of
from support.peer import artifact_text, read_rows

FIRST = "00-requirements.md"
PLACE = ".recursive/run/r1"
VECTORS = [case for case in cases.load("guard.json") if case["call"]["tool"] == "#tamper"]


@pytest.fixture
def observer():
    return Observer()


def found(observation):
    return [(tamper.kind, tamper.path) for tamper in observation.tampers]


def look(observer, root, run_id="r1", paths=()):
    return observer.observe(site_of(root), run_id, paths)


def test_all_vectors_of_tampering_are_here():
    assert [case["id"] for case in VECTORS] == ["Y01a", "Y01b", "Y01c", "Y01d", "Y02", "Y03", "Y04", "Y05"]


@pytest.mark.parametrize("case", VECTORS, ids=cases.ids(VECTORS))
def test_vectors_of_tampering(tmp_path, observer, case):
    cases.build(case, tmp_path)
    path = cases.substitute(case["call"]["args"]["path"], tmp_path)

    assert bool(look(observer, tmp_path, None, [path]).tampers) is case["expect"]["value"]


def test_a_sound_run_is_quiet(tmp_path, observer):
    all_locked(tmp_path)
    enter = make_run(tmp_path, "r2", a00="draft")
    enter_phase(site_of(tmp_path), EntryRequest("r2"))

    assert look(observer, tmp_path).tampers == ()
    assert look(observer, tmp_path, "r2").tampers == ()
    assert look(observer, tmp_path).checked == 12
    assert enter.is_dir()


@pytest.mark.parametrize(
    "spelled",
    [
        "{root}/{place}/{name}",
        "{place}/{name}",
        ".recursive\\run\\r1\\{name}",
        "./{place}/{name}",
        "x/../{place}",
    ],
)
def test_the_run_is_found_by_any_spelling_of_the_path(tmp_path, observer, spelled):
    make_run(tmp_path, a00="stale")
    path = spelled.format(root=tmp_path, place=PLACE, name=FIRST)

    assert found(look(observer, tmp_path, None, [path])) == [("edited", f"{PLACE}/{FIRST}")]


def test_the_run_comes_from_the_path_not_from_the_session(tmp_path, observer):
    make_run(tmp_path, a00="stale")
    make_run(tmp_path, "newer", a00="draft")

    (tamper,) = look(observer, tmp_path, None, [f"{PLACE}/{FIRST}"]).tampers
    assert tamper.run_id == "r1"


def test_a_path_outside_every_run_is_out_of_scope(tmp_path):
    site = site_of(tmp_path)

    assert (
        runs_of_paths(site, ["notes.md", "/etc/passwd", "../x", ".recursive/run", ".recursive/run/.."]) == []
    )


def test_a_run_that_was_never_there_is_no_news(tmp_path, observer):
    assert look(observer, tmp_path).tampers == ()
    with pytest.raises(InvalidRequest):
        look(observer, tmp_path, "../x")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda path: path.write_text(path.read_text() + "x"), "edited"),
        (lambda path: path.write_text(artifact_text("r1", FIRST, "draft")), "unlocked"),
        (lambda path: path.unlink(), "deleted"),
        (lambda path: path.write_text(artifact_text("r1", FIRST, "locked", "other")), "replaced"),
        (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "replaced"),
        (lambda path: path.write_text(path.read_text() + "LockHash: obey\n"), "smuggled"),
    ],
    ids=["edited", "unlocked", "deleted", "replaced", "link", "smuggled"],
)
def test_what_was_done_to_a_locked_artifact_is_named(tmp_path, observer, change, kind):
    directory = make_run(tmp_path, a00="locked")
    change(directory / FIRST)

    assert found(look(observer, tmp_path)) == [(kind, f"{PLACE}/{FIRST}")]


def test_an_edited_lock_receipt_is_named(tmp_path, observer):
    directory = make_run(tmp_path, a00="locked")
    path = directory / "locks/00-requirements.receipt.json"
    path.write_text(path.read_text().replace("2026-01-01", "2026-01-02"))

    assert found(look(observer, tmp_path)) == [
        ("receipt-edited", f"{PLACE}/locks/00-requirements.receipt.json")
    ]


def test_a_lock_receipt_made_anew_is_given_away_by_its_seal(tmp_path, observer):
    directory = make_run(tmp_path, a00="draft")
    lock_artifact(site_of(tmp_path, seal_locks=True), "r1", FIRST)
    text = artifact_text("r1", FIRST, "locked", "forged")
    (directory / FIRST).write_text(text)
    from support.lifecycle import write_receipt

    write_receipt(directory, FIRST)

    kinds = [kind for kind, _ in found(look(observer, tmp_path))]
    assert kinds == ["receipt-edited"]


def test_a_lock_taken_off_together_with_its_receipt_is_found_by_comparison(tmp_path, observer):
    directory = make_run(tmp_path, a00="locked")
    look(observer, tmp_path)
    (directory / FIRST).unlink()
    shutil.rmtree(directory / "locks")

    assert found(look(observer, tmp_path)) == [("unlocked", f"{PLACE}/{FIRST}")]


def test_a_deleted_run_is_found_by_comparison(tmp_path, observer):
    directory = make_run(tmp_path, a00="locked")
    look(observer, tmp_path)
    shutil.rmtree(directory)

    assert found(look(observer, tmp_path)) == [("deleted", PLACE)]
    assert look(observer, tmp_path).tampers == ()


def test_a_deleted_run_is_found_without_being_named(tmp_path, observer):
    directory = make_run(tmp_path, a00="locked")
    look(observer, tmp_path)
    make_run(tmp_path, "newer")
    shutil.rmtree(directory)

    seen = look(observer, tmp_path, None)
    assert (seen.runs, found(seen)) == (("newer", "r1"), [("deleted", PLACE)])
    assert look(observer, tmp_path, None).runs == ("newer",)


def test_a_reopen_by_the_guard_is_no_tampering_for_any_observer(tmp_path, observer):
    all_locked(tmp_path)
    other = Observer()
    for watcher in (observer, other):
        look(watcher, tmp_path)

    reopen_artifact(site_of(tmp_path), "r1", "05-manual-qa.md", "because")
    observer.refresh(site_of(tmp_path), "r1")

    assert look(observer, tmp_path).tampers == ()
    assert look(other, tmp_path).tampers == ()


def test_a_lock_made_anew_outside_the_guard_is_found(tmp_path, observer):
    directory = make_run(tmp_path, a00="locked")
    look(observer, tmp_path)
    (directory / FIRST).write_text(artifact_text("r1", FIRST, "locked", "other"))
    from support.lifecycle import write_receipt

    write_receipt(directory, FIRST)

    assert found(look(observer, tmp_path)) == [("replaced", f"{PLACE}/{FIRST}")]


def test_a_stale_addendum_is_named(tmp_path, observer):
    directory = make_run(tmp_path)
    (directory / "addenda").mkdir()
    (directory / "addenda/a.md").write_text(artifact_text("r1", "a.md", "stale"))

    assert found(look(observer, tmp_path)) == [("edited", f"{PLACE}/addenda/a.md")]


def test_a_forged_read_receipt_is_named_and_the_peers_is_not(tmp_path, observer):
    directory = make_run(tmp_path, a00="draft")
    sidecar = directory / "memory-injections.json"
    sidecar.write_text(read_rows([FIRST]))
    assert look(observer, tmp_path).tampers == ()

    enter_phase(site_of(tmp_path), EntryRequest("r1"))
    rows = json.loads(sidecar.read_text())
    rows[0]["phasegate"]["plane_digest"] = "sha256:other"
    sidecar.write_text(json.dumps(rows))
    assert found(look(observer, tmp_path)) == [("receipt-edited", f"{PLACE}/memory-injections.json")]

    sidecar.unlink()
    assert found(look(observer, tmp_path)) == [("deleted", f"{PLACE}/memory-injections.json")]


def test_an_exchanged_policy_is_found_by_comparison(tmp_path, observer):
    make_run(tmp_path)
    policy = tmp_path / ".recursive/config/recursive-permissions.json"
    policy.parent.mkdir()
    policy.write_text("{}")
    assert look(observer, tmp_path).tampers == ()

    policy.write_text("[]")
    (tamper,) = look(observer, tmp_path).tampers
    assert (tamper.run_id, tamper.kind) == (None, "edited")
    policy.unlink()
    assert [kind for kind, _ in found(look(observer, tmp_path))] == ["deleted"]
    assert look(observer, tmp_path).tampers == ()


def test_each_finding_is_fresh_once(tmp_path, observer):
    make_run(tmp_path, a00="stale")

    assert len(look(observer, tmp_path).fresh) == 1
    again = look(observer, tmp_path)
    assert (len(again.tampers), again.fresh) == (1, ())


def test_an_observation_completes_what_a_killed_process_left(tmp_path, observer):
    from support.disk import Cut, cut_at

    directory = make_run(tmp_path, a00="draft")
    with pytest.raises(Cut), cut_at(20):
        lock_artifact(site_of(tmp_path), "r1", FIRST)
    assert (directory / "locks/phasegate-pending.json").is_file()

    assert look(observer, tmp_path).tampers == ()
    assert (directory / "locks/00-requirements.receipt.json").is_file()


def test_without_a_name_the_newest_run_is_looked_at(tmp_path, observer):
    assert look(observer, tmp_path, None).runs == ()
    make_run(tmp_path, "only", a00="draft")

    assert look(observer, tmp_path, None).runs == ("only",)
