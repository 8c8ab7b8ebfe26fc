"""One simple command on its way to the handler of its program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from phasegate.core.call import ContentChange, OpaqueReason, TargetOp
from phasegate.targets.shell.disk import disk_of, kind_at, known_text, place
from phasegate.targets.shell.limits import MAX_CHANGE, MAX_PART
from phasegate.targets.shell.mentions import mentioned, pieces_of
from phasegate.targets.shell.options import Grammar, Parsed, parse
from phasegate.targets.shell.text import Field

if TYPE_CHECKING:
    from phasegate.core.ports import FileStat
    from phasegate.targets.shell.report import Key
    from phasegate.targets.shell.source import Span
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.walk import Shell

_SINKS = frozenset(
    {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr"}
)
_SINK_DIRS = ("/dev/fd/", "/dev/tcp/", "/dev/udp/", "/dev/pts/", "/proc/self/fd/")

REMEDY = "name the files in the command, or write them with the editor's own tool"


FROM_INPUT = "(standard input)"
"""How an operand is spelled that comes from standard input."""


def _unknown_operand(operand: Field) -> str:
    if operand.typed == FROM_INPUT:
        return "the names that it gets from standard input are not known"
    return f"the operand `{operand.typed[:80]}` is not known"


def is_sink(path: str) -> bool:
    """Whether writing to *path* changes no file."""
    return path in _SINKS or path.startswith(_SINK_DIRS)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a command stands in the caller's text, and its own source."""

    span: Span | None
    text: str


@dataclass(frozen=True, slots=True)
class Touch:
    """A file about to be reported: its operand as spelled, and what happens to it."""

    operand: str
    op: TargetOp
    via: str
    follow: bool = True
    recursive: bool = False
    source: str | None = None


@dataclass(slots=True)
class Command:
    """A program's name, its arguments and the state in which it starts.

    Handlers report through its methods and change `state`. `said` is set once a handler
    has told what the program prints; otherwise the output counts as unknown.
    """

    shell: Shell
    state: State
    name: str
    args: Sequence[Field]
    origin: Origin
    typed: str = ""
    said: bool = field(default=False)

    def parse(self, grammar: Grammar) -> Parsed:
        return parse(self.args, grammar)

    def say(self, text: str | None) -> None:
        """Print *text*; None when it is unknown."""
        self.state.emit(text)
        self.said = True

    def text_of(self, operand: Field) -> str | None:
        """The operand when it is known and names something."""
        return None if operand.many else operand.text

    def kind(self, operand: Field) -> str | None:
        """What the known *operand* names: file, dir, other or None."""
        text = self.text_of(operand)
        return None if not text else kind_at(self.shell.view, self.state, text)

    def is_tree(self, operand: Field) -> bool:
        """Whether *operand* is a directory itself, or a link to one that is followed by a slash."""
        text = self.text_of(operand)
        if not text:
            return text is None
        status = self.lstat(text)
        if status is None:
            return False
        return status.kind == "dir" or (text.endswith(("/", "/.")) and self.kind(operand) == "dir")

    def has_entries(self, operand: Field) -> bool:
        """Whether *operand* is a directory that isn't empty."""
        text = self.text_of(operand)
        if not text:
            return False
        path = place(self.shell.view, self.state, text).path
        return bool(disk_of(self.shell.view, self.state).listdir(path))

    def moves_tree(self, source: Field, target: Field) -> bool:
        """Whether a directory goes to *target*: never to where a file is."""
        return self.is_tree(source) and self.kind(target) != "file"

    def lstat(self, operand: str) -> FileStat | None:
        """Status of *operand* itself."""
        path = place(self.shell.view, self.state, operand, follow=False).path
        return disk_of(self.shell.view, self.state).lstat(path)

    def may_exist(self, operand: str) -> bool:
        """Whether something is at *operand*, or was before the command removed it (which may have failed)."""
        if self.lstat(operand) is not None:
            return True
        before = self.state.copy()
        before.disk = {path: what for path, what in before.disk.items() if what != "gone"}
        path = place(self.shell.view, before, operand, follow=False).path
        return disk_of(self.shell.view, before).lstat(path) is not None

    def kind_of_path(self, path: str) -> str | None:
        """What is at the absolute *path*: file, dir, link, other or None."""
        status = disk_of(self.shell.view, self.state).lstat(path)
        return None if status is None else status.kind

    def write(
        self,
        operand: Field,
        op: TargetOp = "write",
        *,
        via: str | None = None,
        follow: bool = True,
        recursive: bool = False,
        source: Field | None = None,
    ) -> Key | None:
        """Report that the file or directory *operand* is changed; *source* is copied, moved or linked there.

        An operand that isn't known makes the command opaque. Returns the key under
        which the change of the text can be reported.
        """
        text = self.text_of(operand)
        if text is None:
            destroyed = self.known_directory(operand) if op in ("delete", "move_from") else ()
            self.opaque(_unknown_operand(operand), destroys=destroyed)
            return None
        if text == "":
            return None
        origin = None if source is None else self.text_of(source)
        if origin:
            origin = place(self.shell.view, self.state, origin, follow=False).path
        touch = Touch(text, op, self.name if via is None else via, follow, recursive, origin or None)
        return self.shell.target(self.state, touch, self.origin)

    def write_all(self, operands: Iterable[Field], op: TargetOp = "write", *, follow: bool = True) -> None:
        """Report each of *operands* as changed."""
        for operand in operands:
            self.write(operand, op, follow=follow)

    def text_in(self, operand: Field) -> str | None:
        """The text of the file *operand*, where the command itself wrote it."""
        return known_text(self.shell.view, self.state, operand.text)

    def change(self, key: Key | None, change: ContentChange) -> None:
        """Tell how the text of a reported target changes."""
        if key is not None:
            self.shell.report.change(key, change)

    def unknown_change(self) -> ContentChange:
        """The change of a target whose new text is not in the command."""
        return ContentChange("unknown", self.origin.text[:MAX_CHANGE])

    def known_directory(self, operand: Field) -> tuple[str, ...]:
        """The directory below which an operand known in part must lie, if there is one."""
        head = operand.prefix.rpartition("/")[0]
        if not head:
            return ()
        return (place(self.shell.view, self.state, head).path,)

    def opaque(
        self,
        why: str,
        *,
        remedy: str = REMEDY,
        destroys: tuple[str, ...] = (),
        words: Iterable[str] | None = None,
        whole_tree_git: bool = False,
    ) -> None:
        """Report that what the command changes can't be known.

        *words* are the texts that could name paths; by default all arguments.
        """
        texts = list(pieces_of(self.args) if words is None else words)
        if words is None and "/" in self.typed:
            texts.insert(0, self.typed)
        if any(arg.text is None for arg in self.args):
            texts.extend(self.shell.context.listing)
        state = self.state
        control = self.shell.context.workflow.layout.control
        self.shell.report.opaque(
            OpaqueReason(
                part=self.origin.text[:MAX_PART],
                why=why,
                remedy=remedy,
                words=mentioned(self.shell.view, state, texts, control),
                cwds=tuple(dict.fromkeys((state.cwd, *state.others))),
                destroys=destroys,
                span=self.origin.span,
                whole_tree_git=whole_tree_git,
            )
        )

    def run(self, args: Sequence[Field], state: State | None = None) -> list[State]:
        """Run *args* as a command of its own (what a wrapper does)."""
        self.said = True
        return self.shell.invoke(args, self.state if state is None else state, self.origin)


Handler = Callable[[Command], "list[State] | None"]
