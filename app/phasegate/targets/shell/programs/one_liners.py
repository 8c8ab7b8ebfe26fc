"""`perl` and `ruby`: one-liners in bundled options, and editing in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.languages.script_code import analyse_perl, analyse_ruby
from phasegate.targets.shell.programs.interpreters import SCRIPT_REMEDY, Analysis, run_code, standard_input
from phasegate.targets.shell.text import Field, Text, field, join, literal
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phasegate.targets.shell.command import Command


def perl(command: Command) -> None:
    """`perl`: one-liners, and editing in place with `-i`."""
    started = _Bundles("eE", "iC0lFxDVd", "ImM").read(command.args)
    if started.flags & set("vVch") and not started.code:
        return
    _one_liner(command, started, analyse_perl)


def ruby(command: Command) -> None:
    """`ruby`: as perl, with a few options of its own."""
    started = _Bundles("e", "iFKWTxC0", "IErC").read(command.args)
    if started.flags & set("vhc") and not started.code:
        return
    _one_liner(command, started, analyse_ruby)


@dataclass(slots=True)
class _Started:
    """A one-liner: its program texts, in-place suffix (None: not in place), modules and operands."""

    code: list[Field]
    operands: list[Field]
    flags: set[str]
    modules: list[str]
    suffix: Field | None = None


class _Bundles:
    """The way perl and ruby read bundled letters."""

    def __init__(self, code: str, attached: str, valued: str) -> None:
        self._code = code
        self._attached = attached
        self._valued = valued

    def read(self, args: Sequence[Field]) -> _Started:
        started = _Started([], [], set(), [])
        pending = list(args)
        while pending:
            arg = pending.pop(0)
            head = arg.prefix
            if arg.text == "--":
                started.operands.extend(pending)
                break
            if head.startswith("--"):
                started.flags.add({"--version": "v", "--help": "h"}.get(head, "-"))
            elif not head[1:] or head[0] != "-":
                started.operands.append(arg)
                if not started.code:
                    # A script: what follows are its own arguments.
                    started.operands.extend(pending)
                    break
                started.operands.extend(pending)
                break
            else:
                self._bundle(arg, pending, started)
        return started

    def _bundle(self, arg: Field, pending: list[Field], started: _Started) -> None:
        head = arg.prefix
        at = 1
        while at < len(head):
            letter = head[at]
            rest = arg.cut(at + 1)
            if letter in self._code:
                value = rest if rest.value else pending.pop(0) if pending else field("")
                started.code.append(value)
                return
            if letter == "i":
                started.suffix = rest
                return
            if letter in self._valued:
                value = rest if rest.value else pending.pop(0) if pending else field("")
                if letter in "mMr":
                    started.modules.append(value.text or "?")
                return
            if letter in self._attached:
                at = _after_value(head, at, letter)
                continue
            started.flags.add(letter)
            at += 1


def _after_value(head: str, at: int, letter: str) -> int:
    """The position after an attached value: digits for `-0` and `-l`, else the rest."""
    if letter not in "0lCWKT":
        return len(head)
    at += 1
    while at < len(head) and head[at] in "0123456789abcdefxABCDEF" and (letter != "l" or head[at].isdigit()):
        at += 1
    return at


_MODULES = words(
    "strict warnings utf8 feature List::Util Data::Dumper JSON JSON::PP POSIX Time::HiRes Time::Local Encode MIME::Base64"
    " Digest::MD5 Digest::SHA Scalar::Util File::Basename File::Spec File::Find Cwd File::Copy File::Path Getopt::Long"
    " Text::Wrap Storable open bigint Socket IO::Socket File::Slurp Path::Tiny Term::ANSIColor Text::CSV Math::Trig"
    " json csv set date time pp fileutils yaml pathname digest securerandom open-uri net/http uri erb tempfile shellwords"
    " stringio optparse benchmark base64 zlib socket bigdecimal ostruct open3 timeout psych etc English rubygems bundler"
    " nokogiri"
)


def _one_liner(command: Command, started: _Started, analyse: Analysis) -> None:
    strange = [
        name
        for name in started.modules
        if name.lstrip("-").partition("=")[0].partition(" ")[0] not in _MODULES
    ]
    if strange:
        command.opaque(f"the module `{strange[0][:40]}` is not known")
    if not started.code:
        if started.operands and started.operands[0].text not in ("-", "/dev/stdin"):
            known = command.text_in(started.operands[0])
            if known is None:
                command.opaque("what the script does is not known", remedy=SCRIPT_REMEDY)
            else:
                argv = [None if operand.many else operand.text for operand in started.operands]
                run_code(command, field(known), analyse, argv)
        else:
            standard_input(command, analyse)
        return
    if started.suffix is not None:
        for operand in started.operands:
            command.write(operand, via=f"{command.name} -i", follow=False)
            if started.suffix.value:
                command.write(_backup(operand, started.suffix), via=f"{command.name} -i", follow=False)
    parts: list[Text] = []
    for position, code in enumerate(started.code):
        parts.extend([literal("\n"), code.value] if position else [code.value])
    argv = ["-e", *(None if operand.many else operand.text for operand in started.operands)]
    run_code(command, Field(join(parts), "", any(code.many for code in started.code)), analyse, argv)


def _backup(operand: Field, suffix: Field) -> Field:
    text, ending = operand.text, suffix.text
    if text is None or ending is None:
        return Field((None,), operand.typed)
    if "*" not in ending:
        return field(text + ending, operand.typed)
    directory, slash, base = text.rpartition("/")
    name = ending.replace("*", base)
    return field(name if "/" in name else directory + slash + name, operand.typed)
