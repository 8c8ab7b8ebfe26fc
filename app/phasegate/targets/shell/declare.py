"""`declare`, `local`, `export`, `readonly` and their kin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.simple import assign
from phasegate.targets.shell.source import Node, name_of
from phasegate.targets.shell.state import State, Var
from phasegate.targets.shell.text import EMPTY, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.walk import Shell


def declare(shell: Shell, node: Node, state: State) -> list[State]:
    """Run a declaration."""
    variant = name_of(node.get("Variant"))
    flags = ""
    for item in node.get("Args") or []:
        if item.get("Naked") and item.get("Value") is not None:
            for field in shell.expander.fields([item["Value"]], state):
                flags = _read(field.text, flags, state)
            continue
        name = name_of(item.get("Name"))
        if variant in ("local", "declare", "typeset") and "g" not in flags:
            state.local_names = (*state.local_names, name)
        _declare_one(shell, item, name, flags, state)
        if variant == "export" or "x" in flags:
            state.vars[name] = replace(state.vars.get(name, Var()), exported=True)
    state.status = True
    return [state]


def _read(text: str | None, flags: str, state: State) -> str:
    """Take an argument that the parser left as a word: options, or an assignment."""
    if text is None:
        return flags
    if text.startswith("-"):
        return flags + text[1:]
    name, equals, value = text.partition("=")
    if equals:
        state.assign(name, (value,) if value else EMPTY)
    return flags


def _declare_one(shell: Shell, item: Node, name: str, flags: str, state: State) -> None:
    naked = bool(item.get("Naked"))
    if "n" in flags and not naked:
        target = plain(shell.expander.text(item["Value"], state)) if item.get("Value") else None
        state.vars[name] = Var(ref=target) if target else Var()
        return
    old = state.vars.get(name)
    if "A" in flags or "a" in flags:
        kept = old.items if old is not None and old.is_list else {}
        state.vars[name] = Var(items=kept, is_list=True, associative="A" in flags)
    elif "i" in flags:
        state.vars[name] = replace(old or Var(EMPTY), integer=True)
    if naked:
        return
    assign(shell, item, state)
    if "u" in flags or "l" in flags:
        state.forget([name])
