"""Targets of PowerShell text: its own file commands, redirections and the file classes of .NET.

A small reader, not an interpreter: commands of the table give targets, readers give
none, everything else makes the text opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phasegate.core.call import TargetOp
from phasegate.targets.paths import has_drive
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
_ASSIGNS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "??="))
_SIGNS = frozenset(("operator", "word"))
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
            self._ledger.give_up("it is nested too deeply")
            return
        try:
            tokens = tokens_of(text)
        except Unreadable as error:
            self._ledger.statement = [*self._ledger.statement, Token("word", "", (("text", text),))]
            self._ledger.give_up(f"the PowerShell text can't be read: {error}")
            return
        before, self._depth = self._depth, depth
        self._block(tokens)
        self._depth = before

    def _block(self, tokens: Sequence[Token]) -> None:
        outer = self._ledger.statement
        for statement in statements(tokens):
            # Code in brackets belongs to the statement around it, whose words say what it works on.
            self._ledger.statement = outer or statement
            name, value = _assignment(statement)
            self._pipeline(value)
            if name:
                plain = len(value) == 1 and name[0] == "$"
                self._ledger.assign(name[1:], self._ledger.value(value[0]) if plain else None, value)
        self._ledger.statement = outer

    def _pipeline(self, tokens: Sequence[Token]) -> None:
        for index, stage in enumerate(split(tokens, _PIPE)):
            command = self._without_redirections(stage)
            if command:
                self._command(command, piped=index > 0)

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

    def _command(self, tokens: list[Token], *, piped: bool) -> None:
        called = tokens[0].text in ("&", ".") and tokens[0].kind in ("operator", "word")
        if called:
            tokens = tokens[1:]
        if not tokens or tokens[0].kind == "group" or (not called and _is_expression(tokens[0])):
            self._run_groups(tokens)
            method_calls(tokens, self._ledger)
            return
        name = self._ledger.value(tokens[0])
        if name is None:
            self._ledger.give_up("the command is not known")
        elif name.lower() in KEYWORDS and not called:
            self._keyword(name.lower(), tokens[1:])
        else:
            self._named(name, tokens[1:], piped=piped)

    def _keyword(self, name: str, tokens: list[Token]) -> None:
        """The blocks of a control word, and the command that may stand behind it."""
        if name in ("function", "filter", "class", "enum", "using", "for", "switch"):
            self._run_groups(tokens)
            return
        at = 0
        while at < len(tokens) and (tokens[at].kind == "group" or tokens[at].text.lower() in KEYWORDS):
            at += 1
        self._run_groups(tokens[:at])
        if at < len(tokens):
            self._command(tokens[at:], piped=False)

    def _named(self, name: str, arguments: list[Token], *, piped: bool) -> None:
        short = _base_name(name)
        full = ALIASES.get(short, short)
        self._run_groups(arguments)
        if short in NATIVE_TOO and has_native_options(arguments, CMDLETS[full]):
            self._program(name, arguments)
        elif full in CMDLETS:
            run_cmdlet(full, arguments, self._ledger, piped=piped)
        elif full.endswith("-location") and not full.startswith("get-"):
            self._change_directory(full, arguments)
        elif full in ("powershell", "pwsh", "invoke-expression"):
            self._nested(arguments)
        elif full == "cmd":
            self._nested([token for token in arguments if token.text.lower() not in ("/c", "/k")])
        elif full == "start-process":
            self._start_process(arguments)
        elif full == "new-object" and _names_type(arguments, WRITING_TYPES):
            texts = [token for token in flat(arguments[1:]) if token.kind in ("string", "group")]
            self._ledger.files(texts, "write", full, literal=True)
        elif not (reads_only(full) or full in RUNS_BLOCKS):
            self._program(name, arguments)

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
            self._ledger.give_up("the directory it goes to is not known")
        else:
            self._ledger.go(operand)

    def _nested(self, arguments: list[Token]) -> None:
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
            self._ledger.give_up("the script it runs is not known")
        elif known:
            self.script(" ".join(known), self._depth + 1)

    def _start_process(self, arguments: list[Token]) -> None:
        bound = bind(arguments, _STARTER)
        program = bound.values.get("filepath")
        if not program or "workingdirectory" in bound.values:
            self._ledger.give_up("the program it starts is not known")
            return
        name = self._ledger.value(program[0])
        if name is None:
            self._ledger.give_up("the program it starts is not known")
        else:
            self._program(name, list(bound.values.get("argumentlist", ())), split_words=True)

    def _program(self, name: str, arguments: Sequence[Token], *, split_words: bool = False) -> None:
        words = [self._ledger.value(token) for token in arguments if token.text != ","]
        known = [word for word in words if word is not None]
        if len(known) < len(words) or name.lower().endswith(".ps1"):
            self._ledger.give_up(f"what `{name[:40]}` does is not known")
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
    """Name and value of an assignment; the name is empty when *tokens* assign nothing.

    The name begins with `$` when the variable as a whole becomes the value, with `~`
    when only a part of it changes.
    """
    at = next((at for at, token in enumerate(tokens) if token.text in _ASSIGNS and token.kind in _SIGNS), 0)
    names = [text for token in tokens[:at] for kind, text in token.pieces if kind == "variable"]
    if not names or tokens[0].kind == "string":
        return "", tokens
    typed = tokens[0].kind == "group" and at == len(("type", "name"))
    whole = (at == 1 or typed) and tokens[at].text == "=" and len(tokens[at - 1].pieces) == 1
    return ("$" if whole else "~") + names[0], tokens[at + 1 :]


def _is_expression(first: Token) -> bool:
    """Whether a statement that begins with *first* is no command: a value, a variable, a sign."""
    if first.kind != "word":
        return True
    return first.text[0] in "$@" or first.text[0].isdigit() or (first.text[0] == "-" and len(first.text) > 1)


def _base_name(name: str) -> str:
    """A command's name without module, directory and suffix, in lower case."""
    return name.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _program_path(name: str) -> str:
    """A program as any shell would name it: `C:\\tools\\git.exe` is git."""
    if "\\" in name or has_drive(name):
        name = name.replace("\\", "/").rpartition("/")[2]
    return name[:-4] if name.lower().endswith(".exe") else name


def _names_type(arguments: Sequence[Token], types: frozenset[str]) -> bool:
    return bool(arguments) and arguments[0].text.lower().strip("'\"").rpartition(".")[2] in types
