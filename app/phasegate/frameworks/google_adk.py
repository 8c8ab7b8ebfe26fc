"""Google ADK: a callback before each tool call.

agent = LlmAgent(name="coder", model=model, tools=tools, before_tool_callback=before_tool_callback(client))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from phasegate.client import AsyncPhasegateClient
from phasegate.frameworks.refusal import refusal

RUNTIME = "google-adk"

Callback = Callable[[Any, dict[str, Any], Any], Awaitable[dict[str, Any] | None]]


def before_tool_callback(client: AsyncPhasegateClient) -> Callback:
    """The callback. What it returns instead of None becomes the tool's result."""

    # The framework passes its arguments by these names.
    async def before(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        call_id = getattr(tool_context, "function_call_id", None)
        refused = await refusal(client, RUNTIME, tool.name, args, call_id)
        return None if refused is None else {"error": refused}

    return before
