"""The table knows the tools of every runtime by every spelling of their ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.call import Effect
from phasegate.targets.ids import compact
from phasegate.targets.tools import TABLE, lookup


@pytest.mark.parametrize(
    ("tool", "name", "effect"),
    [
        ("Write", "write", Effect.WRITE),
        ("Bash", "bash", Effect.EXECUTE),
        ("fs-write", "fs_write", Effect.WRITE),
        ("fsWrite", "fs_write", Effect.WRITE),
        ("MultiEdit", "multi_edit", Effect.WRITE),
        ("StrReplaceFile", "str_replace_file", Effect.WRITE),
        ("mcp__filesystem__write_file", "write_file", Effect.WRITE),
        ("mcp__plugin_a_b__fs__write_file", "write_file", Effect.WRITE),
        ("mcp_filesystem_move_file", "move_file", Effect.MOVE),
        ("filesystem_edit_file", "edit_file", Effect.WRITE),
        ("@filesystem/write_file", "write_file", Effect.WRITE),
        ("filesystem/write_file", "write_file", Effect.WRITE),
        ("default_api:run_shell_command", "run_shell_command", Effect.EXECUTE),
        ("functions.exec_command", "exec_command", Effect.EXECUTE),
        ("MCP:delete_file", "delete_file", Effect.DELETE),
        ("developer__shell", "developer_shell", Effect.EXECUTE),
        ("mcp__ide__executeCode", "execute_code", Effect.EXECUTE),
        ("mcp_acme_bash", "bash", Effect.EXECUTE),
        ("File Writer Tool", "file_writer_tool", Effect.WRITE),
        ("ExitPlanMode", "exit_plan_mode", Effect.OTHER),
        ("mcp__serena__find_symbol", "find_symbol", Effect.READ),
    ],
)
def test_finds_a_tool_under_every_spelling(tool, name, effect):
    match = lookup(tool)

    assert match.tool is not None
    assert (match.name, match.tool.effect) == (name, effect)


@pytest.mark.parametrize(
    "tool", ["write", "edit", "fs_write", "fs-write", "pwsh", "shell", "bash", "run_code"]
)
def test_knows_the_eight_write_ids(tool):
    match = lookup(tool)

    assert match.tool is not None
    assert match.tool.effect in (Effect.WRITE, Effect.EXECUTE)


@pytest.mark.parametrize(
    "tool", ["acme_write", "mcp_acme_view", "mcp_acme_sync_read", "my_list", "sync", "", " "]
)
def test_one_soft_word_is_too_little_to_go_by(tool):
    """`acme_write` may write a ticket; `mcp_acme_sync_read` may do anything."""
    assert lookup(tool).tool is None


def test_a_harmless_ending_does_not_hide_a_verb_of_change():
    assert lookup("mcp_acme_delete_read_file").tool is None


def test_keeps_the_words_of_the_server():
    assert lookup("mcp__github__delete_file").server == ("mcp", "github")


def test_no_two_rows_share_a_spelling():
    assert all(key == compact(name) for key, (name, _) in TABLE.items())
    assert len(TABLE) > 400


@given(st.text())
def test_never_raises_on_any_id(tool):
    assert isinstance(lookup(tool).name, str)
