"""Pydantic AI: a toolset wrapper.

    agent = Agent(model, toolsets=[GuardedToolset(FunctionToolset([write_file]), client)])

Only the wrapped toolset is guarded: tools given to the agent by `tools=` or `@agent.tool`
are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from phasegate.client import AsyncPhasegateClient
from phasegate.frameworks.refusal import refusal

RUNTIME = "pydantic-ai"


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """A toolset whose calls are asked about first. A refused one fails, and the model reads why."""

    client: AsyncPhasegateClient

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Run the tool, unless the guard objects."""
        refused = await refusal(self.client, RUNTIME, name, tool_args, ctx.tool_call_id)
        if refused is not None:
            raise ToolFailed(refused)
        return await super().call_tool(name, tool_args, ctx, tool)
