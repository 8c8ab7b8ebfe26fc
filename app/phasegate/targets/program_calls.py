"""Targets of tools that run something: shell text, PowerShell, program text, keys for a running program."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from phasegate.core.call import EnterRequest, LockRequest, OpaqueReason
from phasegate.targets.arguments import text_of
from phasegate.targets.code import code_targets, language_of
from phasegate.targets.file_calls import MAX_TARGETS, Found
from phasegate.targets.ids import compact, vocabulary
from phasegate.targets.keys import MAX_KEY
from phasegate.targets.patch import patch_targets
from phasegate.targets.patch_forms import BEGIN
from phasegate.targets.paths import is_windows
from phasegate.targets.powershell import powershell_targets
from phasegate.targets.shell import ShellTargets, extract_argv, extract_shell
from phasegate.targets.site import Site, bases, mentioned, words_of
from phasegate.targets.tools import Dialect, Tool

MAX_COMMANDS = 50
_MAX_DEPTH = 4
_PART = 200

_COMMAND_KEYS = vocabulary("command cmd commands commandline script shellcommand bashcommand arg1 query")
_CODE_KEYS = vocabulary(
    "code source script program cell python javascript js query function command input arg1 text"
)
_KEY_KEYS = vocabulary("chars input keys text data command cmd keystrokes")
_ALWAYS_POSIX = vocabulary("bash sh zsh run_bash execute_bash bash_command bash_tool run_bash_command")
_PATCHERS = frozenset(("apply_patch", "applypatch", "apply-patch"))

Command = str | list[str]


class Program:
    """One call of a tool that runs something. `found` collects what it would touch."""

    def __init__(self, tool: Tool, name: str, site: Site) -> None:
        self._tool = tool
        self._name = name
        self._site = site
        self.found = Found()
        self.locks: dict[LockRequest, None] = {}
        self.enters: dict[EnterRequest, None] = {}
        self.text: str | None = None

    def run(self, args: Mapping[str, Any]) -> None:
        """Read the texts in *args* and what they would touch, in each directory that the call may run in."""
        dialects = self._dialects(args)
        commands = list(self._commands(args))
        if "keys" in dialects:
            commands = [command for command in commands if _types_something(command)]
        if not commands:
            return
        self.text = "\n".join(text if isinstance(text, str) else " ".join(text) for text in commands)
        language = language_of(args, self._name) if "code" in dialects else ""
        for base in bases(args, self._site, self._tool.own_base):
            for command in commands[:MAX_COMMANDS]:
                for dialect in dialects:
                    self._take(self._targets(command, dialect, language, self._site.within(base)))
        if len(commands) > MAX_COMMANDS:
            self._opaque("it holds more commands than are looked at", commands[MAX_COMMANDS:])
        if "keys" in dialects:
            self._opaque("it types into a running program", commands)

    def _dialects(self, args: Mapping[str, Any]) -> tuple[Dialect, ...]:
        """How the texts may be read. An argument that names a shell may be ignored, so both readings count."""
        if args.get("is_input") is True or args.get("isInput") is True:
            return ("keys",)
        dialect = self._tool.dialect
        if dialect != "shell" or self._name in _ALWAYS_POSIX:
            return (dialect,)
        if is_windows(self._site.root):
            return ("powershell",)
        shell = args.get("shell")
        named = isinstance(shell, str) and any(name in shell.lower() for name in ("powershell", "pwsh"))
        return ("shell", "powershell") if named else ("shell",)

    def _commands(self, args: Mapping[str, Any]) -> Iterator[Command]:
        keys = {"code": _CODE_KEYS, "keys": _KEY_KEYS}.get(self._tool.dialect, _COMMAND_KEYS)
        yield from _texts(args, keys, 0)

    def _targets(self, command: Command, dialect: Dialect, language: str, site: Site) -> ShellTargets:
        if isinstance(command, list) and dialect == "code":
            command = "\n".join(command)
        if isinstance(command, list):
            return self._program(command, site)
        if dialect == "code" and language not in ("powershell", "pwsh"):
            return code_targets(command, language, site)
        if dialect in ("powershell", "code"):
            return powershell_targets(command, site, lambda argv, cwd: self._program(argv, site.within(cwd)))
        found = extract_shell(
            command, cwd=site.cwd, root=site.root, view=site.view, parser=site.parser, workflow=site.workflow
        )
        return _with_patches(found, command, site) if BEGIN in command else found

    def _program(self, argv: Sequence[str], site: Site) -> ShellTargets:
        if len(argv) > 1 and posixpath.basename(argv[0]) in _PATCHERS:
            patched = patch_targets(argv[-1], base=site.cwd, view=site.view)
            return ShellTargets(patched.targets, patched.opaque)
        found = extract_argv(
            argv, cwd=site.cwd, root=site.root, view=site.view, parser=site.parser, workflow=site.workflow
        )
        patch = next((word for word in argv if BEGIN in word), None)
        return found if patch is None else _with_patches(found, patch, site)

    def _take(self, part: ShellTargets) -> None:
        self.found.add(part.targets)
        del self.found.targets[MAX_TARGETS * 2 :]
        for reason in part.opaque:
            if reason not in self.found.opaque:
                self.found.opaque.append(reason)
        self.locks.update(dict.fromkeys(part.locks))
        self.enters.update(dict.fromkeys(part.enters))

    def _opaque(self, why: str, commands: Sequence[Command]) -> None:
        text = "\n".join(command if isinstance(command, str) else " ".join(command) for command in commands)
        self.found.opaque.append(
            OpaqueReason(
                part=text[:_PART],
                why=why,
                remedy="run the command with the shell tool instead",
                words=mentioned(self._site, words_of(text)),
                cwds=(self._site.cwd,),
            )
        )


def _with_patches(found: ShellTargets, command: str, site: Site) -> ShellTargets:
    """What `apply_patch <<EOF` in a command changes: agents run it like a program, and the text is there."""
    unknown = [reason for reason in found.opaque if reason.part.startswith(tuple(_PATCHERS))]
    if not unknown:
        return found
    bases = dict.fromkeys(base for reason in unknown for base in reason.cwds or (site.cwd,))
    patches = [patch_targets(command, base=base, view=site.view, via="apply_patch") for base in bases]
    kept = tuple(reason for reason in found.opaque if reason not in unknown)
    return replace(
        found,
        targets=(*found.targets, *(target for patch in patches for target in patch.targets)),
        opaque=(*kept, *(reason for patch in patches for reason in patch.opaque)),
    )


def has_text(args: Mapping[str, Any], dialect: str) -> bool:
    """Whether *args* hold a text that a tool of this dialect would run."""
    keys = (
        _CODE_KEYS - {"query", "text", "input", "source"} if dialect == "code" else _COMMAND_KEYS - {"query"}
    )
    return next(_texts(args, keys, 0), None) is not None


def _texts(node: Mapping[str, Any], keys: frozenset[str], depth: int) -> Iterator[Command]:
    rest = _arguments_beside(node)
    for key, value in node.items():
        small = compact(key) if len(key) <= MAX_KEY else ""
        if small in keys:
            yield from _values(value, keys, depth, rest, each=small.endswith("s"))
        elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
            yield from _texts(value, keys, depth + 1)


def _values(
    value: Any, keys: frozenset[str], depth: int, rest: list[str], *, each: bool
) -> Iterator[Command]:
    """The commands in one argument. A list is one program's words or, with *each*, several commands."""
    if isinstance(value, str):
        if value.strip():
            yield [value, *rest] if rest and " " not in value.strip() else " ".join([value, *rest])
    elif isinstance(value, Mapping):
        yield from _texts(value, keys, depth + 1) if depth < _MAX_DEPTH else ()
    elif isinstance(value, list | tuple) and value:
        if not each and all(isinstance(item, str) for item in value):
            yield [*value, *rest]
            return
        for item in value if depth < _MAX_DEPTH else ():
            yield from _values(item, keys, depth + 1, [], each=False)


def _arguments_beside(node: Mapping[str, Any]) -> list[str]:
    """`args` or `arguments` that stand beside a command's name."""
    for key in ("args", "arguments", "argv"):
        value = node.get(key)
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return list(value)
        if isinstance(value, str) and value.strip():
            return [value]
    return []


def _types_something(command: Command) -> bool:
    """Whether keys are more than control characters or an empty line, which only poll or interrupt."""
    text = text_of(command).strip()
    named = text.startswith("C-") and len(text) == len("C-c")
    return not named and any(char.isprintable() and not char.isspace() for char in text)
