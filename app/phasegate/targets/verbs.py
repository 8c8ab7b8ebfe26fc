"""Editors whose `command` argument is a verb: what each verb does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from phasegate.core.call import Effect
from phasegate.targets.ids import compact, vocabulary
from phasegate.targets.tools import TextMode, Tool

_KEYS = ("command", "operation", "action")
_READS = vocabulary("view read list ls search find get open show stat exists cat tree")
_TEXTS: Mapping[str, TextMode] = {
    **dict.fromkeys(vocabulary("create write save overwrite new put"), "replace"),
    "append": "append",
}
_EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(vocabulary("delete remove rm unlink"), Effect.DELETE),
    **dict.fromkeys(vocabulary("rename move mv"), Effect.MOVE),
}
_COPIES = vocabulary("copy cp duplicate")
_MAX_VERB = 64


def verb_tool(tool: Tool, args: Mapping[str, Any]) -> Tool:
    """*tool* as the verb in *args* makes it; an unknown verb changes the file in an unknown way.

    It reads only if every argument that may hold the verb says so.
    """
    verbs = [compact(verb.strip()[:_MAX_VERB]) for verb in map(args.get, _KEYS) if isinstance(verb, str)]
    verb = next((verb for verb in verbs if verb not in _READS), None)
    if verb is None:
        return Tool(Effect.READ) if verbs else replace(tool, verbs=False)
    return replace(
        tool,
        verbs=False,
        effect=_EFFECTS.get(verb, tool.effect),
        text=_TEXTS.get(verb, "unknown"),
        copies=verb in _COPIES,
    )
