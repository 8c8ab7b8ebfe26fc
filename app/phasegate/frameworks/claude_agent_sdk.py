"""Claude Agent SDK: the permission callback and the hooks around a tool call.

    options = ClaudeAgentOptions(hooks=hooks(client), can_use_tool=can_use_tool(client))

The hooks see every call. The permission callback sees those that nothing else settled;
with the hooks in place it only has to answer for the application.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import (
    PermissionResultAllow,
    PermissionResultDeny,
    SyncHookJSONOutput,
    ToolPermissionContext,
)

from phasegate.client import AsyncPhasegateClient
from phasegate.frameworks.refusal import refusal

RUNTIME = "claude-agent-sdk"
TIMEOUT = 15.0

PermissionResult: TypeAlias = PermissionResultAllow | PermissionResultDeny
CanUseTool = Callable[[str, dict[str, Any], ToolPermissionContext], Awaitable[PermissionResult]]


def can_use_tool(client: AsyncPhasegateClient, then: CanUseTool | None = None) -> CanUseTool:
    """A permission callback. *then* is the application's own, asked when the guard has no objection."""

    async def ask(tool: str, args: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        refused = await refusal(client, RUNTIME, tool, args, context.tool_use_id)
        if refused is not None:
            return PermissionResultDeny(message=refused)
        return PermissionResultAllow() if then is None else await then(tool, args, context)

    return ask


def hooks(client: AsyncPhasegateClient) -> dict[Literal["PreToolUse"], list[HookMatcher]]:
    """Hooks for `ClaudeAgentOptions`, failing closed. Silence lets the SDK's own permissions decide."""

    async def before(data: Any, tool_use_id: str | None, context: Any) -> SyncHookJSONOutput:
        del context
        refused = await refusal(client, RUNTIME, data["tool_name"], data["tool_input"], tool_use_id)
        if refused is None:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": refused,
            }
        }

    return {"PreToolUse": [HookMatcher(hooks=[before], timeout=TIMEOUT, on_failure="block")]}
