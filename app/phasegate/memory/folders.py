"""Which folders of the memory plane are read, from shipped data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from phasegate.core.workflow import Layout
from phasegate.files.shipped import shipped_text

TEMPLATES_FILE = "run-templates.toml"


@dataclass(frozen=True, slots=True)
class Folders:
    """`folders` are read flat, in this order. `routers` are indexes and never lessons.

    `older` is a place at the workspace root that counts only when it holds the first
    router; `section` and `run_field` are where a run declares what it wrote.
    """

    folders: tuple[str, ...]
    archive: str
    routers: frozenset[str]
    older: str
    marker: str
    section: str
    run_field: str


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """The memory of one workspace: `root` is the workspace's real path."""

    root: str
    layout: Layout
    folders: Folders

    @property
    def plane(self) -> str:
        """The plane, relative to the workspace."""
        return f"{self.layout.control}/{self.layout.planes['memory']}"

    @property
    def feedback(self) -> str:
        """The counters' file, relative to the workspace."""
        return f"{self.layout.control}/{self.layout.feedback}"


def memory_place(root: str, layout: Layout) -> MemoryPlace:
    """The memory of the workspace at *root*, read as shipped."""
    return MemoryPlace(root, layout, load_folders())


@cache
def load_folders() -> Folders:
    data = tomllib.loads(shipped_text(TEMPLATES_FILE))
    memory, write = data["memory"], data["entry"]["memory_write"]
    return Folders(
        folders=tuple(memory["folders"]),
        archive=memory["archive"],
        routers=frozenset(name.casefold() for name in memory["routers"]),
        older=memory["older"],
        marker=memory["routers"][0],
        section=write["section"],
        run_field=write["field"].casefold(),
    )
