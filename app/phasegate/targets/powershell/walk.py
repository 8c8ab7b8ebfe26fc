"""Targets of PowerShell text: its own file commands, redirections and the file classes of .NET.

A small reader, not an interpreter: commands of the table give targets, readers give
none, everything else makes the text opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phasegate.core.call import TargetOp
from phasegate.targets.powershell.args import bind, has_native_options, parameter_name
from phasegate.targets.powershell.cmdlets import run_cmdlet
from phasegate.targets.powershell.dotnet import method_calls
from phasegate.targets.powershell.ledger import Ledger, flat
from phasegate.targets.powershell.paths import SINKS, file_operand
from phasegate.targets.powershell.table import (
    ALIASES,
    CMDLETS,
    KEYWORDS,
    NATIVE_TOO,
    RUNS_BLOCKS,
    WRITING_TYPES,
    Cmdlet,
    reads_only,
)
from phasegate.targets.powershell.text import Token, Unreadable, split, statements, tokens_of
from phasegate.targets.shell.report import ShellTargets
from phasegate.targets.site import Site

MAX_NESTING = 8
_PIPE = frozenset("|")
_STARTER = Cmdlet(("filepath", "argumentlist"), {}, also=("workingdirectory",))
_PLAIN_START = frozenset(
    ("command", "c", "noprofile", "nop", "nologo", "noninteractive", "noni", "sta", "mta", "noexit")
)

Native = Callable[[list[str], str], ShellTargets]
"""What an ordinary program started with these words in this directory would touch."""


def powershell_targets(text: str, site: Site, native: Native) -> ShellTargets:
    """The targets of PowerShell *text* run in the site's directory."""
    ledger = Ledger(site, text)
    _Run(ledger, native).script(text, 0)
    return ledger.result()


class _Run:
    """One walk over a script and the scripts that it runs in turn."""

    def __init__(self, ledger: Ledger, native: Native) -> None:
        self._ledger = ledger
        self._native = native
        self._depth = 0

    def script(self, text: str, depth: int) -> None:
        if depth > MAX_NESTING:
            self._ledger.give_up("it is nested too deeply", ())
            return
        try:
            tokens = tokens_of(text)
        except Unreadable as error:
            whole = Token("word", "", (("text", text),))
            self._ledger.give_up(f"the PowerShell text can't be read: {error}", [whole])
            return
        before, self._depth = self._depth, depth
        self._block(tokens)
        self._depth = before

    def _block(self, tokens: Sequence[Token]) -> None:
        for statement in statements(tokens):
            name, value = _assignment(statement)
            self._pipeline(value)
            if name:
                self._ledger.assign(name, self._ledger.value(value[0]) if len(value) == 1 else None)

    def _pipeline(self, tokens: Sequence[Token]) -> None:
        for index, stage in enumerate(split(tokens, _PIPE)):
            command = self._without_redirections(stage)
            if command:
                self._command(command, tokens, piped=index > 0)

    def _without_redirections(self, stage: Sequence[Token]) -> list[Token]:
        """*stage* without its redirections, whose files are targets."""
        kept: list[Token] = []
        skip = False
        for index, token in enumerate(stage):
            if skip:
                skip = False
            elif token.kind != "redirect":
                kept.append(token)
            elif token.text != "<" and "&" not in token.text:
                skip = True
                after = stage[index + 1 : index + 2]
                op: TargetOp = "append" if token.text.endswith(">>") else "write"
                if not after or after[0].text.lower() not in SINKS:
                    self._ledger.files(list(after), op, token.text, literal=True)
        return kept

    def _command(self, tokens: list[Token], whole: Sequence[Token], *, piped: bool) -> None:
        called = tokens[0].text in ("&", ".") and tokens[0].kind in ("operator", "word")
        if called:
            tokens = tokens[1:]
        if not tokens or tokens[0].kind == "group" or (not called and _is_expression(tokens[0])):
            self._run_groups(tokens)
            method_calls(tokens, self._ledger, whole)
            return
        name = self._ledger.value(tokens[0])
        if name is None:
            self._ledger.give_up("the command is not known", whole)
        elif name.lower() in KEYWORDS and not called:
            self._run_groups(tokens)
        else:
            self._named(name, tokens[1:], whole, piped=piped)

    def _named(self, name: str, arguments: list[Token], whole: Sequence[Token], *, piped: bool) -> None:
        short = _base_name(name)
        full = ALIASES.get(short, short)
        self._run_groups(arguments)
        if short in NATIVE_TOO and has_native_options(arguments, CMDLETS[full]):
            self._program(name, arguments, whole)
        elif full in CMDLETS:
            run_cmdlet(full, arguments, self._ledger, whole, piped=piped)
        elif full.endswith("-location") and not full.startswith("get-"):
            self._change_directory(full, arguments)
        elif full in ("powershell", "pwsh", "invoke-expression"):
            self._nested(arguments, whole)
        elif full == "cmd":
            self._nested([token for token in arguments if token.text.lower() not in ("/c", "/k")], whole)
        elif full == "start-process":
            self._start_process(arguments, whole)
        elif full == "new-object" and _names_type(arguments, WRITING_TYPES):
            texts = [token for token in flat(arguments[1:]) if token.kind == "string"]
            self._ledger.files(texts, "write", full, literal=True)
        elif not (reads_only(full) or full in RUNS_BLOCKS):
            self._program(name, arguments, whole)

    def _change_directory(self, name: str, arguments: list[Token]) -> None:
        if name == "pop-location":
            self._ledger.pop()
            return
        if name == "push-location":
            self._ledger.push()
        named = [token for token in arguments if not parameter_name(token)]
        home = self._ledger.site.view.home()
        text = self._ledger.value(named[0]) if named else home
        operand = file_operand(text, self._ledger.site) if text else None
        if operand is None:
            self._ledger.give_up("the directory it goes to is not known", arguments)
        else:
            self._ledger.go(operand)

    def _nested(self, arguments: list[Token], whole: Sequence[Token]) -> None:
        """`pwsh -Command text` and `Invoke-Expression text`; blocks have been run already."""
        rest = [token for token in arguments if parameter_name(token) not in _PLAIN_START]
        texts = [self._ledger.value(token) for token in rest if token.kind != "group"]
        known = [text for text in texts if text is not None]
        named = any(parameter_name(token) for token in rest)
        if (
            named
            or len(known) < len(texts)
            or not rest
            or any(text.lower().endswith(".ps1") for text in known)
        ):
            self._ledger.give_up("the script it runs is not known", whole)
        elif known:
            self.script(" ".join(known), self._depth + 1)

    def _start_process(self, arguments: list[Token], whole: Sequence[Token]) -> None:
        bound = bind(arguments, _STARTER)
        program = bound.values.get("filepath")
        if not program or "workingdirectory" in bound.values:
            self._ledger.give_up("the program it starts is not known", whole)
            return
        name = self._ledger.value(program[0])
        if name is None:
            self._ledger.give_up("the program it starts is not known", whole)
        else:
            self._program(name, list(bound.values.get("argumentlist", ())), whole, split_words=True)

    def _program(
        self, name: str, arguments: Sequence[Token], whole: Sequence[Token], *, split_words: bool = False
    ) -> None:
        words = [self._ledger.value(token) for token in arguments if token.text != ","]
        known = [word for word in words if word is not None]
        if len(known) < len(words) or name.lower().endswith(".ps1"):
            self._ledger.give_up(f"what `{name[:40]}` does is not known", whole)
            return
        if split_words:
            known = [part for word in known for part in word.split()]
        for base in self._ledger.bases:
            self._ledger.adopt(self._native([_program_path(name), *known], base))

    def _run_groups(self, tokens: Sequence[Token]) -> None:
        """Run the code that stands in brackets among *tokens*, and in their strings."""
        for token in tokens:
            if token.kind == "group" and token.text in ("(", "$(", "@(", "{"):
                self._block(token.children)
            elif token.children:
                self._run_groups(token.children)


def _assignment(tokens: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """Name and value of `$x = ...`; the name is empty when *tokens* assign nothing."""
    at = next((at for at, token in enumerate(tokens) if token.kind == "operator" and token.text == "="), 0)
    names = [text for token in tokens[:at] for kind, text in token.pieces if kind == "variable"]
    if not names or tokens[0].kind == "string":
        return "", tokens
    plain = at == 1 and len(tokens[0].pieces) == 1
    return (names[0] if plain else f"{names[0]} in part"), tokens[at + 1 :]


def _is_expression(first: Token) -> bool:
    """Whether a statement that begins with *first* is no command: a value, a variable, a sign."""
    if first.kind != "word":
        return True
    return first.text[0] in "$@" or first.text[0].isdigit() or (first.text[0] == "-" and len(first.text) > 1)


def _base_name(name: str) -> str:
    """A command's name without module, directory and suffix, in lower case."""
    return name.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _program_path(name: str) -> str:
    path = name.replace("\\", "/")
    return path[:-4] if path.lower().endswith(".exe") else path


def _names_type(arguments: Sequence[Token], types: frozenset[str]) -> bool:
    return bool(arguments) and arguments[0].text.lower().strip("'\"").rpartition(".")[2] in types
