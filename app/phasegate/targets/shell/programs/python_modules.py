"""`python -m MODULE`: modules that are programs of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.text import Field, field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_READING = words(
    " this http.server calendar platform site sysconfig dis ast inspect"
    " pyclbr symtable tabnanny keyword locale pprint textwrap uuid random base64 encodings.rot_13 quopri mimetypes webbrowser"
    " nntplib ftplib poplib telnetlib smtpd"
    " filecmp difflib fileinput string tokenize pickletools"
)
_PROGRAMS = words(
    "pip black isort ruff mypy flake8 pylint pycodestyle pydocstyle autopep8 yapf autoflake docformatter pyupgrade bandit vulture"
    " pyright uv poetry pipx pre_commit twine coverage tox nox pytest httpie yamllint cmakelang radon codespell_lib"
)


def module(command: Command, name: Field, args: Sequence[Field]) -> None:
    """Report what running the module *name* with *args* changes."""
    text = name.text
    if text is None:
        command.opaque("the module is not known")
        return
    handler = _MODULES.get(text)
    if handler is not None:
        handler(replace(command, args=args))
    elif text in _PROGRAMS:
        command.run([field(text.replace("_", "-")), *args])
    elif text.partition(".")[0] in _own_programs(command):
        command.run([field(text.partition(".")[0]), *args])
    elif text not in _READING:
        command.opaque(f"what the module `{text[:60]}` does is not known")


def _own_programs(command: Command) -> set[str]:
    return {entry.program for entry in command.shell.context.workflow.commands}


def _operands(command: Command, *values: str) -> list[Field]:
    """Arguments that are neither options nor values of *values*."""
    found: list[Field] = []
    skip = False
    for arg in command.args:
        if skip:
            skip = False
        elif arg.prefix.startswith("-") and len(arg.prefix) > 1:
            skip = arg.text in values
        else:
            found.append(arg)
    return found


def _json_tool(command: Command) -> None:
    operands = _operands(command, "--indent")
    if len(operands) > 1 and operands[1].text != "-":
        command.write(operands[1], via="python -m json.tool")


def _zipfile(command: Command) -> None:
    texts = [arg.text for arg in command.args]
    verb = texts[0] if texts else None
    if verb in ("-c", "--create") and len(command.args) > 1:
        command.write(command.args[1], via="python -m zipfile -c")
    elif verb in ("-e", "--extract"):
        if command.args[2:]:
            command.write(command.args[2], recursive=True, via="python -m zipfile -e")
        else:
            command.opaque("the names are inside the archive")
    elif verb not in ("-l", "--list", "-t", "--test", "-h", "--help"):
        command.opaque("what the module does here is not known")


def _tarfile(command: Command) -> None:
    _zipfile(command)


def _gzip(command: Command) -> None:
    expands = any(arg.text in ("-d", "--decompress") for arg in command.args)
    for operand in _operands(command):
        text = operand.text
        if text is None:
            command.opaque("the operand is not known")
        elif text != "-":
            command.write(field(text.removesuffix(".gz") if expands else text + ".gz"), via="python -m gzip")


def _tree(command: Command) -> None:
    """`venv`, `virtualenv`: a directory and all below it."""
    for operand in _operands(command, "--prompt", "-p", "--python"):
        command.write(operand, recursive=True)


def _timeit(command: Command) -> None:
    """Statements, and what `-s` sets up: programs of their own."""
    parsed = command.parse(
        Grammar.of("-n|--number: -r|--repeat: -s|--setup: -p -u|--unit: -v -h", permute=False)
    )
    for text in (*parsed.values("s"), *parsed.operands):
        command.run([field("python3"), field("-c"), text])


def _compileall(command: Command) -> None:
    command.opaque("the names of compiled files are made by the module")


_MODULES: Mapping[str, Callable[[Command], None]] = {
    "json.tool": _json_tool,
    "json": _json_tool,
    "zipfile": _zipfile,
    "tarfile": _tarfile,
    "gzip": _gzip,
    "timeit": _timeit,
    "venv": _tree,
    "virtualenv": _tree,
    "compileall": _compileall,
    "py_compile": _compileall,
}
