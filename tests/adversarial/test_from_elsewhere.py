"""Calls from a directory that nobody serves, which reach for what the guard protects all the same."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from phasegate.core.call import ToolCall
from phasegate.files.view import DiskView
from support.guarded import guarded

LOCKED = ".recursive/run/r1/00-requirements.md"


@pytest.fixture
def ask(tmp_path):
    """Asks as a hook does, from `/`: the rule that denied, or None for a call that is nobody's business."""
    with guarded(tmp_path) as guard:
        guard.run("Ld")

        async def answers(calls):
            await guard.service.start()
            return [await guard.service.evaluate_hook(call) for call in calls]

        def ask(tool, args, cwd="/"):
            given = asyncio.run(answers([ToolCall(tool, args, cwd=cwd)]))[0]
            return None if given is None else (given.decision.kind, given.decision.rule)

        ask.root, ask.home, ask.service = guard.root, tmp_path, guard.service
        yield ask


def test_the_services_own_data_is_out_of_reach(ask):
    assert ask("Write", {"file_path": f"{ask.home}/data/receipts.key"}) == ("deny", "control-plane")


def test_so_is_a_directory_that_holds_it(ask):
    assert ask("Bash", {"command": f"rm -rf {ask.home}"}) == ("deny", "control-plane")


def test_a_hook_entry_at_home_stays(ask):
    (ask.home / ".claude").mkdir()
    settings = ask.home / ".claude/settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"command": "phasegate hook"}]}}))
    assert ask("Write", {"file_path": str(settings), "content": "{}"}) == ("deny", "control-plane")
    assert ask("Bash", {"command": f"rm -rf {ask.home}/.claude"}) == ("deny", "control-plane")
    local = ask.home / ".claude/settings.local.json"
    assert ask("Write", {"file_path": str(local), "content": "{}"}) is None


@pytest.mark.parametrize("cwd", ["/", "/usr"])
def test_more_paths_than_can_be_looked_at_do_not_hide_one(ask, cwd):
    """Where nothing can be looked up any more, the words of the call decide whose business it is."""
    service = ask.service
    service.judge = replace(service.judge, new_view=lambda looks: DiskView(budget=1, looks=looks))

    assert ask("write_files", {"paths": ["a", "b", f"{ask.root}/{LOCKED}"]}, cwd)[0] == "deny"
    assert ask("write_files", {"paths": ["a", "b", f"../repo/{LOCKED}"]}, cwd)[0] == "deny"
    assert ask("write_files", {"paths": ["a", "b", "c"]}, cwd) is None


def test_other_projects_go_on(ask):
    assert ask("Write", {"file_path": "/somewhere/else/a.py"}) is None
    assert ask("Bash", {"command": "pytest -q"}) is None
    assert ask("Bash", {"command": f"rm -rf {ask.home}/nothing"}) is None
