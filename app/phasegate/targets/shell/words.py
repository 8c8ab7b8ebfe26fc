"""Words to arguments, in the order in which bash expands them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell import ansi, arith
from phasegate.targets.shell.braces import Unit, expand_braces
from phasegate.targets.shell.glob import expand_glob
from phasegate.targets.shell.limits import MAX_FIELDS, TooMuch
from phasegate.targets.shell.parameters import Value, lookup, value_of
from phasegate.targets.shell.patterns import escape, is_pattern
from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.text import EMPTY, UNKNOWN, Field, Text, join, literal, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.walk import Shell

_PLAIN_STOP = frozenset("\\*?[~{")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a word: literal text, or None where it is unknown.

    `split`: the result of an unquoted expansion, subject to word splitting. `stop`: the
    word ends here and the next one begins (between the elements of `"$@"`).
    """

    text: str | None
    quoted: bool = False
    split: bool = False
    stop: bool = False
    many: bool = False


PLAIN_BRACES = "plain-braces"
"""The option of a shell that may know no brace expansion: `sh` is bash here and dash there."""

_STOP = Run("", stop=True)


class Expander:
    """Expansion of the words of one source text."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def fields(self, words: Iterable[Node], state: State) -> list[Field]:
        """The arguments that *words* expand to."""
        result: list[Field] = []
        for word in words:
            self.shell.tick()
            result.extend(self._word(word, state))
            if len(result) > MAX_FIELDS:
                raise TooMuch("the command has too many arguments")
        return result

    def text(self, word: Node, state: State, *, assignment: bool = False) -> Text:
        """The value of *word* where it is neither split nor matched against names."""
        runs: list[Run] = []
        for position, part in enumerate(word.get("Parts") or []):
            runs.extend(self._part(part, state, first=position == 0, assignment=assignment))
        return join(_joined(runs))

    def pattern(self, word: Node, state: State) -> str | None:
        """*word* as a pattern, its quoted parts escaped; None when it is unknown."""
        runs: list[Run] = []
        for position, part in enumerate(word.get("Parts") or []):
            runs.extend(self._part(part, state, first=position == 0))
        if any(run.text is None for run in runs):
            return None
        return "".join(_as_pattern(run) for run in runs)

    def document(self, word: Node, state: State) -> Text:
        """The text of a here-document whose delimiter was not quoted."""
        return join(_joined(self._quoted_parts(word.get("Parts") or [], state, specials="$`\\\n")))

    def subscript(self, index: Node, state: State) -> str | None:
        """The key of an element as text; None when it is unknown."""
        if index.get("Type", "Word") != "Word":
            number = arith.evaluate(index, state, self)
            return None if number is None else str(number)
        return plain(self.text(index, state))

    def walk_index(self, index: Node, state: State) -> None:
        """Visit the commands inside a subscript."""
        self.subscript(index, state)

    def _word(self, word: Node, state: State) -> list[Field]:
        parts = word.get("Parts") or []
        if len(parts) == 1 and parts[0]["Type"] == "Lit":
            value = name_of(parts[0])
            if not _PLAIN_STOP & set(value):
                return [Field(literal(value), value)]
        typed = self.shell.source.spelled(word)
        fields: list[Field] = []
        alternatives = self._braced(parts)
        if PLAIN_BRACES in state.options and alternatives[1:]:
            alternatives.append([Unit(node=part) for part in parts])
        for units in alternatives:
            runs = self._runs(units, state)
            fields.extend(self._finish(runs, typed, state))
        return fields

    def _braced(self, parts: Sequence[Node]) -> list[list[Unit]]:
        units: list[Unit] = []
        braces = False
        for part in parts:
            if part["Type"] == "Lit" and "{" in (text := name_of(part)):
                braces = True
                units.extend(_characters(text))
            elif part["Type"] == "Lit" and braces:
                units.extend(_characters(name_of(part)))
            else:
                units.append(Unit(node=part))
        return expand_braces(units) if braces else [units]

    def _runs(self, units: Sequence[Unit], state: State) -> list[Run]:
        runs: list[Run] = []
        pending = ""
        for unit in units:
            if unit.node is None:
                pending += unit.char
                continue
            if pending:
                runs.extend(self._literal(pending, state, first=not runs))
                pending = ""
            runs.extend(self._part(unit.node, state, first=not runs))
        if pending:
            runs.extend(self._literal(pending, state, first=not runs))
        return runs

    def _part(self, part: Node, state: State, *, first: bool, assignment: bool = False) -> list[Run]:
        kind = part["Type"]
        if kind == "Lit":
            return self._literal(name_of(part), state, first=first, assignment=assignment)
        if kind == "SglQuoted":
            value = name_of(part)
            return [Run(ansi.unescape(value) if part.get("Dollar") else value, quoted=True)]
        if kind == "DblQuoted":
            inner = self._quoted_parts(part.get("Parts") or [], state, specials='$`"\\\n')
            return inner or ([] if _only_lists(part) else [Run("", quoted=True)])
        if kind == "ExtGlob":
            return [Run(f"{operator(part)}{name_of(part.get('Pattern'))})")]
        if kind == "ProcSubst":
            return [Run(self.shell.process(part, state), quoted=True)]
        return self._expansion(part, state, quoted=False)

    def _quoted_parts(self, parts: Sequence[Node], state: State, *, specials: str) -> list[Run]:
        runs: list[Run] = []
        for part in parts:
            if part["Type"] == "Lit":
                runs.append(Run(_dequoted(name_of(part), specials), quoted=True))
            elif part["Type"] in ("SglQuoted", "DblQuoted", "ExtGlob", "ProcSubst"):
                runs.extend(
                    Run(run.text, quoted=True, stop=run.stop) for run in self._part(part, state, first=False)
                )
            else:
                runs.extend(self._expansion(part, state, quoted=True))
        return runs

    def _expansion(self, part: Node, state: State, *, quoted: bool) -> list[Run]:
        kind = part["Type"]
        if kind == "ParamExp":
            return self._spread(value_of(part, state, self), state, quoted=quoted)
        if kind == "CmdSubst":
            text = self.shell.capture(part, state)
        elif kind == "ArithmExp":
            number = arith.evaluate(part["X"], state, self)
            text = UNKNOWN if number is None else literal(str(number))
        else:
            text = UNKNOWN
        return _runs_of(text, quoted=quoted)

    def _spread(self, value: Value, state: State, *, quoted: bool) -> list[Run]:
        if value.items is None:
            return [Run(None, quoted=quoted, split=not quoted, many=True)]
        if not value.listed or len(value.items) == 1:
            return [run for item in value.items for run in _runs_of(item, quoted=quoted)]
        if quoted and not value.spread:
            return _runs_of(self._starred(value, state), quoted=True)
        runs: list[Run] = []
        for position, item in enumerate(value.items):
            if position:
                runs.append(_STOP)
            runs.extend(_runs_of(item, quoted=quoted) or ([Run("", quoted=True)] if quoted else []))
        return runs

    def _starred(self, value: Value, state: State) -> Text:
        """The elements joined by the first character of IFS, as in `"$*"`."""
        separators = self._separators(state)
        if separators is None:
            return UNKNOWN
        pieces: list[Text] = []
        for position, item in enumerate(value.items or ()):
            if position:
                pieces.append(literal(separators[:1]))
            pieces.append(item)
        return join(pieces)

    def _literal(self, text: str, state: State, *, first: bool, assignment: bool = False) -> list[Run]:
        runs: list[Run] = []
        if first and text.startswith("~"):
            text, runs = self._tilde(text, state, colon=assignment)
        if assignment and ":~" in text:
            head, _, tail = text.partition(":~")
            rest = self._literal("~" + tail, state, first=True, assignment=True)
            return [*runs, *_backslashes(head + ":"), *rest]
        return [*runs, *_backslashes(text)]

    def _tilde(self, text: str, state: State, *, colon: bool) -> tuple[str, list[Run]]:
        stop = min(
            (at for at in (text.find("/"), text.find(":") if colon else -1) if at >= 0), default=len(text)
        )
        user, rest = text[1:stop], text[stop:]
        if "\\" in user:
            return text, []
        name = {"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(user)
        if name is None:
            known = self.shell.view.home()
            if known and user == known.rstrip("/").rpartition("/")[2]:
                return rest, [Run(known, quoted=True)]
            return (rest, [Run(None, quoted=True)]) if user.replace("-", "_").isidentifier() else (text, [])
        value = lookup(name, state, self)
        return rest, _runs_of(value.items[0] if value.items else UNKNOWN, quoted=True)

    def _separators(self, state: State) -> str | None:
        value = lookup("IFS", state, self)
        return plain(value.items[0]) if value.items else None

    def _finish(self, runs: list[Run], typed: str, state: State) -> list[Field]:
        """Split *runs* into words and match these against names."""
        words = _split(runs, self._separators(state)) if any(r.split or r.stop for r in runs) else [runs]
        fields: list[Field] = []
        for word in words:
            if not word or not (any(run.quoted for run in word) or any(run.text != "" for run in word)):
                continue
            fields.extend(self._matched(word, typed, state))
        return fields

    def _matched(self, word: list[Run], typed: str, state: State) -> list[Field]:
        value = join(_joined(word))
        many = any(run.many or (run.text is None and run.split) for run in word)
        quoted = any(run.quoted for run in word)
        field = Field(value, typed, many, quoted)
        if "noglob" in state.options or not any(
            not run.quoted and run.text and is_pattern(run.text) for run in word
        ):
            return [field]
        if field.text is None or state.lost:
            return [Field((*value, None) if value and value[-1] is not None else value, typed, True, quoted)]
        pattern = "".join(_as_pattern(run) for run in word)
        found = expand_glob(self.shell, state, pattern)
        fields = [Field(literal(name), typed, quoted=quoted) for name in found.names]
        if found.may_be_empty and "nullglob" not in state.options:
            fields.append(field)
        return fields


def _characters(text: str) -> list[Unit]:
    units: list[Unit] = []
    index = 0
    while index < len(text):
        if text[index] == "\\" and index + 1 < len(text):
            units.append(Unit(node={"Type": "SglQuoted", "Value": text[index + 1]}))
            index += 2
        else:
            units.append(Unit(char=text[index]))
            index += 1
    return units


def _backslashes(text: str) -> list[Run]:
    """Unquoted literal text: a backslash quotes the next character."""
    if "\\" not in text:
        return [Run(text)] if text else []
    runs: list[Run] = []
    index = 0
    while index < len(text):
        at = text.find("\\", index)
        if at < 0 or at + 1 >= len(text):
            runs.append(Run(text[index:]))
            break
        if at > index:
            runs.append(Run(text[index:at]))
        if text[at + 1] != "\n":
            runs.append(Run(text[at + 1], quoted=True))
        index = at + 2
    return runs


def _dequoted(text: str, specials: str) -> str:
    """Text between double quotes: a backslash quotes only *specials*."""
    if "\\" not in text:
        return text
    result: list[str] = []
    index = 0
    while index < len(text):
        following = text[index + 1 : index + 2]
        if text[index] == "\\" and following and following in specials:
            result.append("" if following == "\n" else following)
            index += 2
        else:
            result.append(text[index])
            index += 1
    return "".join(result)


def _runs_of(text: Text, *, quoted: bool) -> list[Run]:
    if text == EMPTY:
        return [Run("", quoted=True)] if quoted else []
    return [Run(piece, quoted=quoted, split=not quoted) for piece in text]


def _only_lists(part: Node) -> bool:
    """Whether the quoted part is nothing but an empty list (`"$@"`), which leaves no word."""
    return bool(part.get("Parts"))


def _joined(runs: Iterable[Run]) -> list[Text]:
    return [UNKNOWN if run.text is None else literal(" " if run.stop else run.text) for run in runs]


def _as_pattern(run: Run) -> str:
    text = run.text or ""
    return escape(text) if run.quoted else text


def _split(runs: Sequence[Run], separators: str | None) -> list[list[Run]]:
    words: list[list[Run]] = [[]]
    for run in runs:
        if run.stop:
            words.append([])
        elif not run.split or run.text is None:
            words[-1].append(run)
        elif separators is None:
            words[-1].append(Run(None, split=True, many=True))
        else:
            _split_run(run.text, separators, words)
    return words


def _split_run(text: str, separators: str, words: list[list[Run]]) -> None:
    """Cut *text* at separators; white space ones are joined, any other one ends a word."""
    piece = ""
    index = 0
    while index < len(text):
        char = text[index]
        if char not in separators:
            piece += char
            index += 1
            continue
        if piece:
            words[-1].append(Run(piece))
            piece = ""
        hard = 0
        while index < len(text) and text[index] in separators and not (hard and text[index] not in " \t\n"):
            hard += text[index] not in " \t\n"
            index += 1
        if hard and not words[-1]:
            words[-1].append(Run("", quoted=True))
        words.append([])
    if piece:
        words[-1].append(Run(piece))
