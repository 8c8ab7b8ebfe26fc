"""Putting our entries into a runtime's JSON file and taking them out; nothing else changes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from phasegate.cli.install import jsonc
from phasegate.cli.install.jsonc import Node
from phasegate.errors import SettingsError

MARK = "phasegate"
_SIGNS = ("hook.py", "/v1/hooks/", "phasegate hook", "phasegate-hook-")
_HANDLERS = "hooks"


def is_ours(value: Any) -> bool:
    """Whether a hook entry is one that phasegate wrote."""
    text = json.dumps(value, ensure_ascii=False)
    return MARK in text and any(sign in text for sign in _SIGNS)


def installed(text: str, root: Sequence[str]) -> dict[str, list[Any]]:
    """Our entries by event."""
    events = _below(_parsed(text), root)
    if events is None:
        return {}
    found = {key: [item.plain() for item in _items(member.node)] for key, member in events.members.items()}
    ours = {key: [item for item in items if is_ours(item)] for key, items in found.items()}
    return {key: items for key, items in ours.items() if items}


def merged(
    text: str, root: Sequence[str], entries: Mapping[str, Any], skeleton: Mapping[str, Any] | None = None
) -> str:
    """*text* with exactly one entry of ours per event. Raises `SettingsError`."""
    if not text.strip():
        text = json.dumps(dict(skeleton or {}), indent=2) + "\n"
    for event, entry in entries.items():
        text = _with_entry(text, root, event, entry)
    return text


def stripped(text: str, root: Sequence[str]) -> str:
    """*text* without any entry of ours, and without the lists that this leaves empty."""
    events = _below(_parsed(text), root)
    for event in list(events.members) if events is not None else []:
        text = _without_ours(text, root, event)
    for depth in range(len(root), 0, -1):
        text = _without_empty(text, root[:depth])
    return text


def _with_entry(text: str, root: Sequence[str], event: str, entry: Any) -> str:
    found = installed(text, root).get(event, [])
    if found == [entry]:
        return text
    if found:
        text = _without_ours(text, root, event)
    for depth, key in enumerate(root):
        text = _with_key(text, root[:depth], key, {})
    text = _with_key(text, root, event, [])
    events = _below(_parsed(text), root)
    node = events.members[event].node if events is not None else None
    if node is None or node.kind != "array":
        raise SettingsError(f"`{'.'.join([*root, event])}` is not a list, nothing can be added")
    return jsonc.insert(text, node, entry)


def _with_key(text: str, path: Sequence[str], key: str, value: Any) -> str:
    node = _below(_parsed(text), path)
    if node is None:
        raise SettingsError(f"`{'.'.join(path) or 'the file'}` is not an object, nothing can be added")
    return text if key in node.members else jsonc.insert(text, node, value, key)


def _without_ours(text: str, root: Sequence[str], event: str) -> str:
    """Remove our entries of one event: whole ones, and ours among other people's handlers."""
    while True:
        events = _below(_parsed(text), root)
        if events is None or event not in events.members:
            return text
        node = events.members[event].node
        victim = next(_ours_in(node), None)
        if victim is None:
            return _without_empty_member(text, events, event)
        text = jsonc.remove(text, *victim)


def _ours_in(node: Node) -> Any:
    for index, item in enumerate(_items(node)):
        handlers = item.members[_HANDLERS].node if _HANDLERS in item.members else None
        others = [inner for inner in _items(handlers) if not is_ours(inner.plain())] if handlers else []
        if handlers is not None and others:
            yield from (
                (handlers, place) for place, inner in enumerate(_items(handlers)) if is_ours(inner.plain())
            )
        elif is_ours(item.plain()):
            yield node, index


def _without_empty_member(text: str, holder: Node, key: str) -> str:
    node = holder.members[key].node
    if node.kind == "scalar" or jsonc.children(node):
        return text
    return jsonc.remove(text, holder, list(holder.members).index(key))


def _without_empty(text: str, path: Sequence[str]) -> str:
    holder = _below(_parsed(text), path[:-1])
    if holder is None or path[-1] not in holder.members:
        return text
    return _without_empty_member(text, holder, path[-1])


def _items(node: Node | None) -> list[Node]:
    return node.items if node is not None else []


def _below(node: Node, path: Sequence[str]) -> Node | None:
    """The object at *path*, or None when there is none."""
    for key in path:
        if node.kind != "object" or key not in node.members:
            return None
        node = node.members[key].node
    return node if node.kind == "object" else None


def _parsed(text: str) -> Node:
    try:
        return jsonc.parse(text)
    except jsonc.NotJson as error:
        raise SettingsError(f"the file is not JSON: {error}", remedy="repair it, then try again") from error


def has_wrapper(text: str) -> bool:
    """Whether the file keeps its events below a `hooks` key."""
    return _below(_parsed(text), (_HANDLERS,)) is not None
