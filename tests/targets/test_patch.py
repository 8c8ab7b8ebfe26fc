"""A patch names its files in its own text; only that text says what is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.targets.patch import patch_targets
from phasegate.targets.patch_forms import is_patch, parse_patch
from support.memory_view import MemoryView


@pytest.fixture
def view() -> MemoryView:
    disk = MemoryView()
    disk.add_file("/repo/run/a.md")
    disk.add_link("/repo/alias", "run")
    return disk


def found(text: str, view: MemoryView, base: str = "/repo") -> list[tuple[str, str]]:
    return [(target.op, target.path) for target in patch_targets(text, base=base, view=view).targets]


def wrap(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def test_names_added_updated_deleted_and_moved_files(view):
    text = wrap(
        "*** Add File: docs/new.md",
        "+hello",
        "*** Update File: run/a.md",
        "@@ def f",
        " keep",
        "-old",
        "+new",
        "*** Delete File: out/old.txt",
        "*** Update File: b.md",
        "*** Move to: c.md",
        "@@",
        "-x",
        "+y",
    )

    assert found(text, view) == [
        ("write", "/repo/docs/new.md"),
        ("write", "/repo/run/a.md"),
        ("delete", "/repo/out/old.txt"),
        ("move_from", "/repo/b.md"),
        ("move_to", "/repo/c.md"),
    ]
    assert patch_targets(text, base="/repo", view=view).opaque == ()


def test_headers_inside_content_are_content(view):
    """Documenting a patch in a file must not count as applying it."""
    text = wrap(
        "*** Add File: docs/x.md",
        "+*** Update File: run/a.md",
        "*** Update File: docs/y.md",
        "@@",
        " *** Delete File: run/a.md",
        "+*** Delete File: run/a.md",
        "-*** Add File: run/a.md",
    )

    assert found(text, view) == [("write", "/repo/docs/x.md"), ("write", "/repo/docs/y.md")]


@pytest.mark.parametrize(
    "line",
    [
        "   *** Delete File: run/a.md",
        "*** Delete File:run/a.md",
        "*** Delete File:   run/a.md  ",
        "*** Delete File: /repo/run/a.md",
        "*** Delete File: alias/a.md",
        "*** Delete File: file:///repo/run/a.md",
        "*** Delete File: run\\a.md",
        "*** Delete File: run/a.md\r",
    ],
)
def test_every_spelling_of_a_header_counts(view, line):
    assert found(wrap(line), view) == [("delete", "/repo/run/a.md")]
    assert found(wrap("*** Add File: z", "+z", line)[16:], view)[-1] == ("delete", "/repo/run/a.md")


def test_an_indented_header_after_an_added_file_counts(view):
    text = wrap("*** Add File: z", "+z", "", "  *** Delete File: run/a.md")

    assert ("delete", "/repo/run/a.md") in found(text, view)


def test_a_name_with_a_second_colon_is_judged_both_ways(view):
    """One runtime splits the header at colons and edits the shorter name."""
    assert found(wrap("*** Update File: run/a.md:zzz", "@@", "-a", "+b"), view) == [
        ("write", "/repo/run/a.md:zzz"),
        ("write", "/repo/run/a.md"),
    ]


def test_added_text_and_edits_come_with_the_targets(view):
    text = wrap("*** Add File: n", "+one", "+", "+two", "*** Update File: run/a.md", "@@", " k", "-o", "+n")
    added, updated = patch_targets(text, base="/repo", view=view).targets

    assert added.change is not None
    assert (added.change.kind, added.change.text) == ("replace", "one\n\ntwo\n")
    assert updated.change is not None
    assert updated.change.edits == (("k\no", "k\nn", False),)


def test_an_insertion_without_context_is_an_unknown_change(view):
    text = wrap("*** Update File: run/a.md", "@@", "+Status: LOCKED")
    change = patch_targets(text, base="/repo", view=view).targets[0].change

    assert change is not None
    assert (change.kind, change.text) == ("unknown", "Status: LOCKED")


def test_the_destination_of_a_move_has_an_unknown_change(view):
    text = wrap("*** Update File: x", "*** Move to: run/a.md", "@@", "-a", "+Status: LOCKED")
    source, moved = patch_targets(text, base="/repo", view=view).targets

    assert source.change is None
    assert moved.change is not None
    assert (moved.change.kind, moved.change.text) == ("unknown", "Status: LOCKED")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no patch at all",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\nrun/a.md\n*** End Patch",
        wrap("*** Rename File: run/a.md"),
        wrap("*** Update File: x", "@@", "-a", "stray"),
        wrap("*** Update File:", "@@", "-a"),
        wrap("*** Move to: x"),
        "*** Begin Patch\n" + "+x\n" * 2_200_000,
    ],
    ids=["empty", "prose", "no-file", "stray", "unknown-verb", "bad-hunk", "no-name", "lone-move", "long"],
)
def test_what_cannot_be_read_is_opaque(view, text):
    result = patch_targets(text, base="/repo", view=view)

    assert result.opaque
    assert result.opaque[0].why


def test_targets_before_a_defect_are_kept(view):
    text = wrap("*** Delete File: run/a.md", "rubbish", "*** Delete File: b")

    assert found(text, view) == [("delete", "/repo/run/a.md"), ("delete", "/repo/b")]


def test_many_files_are_bounded(view):
    result = patch_targets(wrap(*[f"*** Delete File: f{n}" for n in range(500)]), base="/repo", view=view)

    assert len(result.targets) == 200
    assert result.opaque


GIT = """diff --git a/run/a.md b/run/a.md
index 1..2 100644
--- a/run/a.md
+++ b/run/a.md
@@ -1,2 +1,2 @@
 keep
--- not a header
+++ nor this
diff --git a/x b/y
similarity index 90%
rename from x
rename to y
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/fresh b/fresh
new file mode 100644
--- /dev/null
+++ b/fresh
@@ -0,0 +1 @@
+x
"""


def test_reads_git_diffs(view):
    assert found(GIT, view) == [
        ("write", "/repo/run/a.md"),
        ("write", "/repo/y"),
        ("move_from", "/repo/x"),
        ("move_to", "/repo/y"),
        ("delete", "/repo/gone"),
        ("write", "/repo/fresh"),
    ]


def test_hunks_of_a_diff_become_edits(view):
    first = patch_targets(GIT, base="/repo", view=view).targets[0]

    assert first.change is not None
    assert first.change.edits == (("keep\n-- not a header", "keep\n++ nor this", False),)


def test_reads_plain_diffs_with_either_prefix_depth(view):
    text = "--- x/run/a.md\t2026\n+++ x/run/a.md\t2026\n@@ -1 +1 @@\n-a\n+b\n"

    assert found(text, view) == [("write", "/repo/x/run/a.md"), ("write", "/repo/run/a.md")]
    assert found(text.replace("x/run", "run"), view) == [("write", "/repo/run/a.md")]


def test_both_names_of_a_diff_count_when_they_differ(view):
    """patch(1) takes whichever of the two exists."""
    text = "--- a/run/a.md\n+++ b/other.md\n@@ -1 +1 @@\n-a\n+b\n"

    assert found(text, view) == [("write", "/repo/run/a.md"), ("write", "/repo/other.md")]


@pytest.mark.parametrize("hunk", ["@@ nonsense @@", "@@ -1", "@@ -x +y @@", "@@ -1,b +1 @@"])
def test_a_hunk_without_counts_is_opaque(view, hunk):
    assert patch_targets(f"--- a/x\n+++ b/x\n{hunk}\n-a\n", base="/repo", view=view).opaque


def test_a_hunk_before_any_file_is_opaque(view):
    assert patch_targets("--- \n@@ -1 +1 @@\n-a\n+b\n", base="/repo", view=view).opaque


@given(
    st.lists(
        st.sampled_from(
            [
                "*** Begin Patch",
                "*** End Patch",
                "*** Add File: a",
                "*** Update File: b",
                "*** Move to: c",
                "*** Delete File: d",
                "@@",
                "@@ -1 +1 @@",
                "+x",
                "-y",
                " z",
                "",
                "--- a/q",
                "+++ b/q",
                "*** ",
                "\\",
                "diff --git a/x b/x",
                "rename from x",
                "rename to y",
                "deleted file mode 1",
                "copy to z",
                "+++ ",
            ]
        )
    )
)
def test_never_raises_on_any_order_of_lines(lines):
    text = "\n".join(lines)
    patch_targets(text, base="/repo", view=MemoryView())

    assert isinstance(is_patch(text), bool)


@given(st.text())
def test_never_raises_on_any_text(text):
    assert parse_patch(text).files or parse_patch(text).defect
