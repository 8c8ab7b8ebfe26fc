"""Windows spellings and volumes that ignore letter case, as pure path logic on an invented disk."""

from __future__ import annotations

import pytest

from phasegate.core.call import WriteTarget
from phasegate.core.engine import decide
from phasegate.targets.paths import normalise, relative_to
from phasegate.targets.resolve import resolve
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.placing import Placer
from support import cases
from support.facts import BUILTIN, WORKFLOW, call, facts, in_run, run
from support.memory_view import MemoryView

CASES = [case for case in cases.load("guard.json") if "platform" in case]
STATUSES = {"locked": "L", "draft": "d"}


def view_of(root: str, case) -> MemoryView:
    view = MemoryView(fold=True)
    for name in case["setup"]["runs"]["r1"]["files"]:
        view.add_file(f"{root}/{WORKFLOW.runs_path}/r1/{name}")
    return view


def run_of(case):
    files = case["setup"]["runs"]["r1"]["files"]
    letters = "".join(STATUSES[files[name]["kind"]] for name in WORKFLOW.artifacts)
    return run(letters, read=(WORKFLOW.artifacts[0],))


@pytest.mark.parametrize("case", CASES, ids=cases.ids(CASES))
def test_case_of_another_file_system(case):
    root = "C:/w" if case["platform"] == "windows" else "/w"
    view = view_of(root, case)
    typed = case["call"]["args"]["file_path"]
    found = resolve(view, root, normalise(typed, base=root, home=None))

    name = _artifact(found.path, root, view)
    decision = decide(call(case["call"]["tool"]), facts(in_run(name, run_of(case))), BUILTIN)

    assert (decision.kind, decision.rule) == (case["expect"]["kind"], case["expect"]["rule"])
    for fact in case["expect"]["reason_mentions"]:
        assert fact in decision.reason


def _artifact(path: str, root: str, view: MemoryView) -> str:
    if root == "/w":
        target = WriteTarget(path, path, path, "write")
        placer = Placer(Workspaces([Workspace("w", root)]), WORKFLOW)
        place = placer.place(target, Workspace("w", root), view).place
        assert place.run_id == "r1"
        return place.run_rel or ""
    rel = relative_to(path, root, fold=True)
    assert rel is not None
    prefix = f"{WORKFLOW.runs_path}/r1/"
    assert rel.startswith(prefix)
    return rel.removeprefix(prefix)


@pytest.mark.parametrize(
    "typed",
    [
        "C:\\w\\.recursive\\run\\r1\\00-requirements.md::$DATA",
        "C:\\w\\.recursive\\run\\r1\\00-requirements.md.",
        "c:\\W\\src\\..\\.recursive\\run\\r1\\00-requirements.md ",
        "\\\\?\\C:\\w\\.recursive\\run\\r1\\00-requirements.md",
        "file:///C:/w/.recursive/run/r1/00-requirements.md",
        ".recursive\\run\\r1\\.\\00-requirements.md",
    ],
)
def test_every_spelling_of_windows_leads_to_the_artifact(typed):
    """Streams, trailing dots, verbatim prefixes and drive letters all name one file there."""
    view = MemoryView(fold=True)
    view.add_file("C:/w/.recursive/run/r1/00-requirements.md")

    found = resolve(view, "C:/w", normalise(typed, base="C:/w", home=None))

    assert relative_to(found.path, "C:/w", fold=True) == ".recursive/run/r1/00-requirements.md"


def test_another_letter_case_is_another_file_on_a_volume_that_keeps_them_apart():
    view = MemoryView(fold=False)
    view.add_file("/w/.recursive/run/r1/00-requirements.md")
    path = "/w/.Recursive/Run/r1/00-REQUIREMENTS.MD"
    placer = Placer(Workspaces([Workspace("w", "/w")]), WORKFLOW)

    place = placer.place(WriteTarget(path, path, path, "write"), Workspace("w", "/w"), view).place

    assert place.run_id is None
