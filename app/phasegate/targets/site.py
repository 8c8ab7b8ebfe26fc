"""Where a call would run, and which places the paths in its arguments name there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from phasegate.errors import FactsUnreadable, ViewExhausted
from phasegate.targets.ids import compact
from phasegate.targets.keys import MAX_KEY, role_of
from phasegate.targets.paths import MAX_PATH, absolute, has_drive, is_windows, lexical, normalise, slashed
from phasegate.targets.resolve import Resolved, readings, resolve

if TYPE_CHECKING:
    from phasegate.core.ports import FileView, ShellParser
    from phasegate.core.workflow import Workflow


class Site(NamedTuple):
    """The disk, the parser and the directories of one call. `cwd` and `root` are absolute."""

    view: FileView
    parser: ShellParser
    workflow: Workflow
    root: str
    cwd: str

    def within(self, base: str) -> Site:
        """The same call in another directory."""
        return self if base == self.cwd else self._replace(cwd=base)


MAX_WORDS = 64
"""Words of an opaque part that are resolved."""

_MAX_MENTIONED = 20_000
_QUOTES = "'\"`(),;<>|&[]{}="


def mentioned(site: Site, words: Iterable[str]) -> tuple[str, ...]:
    """*words* as absolute paths, links followed, for rules that look for a mention.

    A place that can't be looked at is left as spelled: a word is only a hint.
    """
    found: dict[str, None] = {}
    for word in words:
        if len(found) >= MAX_WORDS:
            break
        operand = normalise(word, base=site.cwd, home=site.view.home())
        if not operand or len(operand) > MAX_PATH:
            continue
        try:
            path = resolve(site.view, site.cwd, operand).path
        except ViewExhausted:
            raise
        except FactsUnreadable:
            path = lexical(absolute(site.cwd, operand), windows=is_windows(site.cwd))
        found[path] = None
    return tuple(found)


def words_of(text: str) -> list[str]:
    """The words of a text that is not understood, without quotes and brackets."""
    for mark in _QUOTES:
        text = text[:_MAX_MENTIONED].replace(mark, " ")
    return text.split()


def working_directory(cwd: str, root: str) -> str:
    """*cwd* as an absolute directory in the style of *root*; anything else is taken below *root*."""
    if is_windows(root):
        return absolute(root, slashed(cwd)) if cwd else slashed(root)
    if not cwd.startswith("/"):
        return f"{root}/{cwd}" if cwd and not has_drive(cwd) else root
    return "/" + cwd.lstrip("/") if cwd.startswith("//") else cwd


def bases(args: Mapping[str, Any], site: Site, own: frozenset[str]) -> tuple[str, ...]:
    """The directories that relative paths of a call may be taken from.

    *own* names the arguments (compacted) that the tool is known to take its directory
    from: then that one alone counts. A tool may ignore any other, so there both count.
    """
    found = [site.cwd]
    for key, value in args.items():
        if len(key) > MAX_KEY:
            continue
        known = bool(own) and compact(key) in own
        if not known and role_of(key) != "base":
            continue
        if not isinstance(value, str) or len(value) > MAX_PATH or not value.strip():
            continue
        operand = normalise(value, base=site.cwd, home=site.view.home())
        base = lexical(absolute(site.cwd, operand), windows=is_windows(site.cwd)) if operand else site.cwd
        if known:
            return (resolve(site.view, site.cwd, operand).path,)
        if base not in found:
            found.append(base)
    return tuple(found)


def places(site: Site, base: str, typed: str, *, follow_last: bool) -> tuple[Resolved, ...]:
    """Every place that a tool may take the argument *typed* for.

    Besides the usual reading (blanks trimmed, `~` and URLs expanded, backslashes as
    separators) a tool may take the text as it stands. That counts where such a name
    exists, or where `..` in it leads back out.
    """
    operand = normalise(typed, base=base, home=site.view.home())
    found = readings(site.view, base, operand, follow_last=follow_last) if operand else ()
    if operand == typed or is_windows(base) or not typed.strip():
        return found
    plain = resolve(site.view, base, typed, follow_last=follow_last)
    if "/.." in typed:
        found += readings(site.view, base, typed, follow_last=follow_last)
        out = resolve(site.view, base, plain.lexical, follow_last=follow_last).path
        return (*found, Resolved(out, plain.lexical))
    if site.view.lstat(plain.path) is not None or site.view.lstat(plain.lexical) is not None:
        return (*found, plain)
    return found
