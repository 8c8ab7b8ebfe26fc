"""The repository's own source as data: modules, what they import, what they call."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"


@dataclass(frozen=True)
class Module:
    """One Python file. `name` is dotted; a package is named by its directory."""

    name: str
    where: str
    text: str
    tree: ast.Module
    is_package: bool = False


@dataclass(frozen=True)
class Import:
    """One imported module, absolute; `line` is where."""

    name: str
    line: int


@cache
def app_modules() -> tuple[Module, ...]:
    """Every module of the distribution."""
    return tuple(_load(path) for path in sorted(APP.rglob("*.py")))


def python_files() -> list[Path]:
    """Every Python file of the repository: the distribution and its tests."""
    return sorted([*APP.rglob("*.py"), *(ROOT / "tests").rglob("*.py")])


def module_from(name: str, text: str, *, is_package: bool = False) -> Module:
    """A module that is on no disk, for tests of the checks themselves."""
    return Module(name, f"{name}.py", text, ast.parse(text), is_package)


def _load(path: Path) -> Module:
    parts = path.relative_to(APP).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    text = path.read_text("utf-8")
    return Module(name, str(path.relative_to(ROOT)), text, ast.parse(text), is_package)


def imports(module: Module, known: frozenset[str] = frozenset()) -> Iterator[Import]:
    """Everything *module* imports, at any depth, also under `TYPE_CHECKING`.

    `from package import name` counts as an import of `package.name` where that is in *known*.
    """
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if full in known else base, node.lineno)


def _base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])


def dotted(node: ast.expr) -> str:
    """`os.path.exists` for that expression; "" when it is not a plain chain of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def docstrings(tree: ast.Module) -> set[ast.Constant]:
    """The constants of a module that are docstrings or free-standing strings."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def tracked_files() -> list[str]:
    """Paths under version control, or all but the hidden ones where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
