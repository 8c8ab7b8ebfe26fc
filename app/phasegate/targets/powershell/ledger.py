"""What one reading of a PowerShell script has found, and where the script stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phasegate.core.call import ContentChange, OpaqueReason, TargetOp, WriteTarget
from phasegate.targets.powershell.paths import expand, file_operand, mentions, value_of
from phasegate.targets.powershell.table import Cmdlet
from phasegate.targets.powershell.text import Token
from phasegate.targets.resolve import resolve
from phasegate.targets.shell.report import ShellTargets
from phasegate.targets.site import Site

MAX_TARGETS = 200
MAX_BASES = 4
MAX_ORIGIN = 200
_PART = 200
_REMEDY = "write it with plain commands such as Set-Content and literal paths"


class Ledger:
    """Directories the script may be in, variables that are known, targets and reasons so far.

    `statement` holds the tokens of the statement being read: the words that count when
    a part of it can't be known.
    """

    def __init__(self, site: Site, text: str) -> None:
        self.site = site
        self.bases = [site.cwd]
        self._text = text
        self._stack: list[list[str]] = []
        home = site.view.home()
        self.statement: Sequence[Token] = ()
        self._variables: dict[str, str | None] = {"pwd": site.cwd}
        self._origins: dict[str, Sequence[Token]] = {}
        self._variables.update(dict.fromkeys(("home", "env:home", "env:userprofile"), home))
        self._targets: dict[tuple[str, str], WriteTarget] = {}
        self._opaque: dict[tuple[str, tuple[str, ...]], OpaqueReason] = {}
        self._found: list[ShellTargets] = []

    def result(self) -> ShellTargets:
        nested = self._found
        return ShellTargets(
            targets=(*self._targets.values(), *(target for part in nested for target in part.targets)),
            opaque=(*self._opaque.values(), *(reason for part in nested for reason in part.opaque)),
            locks=tuple(lock for part in nested for lock in part.locks),
            enters=tuple(enter for part in nested for enter in part.enters),
        )

    def adopt(self, found: ShellTargets) -> None:
        """Take over what a program started by the script would touch."""
        self._found.append(found)

    def value(self, token: Token) -> str | None:
        """The text of *token*, or None when it is not known."""
        return value_of(token, self._variables)

    def assign(self, name: str, value: str | None, origin: Sequence[Token]) -> None:
        """Remember a variable and the tokens that made it; one with two values is not known any more."""
        self._variables[name] = value if self._variables.get(name, value) == value else None
        self._origins[name] = (*self._origins.get(name, ()), *origin)[:MAX_ORIGIN]

    def operand(self, token: Token) -> str | None:
        """The path that *token* names, or None when it is not known or no file."""
        text = self.value(token)
        return file_operand(text, self.site) if text else None

    def is_directory(self, operand: str, base: str) -> bool:
        status = self.site.view.lstat(resolve(self.site.view, base, operand).path)
        return status is not None and status.kind == "dir"

    def go(self, operand: str) -> None:
        """Change the directory; where that may fail, the old one stays possible."""
        arrived = [resolve(self.site.view, base, operand).path for base in self.bases]
        if not all(self.is_directory(operand, base) for base in self.bases):
            arrived += self.bases
        self.bases = list(dict.fromkeys(arrived))[:MAX_BASES]
        self._variables["pwd"] = self.bases[0] if len(self.bases) == 1 else None

    def push(self) -> None:
        self._stack.append(list(self.bases))

    def pop(self) -> None:
        self.bases = self._stack.pop() if self._stack else self.bases

    def files(
        self, tokens: Sequence[Token], op: TargetOp, via: str, *, literal: bool, recursive: bool = False
    ) -> None:
        """Take *tokens* for files; without *literal* they may hold wildcards."""
        for token in flat(tokens):
            text = self.value(token)
            if text is None:
                self.give_up("a file name is computed")
                continue
            operand = file_operand(text, self.site)
            for base in self.bases if operand else ():
                for path in [operand or ""] if literal else expand(operand or "", base, self.site):
                    self.target(path, op, via, recursive=recursive, typed=text)

    def target(
        self, operand: str, op: TargetOp, via: str, *, recursive: bool, typed: str | None = None
    ) -> None:
        """Add one file, for each directory that the script may be in."""
        change = None if op in ("delete", "move_from", "chmod") else ContentChange("unknown", text=self._text)
        follow = op not in ("delete", "move_from", "move_to")
        for base in self.bases:
            place = resolve(self.site.view, base, operand, follow_last=follow)
            if len(self._targets) >= MAX_TARGETS:
                self.give_up("it names too many files")
                return
            self._targets[place.path, op] = WriteTarget(
                place.path, place.lexical, typed or operand, op, recursive=recursive, via=via, change=change
            )

    def give_up(self, why: str, cmdlet: Cmdlet | None = None) -> None:
        """Note that a part of the statement can't be known; its words may name files."""
        if len(self._opaque) >= MAX_TARGETS:
            return
        removes = cmdlet is not None and cmdlet.removes
        reason = OpaqueReason(
            part=self._text[:_PART],
            why=why,
            remedy=_REMEDY,
            words=mentions(self._mentioning(), self.bases, self.site),
            cwds=tuple(self.bases),
            destroys=tuple(self.bases) if removes else (),
        )
        self._opaque[why, reason.words] = reason

    def _mentioning(self) -> Iterator[Token]:
        """The statement's tokens, and those that its variables were made from."""
        yield from self.statement
        for name in dict.fromkeys(_variables(self.statement)):
            yield from self._origins.get(name, ())


def _variables(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        yield from (text for kind, text in token.pieces if kind == "variable")
        yield from _variables(token.children)


def flat(tokens: Sequence[Token]) -> Iterator[Token]:
    """*tokens*, with lists in brackets taken apart."""
    for token in tokens:
        listed = token.kind == "group" and token.text in ("(", "@(")
        if listed and any(child.text == "," for child in token.children):
            yield from flat([child for child in token.children if child.text != ","])
        elif token.text != ",":
            yield token
