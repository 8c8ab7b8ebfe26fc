"""Which texts of a call do not matter: with a stand-in for them the call touches the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.call import Effect
from phasegate.core.policy import ToolDeclaration
from phasegate.targets.carried import STAND_IN, is_declared, without_carried_text
from phasegate.targets.keys import _ROLES
from phasegate.targets.tools import TABLE
from support.target_calls import PLAN, extraction

FILE_TOOLS = sorted(TABLE)
KEYS = sorted(_ROLES)
PIECES = (
    "Status:",
    "LOCKED",
    "a line\n",
    " ",
    "*** Begin Patch\n",
    "src/x.py",
    "https://e.org",
    "{}",
    "-",
    "`",
)

texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
paths = st.sampled_from(["src/app.py", PLAN, "alias/x.md", "link.md", "/repo/docs", "https://x", "", "a\nb"])
arguments = st.dictionaries(
    st.sampled_from(KEYS), st.one_of(texts, paths, st.sampled_from([None, True, 3, ["a"]])), max_size=5
)


def plain(found):
    """What a decision looks at, texts aside; those of unknown changes only as far as they speak of locks."""
    return replace(found, targets=tuple(replace(target, change=None) for target in found.targets))


@given(st.sampled_from(FILE_TOOLS), arguments)
def test_a_call_without_its_carried_texts_touches_the_same(tool, args):
    bare = without_carried_text(tool, args)
    found = extraction(tool, bare)

    if found.targets or bare is args:
        assert plain(found) == plain(extraction(tool, args))
    for key, value in bare.items():
        assert value == args[key] or value == STAND_IN


@given(texts)
def test_whatever_could_make_a_lock_or_is_a_patch_stays(text):
    bare = without_carried_text("write", {"file_path": PLAN, "content": text})

    if "LOCKED" in text or "*** Begin Patch" in text or not text.strip():
        assert bare["content"] == text
    else:
        assert bare["content"] == STAND_IN


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("bash", {"command": "ls", "content": "x"}),
        ("apply_patch", {"file_path": "a", "content": "x"}),
        ("move_file", {"source": "a", "destination": "b", "content": "x"}),
        ("read", {"file_path": "a", "content": "x"}),
        ("a_tool_of_nobody", {"file_path": "a", "content": "x"}),
        ("write", {"content": "src/app.py"}),
        ("edit", {"file_path": "a", "old_string": "x", "new_string": "y"}),
        ("write", {"file_path": "a", "content": ["x"]}),
        ("write", {f"path_{number}": "a" for number in range(40)} | {"content": "x"}),
    ],
)
def test_other_calls_are_left_as_they_are(tool, args):
    assert without_carried_text(tool, args) is args


def test_a_tool_of_the_policy_is_told_by_any_spelling():
    declared = {"write_file": ToolDeclaration(Effect.WRITE, paths=("content",))}

    assert is_declared("Write_File", declared)
    assert is_declared("mcp__fs__write_file", declared)
    assert not is_declared("edit_file", declared)
    assert not is_declared("write_file", {})
