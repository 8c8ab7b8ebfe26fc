"""Simple commands: assignments, functions, and the way to a program's handler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.core.call import OpaqueReason
from phasegate.targets.paths import has_drive
from phasegate.targets.shell.command import REMEDY, Command, Origin
from phasegate.targets.shell.disk import known_text
from phasegate.targets.shell.limits import MAX_PART
from phasegate.targets.shell.mentions import mentioned, pieces_of
from phasegate.targets.shell.programs import listing
from phasegate.targets.shell.programs.readers import harmless_query
from phasegate.targets.shell.source import Node, name_of
from phasegate.targets.shell.state import Function, State, Var
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Field, Text, field, join, literal, plain
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.walk import Shell

_LOCAL_BIN = ("bin", ".bin", "Scripts", "sbin")


def call(shell: Shell, node: Node, state: State) -> list[State]:
    """Run a `CallExpr`: assignments, or a command with assignments for its own use."""
    origin = shell.origin(node)
    args = shell.expander.fields(node.get("Args") or [], state)
    before = dict(state.vars)
    names = [assign(shell, item, state) for item in node.get("Assigns") or []]
    if not args:
        if node.get("Args"):
            # The words vanished: nothing runs, the assignments stay.
            state.emit("")
        state.status = True if not _substitutes(node) else state.status
        return [state]
    _warn_of_hooks(shell, names, state, origin)
    for name in names:
        if name in state.vars:
            state.vars[name] = replace(state.vars[name], exported=True)
    states = shell.invoke(args, state, origin)
    for result in states:
        for name in names:
            if name in before:
                result.vars[name] = before[name]
            else:
                result.vars.pop(name, None)
    return states


_HOOKS = words(
    "EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR PAGER GIT_PAGER MANPAGER GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF"
    " GIT_ASKPASS SSH_ASKPASS LESSOPEN LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV PROMPT_COMMAND PERL5OPT RUBYOPT"
    " PYTHONSTARTUP DYLD_INSERT_LIBRARIES TAR_OPTIONS RSYNC_RSH"
)
_HARMLESS = words("true : cat less more vim vi nano echo delta bat ssh code emacs head") | {""}


def _warn_of_hooks(shell: Shell, names: Sequence[str], state: State, origin: Origin) -> None:
    """A variable may make the program run another one."""
    for name in names:
        value = state.vars[name].text if name in state.vars else EMPTY
        text = plain(value)
        if name in _HOOKS and (text is None or text.partition(" ")[0].rpartition("/")[2] not in _HARMLESS):
            opaque_part(
                shell, state, origin, f"`{name}` makes the program run another one", Field(value, name)
            )


def _substitutes(node: Node) -> bool:
    """Whether the status comes from a substitution in an assignment."""
    return any(
        part["Type"] == "CmdSubst"
        for item in node.get("Assigns") or []
        for part in (item.get("Value") or {}).get("Parts") or []
    )


def assign(shell: Shell, node: Node, state: State, *, exported: bool | None = None) -> str:
    """Carry out one assignment; returns the variable's name."""
    name = name_of(node.get("Name"))
    if node.get("Array") is not None:
        _assign_list(shell, node, name, state)
        return name
    value = shell.expander.text(node["Value"], state, assignment=True) if node.get("Value") else EMPTY
    if node.get("Index") is not None:
        _assign_element(shell, node, name, value, state)
        return name
    if node.get("Append"):
        value = _appended(name, value, state)
    old = state.vars.get(state.target_of(name))
    if old is not None and old.integer:
        value = value if (plain(value) or "x").lstrip("-").isdigit() else UNKNOWN
    state.assign(name, value, exported=exported)
    return name


def _appended(name: str, value: Text, state: State) -> Text:
    old = state.vars.get(state.target_of(name))
    if old is None or old.is_list:
        return UNKNOWN
    return UNKNOWN if old.integer else join((old.text, value))


def _assign_list(shell: Shell, node: Node, name: str, state: State) -> None:
    name = state.target_of(name)
    old = state.vars.get(name)
    associative = old is not None and old.associative
    items: dict[str, Text] | None = {}
    if node.get("Append"):
        items = dict(old.items) if old is not None and old.items is not None else None
    for element in node["Array"].get("Elems") or []:
        if items is not None:
            items = _add_element(shell, element, items, state, associative=associative)
        elif element.get("Value"):
            shell.expander.fields([element["Value"]], state)
    state.vars[name] = Var(items=items, is_list=True, associative=associative)


def _add_element(
    shell: Shell, element: Node, items: dict[str, Text], state: State, *, associative: bool
) -> dict[str, Text] | None:
    if element.get("Index") is not None:
        key = shell.expander.subscript(element["Index"], state)
        value = shell.expander.text(element["Value"], state) if element.get("Value") else EMPTY
        if key is None or not (associative or key.isdigit()):
            return None
        return {**items, key: value}
    if not element.get("Value"):
        return items
    fields = shell.expander.fields([element["Value"]], state)
    if associative or any(field.many for field in fields):
        return None
    following = max((int(key) for key in items), default=-1) + 1
    return {**items, **{str(following + at): field.value for at, field in enumerate(fields)}}


def _assign_element(shell: Shell, node: Node, name: str, value: Text, state: State) -> None:
    key = shell.expander.subscript(node["Index"], state)
    name = state.target_of(name)
    old = state.vars.get(name)
    if old is None:
        old = Var(items={}, is_list=True) if key is not None and key.isdigit() else Var(is_list=True)
    numeric = key is not None and (old.associative or key.isdigit())
    if old.items is None or not numeric or key is None or node.get("Append"):
        state.vars[name] = Var(is_list=True, associative=old.associative)
        return
    items = {**old.items, key: value}
    if not old.associative:
        items = dict(sorted(items.items(), key=lambda item: int(item[0])))
    state.vars[name] = replace(old, items=items, is_list=True)


def invoke(shell: Shell, args: Sequence[Field], state: State, origin: Origin) -> list[State]:
    """Run the command *args*: a function, or a program by its handler."""
    shell.tick()
    if not args:
        return [state]
    spelled = args[0].text
    if spelled is None or args[0].many:
        command = Command(shell, state, "", args, origin)
        command.opaque("the program's name is not known", remedy="spell the program's name")
        return _after_unknown(state)
    function = state.functions.get(spelled)
    if function is not None:
        ways = function.ways()
        states = [state, *(state.copy() for _ in ways[1:])]
        return [
            result
            for way, start in zip(ways, states, strict=True)
            for result in _call_function(shell, way, args, start)
        ]
    script = known_text(shell.view, state, spelled) if "/" in spelled else None
    if script is not None:
        return shell.invoke([*_interpreter(script), *args], state, origin)
    command = Command(shell, state, program_name(spelled, shell.context.root), args[1:], origin, spelled)
    states = dispatch(command)
    if not command.said:
        for result in states:
            result.emit(None)
    return states


def _interpreter(script: str) -> list[Field]:
    """The command that runs *script*, as its first line tells."""
    line = script.partition("\n")[0]
    return (
        [field(word) for word in line[2:].split()] if line[:2] == "#!" and line[2:].strip() else [field("sh")]
    )


def dispatch(command: Command) -> list[State]:
    """Hand *command* to its program's handler; an unknown program is opaque."""
    handler = command.shell.context.handler_of(command.name)
    if command.name in command.state.aliases:
        # Aliases count only in some shells, so the program itself is looked at too.
        command.opaque(f"`{command.name}` is an alias", remedy="use the command that the alias stands for")
    if handler is None and harmless_query(command):
        command.say(None)
        return [command.state]
    if handler is None:
        command.opaque(f"what `{command.name[:80]}` does is not known")
        return _after_unknown(command.state)
    command.state.status = None
    states = handler(command)
    listing.note(command)
    return [command.state] if states is None else states


def program_name(spelled: str, root: str) -> str:
    """The program that *spelled* starts; a script of the workspace keeps its path."""
    directory, slash, base = spelled.rpartition("/")
    base = base.removesuffix(".exe")
    if not slash or directory.rpartition("/")[2] in _LOCAL_BIN:
        return base
    rooted = directory.startswith("/") or has_drive(directory)
    if rooted and not f"{directory}/".startswith(root.rstrip("/") + "/"):
        return base
    return spelled


def _after_unknown(state: State) -> list[State]:
    state.emit(None)
    state.stdin = None
    state.status = None
    return [state]


def _call_function(shell: Shell, function: Function, args: Sequence[Field], state: State) -> list[State]:
    walker = shell if function.source is shell.source else type(shell)(shell.context, function.source)
    saved, locals_before = state.params, state.local_names
    state.params, state.local_names = tuple(args[1:]), ()
    before = dict(state.vars)
    with shell.deeper():
        states = walker.statement(function.body, state)
    for result in states:
        for name in result.local_names:
            if name in before:
                result.vars[name] = before[name]
            else:
                result.vars.pop(name, None)
        result.params, result.local_names = saved, locals_before
        if result.jump == "return":
            result.jump = ""
    return states


def opaque_part(shell: Shell, state: State, origin: Origin, why: str, operand: Field | None = None) -> None:
    """Report a part of the command, not a program, as not understood."""
    pieces = list(pieces_of([operand])) if operand is not None else []
    if operand is not None and operand.text is None:
        pieces.extend(shell.context.listing)
    control = shell.context.workflow.layout.control
    shell.report.opaque(
        OpaqueReason(
            part=origin.text[:MAX_PART],
            why=why,
            remedy=REMEDY,
            words=mentioned(shell.view, state, pieces, control),
            cwds=tuple(dict.fromkeys((state.cwd, *state.others))),
            span=origin.span,
        )
    )


def lost(shell: Shell, state: State, operand: str, origin: Origin) -> None:
    """Report that a relative operand is used in a directory that is not known."""
    opaque_part(
        shell, state, origin, "the directory of the command is not known", Field(literal(operand), operand)
    )
