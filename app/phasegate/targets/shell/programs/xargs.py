"""`xargs` and `parallel`: a command whose arguments come from a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from phasegate.targets.shell import ansi
from phasegate.targets.shell.command import FROM_INPUT
from phasegate.targets.shell.limits import MAX_FIELDS
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.text import Field, field, number_of, replaced, unknown_field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.state import State

_XARGS = Grammar.of(
    "-0|--null -a|--arg-file: -d|--delimiter: -E: -e|--eof? -I: -i|--replace? -L: -l|--max-lines? -n|--max-args:"
    " -o|--open-tty -p|--interactive -P|--max-procs: -r|--no-run-if-empty -s|--max-chars: -t|--verbose -x|--exit"
    " --show-limits --process-slot-var: -J: -R: --help --version",
    permute=False,
)


def xargs(command: Command) -> list[State]:
    """Run the command with the items of standard input, when these are known."""
    parsed = command.parse(_XARGS)
    state = command.state
    if parsed.has("help", "version", "show-limits"):
        return [state]
    words = parsed.operands or [field("echo")]
    listed = parsed.last("a")
    text = state.stdin if listed is None else command.text_in(listed)
    text = None if parsed.has("E", "e", "J", "R") or parsed.strange else text
    items = None if text is None else _items(text, parsed)
    mark = _mark(parsed)
    if listed is None:
        state.stdin = ""
    if items is None or len(items) > MAX_FIELDS:
        return _unknown(command, words, mark)
    if not items and (parsed.has("r") or mark is not None):
        command.say("")
        return [state]
    states = [state]
    for batch in _batches(items, parsed, mark):
        if mark is None:
            args = [*words, *(field(item) for item in batch)]
        else:
            args = [replaced(word, mark, field(batch[0])) for word in words]
        states = command.shell.each(states, partial(_run, command, args))
    command.said = True
    return states


def _run(command: Command, args: Sequence[Field], state: State) -> list[State]:
    return replace(command, state=state).run(args)


def _mark(parsed: Parsed) -> str | None:
    """The text that stands for the item in the command."""
    value = parsed.last("I", "i")
    if value is not None:
        return value.text
    return "{}" if parsed.has("i") else None


def _unknown(command: Command, words: Sequence[Field], mark: str | None) -> list[State]:
    """Run the command once with items that are not known."""
    if mark is None:
        return command.run([*words, unknown_field(FROM_INPUT, many=True)])
    return command.run([replaced(word, mark, unknown_field(FROM_INPUT)) for word in words])


def _batches(items: list[list[str]], parsed: Parsed, mark: str | None) -> list[list[str]]:
    """Items as they are given to one run of the command each."""
    if mark is not None:
        return [line for line in items if line]
    flat = [item for line in items for item in line]
    if parsed.has("n"):
        size = max(1, number_of(parsed.last("n"), 1))
        return [flat[at : at + size] for at in range(0, len(flat), size)] or [[]]
    if parsed.has("L", "l"):
        size = max(1, number_of(parsed.last("L", "l"), 1))
        grouped = [items[at : at + size] for at in range(0, len(items), size)]
        return [[item for line in lines for item in line] for lines in grouped]
    return [flat]


def _items(text: str, parsed: Parsed) -> list[list[str]] | None:
    """The items, by line; None when the text can't be split with certainty."""
    if parsed.has("0"):
        return _cut(text, "\0")
    if "\0" in text:
        return None
    if parsed.has("d"):
        delimiter = parsed.last("d")
        mark = None if delimiter is None or delimiter.text is None else ansi.unescape(delimiter.text)
        return None if mark is None or mark[1:] else _cut(text, mark or "\0")
    special = any(char in text for char in "'\"\\")
    if parsed.has("I", "i"):
        lines = [line.lstrip(" \t") for line in text.split("\n")]
        return None if special else [[line] for line in lines if line]
    return _quoted_items(text) if special else [line.split() for line in text.split("\n") if line.split()]


def _cut(text: str, mark: str) -> list[list[str]]:
    return [[item] for item in text.removesuffix(mark).split(mark)] if text else []


def _quoted_items(text: str) -> list[list[str]] | None:
    lines: list[list[str]] = []
    for line in text.split("\n"):
        words = _quoted_line(line)
        if words is None:
            return None
        if words:
            lines.append(words)
    return lines


def _quoted_line(line: str) -> list[str] | None:
    words: list[str] = []
    word: str | None = None
    index = 0
    while index < len(line):
        char = line[index]
        index += 1
        if char in "'\"":
            end = line.find(char, index)
            if end < 0:
                return None
            word = (word or "") + line[index:end]
            index = end + 1
        elif char == "\\":
            word = (word or "") + line[index : index + 1]
            index += 1
        elif char in " \t":
            words.extend([] if word is None else [word])
            word = None
        else:
            word = (word or "") + char
    words.extend([] if word is None else [word])
    return words


_PARALLEL = Grammar.of(
    "-j|--jobs: -k|--keep-order -q|--quote -u|--ungroup -v -t|--verbose --bar --progress --eta --halt: --will-cite"
    " -n|--max-args: -N: -P: -0|--null --no-notice --linebuffer --line-buffer --tag --dry-run -r|--no-run-if-empty"
    " --delay: --timeout: --retries: --citation --version --help -m -X",
    permute=False,
)


def parallel(command: Command) -> list[State]:
    """GNU parallel with a literal list after `:::`."""
    parsed = command.parse(_PARALLEL)
    if parsed.has("dry-run", "version", "help", "citation"):
        return [command.state]
    texts = [operand.text for operand in parsed.operands]
    marks = [at for at, text in enumerate(texts) if text in (":::", "::::", ":::+", "::::+")]
    words = parsed.operands[: marks[0]] if marks else parsed.operands
    simple = len(marks) == 1 and texts[marks[0]] == ":::" and words and not parsed.strange
    items = parsed.operands[marks[0] + 1 :] if marks else []
    odd = any("{" in (text or "{") and "{}" not in (text or "") for text in texts[: len(words)])
    if not simple or odd or parsed.has("m", "X", "n", "N") or any(item.text is None for item in items):
        command.opaque("the list of parallel is not known", destroys=())
        return [command.state]
    for item in items[:MAX_FIELDS]:
        args = [replaced(word, "{}", item) for word in words]
        if all("{}" not in (word.text or "") for word in words):
            args.append(item)
        run_text(command, field(" ".join(arg.text or "" for arg in args)), ())
    return [command.state]
