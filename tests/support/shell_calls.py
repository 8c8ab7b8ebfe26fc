"""Shell commands judged in one line, in a small workspace in memory."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

from phasegate.targets.shell import ShellTargets, extract_argv, extract_shell
from phasegate.targets.shell.fast import parse_plain
from phasegate.targets.shell.limits import TooMuch
from support.memory_view import MemoryView
from support.target_calls import parser, workflow

ROOT = "/repo"


def small_view() -> MemoryView:
    """Files, directories and links that the commands of the tests name."""
    view = MemoryView(home="/home/dev")
    for name in ("a.txt", "b.md", "docs/x.md", "docs/y.md", "docs/sub/z.md", "out/old.txt", "data.json"):
        view.add_file(f"{ROOT}/{name}")
    view.add_dir(f"{ROOT}/empty")
    view.add_dir(f"{ROOT}/.git")
    view.add_file(f"{ROOT}/.recursive/run/r1/02-to-be-plan.md")
    view.add_link(f"{ROOT}/link.md", "docs/x.md")
    view.add_link(f"{ROOT}/linked", "docs")
    view.add_dir("/home/dev")
    return view


def extracted(text: str, *, cwd: str = ROOT, view: MemoryView | None = None) -> ShellTargets:
    """What *text* would change; one that is read without the parser is read with it too."""
    found = _extract(text, cwd, view or small_view())
    if _is_plain(text):
        with patch("phasegate.targets.shell.parse_plain", return_value=None):
            assert _extract(text, cwd, view or small_view()) == found, "the parser sees it differently"
    return found


def _extract(text: str, cwd: str, view: MemoryView) -> ShellTargets:
    return extract_shell(text, cwd=cwd, root=ROOT, view=view, parser=parser(), workflow=workflow())


def _is_plain(text: str) -> bool:
    try:
        return parse_plain(text) is not None
    except TooMuch:
        return False


def extracted_argv(argv: Sequence[str], *, cwd: str = ROOT) -> ShellTargets:
    return extract_argv(argv, cwd=cwd, root=ROOT, view=small_view(), parser=parser(), workflow=workflow())


def shown(found: ShellTargets) -> list[str]:
    """Each target as `op path`, relative to the workspace where it lies below it; `*` marks a tree."""
    return [
        f"{target.op}{'*' if target.recursive else ''} {target.path.removeprefix(ROOT + '/')}"
        for target in found.targets
    ]


def touched(text: str, *, cwd: str = ROOT, view: MemoryView | None = None) -> list[str]:
    """What *text* would touch, each once, in order."""
    return list(dict.fromkeys(shown(extracted(text, cwd=cwd, view=view))))


def written(text: str, *, cwd: str = ROOT) -> list[str]:
    """The paths alone, sorted."""
    return sorted({line.partition(" ")[2] for line in touched(text, cwd=cwd)})


def is_opaque(text: str, *, cwd: str = ROOT) -> bool:
    return bool(extracted(text, cwd=cwd).opaque)


def is_clean(text: str, *, cwd: str = ROOT) -> bool:
    """Whether *text* is known to change nothing."""
    found = extracted(text, cwd=cwd)
    return not (found.targets or found.opaque or found.locks or found.enters)
