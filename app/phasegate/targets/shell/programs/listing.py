"""Programs that print the names of files: where these lie when the names can't be told.

`grep -rl x docs | xargs sed -i ...` rewrites some files below `docs`. Which ones is not
known, but that a protected place was searched for them is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.disk import place
from phasegate.targets.shell.limits import MAX_WORDS
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.text import Field

_ALWAYS = words("ls find gfind fd fdfind tree eza exa")
_SEARCHES = words("grep egrep fgrep zgrep ugrep rg ag ack")
_NAMES_ONLY = words("--files-with-matches --files-without-match --files -g")
_PATTERN = ("-e", "-f", "--regexp", "--file", "--files")
_GIT = {
    "ls-files": (),
    "ls-tree": (),
    "grep": ("-l", "-L", "--files-with-matches", "--files-without-match", "--name-only"),
    "diff": ("--name-only",),
    "status": ("-s", "--short", "--porcelain"),
}
_GLOB = "*?[{"


def note(command: Command) -> None:
    """Remember where the names lie that *command* prints."""
    searched = _searched(command)
    if searched is None:
        return
    known = command.shell.context.listing
    known.extend(word for operand in searched for word in places(command, operand))
    del known[MAX_WORDS:]


def places(command: Command, operand: Field) -> Iterator[str]:
    """The place that *operand* names, and what the control directory holds when it is that one."""
    head = operand.prefix
    cut = min((at for at in map(head.find, _GLOB) if at >= 0), default=-1)
    if cut >= 0 or operand.text is None:
        head = head[: cut if cut >= 0 else len(head)].rpartition("/")[0]
    if not head:
        return
    yield head
    layout = command.shell.context.workflow.layout
    path = place(command.shell.view, command.state, head).path
    if path == f"{command.shell.context.root}/{layout.control}":
        yield f"{path}/{layout.runs}"


def _searched(command: Command) -> Sequence[Field] | None:
    """The files and directories that are listed; None for a command that prints no names."""
    args = list(command.args)
    operands = [arg for arg in args if not arg.prefix.startswith("-")]
    texts = [arg.text or "" for arg in args]
    if command.name in _ALWAYS:
        return operands
    if command.name in _SEARCHES:
        if not any(_only_names(text) for text in texts):
            return None
        return operands if any(text.startswith(_PATTERN) for text in texts) else operands[1:]
    verb = operands[0].text if operands and command.name == "git" else None
    wanted = _GIT.get(verb or "")
    if wanted is None or (wanted and not set(wanted) & set(texts)):
        return None
    return operands[2:] if verb == "grep" else operands[1:]


def _only_names(text: str) -> bool:
    if text.startswith("--"):
        return text in _NAMES_ONLY
    return text.startswith("-") and bool({"l", "L"} & set(text[1:]))
