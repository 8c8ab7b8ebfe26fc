"""Which variables a piece of code may assign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phasegate.targets.shell import arith
from phasegate.targets.shell.source import Node, name_of


def assigned(nodes: Sequence[Node]) -> list[str]:
    """Names of the variables that anything in *nodes* may assign."""
    names: dict[str, None] = {}
    pending: list[object] = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, Mapping):
            for name in _assigned_by(node):
                names[name] = None
            pending.extend(value for value in node.values() if isinstance(value, Mapping | list))
    return list(names)


_NAMING = frozenset({"read", "printf", "mapfile", "readarray", "unset", "getopts", "wait"})


def _assigned_by(node: Node) -> list[str]:
    name = node.get("Name")
    if isinstance(name, Mapping) and (
        "Value" in node or "Array" in node or "Naked" in node or "Items" in node
    ):
        return [str(name.get("Value", ""))]
    kind = node.get("Type")
    if kind in ("BinaryArithm", "UnaryArithm"):
        found = arith.base_name(node["X"]) if isinstance(node.get("X"), Mapping) else None
        return [found] if found else []
    if kind == "ParamExp":
        return [name_of(node.get("Param"))] if isinstance(node.get("Exp"), Mapping) else []
    args = node.get("Args")
    if kind == "CallExpr" and isinstance(args, list):
        literals = [name_of(p) for arg in args for p in arg.get("Parts") or [] if p["Type"] == "Lit"]
        if literals and literals[0] in _NAMING:
            return [text.partition("[")[0] for text in literals[1:] if text[:1].isalpha() or text[:1] == "_"]
    return []
