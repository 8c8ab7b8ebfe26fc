"""The commands that lock, reopen and enter phases: requests of the workflow, not writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasegate.core.call import EnterRequest, LockRequest

if TYPE_CHECKING:
    from phasegate.core.workflow import OwnCommand, Workflow
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.text import Field


def is_own(name: str, workflow: Workflow) -> bool:
    """Whether the program *name* is one of the workflow's.

    A script may lie anywhere; a program without an ending is taken only from a place
    for programs, so that a file of that name in the project gets no trust.
    """
    base = name.rpartition("/")[2]
    if base != name and not base.endswith(".py"):
        return False
    return any(entry.program == base for entry in workflow.commands)


def run_own(command: Command) -> None:
    """Report what the command asks of the workflow."""
    workflow = command.shell.context.workflow
    base = command.name.rpartition("/")[2]
    best: tuple[OwnCommand, list[Field]] | None = None
    for entry in workflow.commands:
        rest = _after_words(entry.words, command.args) if entry.program == base else None
        if rest is not None and (best is None or len(entry.words) > len(best[0].words)):
            best = entry, rest
    if best is None or any(arg.text in ("--help", "-h", "--version") for arg in command.args):
        return
    _request(command, *best)


def _after_words(words: Sequence[str], args: Sequence[Field]) -> list[Field] | None:
    """The arguments after *words*, options before and between them skipped."""
    wanted = list(words)
    at = 0
    while wanted:
        if at >= len(args):
            return None
        arg = args[at]
        at += 1
        if arg.text == wanted[0]:
            wanted.pop(0)
        elif not arg.prefix.startswith("-"):
            return None
        elif "=" not in arg.prefix and at < len(args) and args[at].text != wanted[0]:
            at += 1
    return list(args[at:])


def _request(command: Command, entry: OwnCommand, args: list[Field]) -> None:
    if entry.effect == "other":
        return
    values = _values(entry, args)
    if any(value is None for value in values.values()):
        command.opaque("an argument of the command is not known", remedy="spell out the run and the artifact")
    run_id, run_id_given = values.get("run_id"), "run_id" in values
    malformed = run_id_given and run_id is None
    if entry.effect == "enter":
        command.shell.report.enter(EnterRequest(values.get("phase"), run_id, malformed))
        return
    reopen = entry.effect == "reopen" or "reopen" in values
    command.shell.report.lock(LockRequest(values.get("artifact"), run_id, malformed, reopen))


def _values(entry: OwnCommand, args: list[Field]) -> dict[str, str | None]:
    """The values given, by what they mean; None for one that is not known."""
    values: dict[str, str | None] = {}
    spellings = {spelling: meaning for meaning, spelling in entry.options.items()}
    rest: list[Field] = []
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        name, equals, _ = arg.prefix.partition("=")
        meaning = spellings.get(name)
        if meaning is None:
            rest.append(arg)
        elif meaning == "reopen":
            values[meaning] = "yes"
        elif equals:
            values[meaning] = arg.cut(len(name) + 1).text
        elif at < len(args):
            values[meaning] = args[at].text
            at += 1
    for meaning, operand in zip(entry.arguments, _operands(rest, len(entry.arguments)), strict=False):
        values.setdefault(meaning, operand.text)
    return values


def _operands(args: list[Field], count: int) -> list[Field]:
    """The operands among *args*; what follows an option is its value when there are too many."""
    operands = [arg for arg in args if not arg.prefix.startswith("-")]
    if len(operands) <= count:
        return operands
    found: list[Field] = []
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if not arg.prefix.startswith("-"):
            found.append(arg)
        elif "=" not in arg.prefix:
            at += 1
    return found
