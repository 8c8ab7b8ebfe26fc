"""Targets of program text given to a tool that runs it: Python, JavaScript, notebook cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from phasegate.core.call import ContentChange, OpaqueReason, TargetOp, WriteTarget
from phasegate.targets.ids import words
from phasegate.targets.resolve import resolve
from phasegate.targets.shell import ShellTargets, extract_argv, extract_shell
from phasegate.targets.site import Site, mentioned, words_of

_PYTHON = ("python3", "-c")
_INTERPRETERS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter"), _PYTHON),
    **dict.fromkeys(
        ("js", "javascript", "node", "nodejs", "ts", "typescript", "deno", "bun"), ("node", "-e")
    ),
    "ruby": ("ruby", "-e"),
    "perl": ("perl", "-e"),
    "php": ("php", "-r"),
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), ("bash", "-c")),
}
_LANGUAGES = frozenset((*_INTERPRETERS, "powershell", "pwsh"))
_CELL_SHELLS = ("%%bash", "%%sh", "%%script bash", "%%script sh", "%%system")
_MAX_PART = 200


def language_of(args: Mapping[str, Any], tool: str) -> str:
    """The language of a call's program text, as its arguments or the tool's name say; "" if neither does."""
    for key in ("language", "lang", "kernel", "runtime", "interpreter"):
        value = args.get(key)
        if isinstance(value, str) and value.strip().lower() in _LANGUAGES:
            return value.strip().lower()
    return next((word for word in words(tool) if word in _INTERPRETERS), "")


def code_targets(text: str, language: str, site: Site) -> ShellTargets:
    """What the program *text* would change. Without a *language* it is taken for Python.

    A part that can't be known mentions every word of the text, in strings or not.
    """
    program = _INTERPRETERS.get(language, _PYTHON)
    parts = list(_cell_parts(text, site)) if program is _PYTHON else []
    code = _without_magics(text) if program is _PYTHON else text
    if code.strip():
        parts.append(_with_words(extract_argv([*program, code], **_where(site)), code, site))
    return ShellTargets(
        targets=tuple(target for part in parts for target in part.targets),
        opaque=tuple(reason for part in parts for reason in part.opaque),
        locks=tuple(lock for part in parts for lock in part.locks),
        enters=tuple(enter for part in parts for enter in part.enters),
    )


def _with_words(found: ShellTargets, code: str, site: Site) -> ShellTargets:
    if not found.opaque:
        return found
    words = mentioned(site, words_of(code))
    reasons = (
        replace(reason, part=code[:_MAX_PART], words=tuple(dict.fromkeys((*reason.words, *words))))
        for reason in found.opaque
    )
    return replace(found, opaque=tuple(reasons))


def _where(site: Site) -> dict[str, Any]:
    return {
        "cwd": site.cwd,
        "root": site.root,
        "view": site.view,
        "parser": site.parser,
        "workflow": site.workflow,
    }


def _without_magics(text: str) -> str:
    """*text* without the lines that only a notebook understands."""
    if text.lstrip().startswith("%%"):
        return ""
    if "!" not in text and "%" not in text:
        return text
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("!", "%")))


def _cell_parts(text: str, site: Site) -> Iterator[ShellTargets]:
    """What a notebook's own lines do: `!command`, `%%bash`, `%%writefile`."""
    head, _, body = text.lstrip().partition("\n")
    if head.startswith("%%"):
        yield _cell(head, body, site)
        return
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("!"):
            yield extract_shell(stripped.lstrip("!"), **_where(site))
        elif stripped.startswith("%"):
            yield _line_magic(stripped, site)


def _cell(head: str, body: str, site: Site) -> ShellTargets:
    magic, *rest = head.split()
    if head.startswith(_CELL_SHELLS):
        return extract_shell(body, **_where(site))
    if magic in ("%%writefile", "%%file") and rest:
        place = resolve(site.view, site.cwd, rest[-1])
        change = ContentChange("append" if "-a" in rest else "replace", text=body)
        op: TargetOp = "append" if "-a" in rest else "write"
        return ShellTargets((WriteTarget(place.path, place.lexical, rest[-1], op, via=magic, change=change),))
    if magic in ("%%time", "%%timeit", "%%capture"):
        return code_targets(body, "", site)
    return _unknown(f"{head}\n{body}", site)


def _line_magic(line: str, site: Site) -> ShellTargets:
    name, _, rest = line.partition(" ")
    if name in ("%time", "%timeit"):
        return extract_argv([*_PYTHON, rest], **_where(site)) if rest.strip() else ShellTargets()
    if name in ("%sx", "%system"):
        return extract_shell(rest, **_where(site))
    if name in (
        "%matplotlib",
        "%load_ext",
        "%autoreload",
        "%config",
        "%who",
        "%whos",
        "%pwd",
        "%env",
        "%pip",
    ):
        return ShellTargets()
    return _unknown(line, site)


def _unknown(text: str, site: Site) -> ShellTargets:
    reason = OpaqueReason(
        part=text[:_MAX_PART],
        why="a notebook command is not known",
        remedy="write it as Python or as a shell command",
        words=mentioned(site, words_of(text)),
        cwds=(site.cwd,),
    )
    return ShellTargets(opaque=(reason,))
