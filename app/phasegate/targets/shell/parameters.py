"""The value of `$name`, `${name...}` and of the special parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell import arith, params
from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.state import State, Var, positional
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Text, join, literal, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.words import Expander


@dataclass(frozen=True, slots=True)
class Value:
    """What a parameter stands for.

    `items` are its elements (one for a plain variable), None when even their number is
    unknown. `spread`: the elements stay separate words inside quotes (`$@`, `${a[@]}`).
    """

    items: tuple[Text, ...] | None
    spread: bool = False
    listed: bool = False
    is_set: bool | None = True


_NOTHING = Value((EMPTY,), is_set=False)
_ANYTHING = Value((UNKNOWN,), is_set=None)


def value_of(part: Node, state: State, expander: Expander) -> Value:
    """The value of a `ParamExp` node, its operator applied."""
    with expander.shell.deeper():
        value = _base(part, state, expander)
        if part.get("Length"):
            return _length(value)
        if part.get("Slice"):
            first = 1 if name_of(part.get("Param")) in ("@", "*") else 0
            return _slice(part["Slice"], value, first, state, expander)
        if part.get("Repl"):
            return _replace(part["Repl"], value, state, expander)
        if part.get("Exp"):
            return _operate(part, value, state, expander)
        return value


def _base(part: Node, state: State, expander: Expander) -> Value:
    name = name_of(part.get("Param"))
    index = part.get("Index")
    if part.get("Excl"):
        if index is not None:
            expander.walk_index(index, state)
        return _indirect(part, name, state)
    if index is None:
        return lookup(name, state, expander)
    return _element(name, index, state, expander)


def lookup(name: str, state: State, expander: Expander) -> Value:
    """The value of the variable or special parameter *name*."""
    if name in ("@", "*"):
        return _positionals(name, state)
    if name.isdigit():
        if name == "0":
            return Value((state.zero.value if state.zero else UNKNOWN,))
        text = positional(state, int(name))
        known = state.params is not None and not any(field.many for field in state.params)
        return Value((text,), is_set=int(name) <= len(state.params or ()) if known else None)
    name = state.target_of(name)
    var = state.vars.get(name)
    if var is not None:
        return _variable(var)
    return _special(name, state, expander)


def _positionals(name: str, state: State) -> Value:
    if state.params is None or any(field.many for field in state.params):
        return Value(None, spread=True, listed=True, is_set=None)
    items = tuple(field.value for field in state.params)
    return Value(items, spread=name == "@", listed=True, is_set=bool(items))


def _variable(var: Var) -> Value:
    if not var.is_list:
        return Value((var.text,), is_set=not var.unset)
    if var.items is None:
        return _ANYTHING
    return Value((var.items["0"],)) if "0" in var.items else _NOTHING


def _special(name: str, state: State, expander: Expander) -> Value:
    """Parameters that the shell sets itself; anything else comes from the environment."""
    text: str | None = None
    if name == "PWD" and not state.lost:
        text = state.cwd
    elif name == "OLDPWD" and not state.lost:
        text = state.previous
    elif name == "HOME":
        text = expander.shell.view.home()
    elif name == "IFS":
        text = " \t\n"
    elif name == "#" and state.params is not None and not any(field.many for field in state.params):
        text = str(len(state.params))
    elif name == "?" and state.status is True:
        text = "0"
    return _ANYTHING if text is None else Value((literal(text),))


def _indirect(part: Node, name: str, state: State) -> Value:
    """`${!name}`, `${!prefix*}` and `${!list[@]}`."""
    var = state.vars.get(name)
    if part.get("Names") or part.get("Index") is not None:
        keys = (
            None if part.get("Names") or var is None or var.items is None else tuple(map(literal, var.items))
        )
        return Value(
            keys, spread=part.get("Names") != "*", listed=True, is_set=None if keys is None else True
        )
    if var is not None and var.ref is not None:
        return Value((literal(var.ref),))
    target = str(len(state.params)) if name == "#" and state.params is not None else None
    if var is not None:
        target = plain(var.text)
    if target is None or target == "0":
        return _ANYTHING
    if target.isdigit():
        return Value((positional(state, int(target)),))
    found = state.vars.get(state.target_of(target))
    return _ANYTHING if found is None else _variable(found)


def _element(name: str, index: Node, state: State, expander: Expander) -> Value:
    key = expander.subscript(index, state)
    var = state.vars.get(state.target_of(name))
    if key in ("@", "*"):
        return _all_elements(var, spread=key == "@")
    if var is None:
        return _ANYTHING
    items = var.items if var.is_list else {"0": var.text}
    if not var.associative:
        number = arith.evaluate(index, state, expander)
        key = None if number is None else _from_end(number, items)
    if key is None or items is None:
        return _ANYTHING
    return Value((items[key],)) if key in items else _NOTHING


def _all_elements(var: Var | None, *, spread: bool) -> Value:
    if var is not None and not var.is_list:
        return Value((var.text,), spread=spread, listed=True)
    if var is None or var.items is None:
        return Value(None, spread=spread, listed=True, is_set=None)
    return Value(tuple(var.items.values()), spread=spread, listed=True, is_set=bool(var.items))


def _from_end(number: int, items: Mapping[str, Text] | None) -> str:
    if number >= 0 or not items:
        return str(number)
    return str(max(int(key) for key in items) + 1 + number)


def _length(value: Value) -> Value:
    if value.listed:
        return Value((UNKNOWN if value.items is None else literal(str(len(value.items))),))
    text = plain(value.items[0]) if value.items else None
    return Value((UNKNOWN if text is None else literal(str(len(text))),))


def _slice(part: Node, value: Value, base: int, state: State, expander: Expander) -> Value:
    """`${name:offset:length}`; *base* is 1 for the positional parameters, whose offset 0 is `$0`."""
    offset = arith.evaluate(part["Offset"], state, expander) if part.get("Offset") else 0
    length = arith.evaluate(part["Length"], state, expander) if part.get("Length") else None
    unknown = offset is None or (part.get("Length") is not None and length is None)
    if value.listed:
        if unknown or value.items is None or offset is None or (length or 0) < 0:
            return Value(None, spread=value.spread, listed=True, is_set=None)
        first = max(0, offset - base) if offset >= 0 else max(0, len(value.items) + offset)
        stop = None if length is None else first + length
        return Value(value.items[first:stop], spread=value.spread, listed=True)
    text = plain(value.items[0]) if value.items else None
    if text is None or unknown or offset is None:
        return _ANYTHING
    result = params.cut(text, offset, length)
    return _ANYTHING if result is None else Value((literal(result),))


def _replace(part: Node, value: Value, state: State, expander: Expander) -> Value:
    pattern = expander.pattern(part["Orig"], state) if part.get("Orig") else ""
    with_text = plain(expander.text(part["With"], state)) if part.get("With") else ""
    if pattern is None or with_text is None or value.items is None:
        return _unknown_like(value)
    how = params.Substitution(pattern, with_text, bool(part.get("All")))
    effort = expander.shell.context.effort
    return _each(value, lambda text: params.substitute(text, how, effort))


def _unknown_like(value: Value) -> Value:
    return Value(None, spread=value.spread, listed=True, is_set=None) if value.listed else _ANYTHING


def _operate(part: Node, value: Value, state: State, expander: Expander) -> Value:
    op = operator(part["Exp"])
    word = part["Exp"].get("Word")
    if op in ("-", ":-", "+", ":+", "=", ":=", "?", ":?"):
        return _default(part, op, value, state, expander)
    if op == "@":
        letter = plain(expander.text(word, state)) if word else None
        return _each(value, lambda text: params.transform(text, letter or ""))
    pattern = expander.pattern(word, state) if word else ""
    if pattern is None:
        return _unknown_like(value)
    known, effort = pattern, expander.shell.context.effort
    if op in ("#", "##", "%", "%%"):
        return _each(value, lambda text: params.remove(text, op, known, effort))
    if op in ("^", "^^", ",", ",,"):
        return _each(value, lambda text: params.change_case(text, op, known, effort))
    return _unknown_like(value)


def _each(value: Value, change: params.Change) -> Value:
    if value.items is None:
        return value
    items = []
    for item in value.items:
        text = plain(item)
        done = None if text is None else change(text)
        items.append(UNKNOWN if done is None else literal(done))
    return Value(tuple(items), spread=value.spread, listed=value.listed)


def _default(part: Node, op: str, value: Value, state: State, expander: Expander) -> Value:
    word = part["Exp"].get("Word")
    # Commands in the word are found even when the word turns out not to be used.
    other = expander.text(word, state) if word else EMPTY
    empty = _is_empty(value) if op.startswith(":") else (None if value.is_set is None else not value.is_set)
    kind = op[-1]
    if kind == "?":
        return value
    if empty is None and kind in "-=" and _from_environment(value, other):
        # Most likely not set; where it matters, the command is marked.
        expander.shell.context.assumed = True
        if kind == "=":
            state.assign(name_of(part.get("Param")), other)
        return Value((other,))
    if empty is None:
        if kind == "=":
            state.forget([name_of(part.get("Param"))])
        return Value((UNKNOWN,), spread=value.spread, is_set=None)
    if kind == "+":
        return _NOTHING if empty else Value((other,))
    if not empty:
        return value
    if kind == "=":
        state.assign(name_of(part.get("Param")), other)
    return Value((other,))


def _from_environment(value: Value, other: Text) -> bool:
    """Whether nothing at all is known about the variable, while its default is known."""
    return value.items == (UNKNOWN,) and value.is_set is None and plain(other) is not None


def _is_empty(value: Value) -> bool | None:
    if value.is_set is False:
        return True
    if value.items is None:
        return None
    text = plain(join(value.items))
    if text is not None:
        return text == ""
    return False if any(piece for item in value.items for piece in item if piece) else None
