"""Tools of the host that lock an artifact or enter a phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from phasegate.core.call import EnterRequest, LockRequest
from phasegate.targets.ids import parts

_RUN_KEYS = ("runId", "run_id")
_MAX_TEXT = 4096


@lru_cache(maxsize=1024)
def own_name(tool: str, names: frozenset[str]) -> str | None:
    """Which of *names* the id *tool* is, whatever server's prefix stands before it."""
    pieces = parts(tool)
    for start in range(len(pieces)):
        name = "_".join(pieces[start:]).lower()
        if name in names:
            return name
    last = pieces[-1].lower() if pieces else ""
    return next(
        (name for name in sorted(names) if last.startswith("mcp_") and last.endswith("_" + name)), None
    )


def lock_requests(args: Mapping[str, Any]) -> tuple[LockRequest, ...]:
    """One request for each run that the arguments name, or one that names none."""
    artifact = _text(args.get("artifact"))
    # Only a plain `true` reopens: a tool that is given anything else may lock instead.
    reopen = args.get("reopen") is True
    return tuple(
        LockRequest(artifact, run_id, malformed, reopen) for run_id, malformed in dict.fromkeys(_runs(args))
    )


def enter_requests(args: Mapping[str, Any]) -> tuple[EnterRequest, ...]:
    """One request for each run that the arguments name, or one that names none."""
    phase = _text(args.get("phase"))
    return tuple(EnterRequest(phase, run_id, malformed) for run_id, malformed in dict.fromkeys(_runs(args)))


def _runs(args: Mapping[str, Any]) -> Iterator[tuple[str | None, bool]]:
    named = False
    for key in _RUN_KEYS:
        value = args.get(key)
        if value is None:
            continue
        named = True
        yield (value[:_MAX_TEXT], False) if isinstance(value, str) else (None, True)
    if not named:
        yield (None, False)


def _text(value: Any) -> str | None:
    """A value turned to text; None when it is absent, blank, or no single value."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)[:_MAX_TEXT]
    return text if text.strip() else None
