"""Calls in Python programs: their arguments, and whether they change files."""

from __future__ import annotations

import ast

from phasegate.targets.shell.languages.python_names import (
    EXECS,
    OPENERS,
    OTHER_READS,
    PATH_CHANGES,
    PROGRAMS,
    PURE_MODULES,
    RUNNING,
    SHELLS,
    WRITES,
)
from phasegate.targets.shell.languages.python_values import Known, Values


def is_move(name: str, base: Values, node: ast.Call) -> bool:
    """Whether `x.replace(y)` moves a file: text has the same method, with two arguments."""
    if base is not None:
        return any(value.is_path for value in base)
    return name == "rename" or len(node.args) == 1


def only_reads(name: str) -> bool:
    """Whether the function or constant *name* changes no file."""
    if any(name in table for table in (WRITES, OPENERS, SHELLS, PROGRAMS, EXECS, RUNNING)):
        return False
    if name.startswith("pathlib.") and name.rpartition(".")[2] in PATH_CHANGES:
        return False
    if name.startswith("os.O_"):
        return True
    head = name
    while head:
        if head in PURE_MODULES or head in OTHER_READS:
            return True
        head = head.rpartition(".")[0]
    return False


def argument_of(node: ast.Call, position: int, *keywords: str) -> ast.expr | None:
    """The argument at *position* or under one of *keywords*."""
    for keyword in node.keywords:
        if keyword.arg in keywords:
            return keyword.value
    return node.args[position] if position < len(node.args) else None


def text_of(values: Values) -> str | None:
    """The text when there is exactly one."""
    if values is None or len(values) != 1:
        return None
    known: Known = next(iter(values))
    return known.text
