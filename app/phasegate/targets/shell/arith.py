"""Arithmetic on known integers.

Every operand is visited even when the result is unknown, because a command
substitution or an assignment may hide in any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.text import UNKNOWN, literal, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.words import Expander

_WIDTH = 64
_BITS = 1 << 63
_DIGITS = 20
_BASE = 1 << 10
_ASSIGNING = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})


def evaluate(node: Node, state: State, expander: Expander) -> int | None:
    """The value of an arithmetic expression, or None when it is unknown."""
    with expander.shell.deeper():
        kind = node.get("Type", "Word")
        if kind == "BinaryArithm":
            return _binary(node, state, expander)
        if kind == "UnaryArithm":
            return _unary(node, state, expander)
        if kind == "ParenArithm":
            return evaluate(node["X"], state, expander)
        return _word(node, state, expander)


def variable_of(node: Node) -> str | None:
    """The name when *node* is nothing but a variable's name, else None."""
    parts = node.get("Parts") or []
    if node.get("Type") != "Word" or len(parts) != 1:
        return None
    part = parts[0]
    if part["Type"] == "Lit":
        name = name_of(part)
    elif part["Type"] == "ParamExp" and not part.get("Short") and part.get("Index"):
        return None
    else:
        return None
    return name if name.isidentifier() and name.isascii() else None


def _word(node: Node, state: State, expander: Expander) -> int | None:
    name = variable_of(node)
    if name is not None:
        return _variable(name, state)
    text = plain(expander.text(node, state))
    if text is None:
        return None
    text = text.strip()
    if text.isidentifier() and text.isascii():
        return _variable(text, state)
    return number(text)


def _variable(name: str, state: State) -> int | None:
    var = state.vars.get(state.target_of(name))
    if var is None or var.is_list:
        return None
    text = plain(var.text)
    return None if text is None else number(text.strip())


def number(text: str) -> int | None:
    """The integer that *text* spells in the shell's notation; empty text is 0."""
    if text == "":
        return 0
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if not digits.isascii() or not digits.isalnum() or digits[_DIGITS:] or len(text) - len(digits) > 1:
        return None
    try:
        if digits.lower().startswith("0x"):
            return sign * int(digits, 16)
        return sign * int(digits, 8 if len(digits) > 1 and digits.startswith("0") else 10)
    except ValueError:
        return None


def _binary(node: Node, state: State, expander: Expander) -> int | None:
    op = operator(node)
    if op in _ASSIGNING:
        return _assign(node, op, state, expander)
    left = evaluate(node["X"], state, expander)
    if op in ("&&", "||", "?", ":"):
        right = _perhaps(node["Y"], state, expander)
    else:
        right = evaluate(node["Y"], state, expander)
    if left is None or right is None or op in ("?", ":"):
        return None
    return _calculate(op, left, right)


def _perhaps(node: Node, state: State, expander: Expander) -> int | None:
    """The value of an operand that may stay unevaluated: what it assigns is unknown afterwards."""
    before = dict(state.vars)
    value = evaluate(node, state, expander)
    state.forget([name for name, var in state.vars.items() if before.get(name) != var])
    return value


def _assign(node: Node, op: str, state: State, expander: Expander) -> int | None:
    value = evaluate(node["Y"], state, expander)
    name = variable_of(node["X"])
    if op != "=" and value is not None:
        old = evaluate(node["X"], state, expander)
        value = None if old is None else _calculate(op[:-1], old, value)
    if name is not None:
        state.assign(name, UNKNOWN if value is None else literal(str(value)))
    else:
        evaluate(node["X"], state, expander)
        base = base_name(node["X"])
        if base:
            state.forget([base])
    return value


def base_name(node: Node) -> str | None:
    """The name of the variable that `a[i]` is a part of."""
    for part in node.get("Parts") or []:
        if part["Type"] == "ParamExp":
            return name_of(part.get("Param"))
        if part["Type"] == "Lit":
            return name_of(part).partition("[")[0]
    return None


def _unary(node: Node, state: State, expander: Expander) -> int | None:
    op = operator(node)
    value = evaluate(node["X"], state, expander)
    if op in ("++", "--"):
        name = variable_of(node["X"]) or base_name(node["X"])
        changed = None if value is None else value + (1 if op == "++" else -1)
        if name and variable_of(node["X"]):
            state.assign(name, UNKNOWN if changed is None else literal(str(changed)))
        elif name:
            state.forget([name])
        return value if node.get("Post") else changed
    if value is None:
        return None
    return {"!": int(not value), "-": -value, "+": value, "~": ~value}.get(op)


def _calculate(op: str, left: int, right: int) -> int | None:
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op == "**":
        return left**right if 0 <= right < _WIDTH and abs(left) < _BASE else None
    if op in ("<<", ">>"):
        if not 0 <= right < _WIDTH - 1:
            return None
        return _wrapped(left << right) if op == "<<" else left >> right
    simple = {
        "+": left + right, "-": left - right, "*": left * right,
        "&": left & right, "|": left | right, "^": left ^ right,
        "<": int(left < right), ">": int(left > right), "<=": int(left <= right), ">=": int(left >= right),
        "==": int(left == right), "!=": int(left != right),
        "&&": int(bool(left) and bool(right)), "||": int(bool(left) or bool(right)), ",": right,
    }.get(op)  # fmt: skip
    return None if simple is None else _wrapped(simple)


def _wrapped(value: int) -> int:
    return (value + _BITS) % (2 * _BITS) - _BITS
