"""One tool goes by many ids; its words say what an unknown one does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.targets.ids import bare_name, compact, parts, program_of, reads_by_name, words


@pytest.mark.parametrize("spelled", ["fs_write", "fs-write", "fsWrite", "FsWrite", "FS_WRITE", "fs write"])
def test_spellings_of_one_id_compare_equal(spelled):
    assert compact(spelled) == "fswrite"


def test_words_follow_separators_and_camel_case():
    assert words("StrReplaceFile") == ("str", "replace", "file")
    assert words("get-library_docs.v2") == ("get", "library", "docs", "v2")


@pytest.mark.parametrize(
    ("tool", "pieces"),
    [
        ("mcp__fs__write_file", ("mcp", "fs", "write_file")),
        ("functions.exec_command", ("functions", "exec_command")),
        ("@fs/write_file", ("fs", "write_file")),
        ("MCP:write_file", ("MCP", "write_file")),
        ("Bash", ("Bash",)),
        ("", ()),
        ("___", ()),
    ],
)
def test_hard_separators_part_a_server_from_a_tool(tool, pieces):
    assert parts(tool) == pieces


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("mcp__acme__Sync_Docs", "sync_docs"),
        ("mcp_acme_sync_docs", "sync_docs"),
        ("mcp__lonely", "lonely"),
        ("@acme/sync", "sync"),
        ("acme.sync", "acme.sync"),
        (" My_Tool ", "my_tool"),
        ("", ""),
    ],
)
def test_bare_name_drops_the_mcp_prefix_alone(tool, name):
    assert bare_name(tool) == name


@pytest.mark.parametrize(
    "name",
    [
        "lsp_hover",
        "view_image",
        "get_file_info",
        "list_directory",
        "findReferences",
        "open_file",
        "git_diff",
        "file_stat",
    ],
)
def test_reading_words_read(name):
    assert reads_by_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "read_and_write",
        "find_replace",
        "get_or_create",
        "apply_diff",
        "open_and_edit",
        "sync",
        "publish",
        "list_delete",
        "",
    ],
)
def test_a_verb_of_change_or_no_verb_at_all_does_not_read(name):
    """Taking a writer for a reader would let it through unseen."""
    assert not reads_by_name(name)


@pytest.mark.parametrize(
    ("name", "program"),
    [("iterm_shell", "shell"), ("run_powershell", "powershell"), ("eval_python", "code"), ("deploy", "")],
)
def test_the_name_of_an_unknown_tool_tells_what_it_runs(name, program):
    assert program_of(name) == program


@given(st.text())
def test_never_raises_on_any_id(tool):
    assert isinstance(bare_name(tool), str)
    assert isinstance(reads_by_name(tool), bool)
    assert isinstance(parts(tool), tuple)
