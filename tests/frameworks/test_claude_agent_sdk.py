"""Hooks and permission callback in the real Claude Agent SDK, whose program talks to a scripted model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("claude_agent_sdk", reason="pip install phasegate[claude-agent-sdk]")

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from claude_agent_sdk.types import PermissionResultDeny, ToolPermissionContext

from phasegate.frameworks.claude_agent_sdk import can_use_tool, hooks
from support.scripted_model import playing

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]


@pytest.fixture(params=["hooks", "can_use_tool"])
def played(request, project, tmp_path):
    """Run the agent on one write; what its model was told."""

    def play(path, uds=None):
        client = project.client(uds=uds)
        guard = (
            {"hooks": hooks(client)} if request.param == "hooks" else {"can_use_tool": can_use_tool(client)}
        )
        call = {"name": "Write", "input": {"file_path": str(path), "content": "x"}}
        with playing("anthropic", [call]) as model:
            options = ClaudeAgentOptions(
                cwd=str(project.root),
                allowed_tools=["Write"] if request.param == "hooks" else [],
                setting_sources=[],
                env={
                    "HOME": str(tmp_path), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "x",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                },
                **guard,
            )  # fmt: skip

            async def go():
                async with ClaudeSDKClient(options) as agent:
                    await agent.query("go")
                    async for _ in agent.receive_response():
                        pass

            asyncio.run(go())
        return next(text for text in model.told if "tool_result" in text)

    return play


def test_a_refused_call_does_not_run_and_the_model_is_told(played, project):
    assert "lock" in played(project.ahead)
    assert not project.ahead.exists()


def test_an_allowed_call_runs(played, project):
    played(project.free)

    assert project.free.read_text() == "x"


def test_without_a_service_nothing_runs(played, project):
    assert "no service answers" in played(project.free, uds=project.lost())
    assert not project.free.exists()


def test_the_applications_own_callback_is_asked_when_the_guard_has_no_objection(project):
    async def never(tool, args, context):
        del tool, args, context
        return PermissionResultDeny(message="not today")

    async def go(path):
        ask = can_use_tool(project.client(), then=never)
        return await ask(
            "Write", {"file_path": str(path), "content": "x"}, ToolPermissionContext(tool_use_id="t")
        )

    assert asyncio.run(go(project.free)).message == "not today"
    assert "lock" in asyncio.run(go(project.ahead)).message
