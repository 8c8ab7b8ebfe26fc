"""Calls of methods in PowerShell: the file classes of .NET, and what is known to be harmless."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.core.call import TargetOp
from phasegate.targets.powershell.ledger import Ledger
from phasegate.targets.powershell.table import (
    FILE_TYPES,
    HARMLESS_METHODS,
    PURE_TYPES,
    STATIC_METHODS,
    STATIC_READERS,
    WRITING_TYPES,
)
from phasegate.targets.powershell.text import Token, split


def method_calls(tokens: Sequence[Token], ledger: Ledger) -> None:
    """Note what the calls of methods in an expression do."""
    for index, token in enumerate(tokens):
        call = tokens[index + 1 : index + 2]
        if not (call and call[0].kind == "group" and call[0].text == "(" and call[0].glued):
            continue
        inside = call[0].children
        if index >= len(("type", "::")) and tokens[index - 1].text == "::":
            _static_call(tokens[index - 2], token.text.lower(), inside, ledger)
        elif token.kind == "word" and "." in token.text:
            _method(token.text.rpartition(".")[2].lower(), inside, ledger)


def _static_call(owner: Token, method: str, inside: Sequence[Token], ledger: Ledger) -> None:
    type_name = owner.children[0].text.lower().rpartition(".")[2] if owner.children else ""
    arguments = [part[0] if len(part) == 1 else None for part in split(inside, frozenset(","))]
    if type_name in WRITING_TYPES and method == "new":
        _files(arguments[:1], ("write",), ledger)
    elif type_name in FILE_TYPES and method in STATIC_METHODS:
        recursive = type_name == "directory"
        _files(arguments, STATIC_METHODS[method], ledger, recursive=recursive)
    elif not (
        method in STATIC_READERS
        or type_name in PURE_TYPES
        or (type_name not in FILE_TYPES and method in HARMLESS_METHODS)
    ):
        ledger.give_up(f"what `{method[:40]}` does is not known")


def _files(
    arguments: Sequence[Token | None],
    ops: Sequence[TargetOp | None],
    ledger: Ledger,
    *,
    recursive: bool = False,
) -> None:
    for argument, op in zip(arguments, ops, strict=False):
        if op is not None and argument is None:
            ledger.give_up("a file name is computed")
        elif op is not None and argument is not None:
            # .NET takes relative paths from where the process began, not from where the script is.
            here, ledger.bases = ledger.bases, list(dict.fromkeys([ledger.site.cwd, *ledger.bases]))
            ledger.files([argument], op, "[IO.File]", literal=True, recursive=recursive)
            ledger.bases = here


def _method(method: str, inside: Sequence[Token], ledger: Ledger) -> None:
    if method == "downloadfile" and inside and inside[-1].kind in ("string", "word"):
        ledger.files([inside[-1]], "write", method, literal=True)
    elif method not in HARMLESS_METHODS:
        ledger.give_up(f"what `{method[:40]}` does is not known")
