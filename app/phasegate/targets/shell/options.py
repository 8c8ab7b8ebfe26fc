"""Option grammars of programs, and arguments read by them as getopt would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from phasegate.targets.shell.text import Field, literal


@dataclass(frozen=True, slots=True)
class Grammar:
    """The options of a program.

    `names` maps each spelling (`-t`, `--target-directory`) to the name under which it is
    reported, `takes` a reported spelling to `:` (a value) or `?` (an attached value).
    `permute`: options may come after operands. `single`: long options have one dash.
    `numeric`: `-5` is an option.
    """

    names: Mapping[str, str]
    takes: Mapping[str, str]
    permute: bool = True
    single: bool = False
    numeric: bool = False

    @staticmethod
    def of(text: str, *, permute: bool = True, single: bool = False, numeric: bool = False) -> Grammar:
        """Read a grammar from a list of spellings.

        `-a` is a flag, `-o:` takes a value, `-i?` an attached one; `-o|--output:` are
        two spellings of one option, reported by the first without its dashes.
        """
        names: dict[str, str] = {}
        takes: dict[str, str] = {}
        for item in text.split():
            mode = item[-1] if item[-1] in ":?" else ""
            spellings = item.rstrip(":?").split("|")
            for spelling in spellings:
                names[spelling] = spellings[0].lstrip("-")
                takes[spelling] = mode
        return Grammar(names, takes, permute, single, numeric)


@dataclass(slots=True)
class Parsed:
    """Arguments sorted into options and operands. `strange` are options in no grammar."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Field]:
        return [value for name, value in self.options if name in names and value is not None]

    def last(self, *names: str) -> Field | None:
        found = self.values(*names)
        return found[-1] if found else None


def parse(args: Sequence[Field], grammar: Grammar) -> Parsed:
    """Sort *args* by *grammar*; an argument that isn't known counts as an operand."""
    result = Parsed()
    index = 0
    while index < len(args):
        arg = args[index]
        index += 1
        head = arg.prefix
        if arg.text == "--":
            result.operands.extend(args[index:])
            break
        if not head[1:] or head[0] != "-" or (arg.text is None and not _attached(head, grammar)):
            result.operands.append(arg)
            if not grammar.permute:
                result.operands.extend(args[index:])
                break
        elif head.startswith("--") or grammar.single:
            index += _long(arg, args[index:], grammar, result)
        else:
            index += _short(arg, args[index:], grammar, result)
    return result


def _attached(head: str, grammar: Grammar) -> bool:
    """Whether an argument known only at its beginning is an option with its value attached."""
    if head.startswith("--"):
        return "=" in head
    return head[:2] in grammar.names


def _long(arg: Field, rest: Sequence[Field], grammar: Grammar, result: Parsed) -> int:
    """Read a long option; returns how many of *rest* it used up."""
    spelled, equals, _ = arg.prefix.partition("=")
    name = _complete(spelled, grammar)
    if name is None:
        result.strange.append(spelled)
        return 0
    value = arg.cut(len(spelled) + 1) if equals else None
    if grammar.takes[name] == ":" and value is None and rest:
        result.options.append((grammar.names[name], rest[0]))
        return 1
    result.options.append((grammar.names[name], value))
    return 0


def _complete(spelled: str, grammar: Grammar) -> str | None:
    """The long option that *spelled* abbreviates."""
    if spelled in grammar.names:
        return spelled
    if grammar.single:
        return None
    found = [name for name in grammar.names if name.startswith(spelled)]
    if len({grammar.names[name] for name in found}) == 1:
        return found[0]
    return None


def _short(arg: Field, rest: Sequence[Field], grammar: Grammar, result: Parsed) -> int:
    """Read a bundle of short options; returns how many of *rest* it used up."""
    head = arg.prefix
    if grammar.numeric and head[1:].isdigit():
        result.options.append(("number", Field(literal(head[1:]), arg.typed)))
        return 0
    for at in range(1, len(head)):
        spelling = "-" + head[at]
        if spelling not in grammar.names:
            result.strange.append(spelling)
            continue
        name, mode = grammar.names[spelling], grammar.takes[spelling]
        attached = arg.cut(at + 1)
        if mode == "?":
            result.options.append((name, attached if attached.value else None))
            return 0
        if mode == ":":
            if attached.value:
                result.options.append((name, attached))
                return 0
            result.options.append((name, rest[0] if rest else None))
            return 1 if rest else 0
        result.options.append((name, None))
    return 0
