"""What programs in JavaScript, Ruby, Perl and PHP do to files, told from their tokens.

Known calls with literal names give targets. Beyond that a program is understood only
when every name that could be a call is on the list of those that change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.languages import script_names, script_tokens
from phasegate.targets.shell.languages.code import LINKERS, CodeEffects, CodeWrite
from phasegate.targets.shell.languages.script_names import Names
from phasegate.targets.shell.languages.script_program import Program, split
from phasegate.targets.shell.languages.script_tokens import Language, Token, Unlexed, tokens_of
from phasegate.targets.shell.mentions import tokens
from phasegate.targets.shell.text import STAND_IN
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp

_APPEND_FLAGS = frozenset({"FILE_APPEND"})
_TAKE_CALLBACKS = words(
    "array_map array_filter array_walk array_reduce usort uasort uksort preg_replace_callback"
)
"""Functions of PHP that call the one whose name they are given."""


def analyse_javascript(text: str, argv: Sequence[str | None] = ()) -> CodeEffects:
    """The effects of a JavaScript program."""
    return _run(text, script_tokens.JAVASCRIPT, script_names.JAVASCRIPT, argv)


def analyse_ruby(text: str, argv: Sequence[str | None] = ()) -> CodeEffects:
    """The effects of a Ruby program."""
    return _run(text, script_tokens.RUBY, script_names.RUBY, argv)


def analyse_perl(text: str, argv: Sequence[str | None] = ()) -> CodeEffects:
    """The effects of a Perl program."""
    return _run(text, script_tokens.PERL, script_names.PERL, argv)


def analyse_php(text: str, argv: Sequence[str | None] = ()) -> CodeEffects:
    """The effects of a PHP program."""
    code = text.removeprefix("<?php").removeprefix("<?").removesuffix("?>")
    return _run(code, script_tokens.PHP, script_names.PHP, argv)


def _run(text: str, language: Language, names: Names, argv: Sequence[str | None]) -> CodeEffects:
    effects = CodeEffects()
    try:
        stream = tokens_of(text, language)
    except (Unlexed, RecursionError) as problem:
        effects.strings = tokens(text)
        effects.doubt(f"the program can't be read: {problem}")
        return effects
    effects.strings = [
        token.value or token.text for token in stream if token.kind in ("string", "shell", "words")
    ]
    effects.bare_stand_in = any(_stands_alone(stream, at) for at in range(len(stream)))
    _Analysis(stream, language, names, argv, effects).run()
    return effects


def _stands_alone(stream: Sequence[Token], at: int) -> bool:
    """Whether an unknown part of the text is a statement of its own."""
    if stream[at].kind != "name" or STAND_IN not in stream[at].text:
        return False
    before = stream[at - 1].text if at else ";"
    after = stream[at + 1].text if at + 1 < len(stream) else ";"
    return before in (";", "\n", "{") and after in (";", "\n", "}")


class _Analysis(Program):
    """Looks at every name of a program that may be a call."""

    def __init__(
        self,
        stream: list[Token],
        language: Language,
        names: Names,
        argv: Sequence[str | None],
        effects: CodeEffects,
    ) -> None:
        super().__init__(stream, language, names, argv)
        self._effects = effects
        self._runs_programs = any("child_process" in (token.value or "") for token in stream)
        takes_names = language.name == "php" and any(token.text in _TAKE_CALLBACKS for token in stream)
        self._callbacks = {*names.writes, *names.shells, *names.refused} if takes_names else set[str]()

    def run(self) -> None:
        for at, token in enumerate(self._stream):
            if token.kind == "shell":
                self._shell(token.value)
            elif token.kind == "name":
                self._name(at)
            elif token.kind == "op" and token.text == "(" and at > 0:
                self._computed_call(at)
            elif token.kind == "var":
                self._variable(at, token)
            elif token.value is not None and token.value in self._callbacks:
                self._effects.doubt(f"`{token.value}` may be called by its name")

    # Names

    def _name(self, at: int) -> None:
        full, name = self._callee(at)
        called = self._is_called(at)
        if self._is_data(at) or (name == "import" and self._imports_library(at)):
            return
        key = next((key for key in (full, name) if self._known_change(key, at)), None)
        if key is not None:
            self._change(key, at, called=called)
        elif name in self._names.refused or full in self._names.refused:
            if name not in self._local:
                self._effects.doubt(f"`{full}`")
        elif (
            self._language.name == "ruby" and name in script_names.RUBY_PATH_METHODS and self._on_path(at)
        ) or (called and not self._is_safe(at, name, full)):
            self._effects.doubt(f"`{full}`")

    def _imports_library(self, at: int) -> bool:
        """Whether `import x from 'y'` names a library rather than a file of the project."""
        if self._language.name != "javascript" or self._at(at + 1).text == "(":
            return False
        source = next(
            (token for token in self._stream[at:] if token.kind == "string" or token.text == ";"), None
        )
        return source is not None and source.value is not None and not source.value.startswith((".", "/"))

    def _on_path(self, at: int) -> bool:
        """Whether a Ruby method may belong to a path or to a class, not to an open file or a text."""
        if self._at(at - 1).text != ".":
            return False
        receiver = self._at(at - 2).text
        name = self._at(at).text
        if receiver[:1].isupper() and receiver not in ("STDOUT", "STDERR", "ARGF", "ENV"):
            return name != "new"
        return name not in ("new", "open") and any(token.text == "Pathname" for token in self._stream)

    def _known_change(self, key: str, at: int) -> bool:
        names = self._names
        if (
            key not in names.writes
            and key not in names.openers
            and key not in names.shells
            and key not in names.programs
        ):
            return False
        if key in self._local and self._at(at - 1).text != ".":
            return False
        if self._language.name == "javascript" and key in (
            "exec",
            "open",
            "copy",
            "move",
            "remove",
            "link",
            "rename",
            "cp",
            "rm",
        ):
            return self._means_files(key)
        method = self._at(at - 1).text in (".", "->") and "." not in key
        return not (method and self._language.name in ("ruby", "php"))

    def _means_files(self, key: str) -> bool:
        """Whether a common word is here the name of a function of `fs` or `child_process`."""
        if key == "exec":
            return self._runs_programs
        modules = ("fs", "fs/promises", "node:fs", "node:fs/promises", "fs-extra", "shelljs", "rimraf", "del")
        return any(token.value in modules for token in self._stream if token.kind == "string") or any(
            token.text == "Deno" for token in self._stream
        )

    def _callee(self, at: int) -> tuple[str, str]:
        """The dotted name that ends at *at*, and its last part."""
        name = self._at(at).text
        before = self._at(at - 1).text
        if before in (".", "::", "?.") and self._at(at - 2).kind == "name":
            return f"{self._at(at - 2).text}.{name}", name
        return name, name

    def _is_called(self, at: int) -> bool:
        """Whether the name at *at* may be a call; in Ruby and Perl most words are."""
        if self._at(at + 1).text == "(":
            return True
        return self._language.name in ("ruby", "perl")

    def _is_data(self, at: int) -> bool:
        """Whether the word is a key or a label."""
        following = self._at(at + 1).text
        if self._language.name == "perl" and (
            following == "=>" or (self._at(at - 1).text == "{" and following == "}")
        ):
            return True
        if self._language.name == "ruby" and following == ":" and self._at(at - 1).text in ("{", ",", "("):
            return True
        if self._language.name == "php" and self._at(at - 1).text == "->" and following != "(":
            return True
        return (
            self._language.name == "javascript" and following == ":" and self._at(at - 1).text in ("{", ",")
        )

    def _is_safe(self, at: int, name: str, full: str) -> bool:
        if name in self._names.safe or full in self._names.safe:
            return not (name == "require" and self._loads_project(at))
        if name in self._local:
            return True
        if self._language.name == "javascript" and name in (
            "if",
            "for",
            "while",
            "switch",
            "catch",
            "function",
            "async",
            "return",
            "await",
            "async",
        ):
            return True
        # Perl file handles are words in capitals, constants of Ruby too.
        return self._language.name in ("perl", "ruby") and name.isupper()

    def _loads_project(self, at: int) -> bool:
        """Whether `require` loads code of the project rather than a library or data."""
        argument = self._at(at + 2) if self._at(at + 1).text == "(" else self._at(at + 1)
        if argument.kind != "string" or argument.value is None:
            return True
        local = argument.value.startswith((".", "/"))
        return local and not argument.value.endswith(".json")

    # Calls

    def _change(self, key: str, at: int, *, called: bool) -> None:
        names = self._names
        if self._language.name == "javascript" and not called:
            if self._at(at + 1).text not in (",", "}") or self._at(at - 1).text not in ("{", ","):
                self._effects.doubt(f"`{key}` is used as a value")
            return
        arguments = self._arguments(at)
        if key in names.openers:
            self._open(key, arguments)
        elif key in names.shells:
            self._start(key, arguments)
        elif key in names.programs:
            self._program(key, arguments)
        else:
            for change in names.writes[key]:
                self._write(key, change, arguments)

    def _write(self, key: str, change: script_names.Arg, arguments: list[list[Token]]) -> None:
        # Without any argument Perl takes `$_`, which nothing is known about.
        positions = range(len(arguments) or 1) if change.position < 0 else [change.position]
        op: TargetOp = change.op
        if any(token.text in _APPEND_FLAGS for argument in arguments for token in argument):
            op = "append"
        for position in positions:
            value = self._value(arguments[position], self._values) if position < len(arguments) else None
            if value is None:
                self._effects.doubt(f"`{key}` of a file whose name is computed")
                continue
            inside = ""
            if change.into is not None and change.into < len(arguments):
                inside = self._value(arguments[change.into], self._values) or "?"
            leads_to = ""
            if key.rpartition(".")[2] in LINKERS and position == 1:
                leads_to = self._value(arguments[0], self._values) or ""
            self._effects.writes.append(
                CodeWrite(value, op, key, change.recursive, change.follow, inside, leads_to)
            )

    def _open(self, key: str, arguments: list[list[Token]]) -> None:
        path_at, mode_at = self._names.openers[key]
        if self._language.name == "perl" and key == "open" and not arguments[2:] and arguments[1:]:
            self._two_part_open(arguments[1])
            return
        mode = self._value(arguments[mode_at], self._values) if mode_at < len(arguments) else "r"
        path = self._value(arguments[path_at], self._values) if path_at < len(arguments) else None
        if path is not None and path.startswith("|") and self._language.name == "ruby":
            self._shell(path[1:])
            return
        if mode is not None and "|" in mode:
            self._shell(path if len(arguments) == path_at + 1 else None)
            return
        if mode is not None and not set(mode.partition(":")[0]) & set("wacx+>"):
            return
        if mode is None and self._is_keyword_only(arguments, mode_at):
            return
        if path is None or mode is None:
            self._effects.doubt(f"`{key}` of a file whose name or mode is computed")
            return
        self._effects.writes.append(
            CodeWrite(path, "append" if "a" in mode or ">>" in mode else "write", key)
        )

    def _is_keyword_only(self, arguments: list[list[Token]], at: int) -> bool:
        """Whether what stands in the place of the mode is an option such as `encoding: 'x'`."""
        return len(arguments[at]) > 1 and arguments[at][0].text in (
            "encoding",
            "external_encoding",
            "headers",
            "col_sep",
        )

    def _two_part_open(self, argument: list[Token]) -> None:
        """Perl's `open(F, ">name")`."""
        text = self._value(argument, self._values)
        if text is None:
            self._effects.doubt("`open` of a name that is computed")
            return
        text = text.strip()
        if text.startswith("|") or text.endswith("|"):
            self._shell(text.strip("|"))
        elif text.startswith((">", "+")):
            self._effects.writes.append(
                CodeWrite(text.lstrip("+<> "), "append" if ">>" in text else "write", "open")
            )

    def _start(self, key: str, arguments: list[list[Token]]) -> None:
        texts = [self._value(argument, self._values) for argument in arguments]
        if self._language.name in ("ruby", "perl") and len(texts) > 1:
            known = [text for text in texts if text is not None]
            if len(known) == len(texts):
                self._effects.programs.append(known)
            else:
                self._effects.doubt(f"`{key}` of a computed program")
            return
        self._shell(texts[0] if texts else None)

    def _program(self, key: str, arguments: list[list[Token]]) -> None:
        name = self._value(arguments[0], self._values) if arguments else None
        rest = arguments[1] if len(arguments) > 1 else []
        words: list[str | None] = []
        if rest and rest[0].text == "[" and rest[-1].text == "]":
            words = [self._value(part, self._values) for part in split(rest[1:-1])]
        elif rest:
            words = [None]
        known = [word for word in words if word is not None]
        options = {token.text for argument in arguments[2:] for token in argument if token.kind == "name"}
        if name is None or len(known) != len(words) or options & {"cwd", "shell", "env"}:
            self._effects.doubt(f"`{key}` of a computed program")
        else:
            self._effects.programs.append([name, *known])

    def _shell(self, text: str | None) -> None:
        if text is None:
            self._effects.doubt("a command that is computed")
        else:
            self._effects.shells.append(text)

    def _computed_call(self, at: int) -> None:
        """A call of something that has no name: the value of an index or of another call."""
        before = self._at(at - 1)
        if self._language.name not in ("javascript", "php") or before.kind != "op":
            if before.kind == "var" and self._language.name == "php":
                self._effects.doubt(f"a call of `{before.text}`")
            return
        if before.text in ("]", "?.") or (before.text == ")" and self._at(at - 2).text != "}"):
            self._effects.doubt("a call of a computed function")

    def _variable(self, at: int, token: Token) -> None:
        if (
            token.text in ("$^I", "@INC", "%INC", "%SIG", "$SIG")
            or token.text.startswith("&$")
            or (token.text.startswith("&") and token.text.lstrip("&") not in self._local)
        ):
            self._effects.doubt(f"`{token.text}`")
        elif token.text == "@ARGV" and self._at(at + 1).text == "=":
            self._effects.doubt("`@ARGV` is changed")
