"""The patch text of each runtime sits under another key."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect
from support.target_calls import PLAN, extraction, touched

TEXT = f"*** Begin Patch\n*** Delete File: {PLAN}\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("apply_patch", {"command": TEXT}),
        ("apply_patch", {"input": TEXT}),
        ("apply_patch", {"input": TEXT, "explanation": "x"}),
        ("apply_patch", {"patch": TEXT}),
        ("apply_patch", {"patchText": TEXT}),
        ("ApplyPatch", {"diff": TEXT}),
        ("patch", {"patchText": TEXT}),
        ("apply_patch", {"": TEXT}),
        ("apply_patch", {"whatever": TEXT}),
        ("apply_patch", {"command": ["apply_patch", TEXT]}),
        ("apply_patch", {"command": f"apply_patch <<'EOF'\n{TEXT}\nEOF\n"}),
        ("mcp__x__apply_patch", {"input": TEXT}),
        ("apply_patch", {"operation": {"type": "delete_file", "path": PLAN}}),
        ("apply_patch", {"operations": [{"type": "delete_file", "path": PLAN}]}),
    ],
)
def test_finds_the_patch(tool, args):
    found = extraction(tool, args)

    assert touched(found) == [f"delete {PLAN}"]
    assert found.effect is Effect.DELETE
    assert not found.opaque


def test_a_decoy_patch_does_not_hide_another():
    other = "*** Begin Patch\n*** Add File: ok\n+x\n*** End Patch"

    assert touched(extraction("apply_patch", {"input": other, "patch": TEXT})) == [
        "write ok",
        f"delete {PLAN}",
    ]


def test_a_path_beside_the_patch_counts_too():
    found = extraction("patch", {"mode": "replace", "path": PLAN, "old_string": "a", "new_string": "b"})

    assert touched(found) == [f"write {PLAN}"]


def test_paths_are_relative_to_the_given_directory():
    text = "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch"

    assert touched(extraction("apply_patch", {"input": text}, cwd="/repo/src")) == ["write src/x"]


@pytest.mark.parametrize("args", [{"input": "rubbish"}, {"patch": "*** Begin Patch\nx"}])
def test_what_cannot_be_read_is_opaque(args):
    assert extraction("apply_patch", args).opaque


def test_the_strongest_operation_names_the_effect():
    moved = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"

    assert extraction("apply_patch", {"input": moved}).effect is Effect.MOVE
    assert extraction("apply_patch", {}).effect is Effect.WRITE


def test_a_bare_hunk_belongs_to_the_path_beside_it():
    found = extraction("patch", {"path": PLAN, "diff": "@@ -1 +1 @@\n-a\n+b\n"})

    assert touched(found) == [f"write {PLAN}"]
    assert not found.opaque


def test_more_patches_than_are_read_are_refused():
    found = extraction("apply_patch", {f"k{n}": TEXT for n in range(50)})

    assert found.unusable == ("args",)
