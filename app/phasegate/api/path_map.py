"""`--map HOST=LOCAL`: paths as the agent's machine spells them, turned into this machine's.

For a service that sees the workspace under another path than the agent, as in a
container. It works at the edge, on the texts of a call; everything behind it knows
local paths only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from phasegate.core.call import ToolCall

# A path inside a text begins where one can begin in a shell word, an option's value or a
# URL, and ends with its last component: `/src` must not rewrite `/opt/src` or `/srcs`.
_BEFORE = r"(?<![\w.~/-])"
_AFTER = r"(?![\w.-])"


class PathMap:
    """Rewrites path prefixes in a call. Without entries it returns the call as it is."""

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        # The longest prefix wins, whatever the order of the options.
        self._local = dict(sorted(entries, key=lambda entry: -len(entry[0])))
        choices = "|".join(re.escape(host) for host in self._local)
        self._pattern = re.compile(f"{_BEFORE}({choices}){_AFTER}") if entries else None

    def call(self, call: ToolCall) -> ToolCall:
        if self._pattern is None:
            return call
        return replace(
            call,
            args=self._value(call.args),
            workspace=self._optional(call.workspace),
            cwd=self._optional(call.cwd),
        )

    def text(self, text: str) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._local[found[1]], text)

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return value
