"""Preparing elsewhere what no tool may write, and putting it in place in one piece."""

from __future__ import annotations

import pytest

from phasegate.workspace import arrivals
from phasegate.workspace.seals import TextReading
from support.guarded import guarded

RUN = ".recursive/run/r1"
CONTROL = ("deny", "control-plane")
FORGED = "Run: `r1`\nStatus: `LOCKED`\nLockedAt: `2026-01-01T00:00:00Z`\nLockHash: `" + "0" * 64 + "`\n"


@pytest.fixture
def guard(tmp_path):
    with guarded(tmp_path) as found:
        found.run("Ld")
        write(found.root / "forged/locks/00-requirements.receipt.json", "{}")
        write(found.root / "receipts/memory-injections.json", "[]")
        write(found.root / "loose/recursive-permissions.json", '{"version": 2}')
        write(found.root / "forged.md", FORGED)
        write(found.root / "draft.md", "Status: `DRAFT`\n")
        write(tmp_path / "merge/.recursive/config/recursive-permissions.json", "{}")
        write(tmp_path / "merge2/.recursive/run/r1/00-requirements.md", "other requirements")
        write(tmp_path / "plain/src/a.py", "pass")
        write(found.root / "logs/red.log", "1 failed")
        yield found


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("tool", ["move_file", "copy_directory"])
@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ("forged", ".recursive/run/r2"),
        ("receipts", ".recursive/run/r2"),
        ("loose", ".recursive/config"),
        (RUN, ".recursive/run/r2"),
    ],
)
def test_a_tree_brings_none_of_the_guards_files(guard, tool, source, destination):
    assert guard.answer(tool, {"source": source, "destination": destination}) == CONTROL


def test_a_tree_is_looked_through_where_it_is_merged_into_the_whole_workspace(guard, tmp_path):
    root = str(guard.root)
    assert guard.answer("copy_directory", {"source": f"{tmp_path}/merge", "destination": root}) == CONTROL
    over = guard.answer("copy_directory", {"source": f"{tmp_path}/merge2", "destination": root})
    assert over == ("deny", "locked-write")
    plain = guard.answer("copy_directory", {"source": f"{tmp_path}/plain", "destination": root})
    assert plain == ("allow", "none")


def test_a_workspace_is_not_brought_from_above_either(guard, tmp_path):
    write(tmp_path / "up/repo/.recursive/config/recursive-permissions.json", "{}")
    args = {"source": f"{tmp_path}/up", "destination": str(tmp_path)}
    assert guard.answer("copy_directory", args) == CONTROL


@pytest.mark.parametrize("tool", ["move_file", "copy_file"])
def test_a_document_that_says_it_is_locked_is_not_brought(guard, tool):
    place = f"{RUN}/00-worktree.md"
    assert guard.answer(tool, {"source": "forged.md", "destination": place}) == CONTROL
    assert guard.answer(tool, {"source": "draft.md", "destination": place}) == ("allow", "none")
    renamed = guard.answer("rename_file", {"path": "forged.md", "new_name": f"{guard.root}/{place}"})
    assert renamed == CONTROL


@pytest.mark.parametrize(
    "command",
    [
        "mv forged .recursive/run/r2",
        "cp -r receipts .recursive/run/r2",
        "cp -r {home}/merge/. .",
        "cp -rT {home}/merge .",
        "rsync -a {home}/merge/ .",
        "rsync -a --delete {home}/plain/ .",
        "ln -s $PWD/forged .recursive/run/r2",
        "ln -s ../../forged .recursive/run/r2",
        "ln -sr forged .recursive/run/r2",
        "cd .recursive/run && ln -s ../../forged r2",
        "ln -s /not/there/yet .recursive/config",
        "cp forged.md {run}/00-worktree.md",
        "install -m 644 forged.md {run}/00-worktree.md",
        "ln forged.md {run}/00-worktree.md",
        "link forged.md {run}/00-worktree.md",
        "mkdir -p e/locks && echo 1 > e/locks/x && mv e .recursive/run/r2",
    ],
)
def test_the_shell_brings_none_either(guard, tmp_path, command):
    assert guard.answer("Bash", {"command": command.format(home=tmp_path, run=RUN)}) == CONTROL


@pytest.mark.parametrize(
    "command",
    [
        "cp -r logs {run}/evidence/",
        "cp -a {home}/plain/. .",
        "rsync -a --delete src/ build/",
        "rsync -a .recursive/ /backup/",
        "cp -r .recursive /backup",
        "mv logs/red.log {run}/evidence/red.log",
        "ln -s ../forged src/link",
        "cp draft.md {run}/00-worktree.md",
        "cp -r logs .recursive/run/r2",
    ],
)
def test_ordinary_copies_in_a_shell_pass(guard, tmp_path, command):
    assert guard.answer("Bash", {"command": command.format(home=tmp_path, run=RUN)}) == ("allow", "none")


def test_a_tree_that_is_not_known_makes_no_run(guard):
    assert guard.answer("Bash", {"command": "tar xf a.tar -C .recursive/run/r2"}) == CONTROL
    assert guard.answer("Bash", {"command": "unzip a.zip -d .recursive/config"}) == CONTROL
    assert guard.answer("Bash", {"command": f"tar xf a.tar -C {RUN}/evidence"}) == ("allow", "none")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("copy_directory", {"source": "logs", "destination": f"{RUN}/evidence/logs"}),
        ("move_file", {"source": "logs/red.log", "destination": f"{RUN}/evidence/logs/red.log"}),
        ("move_directory", {"source": "logs", "destination": "old-logs"}),
        ("create_directory", {"path": ".recursive/config"}),
        ("create_directory", {"path": ".recursive/run/r2"}),
        ("copy_directory", {"source": ".recursive", "destination": "/backup"}),
    ],
)
def test_ordinary_trees_pass(guard, tool, args):
    assert guard.answer(tool, args) == ("allow", "none")


def test_what_cannot_be_read_is_not_brought(guard, monkeypatch):
    """As root every file can be read, so the refusal of the system is played here."""
    monkeypatch.setattr(arrivals, "text_at", lambda _path: TextReading(None, "it is not permitted"))
    reply = guard.decide("copy_file", {"source": "draft.md", "destination": f"{RUN}/00-worktree.md"})
    assert reply["kind"] == "deny"
    assert "to be brought" in reply["reason"]


def test_many_sources_and_destinations_are_bounded(guard):
    names = [f"src/{number}.py" for number in range(180)]
    reply = guard.decide("copy_files", {"sources": names, "destinations": [f"to/{name}" for name in names]})
    assert len(reply["targets"]) <= 200
