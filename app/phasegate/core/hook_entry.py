"""Does a runtime's configuration still run our hook after a change?

The word alone says little: it can stay in a comment, beside another command, or below a
switch that turns every hook off. So what is compared is the entry with all that decides
whether it runs: where it stands, the plain values beside it (matcher, type, command,
timeout), and the switches of the whole file.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from phasegate.core.call import ContentChange
from phasegate.core.change import HOOK_MARK, apply_change

HOOK_SWITCH = "disableAllHooks"
"""The setting by which one file turns off the hooks of all (Claude Code, Copilot CLI)."""

_HOOK = "hook"
_MAX_DEPTH = 64
_AROUND = 4
"""Lines above and below a mention that belong to the entry, where a file can't be parsed."""

Path = tuple[str, ...]
Entry = tuple[Path, str, tuple[str, ...]]


def survives(name: str, before: str, change: ContentChange | None) -> bool:
    """Whether the configuration file called *name* runs our hook after *change* as it did before.

    A program of ours (a plugin, a script) has to stay as it is. A file without our entry
    is asked only whether it turns the hooks of other files off.
    """
    if change is None or change.kind == "unknown":
        return False
    after = apply_change(before, change)
    if after is None:
        return False
    if HOOK_MARK not in before:
        return not _switches_off(name, after)
    return _keeps_entry(name, before, after)


def may_switch(change: ContentChange | None) -> bool:
    """Whether *change* speaks of the setting that turns all hooks off."""
    return change is not None and any(
        HOOK_SWITCH in text for text in (change.text, *(new for _, new, _ in change.edits))
    )


def _keeps_entry(name: str, before: str, after: str) -> bool:
    if not name.endswith((".json", ".toml")):
        return before == after
    old, new = _parsed(name, before), _parsed(name, after)
    if old is None:
        return _block(before) in after
    if new is None:
        return False
    entries, switches = _entries(old)
    kept, now = _entries(new)
    return not Counter(entries) - Counter(kept) and switches == now


def _switches_off(name: str, text: str) -> bool:
    if HOOK_SWITCH not in text:
        return False
    document = _parsed(name, text)
    return document is None or document.get(HOOK_SWITCH, False) is not False


def _parsed(name: str, text: str) -> Mapping[str, Any] | None:
    try:
        found = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _entries(document: Mapping[str, Any]) -> tuple[list[Entry], dict[Path, str]]:
    """Our entries, and the switches: plain values above every list whose place speaks of hooks."""
    entries: list[Entry] = []
    switches: dict[Path, str] = {}
    for path, value, beside, in_list in _leaves(document):
        if HOOK_MARK in value or any(HOOK_MARK in key for key in path):
            entries.append((path, value, beside))
        elif not in_list and any(_HOOK in key.lower() for key in path):
            switches[path] = value
    return entries, switches


def _leaves(document: Mapping[str, Any]) -> Iterator[tuple[Path, str, tuple[str, ...], bool]]:
    """Plain values with their place, the plain values beside them in a list's objects, and whether in a list."""
    pending: list[tuple[Path, Any, tuple[str, ...], bool]] = [((), document, (), False)]
    while pending:
        path, node, beside, in_list = pending.pop()
        if len(path) > _MAX_DEPTH:
            continue
        if isinstance(node, Mapping):
            plain = {key: value for key, value in node.items() if not isinstance(value, Mapping | list)}
            here = (*beside, _shown(plain)) if in_list else beside
            pending.extend(((*path, key), value, here, in_list) for key, value in node.items())
        elif isinstance(node, list):
            if any(isinstance(item, Mapping | list) for item in node):
                pending.extend(((*path, "[]"), item, beside, True) for item in node)
            else:
                yield path, _shown(node), beside, in_list
        else:
            yield path, _shown(node), beside, in_list


def _shown(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _block(text: str) -> str:
    """The lines from the first mention to the last, with some around them; *text* has a mention."""
    lines = text.split("\n")
    found = [index for index, line in enumerate(lines) if HOOK_MARK in line]
    return "\n".join(lines[max(0, found[0] - _AROUND) : found[-1] + _AROUND + 1])
