"""OpenAI Agents SDK: a tool input guardrail.

    agent = Agent(name="coder", tools=guarded(client, [write_file, shell]))

Guardrails see function tools only: hosted tools, shell and patch tools of the SDK and
handoffs pass them by; give those `needs_approval`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents import FunctionTool, Tool
from agents.tool_guardrails import (
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    tool_input_guardrail,
)

from phasegate.client import AsyncPhasegateClient
from phasegate.frameworks.refusal import refusal

RUNTIME = "openai-agents"


def guardrail(client: AsyncPhasegateClient) -> ToolInputGuardrail[Any]:
    """The guardrail, for `function_tool(tool_input_guardrails=[...])`."""

    @tool_input_guardrail(name="phasegate")
    async def guard(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        try:
            args = json.loads(context.tool_arguments or "{}")
        except ValueError:
            args = None
        if not isinstance(args, dict):
            return ToolGuardrailFunctionOutput.reject_content("the arguments are not a JSON object")
        refused = await refusal(client, RUNTIME, context.tool_name, args, context.tool_call_id)
        if refused is None:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(refused)

    return guard


def guarded(client: AsyncPhasegateClient, tools: Sequence[Tool]) -> list[Tool]:
    """Copies of *tools* whose function tools ask the guard first."""
    first = guardrail(client)
    return [
        replace(tool, tool_input_guardrails=[first, *(tool.tool_input_guardrails or [])])
        if isinstance(tool, FunctionTool)
        else tool
        for tool in tools
    ]
