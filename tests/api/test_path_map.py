"""Path prefixes of the agent's machine become this machine's, and nothing else changes."""

from __future__ import annotations

import pytest

from phasegate.api.path_map import PathMap
from phasegate.core.call import ToolCall

MAP = PathMap([("/src", "/mnt/src"), ("/src/deep", "/deep")])


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("/src", "/mnt/src"),
        ("/src/a.md", "/mnt/src/a.md"),
        ("/src/deep/a.md", "/deep/a.md"),
        ("cat /src/a > '/src/b' && ls --dir=/src", "cat /mnt/src/a > '/mnt/src/b' && ls --dir=/mnt/src"),
        ("file:/src/a", "file:/mnt/src/a"),
        ("/srcs/a", "/srcs/a"),
        ("/src.bak", "/src.bak"),
        ("/opt/src/a", "/opt/src/a"),
        ("./src/a", "./src/a"),
        ("~/src/a", "~/src/a"),
    ],
)
def test_rewrites_whole_prefixes_only(text, mapped):
    assert MAP.text(text) == mapped


def test_rewrites_every_text_of_a_call():
    call = ToolCall(
        "edit", {"edits": [{"file_path": "/src/a", "n": 1}], "/src": None}, workspace="/src", cwd="/src/sub"
    )

    mapped = MAP.call(call)

    assert mapped.args == {"edits": [{"file_path": "/mnt/src/a", "n": 1}], "/src": None}
    assert (mapped.workspace, mapped.cwd) == ("/mnt/src", "/mnt/src/sub")


def test_without_entries_the_call_is_untouched():
    call = ToolCall("write", {"file_path": "/src/a"}, cwd="/src")

    assert PathMap([]).call(call) is call
