"""The values that expressions of a Python program may have, as far as text and paths go.

Each variable stands for every value that is assigned to it anywhere; the union is small
in the programs that agents write, and errs towards more files.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_VALUES = 16
MAX_NESTING = 30
MAX_VALUE = 1 << 14


@dataclass(frozen=True, slots=True)
class Known:
    """One value: a text, or a path object."""

    text: str
    is_path: bool = False


Values = frozenset[Known] | None
"""Every value that an expression may have; None when these are not known."""


@dataclass(slots=True)
class Scope:
    """What the program's names stand for.

    `modules` maps a local name to the dotted name that it was imported as. `values` are
    those of variables. `functions` are defined in the program. `trees` and `handles` are
    variables that hold parsed XML and open files.
    """

    argv: Sequence[str | None] = ()
    modules: dict[str, str] = field(default_factory=dict)
    values: dict[str, Values] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)

    def bind(self, name: str, values: Values) -> None:
        """Add *values* to what *name* may be."""
        if name not in self.values:
            self.values[name] = values
            return
        old = self.values[name]
        joined = None if old is None or values is None else old | values
        self.values[name] = None if joined is None or len(joined) > MAX_VALUES else joined


def dotted(node: ast.expr, scope: Scope) -> str | None:
    """The imported or builtin thing that *node* names, such as `os.path.join`; else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    base = scope.modules.get(node.id)
    if base is None:
        local = node.id in scope.values or node.id in scope.functions or node.id in scope.classes
        if parts or local:
            return None
        base = node.id
    return ".".join([base, *reversed(parts)])


def evaluate(node: ast.expr | None, scope: Scope, depth: int = 0) -> Values:
    """Every value that *node* may have."""
    if node is None or depth > MAX_NESTING:
        return None
    match node:
        case ast.Constant(value=str() as text):
            return frozenset({Known(text)})
        case ast.Name(id=name):
            return scope.values.get(name)
        case ast.IfExp(body=body, orelse=other):
            return _union((evaluate(body, scope, depth + 1), evaluate(other, scope, depth + 1)))
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None) | ast.NamedExpr(value=inner):
            return evaluate(inner, scope, depth + 1)
    reader = _READERS.get(type(node))
    return None if reader is None else reader(node, scope, depth)


def elements(node: ast.expr, scope: Scope) -> Values:
    """Every value that the elements of *node* may have."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _union(evaluate(item, scope) for item in node.elts)
    if (
        isinstance(node, ast.Call)
        and dotted(node.func, scope) in ("sorted", "list", "reversed", "set", "tuple")
        and node.args
    ):
        return elements(node.args[0], scope)
    if isinstance(node, ast.Name):
        return scope.values.get(f"{node.id}[]")
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and not node.args
    ):
        base = evaluate(node.func.value, scope)
        return None if base is None else frozenset(Known(word) for one in base for word in one.text.split())
    return None


def _union(parts: Iterable[Values]) -> Values:
    result: set[Known] = set()
    for part in parts:
        if part is None:
            return None
        result |= part
    return frozenset(result) if len(result) <= MAX_VALUES else None


def _combine(left: Values, right: Values, *, slash: bool) -> Values:
    if left is None or right is None or len(left) * len(right) > MAX_VALUES:
        return None
    made = set()
    for one in left:
        for other in right:
            text = posixpath.join(one.text, other.text) if slash else one.text + other.text
            if len(text) > MAX_VALUE:
                return None
            made.add(Known(text, slash))
    return frozenset(made)


def _joined(node: ast.JoinedStr, scope: Scope, depth: int) -> Values:
    result: Values = frozenset({Known("")})
    for part in node.values:
        result = _combine(result, evaluate(part, scope, depth + 1), slash=False)
    return None if result is None else frozenset(Known(one.text) for one in result)


def _binary(node: ast.BinOp, scope: Scope, depth: int) -> Values:
    left, right = evaluate(node.left, scope, depth + 1), evaluate(node.right, scope, depth + 1)
    if isinstance(node.op, ast.Add):
        return _combine(left, right, slash=False)
    if isinstance(node.op, ast.Div):
        return _combine(left, right, slash=True)
    if (
        isinstance(node.op, ast.Mod)
        and left is not None
        and right is not None
        and len(left) == len(right) == 1
    ):
        form, argument = next(iter(left)).text, next(iter(right)).text
        return (
            frozenset({Known(form.replace("%s", argument))})
            if form.count("%") == form.count("%s") == 1
            else None
        )
    return None


_SAME = frozenset({"resolve", "absolute", "as_posix", "__str__", "expanduser", "strip", "__fspath__"})


_JOINING = frozenset(
    {"pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath", "os.path.join", "posixpath.join"}
)
_CHANGES: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("str", "os.fspath", "os.path.abspath", "os.path.realpath", "os.path.normpath"), str),
    "os.path.dirname": lambda text: posixpath.dirname(text) or ".",
    "os.path.basename": posixpath.basename,
}


def _call(node: ast.Call, scope: Scope, depth: int) -> Values:
    name = dotted(node.func, scope)
    args = [evaluate(arg, scope, depth + 1) for arg in node.args]
    if name in _JOINING:
        result: Values = args[0] if args else frozenset({Known("")})
        for arg in args[1:]:
            result = _combine(result, arg, slash=True)
        is_path = name.startswith("pathlib")
        return None if result is None else frozenset(Known(value.text or ".", is_path) for value in result)
    change = _CHANGES.get(name or "")
    if change is not None and len(args) == 1 and args[0] is not None:
        return frozenset(Known(change(value.text)) for value in args[0])
    if name in ("pathlib.Path.cwd", "os.getcwd") and not args:
        return frozenset({Known(".", name != "os.getcwd")})
    if isinstance(node.func, ast.Attribute) and name != "pathlib.Path.home":
        return _method(node.func, args, scope, depth)
    return None


def _method(func: ast.Attribute, args: list[Values], scope: Scope, depth: int) -> Values:
    base = evaluate(func.value, scope, depth + 1)
    if base is None:
        return None
    if func.attr in _SAME and not args:
        return base if all("~" not in value.text for value in base) else None
    if func.attr == "joinpath":
        result: Values = base
        for arg in args:
            result = _combine(result, arg, slash=True)
        return result
    if func.attr in ("with_name", "with_suffix") and len(args) == 1 and args[0] is not None:
        return frozenset(_renamed(one, new.text, func.attr) for one in base for new in args[0])
    return None


def _renamed(path: Known, new: str, method: str) -> Known:
    head, name = posixpath.split(path.text)
    return Known(
        posixpath.join(head, new if method == "with_name" else posixpath.splitext(name)[0] + new),
        is_path=True,
    )


def _attribute(node: ast.Attribute, scope: Scope, depth: int) -> Values:
    base = evaluate(node.value, scope, depth + 1)
    if base is None:
        return None
    if node.attr == "parent":
        return frozenset(
            Known(posixpath.dirname(value.text.rstrip("/")) or ".", is_path=True) for value in base
        )
    if node.attr == "name":
        return frozenset(Known(posixpath.basename(value.text)) for value in base if value.is_path) or None
    return None


def _subscript(node: ast.Subscript, scope: Scope, depth: int) -> Values:
    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if dotted(node.value, scope) == "sys.argv":
        if isinstance(index, int) and 0 <= index < len(scope.argv):
            text = scope.argv[index]
            return None if text is None else frozenset({Known(text)})
        return None
    if isinstance(node.value, ast.Dict) and isinstance(index, str):
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == index:
                return evaluate(value, scope, depth + 1)
    return elements(node.value, scope) if isinstance(index, int) else None


_READERS: Mapping[type[ast.expr], Callable[[Any, Scope, int], Values]] = {
    ast.JoinedStr: _joined,
    ast.BinOp: _binary,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
}
