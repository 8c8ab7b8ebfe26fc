"""LangChain and LangGraph: middleware around each tool call.

    agent = create_agent(model, tools=tools, middleware=[PhasegateMiddleware(client)])

One client is enough: `invoke` needs a `PhasegateClient`, `ainvoke` an `AsyncPhasegateClient`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage

from phasegate.client import AsyncPhasegateClient, PhasegateClient
from phasegate.frameworks.refusal import refusal, refusal_sync

RUNTIME = "langchain"


class PhasegateMiddleware(AgentMiddleware):
    """Answers a refused tool call with an error message for the model; the tool does not run."""

    def __init__(
        self, client: PhasegateClient | None = None, async_client: AsyncPhasegateClient | None = None
    ) -> None:
        super().__init__()
        self._client = client
        self._async_client = async_client

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """The synchronous way."""
        if self._client is None:
            raise TypeError("`invoke` needs a `PhasegateClient`")
        call = request.tool_call
        refused = refusal_sync(self._client, RUNTIME, call["name"], call["args"], call["id"])
        return handler(request) if refused is None else _message(call, refused)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """The asynchronous way."""
        if self._async_client is None:
            raise TypeError(
                "`ainvoke` needs an `AsyncPhasegateClient`: `PhasegateMiddleware(async_client=...)`"
            )
        call = request.tool_call
        refused = await refusal(self._async_client, RUNTIME, call["name"], call["args"], call["id"])
        return await handler(request) if refused is None else _message(call, refused)


def _message(call: Any, refused: str) -> ToolMessage:
    return ToolMessage(content=refused, tool_call_id=call["id"], name=call["name"], status="error")
