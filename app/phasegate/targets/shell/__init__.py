"""What a shell command would change: its targets, or why they can't be known.

A command is parsed, then walked with the shell's state (directory, variables,
functions, links it made). Words are expanded in the shell's order against a view of the
disk; programs are looked up in a table of their option grammars. What is not understood
is reported as opaque, never left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasegate.core.call import OpaqueReason
from phasegate.errors import FactsUnreadable
from phasegate.targets.shell.command import REMEDY, Origin
from phasegate.targets.shell.fast import parse_plain
from phasegate.targets.shell.limits import MAX_COMMAND, MAX_PART, MAX_STEPS, MAX_WORDS, TooMuch
from phasegate.targets.shell.mentions import mentioned, tokens
from phasegate.targets.shell.programs import handlers
from phasegate.targets.shell.report import ShellTargets
from phasegate.targets.shell.source import Source
from phasegate.targets.shell.state import State
from phasegate.targets.shell.text import field
from phasegate.targets.shell.walk import Context, Shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from phasegate.core.ports import FileView, ShellParser
    from phasegate.core.workflow import Workflow

__all__ = ["ShellTargets", "extract_argv", "extract_shell"]

FAILED = "following the command failed"
"""Why a command is opaque when this package made a mistake; nothing else begins so."""

_EMPTY = Source("", {"Type": "File", "Stmts": []})


def extract_shell(
    text: str, *, cwd: str, root: str, view: FileView, parser: ShellParser, workflow: Workflow
) -> ShellTargets:
    """What the shell command *text*, started in the absolute directory *cwd*, would change.

    *root* is the workspace: programs below it are scripts of the project. Never raises;
    whatever can't be understood, or goes beyond the bounds, is an opaque part.
    """
    context = Context(view, parser, workflow, root, handlers(workflow))
    state = State(cwd=cwd)
    if len(text) > MAX_COMMAND or "\0" in text:
        return _unread(context, state, text, "the command is too long or not text")
    try:
        tree = parse_plain(text) or parser.parse(text)
    except TooMuch as limit:
        return _unread(context, state, text, limit.why)
    if tree is None:
        return _unread(context, state, text, "the command can't be parsed")
    shell = Shell(context, Source(text, tree))
    return _guarded(context, state, text, lambda: shell.statements(tree.get("Stmts") or [], state))


def extract_argv(
    argv: Sequence[str], *, cwd: str, root: str, view: FileView, parser: ShellParser, workflow: Workflow
) -> ShellTargets:
    """What the program *argv*, started without a shell in *cwd*, would change. Never raises."""
    context = Context(view, parser, workflow, root, handlers(workflow))
    state = State(cwd=cwd)
    text = " ".join(argv)
    if not argv or len(text) > MAX_COMMAND or "\0" in text:
        return (
            _unread(context, state, text, "the command is too long or not text") if argv else ShellTargets()
        )
    shell = Shell(context, _EMPTY)
    args = [field(word) for word in argv]
    return _guarded(context, state, text, lambda: shell.invoke(args, state, Origin((0, len(text)), text)))


def _guarded(context: Context, state: State, text: str, step: Callable[[], object]) -> ShellTargets:
    """Run *step*; where it hits a bound, what was found stands and the rest is opaque."""
    start = state.mark()
    try:
        step()
    except TooMuch as limit:
        return _unread(context, start, text, limit.why)
    except FactsUnreadable as error:
        return _unread(context, start, text, f"the disk can't be looked at: {error.detail}")
    except RecursionError:
        return _unread(context, start, text, "the command is nested too deeply")
    except Exception as error:  # noqa: BLE001 (a mistake of ours must not let a command through unjudged)
        return _unread(context, start, text, f"{FAILED} ({type(error).__name__})")
    return context.report.result()


def _unread(context: Context, state: State, text: str, why: str) -> ShellTargets:
    control = context.workflow.layout.control
    found = dict.fromkeys(tokens(text))
    # Of a long text the words that can matter come first.
    some = [*(word for word in found if control in word), *found][:MAX_STEPS]
    try:
        words = mentioned(context.view, state, some, control)
    except (FactsUnreadable, RecursionError):
        # Nothing can be looked up any more: the words are left as they are spelled.
        words = tuple(dict.fromkeys(f"{state.cwd}/{word}" for word in some if control in word))[:MAX_WORDS]
    context.report.overflow(
        OpaqueReason(part=text[:MAX_PART], why=why, remedy=REMEDY, words=words, cwds=(state.cwd,))
    )
    return context.report.result()
