"""Paths in PowerShell: variables that are known, provider prefixes, wildcards, mentions."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence

from phasegate.targets.paths import has_drive, normalise
from phasegate.targets.powershell.text import Token
from phasegate.targets.resolve import resolve
from phasegate.targets.site import Site, mentioned, words_of

MAX_MATCHES = 200
_WILD = frozenset("*?[")
SINKS = frozenset(("$null", "nul", "/dev/null", "null"))


def value_of(token: Token, variables: Mapping[str, str | None]) -> str | None:
    """The text of a word or string, or None when a part of it is not known."""
    if token.kind == "group":
        return _group_value(token, variables)
    if token.kind not in ("word", "string"):
        return None
    parts: list[str] = []
    for kind, text in token.pieces:
        known = text if kind == "text" else variables.get(text) if kind == "variable" else None
        if known is None:
            return None
        parts.append(known)
    return "".join(parts)


def _group_value(token: Token, variables: Mapping[str, str | None]) -> str | None:
    """`("x")` and `(Join-Path a b)`."""
    children = token.children
    if token.text not in ("(", "$(", "@(") or not children:
        return None
    if len(children) == 1:
        return value_of(children[0], variables)
    if children[0].text.lower() != "join-path":
        return None
    values = [value_of(child, variables) for child in children[1:] if not child.text.startswith("-")]
    known = [value for value in values if value is not None]
    return "/".join(known) if len(known) == len(values) else None


def file_operand(text: str, site: Site) -> str | None:
    """The path that *text* names, or None when it names something that is no file (`HKLM:\\x`)."""
    if "::" in text:
        provider, _, rest = text.partition("::")
        if not provider.lower().endswith("filesystem"):
            return None
        text = rest
    head, colon, _ = text.partition(":")
    if colon and len(head) > 1 and head.replace("_", "").isalnum() and not has_drive(text):
        return None
    return normalise(text, base=site.cwd, home=site.view.home()) or None


def expand(operand: str, base: str, site: Site) -> Iterator[str]:
    """Names that a wildcard path stands for; a plain path stands for itself."""
    if not _WILD.intersection(operand):
        yield operand
        return
    found = [""]
    for part in operand.split("/"):
        found = list(_matching(found, part, base, site))[:MAX_MATCHES]
    yield from (name.removesuffix("/") for name in found)


def _matching(heads: Sequence[str], part: str, base: str, site: Site) -> Iterator[str]:
    for head in heads:
        if not _WILD.intersection(part):
            yield f"{head}{part}/"
            continue
        names = site.view.listdir(resolve(site.view, base, head or ".").path) or ()
        for name in names:
            if fnmatch.fnmatchcase(name.casefold(), part.casefold()):
                yield f"{head}{name}/"


def mentions(tokens: Iterable[Token], bases: Sequence[str], site: Site) -> tuple[str, ...]:
    """The literal words of *tokens* as absolute paths, as far as any could be one."""
    found: dict[str, None] = {}
    words = [word for word in _literals(tokens) if file_operand(word, site)]
    for base in bases:
        found.update(dict.fromkeys(mentioned(site.within(base), words)))
    return tuple(found)


def _literals(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        for kind, text in token.pieces:
            if kind == "text" and text.strip():
                yield text
                yield from (word for word in words_of(text) if word != text)
        yield from _literals(token.children)
