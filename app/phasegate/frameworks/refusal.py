"""Why a call must not run: the one question that every framework asks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasegate.client import AsyncPhasegateClient, DecisionReply, PhasegateClient
from phasegate.errors import PhasegateError


async def refusal(
    client: AsyncPhasegateClient, runtime: str, tool: str, args: Mapping[str, Any], call_id: str | None
) -> str | None:
    """The text for the model, or None when the call may run. A request that fails is a refusal."""
    try:
        return _text(await client.decide(tool, args, **_call(client.has_cwd, runtime, call_id)))
    except PhasegateError as error:
        return _failure(error)


def refusal_sync(
    client: PhasegateClient, runtime: str, tool: str, args: Mapping[str, Any], call_id: str | None
) -> str | None:
    """`refusal` for code that is not asynchronous."""
    try:
        return _text(client.decide(tool, args, **_call(client.has_cwd, runtime, call_id)))
    except PhasegateError as error:
        return _failure(error)


def _call(has_cwd: bool, runtime: str, call_id: str | None) -> dict[str, Any]:
    """The fields that the framework does not give: its tools work in this process's directory."""
    cwd = {} if has_cwd else {"cwd": str(Path.cwd())}
    return {"runtime": runtime, "call_id": call_id, **cwd}


def _text(decision: DecisionReply) -> str | None:
    return None if decision.allowed else decision.text


def _failure(error: PhasegateError) -> str:
    return f"phasegate: {error.detail}. {error.remedy}" if error.remedy else f"phasegate: {error.detail}"
