"""Tools whose ids or arguments are spelled in a way of their own."""

import json

import pytest

from support.guarded import guarded

RUN = ".recursive/run/r1"
LOCKED = f"{RUN}/00-requirements.md"


@pytest.fixture
def guard(tmp_path):
    with guarded(tmp_path) as found:
        found.run("Ld")
        yield found


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("ReadMcpResourceTool", {"server": "docs", "uri": f"file://{LOCKED}"}),
        ("vscode_listCodeUsages", {"symbol": "x", "filePath": LOCKED}),
        ("mcp__ide__getDiagnostics", {"uri": LOCKED}),
        ("mcp_ide_getDiagnostics", {"uri": LOCKED}),
        ("@ide/findReferences", {"path": LOCKED}),
    ],
)
def test_a_reader_in_camel_case_reads(guard, tool, args):
    assert guard.answer(tool, args) == ("allow", "none")


def test_running_tests_is_no_write(guard):
    guard.run("L" * 11 + "d", "r2")
    assert guard.answer("runTests", {"files": ["src/app.py"]}, run_id="r2") == ("allow", "none")


@pytest.mark.parametrize("tool", ["runBashCommand", "mcp__host__myShellRunner", "invokeTerminal"])
def test_a_shell_in_camel_case_is_a_shell(guard, tool):
    assert guard.answer(tool, {"command": f"echo x > {LOCKED}"}) == ("deny", "locked-write")
    assert guard.answer(tool, {"command": "pytest -q"})[0] == "allow"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"location": LOCKED, "content": "x"}),
        ("multi_edit", {"edits": json.dumps([{"file_path": LOCKED, "old_string": "a", "new_string": "b"}])}),
        ("apply_edits", {"changes": {f"file:{LOCKED}": [{"newText": "x"}]}}),
    ],
)
def test_a_writer_whose_path_is_not_recognised_may_not_name_a_locked_file(guard, tool, args):
    assert guard.answer(tool, args) == ("deny", "opaque-write")


def test_inserting_a_lock_by_any_key_is_forging_one(guard):
    args = {"command": "insert", "path": f"{RUN}/00-worktree.md", "insert_line": 1}
    lock = "Status: `LOCKED`"
    assert guard.answer("str_replace_based_edit_tool", args | {"insert_text": lock})[1] == "control-plane"
