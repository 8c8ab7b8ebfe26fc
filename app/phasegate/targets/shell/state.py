"""What is known about the shell at one point of a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.limits import MAX_STATES, MAX_TEXT
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Field, Text

if TYPE_CHECKING:
    from phasegate.targets.shell.source import Node, Source


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. Exactly one of `text`, `items` and `ref` is meaningful.

    `items` maps subscripts to values, in order (None: a list of unknown content).
    `ref` is the name that a nameref stands for.
    """

    text: Text = UNKNOWN
    items: Mapping[str, Text] | None = None
    is_list: bool = False
    ref: str | None = None
    exported: bool = False
    integer: bool = False
    associative: bool = False
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A shell function: its body and the text it was defined in."""

    body: Node
    source: Source
    instead: Function | None = None

    def joined(self, other: Function) -> Function:
        """A function that may be this one or *other*."""
        if other in self.ways():
            return self
        return replace(self, instead=other if self.instead is None else self.instead.joined(other))

    def ways(self) -> list[Function]:
        """The functions that this one may be."""
        return [self, *(self.instead.ways() if self.instead else [])]


@dataclass(slots=True)
class State:
    """One way of how the command could have gone so far.

    `lost`: the directory may be another one than `cwd`. `others` are further
    directories it could be. `params` is None when the positional parameters are unknown.
    `stack` are the directories that `pushd` remembered, None when unknown. `disk` holds
    what the command itself changed: a path to `file`, `dir`, `gone` or `link:TEXT`. `twins` maps a path to a name of the same file made by `ln`.
    `files` maps a path that the command itself wrote to its text, None when unknown.
    `out` is the output collected so far and `stdin` the text still to be read; None when
    unknown. `status` is whether the last command succeeded. `jump` is `exit`, `return`,
    `break` or `continue` while one of these is under way.
    """

    cwd: str
    previous: str | None = None
    lost: bool = False
    others: tuple[str, ...] = ()
    vars: dict[str, Var] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    params: tuple[Field, ...] | None = ()
    zero: Field | None = None
    stack: tuple[str, ...] | None = ()
    disk: dict[str, str] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    options: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()
    local_names: tuple[str, ...] = ()
    files: dict[str, str | None] = field(default_factory=dict)
    out: str | None = None
    stdin: str | None = None
    status: bool | None = True
    jump: str = ""

    def copy(self) -> State:
        """A state that changes independently of this one."""
        found = self.mark()
        found.vars, found.functions = dict(self.vars), dict(self.functions)
        found.disk, found.twins, found.files = dict(self.disk), dict(self.twins), dict(self.files)
        return found

    def mark(self) -> State:
        """A second state that shares this one's tables and otherwise stays as it is now."""
        # By position: every command comes through here, and `replace` takes five times as long.
        return State(
            self.cwd,
            self.previous,
            self.lost,
            self.others,
            self.vars,
            self.functions,
            self.params,
            self.zero,
            self.stack,
            self.disk,
            self.twins,
            self.options,
            self.aliases,
            self.local_names,
            self.files,
            self.out,
            self.stdin,
            self.status,
            self.jump,
        )

    def emit(self, text: str | None) -> None:
        """Add *text* to the output; None when something unknown is printed."""
        if self.out is None:
            return
        if text is None or len(self.out) + len(text) > MAX_TEXT:
            self.out = None
        else:
            self.out += text

    def wrote(self, path: str, *, tree: bool = False) -> None:
        """The text of *path*, and of all below it when *tree*, is not known any more."""
        if not self.files:
            return
        for name in self.files:
            if name == path or (tree and name.startswith(path.rstrip("/") + "/")):
                self.files[name] = None

    def join_files(self, other: Mapping[str, str | None]) -> None:
        """Keep the texts of files that are the same in *other*."""
        for path in [*self.files, *other]:
            if self.files.get(path) != other.get(path):
                self.files[path] = None

    def move(self, cwd: str) -> None:
        """Make *cwd* the directory."""
        self.previous, self.cwd = self.cwd, cwd

    def assign(self, name: str, text: Text, *, exported: bool | None = None) -> None:
        """Give the variable *name* a value, following a nameref and keeping its attributes."""
        name = self.target_of(name)
        old = self.vars.get(name, Var())
        flag = old.exported if exported is None else exported
        if old.is_list and not old.associative:
            items = {**(old.items or {}), "0": text} if old.items is not None else None
            self.vars[name] = replace(old, items=items, exported=flag)
        else:
            self.vars[name] = Var(text=text, exported=flag, integer=old.integer)

    def target_of(self, name: str) -> str:
        """The name that *name* refers to, namerefs followed."""
        for _ in range(8):
            var = self.vars.get(name)
            if var is None or var.ref is None:
                break
            name = var.ref
        return name

    def forget(self, names: Iterable[str]) -> None:
        """Take the values of *names* for unknown."""
        for name in names:
            old = self.vars.get(name)
            self.vars[name] = Var(is_list=bool(old and old.is_list), exported=bool(old and old.exported))

    def same_as(self, other: State) -> bool:
        """Whether nothing that later commands could notice differs, output aside."""
        return (
            self.cwd == other.cwd
            and self.previous == other.previous
            and self.lost == other.lost
            and self.others == other.others
            and self.vars == other.vars
            and self.params == other.params
            and self.jump == other.jump
            and self.stdin == other.stdin
            and self.options == other.options
            and self.aliases == other.aliases
            and self.disk == other.disk
            and self.twins == other.twins
            and self.files == other.files
            and self.stack == other.stack
            and self.functions == other.functions
        )


def merge(states: Iterable[State]) -> list[State]:
    """The distinct ones of *states*, joined into one when there are too many."""
    kept: list[State] = []
    for state in states:
        for known in kept:
            if known.same_as(state):
                known.out = known.out if known.out == state.out else None
                known.status = known.status if known.status == state.status else None
                break
        else:
            kept.append(state)
    return kept if len(kept) <= MAX_STATES else _join_all(kept)


def _join_all(states: list[State]) -> list[State]:
    joined: dict[str, State] = {}
    for state in states:
        known = joined.setdefault(state.jump, state)
        if known is not state:
            _join(known, state)
    return list(joined.values())


def _join(one: State, other: State) -> None:
    """Make *one* stand for *other* too."""
    for name in one.vars.keys() | other.vars.keys():
        if one.vars.get(name) != other.vars.get(name):
            one.forget([name])
    if one.cwd != other.cwd or other.lost:
        one.lost = True
        one.others = tuple(dict.fromkeys((*one.others, *other.others, other.cwd)))[:MAX_STATES]
    if one.stack != other.stack:
        one.stack = None
    one.params = one.params if one.params == other.params else None
    one.out = one.out if one.out == other.out else None
    one.stdin = one.stdin if one.stdin == other.stdin else None
    one.status = one.status if one.status == other.status else None
    one.disk.update(other.disk)
    one.twins.update(other.twins)
    one.join_files(other.files)
    for name, function in other.functions.items():
        known = one.functions.setdefault(name, function)
        one.functions[name] = known.joined(function)
    one.options |= other.options
    one.aliases |= other.aliases
    one.local_names = tuple(dict.fromkeys((*one.local_names, *other.local_names)))


def positional(state: State, index: int) -> Text:
    """Value of the positional parameter *index*, counted from 1."""
    if state.params is None:
        return UNKNOWN
    before = state.params[: index - 1]
    if any(item.many for item in before):
        return UNKNOWN
    return state.params[index - 1].value if index <= len(state.params) else EMPTY
