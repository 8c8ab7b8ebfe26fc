"""Path prefixes of the agent's machine become this machine's in every text of a call."""

from __future__ import annotations

import time

import pytest

from phasegate.api.path_map import mapped
from phasegate.core.call import ToolCall
from phasegate.workspace.path_map import PathMap

MAP = PathMap((("/src", "/mnt/src"), ("/src/deep", "/deep")))


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_rewrites_whole_prefixes_only(text, expected):
    assert mapped(MAP, ToolCall("bash", {"command": text})).args == {"command": expected}


def test_rewrites_every_text_of_a_call():
    call = ToolCall(
        "edit", {"edits": [{"file_path": "/src/a", "n": 1}], "/src": None}, workspace="/src", cwd="/src/sub"
    )

    found = mapped(MAP, call)

    assert found.args == {"edits": [{"file_path": "/mnt/src/a", "n": 1}], "/src": None}
    assert (found.workspace, found.cwd) == ("/mnt/src", "/mnt/src/sub")


def test_without_entries_the_call_is_untouched():
    call = ToolCall("write", {"file_path": "/src/a"}, cwd="/src")

    assert mapped(PathMap(), call) is call


def test_a_large_text_costs_little():
    """File contents are texts of the call too; a megabyte must not hold the service up."""
    started = time.perf_counter()
    mapped(MAP, ToolCall("write", {"content": "/srcs and /src/a " * 60_000}))

    assert time.perf_counter() - started < 2


def test_a_call_of_an_agent_on_windows_is_judged_by_this_machines_paths():
    """The service in a container or in WSL, the agent beside it on Windows."""
    paths = PathMap((("C:\\work", "/srv"),))
    call = ToolCall("Write", {"file_path": "c:/Work/shop\\a.md", "content": "text"}, cwd="C:\\work\\shop")

    there = mapped(paths, call)

    assert (there.cwd, there.args) == ("/srv/shop", {"file_path": "/srv/shop/a.md", "content": "text"})
