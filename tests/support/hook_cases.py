"""The hook cases: payloads and replies of every runtime, as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

PATH = Path(__file__).resolve().parent.parent / "cases" / "hooks.json"


class HookCase(NamedTuple):
    """One payload of one runtime, with its expected canonical form."""

    runtime: str
    request: dict[str, Any]
    expect: dict[str, Any]
    reply_set: str


def runtimes() -> list[dict[str, Any]]:
    return json.loads(PATH.read_text(encoding="utf-8"))["runtimes"]


def hook_cases() -> dict[str, HookCase]:
    return {
        case["id"]: HookCase(entry["id"], case["request"], case["expect"], case.get("reply_set", ""))
        for entry in runtimes()
        for case in entry["cases"]
    }
