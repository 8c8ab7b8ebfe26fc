"""The walk over a command's AST with the shell's state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from phasegate.core.call import WriteTarget
from phasegate.targets.shell import compound, simple
from phasegate.targets.shell.command import Handler, Origin, Touch, is_sink
from phasegate.targets.shell.disk import disk_of, known_text, place
from phasegate.targets.shell.limits import MAX_COMMAND, MAX_DEPTH, MAX_LISTED, MAX_STEPS, Effort, TooMuch
from phasegate.targets.shell.redirect import redirected
from phasegate.targets.shell.report import Key, Report
from phasegate.targets.shell.source import Node, Source, operator
from phasegate.targets.shell.state import State, merge
from phasegate.targets.shell.text import UNKNOWN, Field, Text, literal
from phasegate.targets.shell.words import Expander

if TYPE_CHECKING:
    from phasegate.core.ports import FileView, ShellParser
    from phasegate.core.workflow import Workflow

_LISTS = ("&&", "||")
_PIPES = ("|", "|&")


@dataclass(slots=True)
class Context:
    """What one extraction works with, and how much it has done.

    `listing`: where the names lie that the statement under way has printed so far, as in
    `grep -l x DIR | xargs ...`. `capturing`: substitutions that are under way.
    """

    view: FileView
    parser: ShellParser
    workflow: Workflow
    root: str
    handler_of: Callable[[str], Handler | None]
    report: Report = field(default_factory=Report)
    steps: int = 0
    depth: int = 0
    devices: int = 0
    made_up: int = 0
    listed: int = 0
    assumed: bool = False
    effort: Effort = field(default_factory=Effort)
    listing: list[str] = field(default_factory=list)
    capturing: int = 0


class _Level:
    """One level of nesting, while it lasts. A class: a generator costs three times as much, several times a command."""

    __slots__ = ("_context",)

    def __init__(self, context: Context) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._context.depth += 1
        if self._context.depth > MAX_DEPTH:
            raise TooMuch("the command is nested too deeply")

    def __exit__(self, *_error: object) -> None:
        self._context.depth -= 1


class Shell:
    """Walks the statements of one source text."""

    def __init__(self, context: Context, source: Source) -> None:
        self.context = context
        self.source = source
        self.view = context.view
        self.expander = Expander(self)

    @property
    def report(self) -> Report:
        return self.context.report

    @contextmanager
    def rehearsal(self) -> Iterator[Report]:
        """Collect what is reported inside aside, to see what a command would do."""
        before, self.context.report = self.context.report, Report()
        try:
            yield self.context.report
        finally:
            self.context.report = before

    def look_at(self, names: int) -> None:
        """Count *names* among the files that one extraction may search through."""
        self.context.listed += names
        if self.context.listed > MAX_LISTED:
            raise TooMuch("the command searches through too many files")

    def tick(self) -> None:
        """Count one step of work."""
        self.context.steps += 1
        if self.context.steps > MAX_STEPS:
            raise TooMuch("the command does too much to be followed")

    def deeper(self) -> _Level:
        """Enter one level of nesting."""
        return _Level(self.context)

    def nested(self, text: str, origin: Origin) -> Shell | None:
        """A walker for shell *text* found inside a command; None when it does not parse."""
        self.tick()
        if len(text) > MAX_COMMAND or "\0" in text:
            return None
        tree = self.context.parser.parse(text)
        if tree is None:
            return None
        return Shell(self.context, Source(text, tree, outer=origin.span or (0, 0)))

    def origin(self, node: Node) -> Origin:
        return Origin(self.source.span(node), self.source.spelled(node))

    # Statements

    def statements(self, nodes: Sequence[Node], state: State) -> list[State]:
        """Run statements one after another; returns every way in which it can end."""
        states = [state]
        known = len(self.context.listing)
        for node in nodes:
            states = self.each(states, partial(self.statement, node))
            if not self.context.capturing:
                del self.context.listing[known:]
        return states

    def captured(self, part: Node, state: State) -> list[State]:
        """Run the statements of a substitution; what they list may become the names of a command."""
        self.context.capturing += 1
        try:
            with self.deeper():
                return self.statements(part.get("Stmts") or [], state)
        finally:
            self.context.capturing -= 1

    def each(self, states: list[State], step: Callable[[State], list[State]]) -> list[State]:
        """Continue every state that is not on its way out of a loop, function or shell."""
        live = [state for state in states if not state.jump]
        parked = [state for state in states if state.jump]
        if not live:
            # Code behind an `exit` is looked at all the same: the exit may be our mistake.
            ghost = parked[0].copy()
            ghost.jump = ""
            step(ghost)
            return parked
        return merge([*parked, *(result for state in live for result in step(state))])

    def statement(self, node: Node, state: State) -> list[State]:
        self.tick()
        before, self.context.assumed = self.context.assumed, False
        count = self.report.count
        states = self._statement(node, state)
        if self.context.assumed and self.report.count > count:
            simple.opaque_part(
                self, state, self.origin(node), "a variable of the environment may change its meaning"
            )
        self.context.assumed = before
        return states

    def _statement(self, node: Node, state: State) -> list[State]:
        with self.deeper():
            if node.get("Background") or node.get("Coprocess"):
                self.aside(partial(self._negated, node), state)
                state.emit(None)
                state.status = True
                return [state]
            return self._negated(node, state)

    def _negated(self, node: Node, state: State) -> list[State]:
        states = redirected(self, node, state) if node.get("Redirs") else self.command(node.get("Cmd"), state)
        if node.get("Negated"):
            for result in states:
                result.status = None if result.status is None else not result.status
        return states

    def command(self, node: Node | None, state: State) -> list[State]:
        """Run one command of any kind, its redirections already applied."""
        if node is None:
            return [state]
        kind = node["Type"]
        if kind == "CallExpr":
            return simple.call(self, node, state)
        if kind == "BinaryCmd":
            return self._binary(node, state)
        if kind == "Block":
            return self.statements(node.get("Stmts") or [], state)
        if kind == "Subshell":
            self.aside(partial(self.statements, node.get("Stmts") or []), state)
            return [state]
        return compound.run(self, node, state)

    def aside(self, step: Callable[[State], list[State]], state: State) -> None:
        """Run *step* in a child process: only the disk, output and status come back."""
        child = state.copy()
        results = step(child)
        absorb(state, results)

    def _binary(self, node: Node, state: State) -> list[State]:
        op = operator(node)
        if op in _PIPES:
            return self._pipeline(self._chain(node, _PIPES), state)
        chain = self._chain(node, _LISTS)
        known = len(self.context.listing)
        states = self.statement(chain[0][1], state)
        for join, right in chain[1:]:
            if not self.context.capturing:
                del self.context.listing[known:]
            states = self._listed(join, right, states)
        return states

    def _chain(self, node: Node, ops: tuple[str, ...]) -> list[tuple[str, Node]]:
        """The operands of a left-nested chain of operators, without recursion."""
        right: list[tuple[str, Node]] = []
        while True:
            self.tick()
            op = operator(node)
            right.append((op, node["Y"]))
            left = node["X"]
            inner = left.get("Cmd") or {}
            # Pipelines keep a `!` on their first stage; it belongs to the whole.
            bare = not any(left.get(key) for key in ("Redirs", "Background", "Negated", "Coprocess"))
            if not bare or inner.get("Type") != "BinaryCmd" or operator(inner) not in ops:
                right.append(("", left))
                return right[::-1]
            node = inner

    def _listed(self, op: str, right: Node, states: list[State]) -> list[State]:
        wanted = op == "&&"
        settled: list[State] = []
        going: list[State] = []
        for state in states:
            if state.jump or state.status is (not wanted):
                settled.append(state)
                continue
            if state.status is None:
                stays = state.copy()
                stays.status = not wanted
                settled.append(stays)
            going.append(state)
        if not going:
            # An arm that can't run is looked at on a copy, in case the status is wrong.
            self.statement(right, settled[0].copy())
            return settled
        return merge([*settled, *self.each(going, partial(self.statement, right))])

    def _pipeline(self, stages: list[tuple[str, Node]], state: State) -> list[State]:
        before, piped = state.out, state.stdin
        text = state.stdin
        for position, (_, stage) in enumerate(stages):
            last = position == len(stages) - 1
            child = state.copy()
            child.stdin = text
            child.out = before if last else ""
            results = self.statement(stage, child)
            absorb(state, results)
            text = state.out
        state.stdin = piped if piped is None else ""
        return [state]

    # Substitutions

    def capture(self, part: Node, state: State) -> Text:
        """The text of `$( ... )`."""
        nodes = part.get("Stmts") or []
        child = state.copy()
        child.out = ""
        results = self.captured(part, child)
        before = state.out
        absorb(state, results)
        text, state.out = state.out, before
        if any(_reads_file(node) for node in nodes):
            text = self._read(nodes[0], state) if len(nodes) == 1 else None
        if text is None:
            return UNKNOWN
        return literal(text.rstrip("\n").replace("\0", ""))

    def _read(self, node: Node, state: State) -> str | None:
        """The text that `< file` reads."""
        texts = [
            known_text(self.view, state, operand.text)
            for redirect in node["Redirs"]
            for operand in self.expander.fields([redirect["Word"]], state)
        ]
        return texts[0] if len(texts) == 1 else None

    def process(self, part: Node, state: State) -> str:
        """The device that `<( ... )` or `>( ... )` stands for."""
        self.context.devices += 1
        device = f"/dev/fd/{63 - self.context.devices % 50}"
        child = state.copy()
        reading = operator(part) == "<("
        child.out = "" if reading else None
        child.stdin = state.stdin if reading else None
        results = self.captured(part, child)
        before = state.out
        absorb(state, results)
        state.files[device] = state.out if reading else None
        state.out = before
        return device

    # Reports

    def target(self, state: State, touch: Touch, origin: Origin) -> Key | None:
        """Report a file as changed and remember the change; None for a sink."""
        if is_sink(touch.operand):
            return None
        found = place(self.view, state, touch.operand, follow=touch.follow)
        if is_sink(found.path):
            return None
        if state.lost and not touch.operand.startswith("/"):
            simple.lost(self, state, touch.operand, origin)
        target = WriteTarget(
            found.path,
            found.lexical,
            touch.operand,
            touch.op,
            touch.recursive,
            touch.via,
            origin.span,
            source=touch.source,
        )
        if touch.op == "move_to" and touch.source in state.twins:
            state.twins[found.path] = state.twins[touch.source]
        twin = state.twins.get(found.path)
        if twin is not None and touch.op in ("write", "append", "truncate", "chmod"):
            self.report.target(replace(target, path=twin, lexical=twin), origin.text)
        self._remember(state, touch, found.path)
        return self.report.target(target, origin.text)

    def _remember(self, state: State, touch: Touch, path: str) -> None:
        known = state.files.get(touch.source) if touch.source and not touch.recursive else None
        if touch.op != "chmod":
            state.wrote(path, tree=touch.recursive)
            state.wrote(state.twins.get(path, path))
        if known is not None:
            state.files[path] = known
        if touch.op in ("delete", "move_from"):
            state.disk[path] = "gone"
        elif disk_of(self.view, state).lstat(path) is None:
            state.disk[path] = "dir" if touch.recursive else "file"

    def invoke(self, args: Sequence[Field], state: State, origin: Origin) -> list[State]:
        """Run *args* as a simple command."""
        with self.deeper():
            return simple.invoke(self, args, state, origin)


def absorb(state: State, children: list[State]) -> None:
    """Take over what finished child processes leave behind."""
    first = children[0]
    state.out = first.out if all(child.out == first.out for child in children) else None
    state.status = first.status if all(child.status is first.status for child in children) else None
    state.stdin = first.stdin if all(child.stdin == first.stdin for child in children) else None
    files = first.files
    for child in children[1:]:
        first.join_files(child.files)
    state.files.update(files)
    for child in children:
        state.disk.update(child.disk)
        state.twins.update(child.twins)


def _reads_file(node: Node) -> bool:
    """Whether the statement is `< file`, whose text a substitution takes."""
    return node.get("Cmd") is None and any(operator(redirect) == "<" for redirect in node.get("Redirs") or [])
