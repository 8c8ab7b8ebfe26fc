"""A payload, read by its runtime and then by the target extractor, names the files it would change."""

from __future__ import annotations

import json

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.runtimes import find, parse
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.workspace.workflow_file import load_workflow
from support.hook_cases import hook_cases
from support.memory_view import MemoryView

CASES = hook_cases()
KINDS = {"execute": "exec", "other": "exec"}
# What the payload alone can't say; the adapter's reader assumes the project.
NO_DIRECTORY = "/home/user/shop"


def slashed(path: str) -> str:
    return path.replace("\\", "/")


@pytest.mark.parametrize("name", CASES)
def test_the_payload_names_the_files_it_would_change(name):
    case = CASES[name]
    call = parse(find(case.runtime), json.dumps(case.request).encode()).calls[0]
    cwd = call.cwd or NO_DIRECTORY
    view = MemoryView()
    view.add_dir(slashed(cwd))
    found = extract(ExtractRequest(call.tool, call.args, cwd, cwd, load_workflow()), view, ShfmtParser())
    targets = [target.lexical for target in found.targets]

    assert KINDS.get(found.effect.value, found.effect.value) == case.expect["kind"]
    if case.expect["kind"] in {"write", "delete", "move"}:
        assert targets == [slashed(path) for path in case.expect["targets"]]
    elif case.expect["kind"] == "read":
        assert targets == []


@pytest.mark.parametrize(
    ("runtime", "payload"),
    [
        ("cursor", {"hook_event_name": "beforeShellExecution", "command": "echo x > b.md", "cwd": "/r"}),
        (
            "windsurf-cascade",
            {
                "agent_action_name": "pre_run_command",
                "tool_info": {"command_line": "echo x > b.md", "cwd": "/r"},
            },
        ),
        (
            "cline-sdk",
            {
                "hookName": "tool_call",
                "workspaceRoots": ["/r"],
                "tool_call": {"id": "1", "name": "run_commands", "input": "echo x > b.md"},
            },
        ),
        (
            "copilot-cli",
            {
                "cwd": "/r",
                "toolName": "apply_patch",
                "toolArgs": "*** Begin Patch\n*** Add File: b.md\n+x\n*** End Patch",
            },
        ),
        (
            "codex",
            {
                "hook_event_name": "PreToolUse",
                "cwd": "/r",
                "tool_name": "apply_patch",
                "tool_input": {
                    "command": "*** Begin Patch\n*** Update File: a.md\n*** Move to: b.md\n@@\n-x\n+y\n*** End Patch"
                },
            },
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_form_hides_a_write_from_the_guard(runtime, payload):
    """Each of these carries its command or patch under a key of its own."""
    call = parse(find(runtime), payload).calls[0]
    view = MemoryView()
    view.add_dir("/r")
    found = extract(
        ExtractRequest(call.tool, call.args, call.cwd, "/r", load_workflow()), view, ShfmtParser()
    )

    assert "/r/b.md" in [target.lexical for target in found.targets]
