"""Binding the arguments of a PowerShell command to its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from phasegate.targets.powershell.table import SWITCHES, Cmdlet
from phasegate.targets.powershell.text import Token

_COMMON_STARTS = (
    "force", "recurse", "whatif", "confirm", "erroraction", "verbose", "include", "exclude", "filter", "passthru",
    "append", "usebasicparsing", "method", "headers", "body", "useragent", "credential", "timeoutsec", "container",
)  # fmt: skip
_COMMON = ("erroraction", "warningaction", "outvariable", "errorvariable", "ea", "wa", "ov", "ev")


@dataclass(slots=True)
class Bound:
    """Values by parameter name; each value is a token. `switches` are those that are on."""

    values: dict[str, list[Token]] = field(default_factory=dict)
    switches: set[str] = field(default_factory=set)

    def add(self, name: str, values: Sequence[Token]) -> None:
        self.values.setdefault(name, []).extend(values)


def bind(arguments: Sequence[Token], cmdlet: Cmdlet) -> Bound:
    """The parameters of *cmdlet* as given by *arguments*; names may be shortened."""
    bound = Bound()
    unnamed: list[list[Token]] = []
    at = 0
    while at < len(arguments):
        token = arguments[at]
        at += 1
        name = parameter_name(token)
        if _is_slash_switch(token):
            if token.text.lower() == "/s":
                bound.switches.add("recurse")
            continue
        if not name:
            values, at = _list(arguments, at - 1)
            unnamed.append(values)
            continue
        name, colon, inline = name.partition(":")
        full = _full_name(name, cmdlet)
        if full in SWITCHES:
            if not (colon and inline in ("$false", "0")):
                bound.switches.add(full)
            continue
        if inline:
            bound.add(full, [Token("word", inline, (("text", inline),))])
        elif at < len(arguments):
            values, at = _list(arguments, at)
            bound.add(full, values)
    _place(bound, unnamed, cmdlet)
    return bound


def parameter_name(token: Token) -> str:
    """`path` for `-Path`, `path:x` for `-Path:x`, "" for anything else."""
    text = token.text
    if (
        token.kind != "word"
        or len(text) < len("-a")
        or text[0] not in "-\u2013\u2014"
        or not text[1].isalpha()
    ):
        return ""
    name, colon, value = text[1:].partition(":")
    return name.lower() + colon + value


def _list(arguments: Sequence[Token], at: int) -> tuple[list[Token], int]:
    """The values of a comma-separated list that begins at *at*, and where it ends."""
    values = [arguments[at]]
    at += 1
    while at + 1 < len(arguments) and arguments[at].kind == "operator" and arguments[at].text == ",":
        values.append(arguments[at + 1])
        at += 2
    return values, at


def _full_name(name: str, cmdlet: Cmdlet) -> str:
    """A shortened name in full. The files of the command win over its other parameters."""
    known = (*cmdlet.ops, *cmdlet.positional, *cmdlet.also)
    if name in known or name in SWITCHES or name in _COMMON:
        return name
    for candidates in (known, sorted(SWITCHES)):
        found = [candidate for candidate in candidates if candidate.startswith(name)]
        if found:
            return found[0]
    return name


def _place(bound: Bound, unnamed: list[list[Token]], cmdlet: Cmdlet) -> None:
    """Give unnamed arguments to the parameters in order that have none yet."""
    literal_path = any(name in bound.values for name in ("literalpath", "pspath", "lp"))
    taken = {"path", "filepath"} if literal_path else set()
    free = [name for name in cmdlet.positional if name not in bound.values and name not in taken]
    for name, values in zip(free, unnamed, strict=False):
        bound.add(name, values)
    # PowerShell refuses more; its namesakes in cmd.exe take them all.
    for values in unnamed[len(free) :]:
        if free and cmdlet.piped:
            bound.add(free[0], values)


def _is_slash_switch(token: Token) -> bool:
    """`/q`, an option of cmd.exe's commands."""
    return (
        token.kind == "word"
        and len(token.text) == len("/q")
        and token.text[0] == "/"
        and token.text[1].isalpha()
    )


def has_native_options(arguments: Sequence[Token], cmdlet: Cmdlet) -> bool:
    """Whether an option is none of the cmdlet's, so that the program of the same name is meant."""
    known = (*cmdlet.ops, *cmdlet.positional, *cmdlet.also, *_COMMON_STARTS)
    for token in arguments:
        name = parameter_name(token).partition(":")[0]
        if token.text.startswith("--") or (name and not any(full.startswith(name) for full in known)):
            return True
    return False
