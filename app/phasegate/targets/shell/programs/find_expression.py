"""The expression of `find`, read once and applied to each file.

Tests that look at more than a name and a type (times, owners, contents) are unknown, so
a test has three outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from phasegate.targets.shell.limits import Effort
from phasegate.targets.shell.patterns import matches
from phasegate.targets.shell.text import Field

MAX_NESTING = 60
MAX_PATTERN = 1024


class Unreadable(Exception):
    """The expression does not follow the grammar that is known here."""


@dataclass(frozen=True, slots=True)
class Found:
    """One file that the search comes by."""

    path: str
    depth: int
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Action:
    """Something done to the files selected.

    `words` are those of a command; `batched` when it gets many files at once;
    `in_directory` when it runs in the directory of the file.
    """

    name: str
    words: tuple[Field, ...] = ()
    batched: bool = False
    in_directory: bool = False
    file: Field | None = None


@dataclass(slots=True)
class Outcome:
    """What the expression says about one file."""

    reached: list[tuple[Action, bool]] = field(default_factory=list)
    pruned: bool = False


Node = Callable[[Found, Outcome, bool], "bool | None"]


@dataclass(slots=True)
class Expression:
    """A read expression."""

    node: Node
    actions: list[Action]
    max_depth: int
    min_depth: int

    def apply(self, found: Found) -> Outcome:
        outcome = Outcome()
        self.node(found, outcome, True)
        return outcome


_ONE_ARGUMENT = frozenset(
    [
        "-amin",
        "-anewer",
        "-atime",
        "-cmin",
        "-cnewer",
        "-context",
        "-ctime",
        "-fstype",
        "-gid",
        "-group",
        "-ilname",
        "-inum",
        "-links",
        "-lname",
        "-mmin",
        "-mtime",
        "-newer",
        "-perm",
        "-regex",
        "-iregex",
        "-samefile",
        "-size",
        "-uid",
        "-used",
        "-user",
        "-xtype",
        "-regextype",
        "-newerXY",
        "-flags",
    ]
)
_NO_ARGUMENT = frozenset(["-empty", "-executable", "-nogroup", "-nouser", "-readable", "-writable"])
_OPTIONS = frozenset(
    [
        "-daystart",
        "-depth",
        "-d",
        "-follow",
        "-ignore_readdir_race",
        "-mount",
        "-noignore_readdir_race",
        "-noleaf",
        "-warn",
        "-nowarn",
        "-xdev",
        "-x",
        "-X",
        "-s",
        "-E",
    ]
)
_RUNNING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FILE_ACTIONS = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})


def read_expression(args: Sequence[Field], effort: Effort) -> Expression:
    """Read the arguments after the starting points; raises `Unreadable`."""
    return _Reader(args, effort).read()


class _Reader:
    """A recursive reader with the precedence of `find`: not, and, or, comma."""

    def __init__(self, args: Sequence[Field], effort: Effort) -> None:
        self._args = args
        self._effort = effort
        self._at = 0
        self._depth = 0
        self.actions: list[Action] = []
        self.max_depth = 1 << 30
        self.min_depth = 0

    def read(self) -> Expression:
        node = self._list() if self._args else _true
        if self._at < len(self._args):
            raise Unreadable("an argument is left over")
        if not any(action.name != "-prune" for action in self.actions):
            printing = Action("-print")
            self.actions.append(printing)
            node = _both(node, _act(printing))
        return Expression(node, self.actions, self.max_depth, self.min_depth)

    def _peek(self) -> str | None:
        return self._args[self._at].text if self._at < len(self._args) else ""

    def _next(self) -> Field:
        if self._at >= len(self._args):
            raise Unreadable("an argument is missing")
        self._at += 1
        return self._args[self._at - 1]

    def _list(self) -> Node:
        node = self._or()
        while self._peek() == ",":
            self._next()
            node = _sequence(node, self._or())
        return node

    def _or(self) -> Node:
        node = self._and()
        while self._peek() in ("-o", "-or"):
            self._next()
            node = _either(node, self._and())
        return node

    def _and(self) -> Node:
        node = self._not()
        while self._at < len(self._args) and self._peek() not in ("-o", "-or", ",", ")"):
            if self._peek() in ("-a", "-and"):
                self._next()
            node = _both(node, self._not())
        return node

    def _not(self) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise Unreadable("it is nested too deeply")
        negated = False
        while self._peek() in ("!", "-not"):
            self._next()
            negated = not negated
        if self._peek() == "(":
            self._next()
            node = self._list()
            if self._next().text != ")":
                raise Unreadable("a parenthesis is missing")
        else:
            node = self._primary()
        self._depth -= 1
        return _negation(node) if negated else node

    def _primary(self) -> Node:
        name = self._next().text
        if name is None:
            raise Unreadable("an argument is not known")
        if name in _OPTIONS or name in ("-true", "-noop"):
            return _true
        if name == "-false":
            return _false
        if name in ("-maxdepth", "-mindepth"):
            return self._level(name)
        if name in ("-name", "-iname", "-path", "-wholename", "-ipath", "-iwholename"):
            return _named(name, self._next().text, self._effort)
        if name == "-type":
            return _typed(self._next().text)
        return self._other(name)

    def _other(self, name: str) -> Node:
        if name in _ONE_ARGUMENT or name.startswith("-newer"):
            self._next()
            return _unknown
        if name in _NO_ARGUMENT:
            return _unknown
        if name == "-prune":
            return _prune
        if name == "-quit":
            return _unknown
        return self._action(name)

    def _level(self, name: str) -> Node:
        text = self._next().text
        if text is None or not text.isdigit():
            raise Unreadable("a depth is not known")
        if name == "-maxdepth":
            self.max_depth = int(text)
        else:
            self.min_depth = int(text)
        return _true

    def _action(self, name: str) -> Node:
        if name in _RUNNING:
            action = self._command(name)
        elif name in _FILE_ACTIONS:
            action = Action(name, file=self._next())
            if name == "-fprintf":
                self._next()
        elif name in ("-print", "-print0", "-ls", "-delete"):
            action = Action(name)
        elif name == "-printf":
            self._next()
            action = Action(name)
        else:
            raise Unreadable(f"`{name[:40]}` is not known")
        self.actions.append(action)
        return _act(action)

    def _command(self, name: str) -> Action:
        words: list[Field] = []
        while True:
            word = self._next()
            if word.text == ";":
                batched = False
                break
            if word.text == "+" and words and words[-1].text == "{}":
                batched = True
                break
            words.append(word)
        if not words:
            raise Unreadable("a command is missing")
        return Action(name, tuple(words), batched, name in ("-execdir", "-okdir"))


def _true(_found: Found, _outcome: Outcome, _sure: bool) -> bool | None:
    return True


def _false(_found: Found, _outcome: Outcome, _sure: bool) -> bool | None:
    return False


def _unknown(_found: Found, _outcome: Outcome, _sure: bool) -> bool | None:
    return None


def _prune(_found: Found, outcome: Outcome, sure: bool) -> bool | None:
    outcome.pruned = outcome.pruned or sure
    return True


def _act(action: Action) -> Node:
    def node(_found: Found, outcome: Outcome, sure: bool) -> bool | None:
        outcome.reached.append((action, sure))
        return None if action.words and not action.batched else True

    return node


def _named(name: str, pattern: str | None, effort: Effort) -> Node:
    fold = name.startswith("-i")

    def node(found: Found, _outcome: Outcome, _sure: bool) -> bool | None:
        if pattern is None or len(pattern) > MAX_PATTERN:
            return None
        subject = (
            found.path if "path" in name or "whole" in name else found.path.rstrip("/").rpartition("/")[2]
        )
        if fold:
            return matches(pattern.casefold(), subject.casefold(), effort)
        return matches(pattern, subject, effort)

    return node


_TYPES = {"f": "file", "d": "dir", "l": "link"}


def _typed(letters: str | None) -> Node:
    def node(found: Found, _outcome: Outcome, _sure: bool) -> bool | None:
        if letters is None:
            return None
        wanted = [_TYPES.get(letter, "other") for letter in letters.split(",")]
        return found.kind in wanted

    return node


def _both(left: Node, right: Node) -> Node:
    def node(found: Found, outcome: Outcome, sure: bool) -> bool | None:
        first = left(found, outcome, sure)
        if first is False:
            return False
        second = right(found, outcome, sure and first is True)
        if second is False:
            return False
        return None if first is None else second

    return node


def _either(left: Node, right: Node) -> Node:
    def node(found: Found, outcome: Outcome, sure: bool) -> bool | None:
        first = left(found, outcome, sure)
        if first is True:
            return True
        second = right(found, outcome, sure and first is False)
        return second if first is False or second is True else None

    return node


def _sequence(left: Node, right: Node) -> Node:
    def node(found: Found, outcome: Outcome, sure: bool) -> bool | None:
        left(found, outcome, sure)
        return right(found, outcome, sure)

    return node


def _negation(inner: Node) -> Node:
    def node(found: Found, outcome: Outcome, sure: bool) -> bool | None:
        value = inner(found, outcome, sure)
        return None if value is None else not value

    return node
