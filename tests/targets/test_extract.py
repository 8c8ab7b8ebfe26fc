"""The entry: which behaviour an id selects, and that no shape of arguments breaks it."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phasegate.core.call import Effect
from phasegate.core.policy import ToolDeclaration
from phasegate.errors import ViewExhausted
from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.targets.tools import TABLE
from phasegate.workspace.workflow_file import load_workflow
from support.target_calls import PLAN, RUN, extraction, touched, workspace_view
from support.target_scorer import Answer, build_site, corpus, judge


@pytest.mark.parametrize(
    "tool", ["Read", "view", "read_file", "fs_read", "lsp_hover", "view_image", "get_file_info"]
)
def test_readers_have_no_targets(tool):
    found = extraction(tool, {"file_path": PLAN, "path": PLAN})

    assert found.effect is Effect.READ
    assert (found.targets, found.opaque, found.unusable) == ((), (), ())


def test_a_reader_that_saves_its_result_writes_there():
    found = extraction("fetch_page", {"url": "https://example.test", "save_path": PLAN})

    assert touched(found) == [f"write {PLAN}"]
    assert extraction("web_fetch", {"url": "x", "output_path": PLAN}).effect is Effect.WRITE


@pytest.mark.parametrize(
    "args",
    [
        {"target": PLAN},
        {"file_path": PLAN},
        {"x": {"path": PLAN}},
        {"uri": f"file:///repo/{PLAN}"},
        {"configFile": PLAN},
    ],
)
def test_paths_of_an_unknown_tool_are_writes_and_the_call_is_opaque(args):
    found = extraction("mcp__acme__sync", args)

    assert not found.known
    assert found.canonical == "sync"
    assert found.effect is Effect.WRITE
    assert touched(found) == [f"write {PLAN}"]
    assert found.opaque[0].words == (f"/repo/{PLAN}",)
    assert "`mcp__acme__sync` under `tools`" in found.opaque[0].remedy


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("my_tool", {}),
        ("mcp__acme__save_plan", {"plan_id": "x", "body": PLAN}),
        (
            "acme_ask",
            {"prompt": PLAN, "plan": PLAN, "content": PLAN, "pattern": PLAN, "query": PLAN, "url": PLAN},
        ),
        ("acme_set", {"target": 7, "source": {"x": 1}}),
        ("acme", {"command": f"rm {PLAN}"}),
    ],
)
def test_an_unknown_tool_without_paths_is_left_to_the_policy(tool, args):
    found = extraction(tool, args)

    assert (found.effect, found.targets, found.opaque, found.unusable) == (Effect.OTHER, (), (), ())
    assert not found.known


def test_an_unknown_tool_with_an_unreadable_path_says_so():
    assert extraction("acme_sync", {"target": "a\0b"}).unusable == ("args.target",)


@pytest.mark.parametrize(
    "tool", ["Task", "ExitPlanMode", "TodoWrite", "write_todos", "update_plan", "git_add"]
)
def test_other_tools_touch_nothing_themselves(tool):
    found = extraction(tool, {"prompt": f"edit {PLAN}", "path": PLAN, "todos": [{"content": PLAN}]})

    assert (found.effect, found.known, found.targets) == (Effect.OTHER, True, ())


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("mcp__github__create_or_update_file", {"owner": "o", "repo": "r", "path": PLAN, "content": "x"}),
        ("mcp__github__push_files", {"owner": "o", "repo": "r", "files": [{"path": PLAN}]}),
        ("mcp__github__delete_file", {"owner": "o", "repo": "r", "path": PLAN}),
        ("mcp__gitlab__write_file", {"project_id": "1", "path": PLAN}),
    ],
)
def test_a_code_hosts_server_changes_nothing_here(tool, args):
    assert extraction(tool, args).targets == ()


def test_naming_a_repository_does_not_hide_a_local_write():
    found = extraction("mcp__fs__write_file", {"owner": "o", "repo": "r", "path": PLAN})

    assert touched(found) == [f"write {PLAN}"]


def test_a_dry_run_counts_only_for_the_tool_that_has_it():
    args = {"path": PLAN, "edits": [{"oldText": "a", "newText": "b"}], "dryRun": True}

    assert extraction("edit_file", args).effect is Effect.READ
    assert extraction("edit_file", {**args, "dryRun": "true"}).effect is Effect.WRITE
    assert extraction("edit_file", {**args, "old_string": "x"}).effect is Effect.WRITE
    assert extraction("Write", args).effect is Effect.WRITE


READS = ToolDeclaration(Effect.READ)


@pytest.mark.parametrize(
    ("tool", "declaration", "args", "effect", "expected"),
    [
        ("acme_sync", READS, {"target": PLAN}, Effect.READ, []),
        ("Bash", READS, {"command": f"rm {PLAN}"}, Effect.READ, []),
        ("acme_sync", ToolDeclaration(Effect.WRITE), {"target": PLAN}, Effect.WRITE, [f"write {PLAN}"]),
        (
            "acme_sync",
            ToolDeclaration(Effect.WRITE, ("into",)),
            {"into": PLAN, "path": "x"},
            Effect.WRITE,
            [f"write {PLAN}"],
        ),
        (
            "acme_sync",
            ToolDeclaration(Effect.DELETE, ("into",)),
            {"into": PLAN},
            Effect.DELETE,
            [f"delete {PLAN}"],
        ),
        ("acme_sync", ToolDeclaration(Effect.OTHER), {"path": PLAN}, Effect.OTHER, []),
        (
            "acme_do",
            ToolDeclaration(Effect.EXECUTE, command="text"),
            {"text": f"rm {PLAN}"},
            Effect.EXECUTE,
            [f"delete {PLAN}"],
        ),
        (
            "acme_do",
            ToolDeclaration(Effect.EXECUTE),
            {"command": f"rm {PLAN}"},
            Effect.EXECUTE,
            [f"delete {PLAN}"],
        ),
        (
            "acme_mv",
            ToolDeclaration(Effect.MOVE, ("old_path", "new_path")),
            {"old_path": PLAN, "new_path": "x"},
            Effect.MOVE,
            [f"move_from {PLAN}", "move_to x"],
        ),
    ],
)
def test_the_policys_declaration_wins(tool, declaration, args, effect, expected):
    found = extraction(tool, args, tools={tool.casefold(): declaration})

    assert found.effect is effect
    assert touched(found) == expected
    assert found.known
    assert found.opaque == ()


@pytest.mark.parametrize("declared", ["mcp__acme__sync", "sync"])
def test_a_declaration_is_found_by_either_name(declared):
    assert extraction("mcp__Acme__Sync", {"target": PLAN}, tools={declared: READS}).effect is Effect.READ


def test_declared_lock_and_entry_tools():
    lock = extraction("seal", {"artifact": "a"}, tools={"seal": ToolDeclaration(Effect.LOCK)})
    enter = extraction("go", {"phase": "2"}, tools={"go": ToolDeclaration(Effect.ENTER)})

    assert lock.locks[0].artifact == "a"
    assert enter.enters[0].phase == "2"


CALL = {"path": PLAN, "content": "x"}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (
            "multi_tool_use.parallel",
            {"tool_uses": [{"recipient_name": "functions.write", "parameters": CALL}]},
        ),
        ("batch", {"tool_calls": [{"tool": "write", "parameters": CALL}]}),
        ("Batch", {"invocations": [{"tool_name": "Write", "input": CALL}]}),
        ("use_mcp_tool", {"server_name": "fs", "tool_name": "write_file", "arguments": CALL}),
        ("use_mcp_tool", {"server_name": "fs", "tool_name": "write_file", "arguments": json.dumps(CALL)}),
        ("call_tool", {"name": "write_file", "arguments": CALL}),
        (
            "call_tool",
            {"name": "batch", "arguments": {"tool_calls": [{"tool": "write", "parameters": CALL}]}},
        ),
    ],
)
def test_calls_inside_a_call_are_judged(tool, args):
    assert touched(extraction(tool, args)) == [f"write {PLAN}"]


def test_the_strongest_of_several_calls_names_the_effect():
    calls = [
        {"tool": "read", "parameters": CALL},
        {"tool": "delete_file", "parameters": CALL},
        {"tool": 7},
        "x",
    ]
    found = extraction("batch", {"tool_calls": calls})

    assert found.effect is Effect.DELETE
    assert touched(found) == [f"delete {PLAN}"]


def test_calls_inside_calls_are_bounded():
    args: dict[str, object] = {"name": "write", "arguments": CALL}
    for _ in range(10):
        args = {"name": "call_tool", "arguments": args}

    assert extraction("call_tool", args).unusable
    assert extraction("batch", {"tool_calls": [{"tool": "write", "parameters": CALL}] * 100}).unusable


def test_a_wrapper_that_carries_nothing_does_nothing():
    assert extraction("batch", {}).effect is Effect.OTHER


def test_a_spent_budget_of_look_ups_is_told():
    view = workspace_view()
    view._budget = 0
    with pytest.raises(ViewExhausted):
        extraction("write", {"path": PLAN}, view=view)


def test_an_ordinary_write_looks_up_only_its_own_path():
    view = workspace_view()
    extraction("Write", {"file_path": "src/app.py", "content": "x"}, view=view)

    assert view.looked_up == ["/repo", "/repo/src", "/repo/src/app.py"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([PLAN, f"rm {PLAN}"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(
                [
                    "path",
                    "file_path",
                    "files",
                    "edits",
                    "command",
                    "commands",
                    "cwd",
                    "content",
                    "old_string",
                    "new_string",
                    "source",
                    "destination",
                    "name",
                    "directory",
                    "operation",
                    "tool_calls",
                    "tool",
                    "arguments",
                    "code",
                    "artifact",
                    "runId",
                    "diff",
                    "input",
                    "args",
                    "language",
                    "mode",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
TOOLS = sorted({name for name, _ in TABLE.values()})


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([*TOOLS, "recursive_lock", "recursive_phase", "acme_sync", "acme_shell"]) | st.text(),
    st.dictionaries(
        st.sampled_from(
            ["path", "file_path", "command", "edits", "content", "x", "files", "tool_calls", "artifact"]
        )
        | st.text(max_size=5),
        JSON,
        max_size=5,
    ),
)
def test_no_shape_of_arguments_raises(tool, args):
    found = extraction(tool, args)

    assert len(found.targets) <= 600
    assert all(target.path.startswith("/") for target in found.targets)


@pytest.mark.parametrize(
    "args",
    [
        {"content": "x" * 3_000_000, "path": PLAN},
        {"path": ["a"] * 100_000},
        {"edits": [{"old": "a", "new": "b"}] * 20_000, "path": PLAN},
        {"patch": "*** Begin Patch\n" + "*** Add File: a\n+x\n" * 100_000, "path": PLAN},
        {str(n): str(n) for n in range(50_000)} | {"path": PLAN},
    ],
    ids=["content", "paths", "edits", "patch", "keys"],
)
@pytest.mark.parametrize("tool", ["write", "edit", "apply_patch", "acme_sync"])
@pytest.mark.timeout(60)
def test_large_arguments_are_bounded(tool, args):
    found = extraction(tool, args)

    assert len(found.targets) <= 600


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("corpus"))


NATIVE = [case for case in corpus() if case["tool"] != "Bash"]
# What a tool does that is in no table and names no path can't be told; it is left to the policy.
LEFT_TO_THE_POLICY = {"mcp__acme__save_plan"}


@pytest.mark.parametrize("case", NATIVE, ids=[case["id"] for case in NATIVE])
def test_every_labelled_call_of_a_tool_is_understood(disk, case):
    """Editors, MCP tools, patches and PowerShell: what each would change is named or opaque, and readers are left alone."""
    case = disk.real(case)
    request = ExtractRequest(case["tool"], case["args"], case["cwd"], disk.root, load_workflow())
    found = extract(request, DiskView(home=disk.home), ShfmtParser())
    answer = Answer(opaque=bool(found.opaque))
    for target in found.targets:
        answer.add(target.path, recursive=target.recursive)
    outcome = judge(case, answer)

    if case["tool"] in LEFT_TO_THE_POLICY:
        assert found.effect is Effect.OTHER
    elif case["negative"]:
        assert outcome == "CLEAN"
    elif case["certainty"] == "unknown":
        assert outcome == "SAFE"
    else:
        assert outcome == "HIT" or (case["opaque_ok"] and outcome == "OPAQUE")


def test_the_run_is_reached_through_a_linked_directory():
    assert touched(extraction("write", {"path": "alias/new/x.md"})) == [f"write {RUN}/new/x.md"]


def test_bulk_data_of_an_unknown_tool_is_no_refusal():
    found = extraction("mcp__db__insert_rows", {"rows": [{"a": 1, "b": 2}] * 30_000})

    assert found.unusable == ()
    assert found.targets == ()


def test_a_patch_given_to_an_unknown_tool_is_read():
    text = f"*** Begin Patch\n*** Delete File: {PLAN}\n*** End Patch"

    assert f"delete {PLAN}" in touched(extraction("acme_patcher", {"input": text}))
