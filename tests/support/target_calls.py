"""Extraction in one line: a small workspace in memory, and the answer in a form that reads well."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from phasegate.core.call import Extraction
from phasegate.core.policy import ToolDeclaration
from phasegate.core.workflow import Workflow
from phasegate.files.shfmt import ShfmtParser
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.targets.site import Site
from phasegate.workspace.workflow_file import load_workflow
from support.memory_view import MemoryView

ROOT = "/repo"
RUN = ".recursive/run/r1"
PLAN = f"{RUN}/02-to-be-plan.md"


@cache
def workflow() -> Workflow:
    return load_workflow()


@cache
def parser() -> ShfmtParser:
    return ShfmtParser()


def workspace_view() -> MemoryView:
    """A workspace with one run, some sources, and links to them."""
    view = MemoryView()
    for name in ("00-requirements.md", "02-to-be-plan.md"):
        view.add_file(f"{ROOT}/{RUN}/{name}")
    view.add_file(f"{ROOT}/src/app.py")
    view.add_dir(f"{ROOT}/docs")
    view.add_link(f"{ROOT}/alias", RUN)
    view.add_link(f"{ROOT}/link.md", f"{ROOT}/{PLAN}")
    return view


def windows_view() -> MemoryView:
    """The same below `C:/w`, on a disk that ignores letter case."""
    view = MemoryView(fold=True, home="C:/Users/dev")
    view.add_file(f"C:/w/{PLAN}")
    view.add_dir("C:/w/docs")
    return view


def site(view: MemoryView | None = None, *, cwd: str = ROOT, root: str = ROOT) -> Site:
    return Site(view or workspace_view(), parser(), workflow(), root, cwd)


def extraction(
    tool: str,
    args: Mapping[str, Any],
    *,
    view: MemoryView | None = None,
    cwd: str = ROOT,
    root: str = ROOT,
    tools: Mapping[str, ToolDeclaration] | None = None,
) -> Extraction:
    request = ExtractRequest(tool, args, cwd, root, workflow(), tools or {})
    return extract(request, view or workspace_view(), parser())


def touched(found: Extraction, *, root: str = ROOT) -> list[str]:
    """Each target as `op path`, the path relative to *root* where it lies below it; `*` marks a tree."""
    return [
        f"{target.op}{'*' if target.recursive else ''} {target.path.removeprefix(root + '/')}"
        for target in found.targets
    ]
