"""What the file commands of PowerShell do with their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phasegate.core.call import TargetOp
from phasegate.targets.powershell.args import Bound, bind
from phasegate.targets.powershell.ledger import Ledger
from phasegate.targets.powershell.paths import expand
from phasegate.targets.powershell.table import CMDLETS, Cmdlet
from phasegate.targets.powershell.text import Token

_LITERAL_PATHS = ("literalpath", "pspath", "lp")
_FOLDERS = ("move-item", "copy-item")


def run_cmdlet(name: str, arguments: Sequence[Token], ledger: Ledger, *, piped: bool) -> None:
    """Note the files that the command *name* of the table changes."""
    cmdlet = CMDLETS[name]
    bound = bind(arguments, cmdlet)
    if "whatif" not in bound.switches and not _makes_directory(name, bound):
        _Cmdlet(name, cmdlet, bound, ledger).run(piped=piped)


def _makes_directory(name: str, bound: Bound) -> bool:
    """Making a directory changes no file."""
    kinds = (*bound.values.get("itemtype", ()), *bound.values.get("type", ()))
    return name == "new-item" and any(token.text.lower().strip("'\"") == "directory" for token in kinds)


@dataclass(frozen=True, slots=True)
class _Cmdlet:
    name: str
    cmdlet: Cmdlet
    bound: Bound
    ledger: Ledger

    def run(self, *, piped: bool) -> None:
        given = [parameter for parameter in self.cmdlet.ops if parameter in self.bound.values]
        if self.cmdlet.piped and not any(parameter not in ("destination", "newname") for parameter in given):
            why = "the files come from the pipeline" if piped else "no file is named"
            self.ledger.give_up(why, self.cmdlet)
        for parameter in given:
            self._files(parameter)

    def _files(self, parameter: str) -> None:
        op = self.cmdlet.ops[parameter]
        if op == "write" and self.cmdlet.appends and "append" in self.bound.switches:
            op = "append"
        recursive = self.cmdlet.recursive or "recurse" in self.bound.switches
        literal = parameter in _LITERAL_PATHS or op in ("write", "append", "move_to")
        self.ledger.files(list(self._values(parameter)), op, self.name, literal=literal, recursive=recursive)
        if self.name in _FOLDERS and parameter == "destination":
            self._into_folder(op, recursive=recursive)

    def _values(self, parameter: str) -> Iterator[Token]:
        names = self.bound.values.get("name") if self.name == "new-item" else None
        for value in self.bound.values[parameter]:
            if self.name == "rename-item" and parameter == "newname":
                yield from self._beside_sources(value)
            elif names:
                yield from (_joined(value, name) for name in names)
            else:
                yield value

    def _sources(self) -> Iterator[Token]:
        for parameter in ("path", *_LITERAL_PATHS):
            yield from self.bound.values.get(parameter, ())

    def _beside_sources(self, new: Token) -> Iterator[Token]:
        """A new name goes beside what is renamed."""
        for source in self._sources():
            text = self.ledger.value(source)
            head = text.replace("\\", "/").rpartition("/")[0] if text is not None else ""
            yield _joined(Token("word", head, (("text", head),)), new) if head else new

    def _into_folder(self, op: TargetOp, *, recursive: bool) -> None:
        """The names that things get below a destination that is a directory."""
        for token in self.bound.values["destination"]:
            folder = self.ledger.operand(token)
            for base in self.ledger.bases if folder else ():
                if not self.ledger.is_directory(folder or "", base):
                    continue
                for source in filter(None, map(self.ledger.operand, self._sources())):
                    for path in expand(source, base, self.ledger.site):
                        tail = path.rstrip("/").rpartition("/")[2]
                        self.ledger.target(f"{folder}/{tail}", op, self.name, recursive=recursive)


def _joined(head: Token, tail: Token) -> Token:
    return Token("word", f"{head.text}/{tail.text}", (*head.pieces, ("text", "/"), *tail.pieces))
