"""A run's files under another name."""

import os

import pytest

from phasegate.core.facts import Place
from phasegate.errors import FactsUnreadable
from phasegate.files import kept
from phasegate.files.view import DiskView
from phasegate.workspace import identity
from phasegate.workspace.identity import Identities
from phasegate.workspace.locate import Workspace
from phasegate.workspace.placing import Placed
from support.facts import WORKFLOW
from support.lifecycle import make_run, run_dir
from support.memory_view import MemoryView

RUNS = WORKFLOW.runs_path
FIRST = WORKFLOW.artifacts[0]
PRODUCT = Placed(Place("w", "src/a.md"))


@pytest.fixture
def workspace(tmp_path):
    make_run(tmp_path, a00="locked", a01="draft")
    (tmp_path / "src").mkdir()
    return Workspace("w", str(tmp_path.resolve()))


@pytest.fixture
def identities():
    return Identities(WORKFLOW)


def other(identities, workspace, rel="src/a.md", placed=PRODUCT):
    found = identities.other_place(f"{workspace.root}/{rel}", placed, (workspace,), DiskView())
    return found and found.place


def test_a_hard_link_is_the_artifact_it_shares_its_file_with(identities, workspace, tmp_path):
    os.link(run_dir(tmp_path) / FIRST, tmp_path / "src/a.md")

    assert other(identities, workspace) == Place("w", f"{RUNS}/r1/{FIRST}", "r1", FIRST, FIRST)


@pytest.mark.parametrize(
    "rel",
    [
        f"{RUNS}/r1/locks/00-requirements.receipt.json",
        f"{RUNS}/r1/{WORKFLOW.layout.read_receipts}",
        WORKFLOW.policy_path,
    ],
)
def test_so_are_the_guards_own_files(identities, workspace, tmp_path, rel):
    (tmp_path / rel).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / rel).touch()
    os.link(tmp_path / rel, tmp_path / "src/a.md")

    assert other(identities, workspace).rel == rel


def test_a_link_to_a_product_file_is_just_that(identities, workspace, tmp_path):
    (tmp_path / "src/b.md").write_text("")
    os.link(tmp_path / "src/b.md", tmp_path / "src/a.md")

    assert other(identities, workspace) is None


def test_an_ordinary_target_costs_one_look_that_extraction_has_made_already(identities):
    view = MemoryView()
    view.add_file("/w/src/a.md")
    view.add_file("/w/.recursive/run/r1/" + FIRST)

    assert identities.other_place("/w/src/a.md", PRODUCT, (Workspace("w", "/w"),), view) is None
    assert view.looked_up == ["/w/src/a.md"]


def test_a_missing_target_and_a_directory_are_nothing_else(identities, workspace):
    assert other(identities, workspace, "src/none") is None
    assert other(identities, workspace, "src") is None


def test_an_artifact_by_name_stays_that(identities, workspace, tmp_path):
    os.link(run_dir(tmp_path) / FIRST, run_dir(tmp_path) / "02-to-be-plan.md")
    placed = Placed(Place("w", "x", "r1", "02-to-be-plan.md", "02-to-be-plan.md"))

    assert other(identities, workspace, f"{RUNS}/r1/02-to-be-plan.md", placed) is None


def test_what_is_known_of_a_run_is_kept_until_its_directory_changes(
    identities, workspace, tmp_path, monkeypatch
):
    os.link(run_dir(tmp_path) / FIRST, tmp_path / "src/a.md")
    (tmp_path / "src/b.md").write_text("")
    os.link(tmp_path / "src/b.md", tmp_path / "src/c.md")
    clock = iter(range(0, 10**12, 50_000_000))
    monkeypatch.setattr(identities._directories, "_clock", lambda: next(clock))
    for _ in range(3):
        other(identities, workspace, "src/b.md")
    read = []
    monkeypatch.setattr(identity, "file_identities", lambda path, _names: read.append(path) or {})

    assert other(identities, workspace).artifact == FIRST
    assert read == []
    (run_dir(tmp_path) / "notes.md").write_text("")
    other(identities, workspace)
    assert read == [f"{workspace.root}/{RUNS}/r1"]


def test_more_runs_than_can_be_compared_are_not_passed_over(identities, workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "RUNS_COMPARED", 2)
    for index in range(3):
        make_run(tmp_path, f"more-{index}")
    os.link(run_dir(tmp_path) / FIRST, tmp_path / "src/a.md")

    with pytest.raises(FactsUnreadable, match="too many runs"):
        other(identities, workspace)


def test_runs_that_can_not_be_listed_are_not_passed_over(identities, workspace, tmp_path, monkeypatch):
    os.link(run_dir(tmp_path) / FIRST, tmp_path / "src/a.md")

    def denied(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(kept.os, "scandir", denied)

    with pytest.raises(FactsUnreadable, match="permission denied"):
        other(identities, workspace)
