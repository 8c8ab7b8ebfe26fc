"""`find`: which files its expression selects, and what its actions do to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.limits import MAX_ROUNDS
from phasegate.targets.shell.programs.find_expression import (
    Action,
    Expression,
    Found,
    Unreadable,
    read_expression,
)
from phasegate.targets.shell.text import Field, replaced
from phasegate.targets.shell.text import field as known_field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.state import State

MAX_FOUND = 1000
"""Names that one search looks at; a larger tree counts as not searchable."""

_WRITING = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})


@dataclass(slots=True)
class Selection:
    """Files that reach an action; `sure` is false when some of them may not."""

    paths: list[str] = field(default_factory=list)
    sure: bool = True


def find(command: Command) -> None:
    """Report what the actions of `find` change, and print what it finds when that is known."""
    args = list(command.args)
    while args and (args[0].text in ("-H", "-L", "-P") or args[0].prefix.startswith(("-O", "-D"))):
        takes_value = args.pop(0).text == "-D"
        args = args[1:] if takes_value else args
    starts: list[Field] = []
    while (args and args[0].prefix[:1] not in ("-", "(", ")", "!", ",")) or (args and args[0].text == "-"):
        starts.append(args.pop(0))
    starts = starts or [known_field(".")]
    try:
        expression = read_expression(args, command.shell.context.effort)
    except Unreadable as problem:
        command.opaque(f"the expression of find can't be read: {problem}")
        return
    for action in expression.actions:
        if action.name in _WRITING and action.file is not None:
            command.write(action.file, via=f"find {action.name}")
    doing = [action for action in expression.actions if _does_something(command, action)]
    printing = any(action.name in ("-print", "-print0") for action in expression.actions)
    if not doing and (command.state.out is None or not printing):
        command.say(None)
        return
    selected = _search(command, starts, expression)
    _print(command, expression, selected)
    for action in doing:
        _act(command, action, None if selected is None else selected.get(id(action), Selection()), starts)


def _does_something(command: Command, action: Action) -> bool:
    """Whether an action changes files; a command is tried with a file that is not known."""
    if action.name == "-delete":
        return True
    if not action.words:
        return False
    with command.shell.rehearsal() as report:
        trial = replace(command, state=command.state.copy())
        trial.run(_with_path(action.words, Field((None,), "{}")))
        result = report.result()
    return bool(result.targets or result.opaque or result.locks or result.enters)


def _print(command: Command, expression: Expression, selected: dict[int, Selection] | None) -> None:
    text: str | None = ""
    for action in expression.actions:
        if action.name in ("-printf", "-ls"):
            text = None
        if action.name not in ("-print", "-print0") or text is None:
            continue
        selection = None if selected is None else selected.get(id(action), Selection())
        end = "\n" if action.name == "-print" else "\0"
        known = selection is not None and selection.sure
        text = text + "".join(path + end for path in selection.paths) if selection and known else None
    command.say(text)


def _search(command: Command, starts: Sequence[Field], expression: Expression) -> dict[int, Selection] | None:
    """The files that each action gets; None when they can't be told."""
    texts = [command.text_of(start) for start in starts]
    if command.state.lost or any(not text for text in texts):
        return None
    search = _Search(command, expression)
    for text in texts:
        if not search.visit(text or ".", 0):
            return None
    return search.selected


class _Search:
    """A walk over the disk below the starting points."""

    def __init__(self, command: Command, expression: Expression) -> None:
        self._command = command
        self._disk = disk_of(command.shell.view, command.state)
        self._expression = expression
        self._left = MAX_FOUND
        self.selected: dict[int, Selection] = {}

    def visit(self, path: str, depth: int) -> bool:
        """Look at *path* and what lies below it; false when there is too much."""
        pending = [(path, depth)]
        while pending:
            here, level = pending.pop()
            real = place(
                self._command.shell.view, self._command.state, here, follow=level == 0 and False
            ).path
            status = self._disk.lstat(real)
            if status is None:
                continue
            found = Found(here, level, status.kind, status.size)
            descend = self._judge(found)
            if status.kind != "dir" or not descend or level >= self._expression.max_depth:
                continue
            names = self._disk.listdir(real) or ()
            self._left -= len(names)
            if self._left < 0:
                return False
            self._command.shell.look_at(len(names))
            base = here if here.endswith("/") else here + "/"
            pending.extend((base + name, level + 1) for name in reversed(names))
        return True

    def _judge(self, found: Found) -> bool:
        """Apply the expression to one file; false when its directory is pruned."""
        if found.depth < self._expression.min_depth:
            return True
        outcome = self._expression.apply(found)
        for action, sure in outcome.reached:
            selection = self.selected.setdefault(id(action), Selection())
            selection.paths.append(found.path)
            selection.sure = selection.sure and sure
        return not outcome.pruned


def _act(command: Command, action: Action, selection: Selection | None, starts: Sequence[Field]) -> None:
    if selection is None or len(selection.paths) > 4 * MAX_ROUNDS:
        _act_unknown(command, action, starts)
        return
    if not selection.sure:
        # Each of these files may be meant, and no other.
        command.opaque("which of the files find selects is not known", words=[])
    if action.name == "-delete":
        for path in selection.paths:
            command.write(known_field(path), "delete", via="find -delete", follow=False)
        return
    _run(command, action, selection.paths)


def _run(command: Command, action: Action, paths: Sequence[str]) -> None:
    fields = [_from_directory(action, path) for path in paths]
    batches = [fields] if action.batched else [[item] for item in fields]
    for batch in batches:
        if not batch:
            continue
        words = action.words
        args = _with_paths(words, batch) if action.batched else _with_path(words, batch[0])
        trial = replace(command, state=command.state.copy())
        if action.in_directory:
            directory = paths[fields.index(batch[0])].rpartition("/")[0] or "."
            trial.state.cwd = place(command.shell.view, command.state, directory).path
        _keep(command, trial.run(args))


def _from_directory(action: Action, path: str) -> Field:
    return known_field("./" + path.rstrip("/").rpartition("/")[2] if action.in_directory else path)


def _keep(command: Command, states: list[State]) -> None:
    for state in states:
        command.state.disk.update(state.disk)


def _act_unknown(command: Command, action: Action, starts: Sequence[Field]) -> None:
    """An action on files that can't be told: only where they lie is known."""
    places = tuple(
        place(command.shell.view, command.state, start.text).path
        for start in starts
        if start.text is not None
    )
    if action.name == "-delete":
        command.opaque("which files find deletes is not known", destroys=places)
        return
    for start in starts:
        inside = Field(((start.text or "").rstrip("/") + "/", None), start.typed)
        trial = replace(command, state=command.state.copy())
        trial.run(_with_path(action.words, inside))


def _with_path(words: Sequence[Field], path: Field) -> list[Field]:
    """*words* with `{}` replaced, also inside a word."""
    return [replaced(word, "{}", path) for word in words]


def _with_paths(words: Sequence[Field], paths: Sequence[Field]) -> list[Field]:
    result: list[Field] = []
    for word in words:
        result.extend(paths if word.text == "{}" else [word])
    return result


def fd(command: Command) -> None:
    """`fd`: reads, unless it runs a command."""
    args = list(command.args)
    for at, arg in enumerate(args):
        if arg.text in ("-x", "--exec", "-X", "--exec-batch"):
            action = Action("-exec", tuple(args[at + 1 :]))
            words = (
                action.words
                if any("{" in (w.text or "") for w in action.words)
                else (*action.words, known_field("{}"))
            )
            _act_unknown(command, replace_words(action, words), [known_field(".")])
            return


def replace_words(action: Action, words: Sequence[Field]) -> Action:
    """The same action with other words."""
    return Action(action.name, tuple(words), action.batched, action.in_directory, action.file)
