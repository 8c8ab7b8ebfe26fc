"""Tools that name their files in arguments: every runtime's shapes."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect
from support.target_calls import PLAN, RUN, extraction, touched, windows_view, workspace_view


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Write", {"file_path": PLAN, "content": "x"}),
        ("Write", {"file_path": f"/repo/{PLAN}", "content": "x"}),
        ("write", {"filePath": PLAN, "content": "x"}),
        ("write", {"uri": f"file:///repo/{PLAN}"}),
        ("write", {"filename": PLAN}),
        ("write", {"dest": PLAN}),
        ("write", {"target": PLAN}),
        ("write", {"command": PLAN}),
        ("write", {"file_path": f"  {PLAN}  "}),
        ("write", {"file_path": PLAN.replace("/", "\\")}),
        ("write", {"file_path": f"{PLAN}/."}),
        ("write", {"file_path": "alias/02-to-be-plan.md"}),
        ("write", {"file_path": "link.md"}),
        ("write", {"file_path": f"./src/../{PLAN}"}),
        ("write_file", {"file_path": PLAN, "content": "x"}),
        ("create_file", {"path": PLAN}),
        ("Create", {"file_path": PLAN, "content": "x"}),
        ("create", {"path": PLAN, "file_text": "x"}),
        ("write_to_file", {"TargetFile": PLAN, "CodeContent": "x"}),
        ("WriteFile", {"path": PLAN, "content": "x", "mode": "append"}),
        ("replace", {"file_path": PLAN, "old_string": "a", "new_string": "b"}),
        ("search_replace", {"file_path": PLAN, "old_string": "a", "new_string": "b"}),
        ("edit_file", {"target_file": PLAN, "code_edit": "x"}),
        ("StrReplaceFile", {"path": PLAN, "edit": {"old": "a", "new": "b"}}),
        ("insert_edit_into_file", {"filePath": PLAN, "code": "x"}),
        ("replace_string_in_file", {"filePath": PLAN, "oldString": "a", "newString": "b"}),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": PLAN, "oldString": "a", "newString": "b"}]},
        ),
        ("MultiEdit", {"file_path": PLAN, "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("NotebookEdit", {"notebook_path": PLAN, "new_source": "x", "edit_mode": "delete"}),
        ("edit_notebook_file", {"filePath": PLAN, "newCode": "x"}),
        ("developer__edit", {"path": PLAN, "before": "a", "after": "b"}),
        ("editor", {"path": PLAN, "old_text": "a", "new_text": "b"}),
        ("replace_in_file", {"path": PLAN, "diff": "x"}),
        ("apply_diff", {"path": PLAN, "diff": "x"}),
        ("create_new_file", {"filepath": PLAN, "contents": "x"}),
        ("file_writer_tool", {"filename": "02-to-be-plan.md", "directory": RUN, "content": "x"}),
        ("mcp__serena__replace_regex", {"relative_path": PLAN, "regex": "a", "repl": "b"}),
        ("mcp__jetbrains__replace_text_in_file", {"pathInProject": PLAN, "oldText": "a", "newText": "b"}),
        (
            "mcp__filesystem__edit_file",
            {"path": PLAN, "edits": [{"oldText": "a", "newText": "b"}], "dryRun": False},
        ),
        ("pre_write_code", {"file_path": PLAN, "edits": [{"old_string": "", "new_string": "x"}]}),
        ("afterFileEdit", {"file_path": PLAN, "edits": []}),
        ("format_file", {"path": PLAN}),
        ("write", {"file_path": "02-to-be-plan.md", "cwd": RUN}),
        ("write", {"file_path": "02-to-be-plan.md", "cwd": f"/repo/{RUN}"}),
    ],
)
def test_a_writer_is_seen_through_every_shape(tool, args):
    found = extraction(tool, args)

    assert found.effect is Effect.WRITE
    assert found.known
    assert not found.opaque
    assert f"/repo/{PLAN}" in {target.path for target in found.targets}
    assert {target.op for target in found.targets} <= {"write", "append"}


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("Delete", {"path": PLAN}, [f"delete {PLAN}"]),
        ("delete_file", {"target_file": PLAN}, [f"delete {PLAN}"]),
        ("file_delete", {"file_path": PLAN}, [f"delete {PLAN}"]),
        ("delete_directory", {"path": ".recursive"}, ["delete* .recursive"]),
        ("delete_file", {"path": "alias"}, ["delete alias"]),
        ("delete_files", {"paths": ["docs", "src/app.py"]}, ["delete* docs", "delete src/app.py"]),
    ],
)
def test_deleting_works_on_the_name_itself(tool, args, expected):
    found = extraction(tool, args)

    assert touched(found) == expected
    assert found.effect is Effect.DELETE


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("move_file", {"source": PLAN, "destination": "x.md"}, [f"move_from {PLAN}", "move_to x.md"]),
        (
            "move_file",
            {"source_path": PLAN, "destination_path": "x.md"},
            [f"move_from {PLAN}", "move_to x.md"],
        ),
        ("mv", {"from": "src", "to": "lib"}, ["move_from* src", "move_to* lib"]),
        (
            "move_file",
            {"source": "src/app.py", "destination": "docs"},
            ["move_from src/app.py", "move_to docs", "move_to docs/app.py"],
        ),
        ("rename_file", {"path": PLAN, "new_name": "x.md"}, [f"move_from {PLAN}", f"move_to {RUN}/x.md"]),
        ("lov-rename", {"original_file_path": "a", "new_file_path": "b"}, ["move_from a", "move_to b"]),
        (
            "memory",
            {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"},
            ["move_from /memories/a.md", "move_to /memories/b.md"],
        ),
    ],
)
def test_moving_leaves_one_place_and_fills_another(tool, args, expected):
    found = extraction(tool, args)

    assert touched(found) == expected
    assert found.effect is Effect.MOVE


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"source": PLAN, "destination": "docs/x.md"}, ["write docs/x.md"]),
        ({"source": "src/app.py", "destination": "alias"}, [f"write {RUN}", f"write {RUN}/app.py"]),
        ({"source": "src", "destination": "lib"}, ["write* lib"]),
    ],
)
def test_a_copy_changes_its_destination_alone(args, expected):
    assert touched(extraction("copy_file", args)) == expected


def test_both_directories_count_where_a_tool_may_ignore_its_cwd_argument():
    found = extraction("write", {"file_path": "x", "cwd": "/elsewhere"})

    assert touched(found) == ["write x", "write /elsewhere/x"]


def test_a_bare_file_name_goes_to_the_folder_beside_it_or_not():
    assert touched(extraction("write_file", {"filename": "x", "directory": "docs"})) == [
        "write docs/x",
        "write x",
    ]
    assert touched(extraction("file_writer_tool", {"filename": "x", "directory": "docs"})) == ["write docs/x"]
    assert touched(extraction("create_file", {"name": "x", "directory": "docs"})) == [
        "write docs/x",
        "write x",
    ]


def test_a_literal_name_counts_where_it_exists():
    """A link named `a\\b` is written through by a tool that does not turn backslashes round."""
    view = workspace_view()
    view.add_link("/repo/a\\b", PLAN)
    view.add_link("/repo/ blank", PLAN)

    assert touched(extraction("write", {"file_path": "a\\b"}, view=view)) == ["write a/b", f"write {PLAN}"]
    assert touched(extraction("write", {"file_path": " blank"}, view=view)) == [
        "write blank",
        f"write {PLAN}",
    ]
    assert touched(extraction("write", {"file_path": "x\\y"}, view=view)) == ["write x/y"]


def test_dots_behind_a_tilde_or_a_url_count_both_ways():
    """A tool that expands neither takes them for names, and `..` leads back out of these."""
    assert touched(extraction("write", {"file_path": "~/x"})) == ["write /home/dev/x"]
    assert "write .recursive/x" in touched(extraction("write", {"file_path": "~/../.recursive/x"}))
    assert f"write {PLAN}" in touched(extraction("write", {"file_path": f"file:///../{PLAN}"}))


def test_contents_by_path_are_one_target_each():
    found = extraction("write_files", {"files": {"a.py": "x", PLAN: "y"}})

    assert touched(found) == ["write a.py", f"write {PLAN}"]
    assert [target.change.text for target in found.targets if target.change] == ["x", "y"]


def test_a_patch_in_a_path_tools_text_names_files_of_its_own():
    text = f"*** Begin Patch\n*** Delete File: {PLAN}\n*** End Patch"
    found = extraction("edit_file", {"path": "src/app.py", "patch": text})

    assert touched(found) == ["write src/app.py", f"delete {PLAN}"]


def test_too_much_is_refused_and_says_so():
    found = extraction("write", {"paths": [f"f{n}" for n in range(1000)]})

    assert len(found.targets) == 200
    assert found.unusable
    assert found.opaque


@pytest.mark.parametrize(
    "typed",
    [
        "C:\\w\\.recursive\\run\\r1\\02-to-be-plan.md",
        "c:/w/.recursive/run/r1/02-to-be-plan.md",
        "\\\\?\\C:\\w\\.recursive\\run\\r1\\02-to-be-plan.md",
        ".Recursive\\RUN\\r1\\02-To-Be-Plan.md",
        ".recursive/run/r1/02-to-be-plan.md::$DATA",
        ".recursive/run/r1/02-to-be-plan.md. ",
        "file:///C:/w/.recursive/run/r1/02-to-be-plan.md",
        "/c/w/.recursive/run/r1/02-to-be-plan.md",
    ],
)
def test_windows_spellings_name_the_same_file(typed):
    found = extraction("write", {"file_path": typed}, view=windows_view(), cwd="C:\\w", root="C:\\w")

    assert [target.path.casefold() for target in found.targets] == ["c:/w/.recursive/run/r1/02-to-be-plan.md"]


def test_a_drive_letter_is_an_ordinary_name_on_posix():
    assert touched(extraction("write", {"file_path": f"C:/repo/{PLAN}"})) == [f"write C:/repo/{PLAN}"]
