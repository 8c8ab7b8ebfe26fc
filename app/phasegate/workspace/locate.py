"""Which workspace a call belongs to, and which one owns a path.

A call's workspace is the nearest directory at or above its working directory that holds
the control directory, else the served root above it. A directory that holds one below a
served root (a git worktree, a package of a monorepo) is *derived*: it judges its own
runs, but the policy is that of the served root, because an agent can make a directory
and go there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phasegate.core.ports import FileStat, FileView
from phasegate.errors import FactsUnreadable, WorkspaceNotServed, WorkspaceRequired
from phasegate.files.kept import real_path
from phasegate.files.view import DiskView
from phasegate.targets.resolve import resolve

_MAX_DISCOVERED = 1_000
_MAX_VISITED = 5_000
_MAX_DEPTH = 6
_CHECKOUT = ".git"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A directory whose runs are guarded. `root` is absolute, links resolved.

    `served` is the root it was found below; for a workspace that is served itself that
    is its own root.
    """

    name: str
    root: str
    served: str = ""

    @property
    def derived(self) -> bool:
        return self.served not in ("", self.root)

    @property
    def policy_root(self) -> str:
        """The directory whose policy file holds here."""
        return self.served or self.root


class Workspaces:
    """The served workspaces.

    *served*: named roots. *tree_root*: a directory below which every directory that
    holds *control* is served, named by its relative path. Methods take the call's
    *view*; only `owner` passes on that the disk refuses (`FactsUnreadable`).
    """

    def __init__(
        self, served: Sequence[Workspace], tree_root: str | None = None, *, control: str = ".recursive"
    ) -> None:
        self._served = tuple(Workspace(item.name, real_path(item.root)) for item in served)
        self._deepest_first = sorted(self._served, key=lambda item: -len(item.root))
        self._by_name = {item.name: item for item in self._served}
        self._tree = real_path(tree_root) if tree_root is not None else None
        trees = [] if self._tree is None else [self._tree]
        self._roots = [*(item.root for item in self._deepest_first), *trees]
        self._control = control

    @property
    def served(self) -> tuple[Workspace, ...]:
        """The workspaces served by name."""
        return self._served

    def served_above(self, workspace: Workspace) -> Workspace:
        """The workspace whose policy holds in *workspace*: itself unless it is derived."""
        if not workspace.derived:
            return workspace
        named = next((item for item in self._served if item.root == workspace.served), None)
        if named is not None or self._tree is None:
            return named or workspace
        return Workspace(relative(workspace.served, self._tree), workspace.served)

    def locate(self, workspace: str | None, cwd: str | None, view: FileView | None = None) -> Workspace:
        """The workspace of a call.

        Raises `WorkspaceNotServed` when *workspace* is given and lies in no served one,
        `WorkspaceRequired` when nothing says which of several is meant.
        """
        view = view if view is not None else DiskView()
        if workspace is not None:
            found = self._climb(workspace, view)
            if found is None:
                raise WorkspaceNotServed(
                    "the workspace of the call is not served",
                    remedy="start the service with `--workspace DIR`",
                )
            return found
        found = self._climb(cwd, view) if cwd is not None else None
        if found is not None:
            return found
        if len(self._served) == 1 and self._tree is None:
            return self._served[0]
        raise WorkspaceRequired(
            "several workspaces are served and the call is in none of them",
            remedy="name one with `workspace`",
        )

    def serves(self, path: str, view: FileView | None = None) -> bool:
        """Whether the directory *path* lies in a served workspace."""
        return self._climb(path, view if view is not None else DiskView()) is not None

    def owner(
        self, path: str, view: FileView | None = None, *, near: Workspace | None = None
    ) -> Workspace | None:
        """The workspace that owns *path* (absolute, links resolved), or None.

        *near* is the call's own workspace, which counts also when it is derived. Below
        these a directory counts only when it is a checkout of its own: a control
        directory among test fixtures guards nothing.
        """
        view = view if view is not None else DiskView()
        nearest = near if near is not None and within(path, near.root) else None
        base = self._served_above(path, view)
        if nearest is None or (base is not None and len(base.root) > len(nearest.root)):
            nearest = base
        return None if nearest is None else self._checkout_below(nearest, path, view) or nearest

    def respelled(self, path: str, view: FileView) -> str:
        """*path* with the served root it lies in spelled as that root is, where letter case is ignored.

        Costs nothing unless the spellings differ in letter case alone.
        """
        folded = ""
        for root in self._roots:
            if within(path, root):
                return path
            folded = folded or path.casefold()
            if not within(folded, root.casefold()):
                continue
            count = root.count("/") + 1
            parts = path.split("/")
            if _same(view.lstat("/".join(parts[:count])), view.lstat(root)):
                return "/".join((root, *parts[count:]))
        return path

    def by_name(self, name: str | None, view: FileView | None = None) -> Workspace:
        """The workspace called *name*; None is the only one there is.

        Raises `WorkspaceNotServed` for an unknown name, `WorkspaceRequired` when none is
        given and several are served.
        """
        if name is None:
            return self.locate(None, None, view)
        found = self._by_name.get(name)
        if found is None:
            found = self._derived_by_name(name, view if view is not None else DiskView())
        if found is None:
            raise WorkspaceNotServed(
                f"no workspace is called `{name[:100]}`", remedy="see `/readyz` for the names that are served"
            )
        return found

    def all(self, view: FileView | None = None) -> tuple[Workspace, ...]:
        """Every served workspace; below the tree root those within a few levels, bounded."""
        if self._tree is None:
            return self._served
        found = self._discover(view if view is not None else DiskView(budget=_MAX_VISITED * 4))
        known = {item.root for item in self._served}
        return (*self._served, *(item for item in found if item.root not in known))

    def _climb(self, path: str, view: FileView) -> Workspace | None:
        """The workspace of the directory *path*: the nearest with a control directory, else the served root.

        Where the disk refuses, the served root above: what is read for the call's targets
        meets the same refusal, and there it counts.
        """
        if not path.startswith("/"):
            return None
        try:
            return self._climbed(path, view)
        except FactsUnreadable:
            spelled = posixpath.normpath(path)
            return next((item for item in self._deepest_first if within(spelled, item.root)), None)

    def _climbed(self, path: str, view: FileView) -> Workspace | None:
        # A directory that is its own real path needs no walk.
        real = self.respelled(path if view.is_real_directory(path) else resolve(view, "/", path).path, view)
        base = self._served_above(real, view)
        if base is None:
            return None
        for directory in _upward(real, base.root):
            if self._holds_control(directory, view):
                return self._named(directory, base)
        return base

    def _served_above(self, path: str, view: FileView) -> Workspace | None:
        for item in self._deepest_first:
            if within(path, item.root):
                return item
        if self._tree is None or not within(path, self._tree):
            return None
        # The outermost one: what lies further down was made inside a workspace.
        outermost = None
        for directory in _upward(path, self._tree):
            if directory != self._tree and self._holds_control(directory, view):
                outermost = directory
        return None if outermost is None else Workspace(relative(outermost, self._tree), outermost)

    def _checkout_below(self, base: Workspace, path: str, view: FileView) -> Workspace | None:
        below, folded = relative(path, base.root), self._control.casefold()
        if f"/{folded}" not in below.casefold():
            return None
        parts = below.split("/")
        for index in range(len(parts) - 1, 0, -1):
            if parts[index].casefold() == folded:
                directory = "/".join((base.root.rstrip("/"), *parts[:index]))
                if view.lstat(f"{directory}/{_CHECKOUT}") and self._holds_control(directory, view):
                    return self._named(directory, base)
        return None

    def _named(self, directory: str, base: Workspace) -> Workspace:
        if directory == base.root:
            return base
        return Workspace(f"{base.name}/{relative(directory, base.root)}", directory, base.policy_root)

    def _holds_control(self, directory: str, view: FileView) -> bool:
        path = f"{directory.rstrip('/')}/{self._control}"
        found = view.lstat(path)
        if found is not None and found.kind == "link":
            found = view.lstat(resolve(view, "/", path).path)
        return found is not None and found.kind == "dir"

    def _derived_by_name(self, name: str, view: FileView) -> Workspace | None:
        parts = name.split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            return None
        for index in range(len(parts) - 1, 0, -1):
            base = self._by_name.get("/".join(parts[:index]))
            if base is not None:
                return self._if_found(f"{base.root.rstrip('/')}/{'/'.join(parts[index:])}", name, view)
        return None if self._tree is None else self._if_found(f"{self._tree.rstrip('/')}/{name}", name, view)

    def _if_found(self, directory: str, name: str, view: FileView) -> Workspace | None:
        found = self._climb(directory, view)
        return found if found is not None and found.name == name else None

    def _discover(self, view: FileView) -> Iterator[Workspace]:
        if self._tree is None:
            return
        pending = [(self._tree, 0)]
        visited = found = 0
        while pending and visited < _MAX_VISITED and found < _MAX_DISCOVERED:
            directory, depth = pending.pop(0)
            visited += 1
            if directory != self._tree and self._holds_control(directory, view):
                found += 1
                yield Workspace(relative(directory, self._tree), directory)
            elif depth < _MAX_DEPTH:
                pending.extend((path, depth + 1) for path in _subdirectories(directory, view))


def within(path: str, directory: str) -> bool:
    """Whether the normal path *path* is *directory* or lies below it."""
    bare = directory.rstrip("/")
    return path.startswith(bare) and (path == directory or path.startswith("/", len(bare)))


def relative(path: str, directory: str) -> str:
    """*path* relative to *directory*, which it lies in; "" for the directory itself."""
    return path[len(directory.rstrip("/")) + 1 :]


def _same(one: FileStat | None, other: FileStat | None) -> bool:
    return one is not None and other is not None and (one.dev, one.ino) == (other.dev, other.ino)


def _upward(path: str, top: str) -> Iterator[str]:
    """*path* and the directories above it, up to *top*."""
    while within(path, top):
        yield path
        if path == top:
            return
        path = path.rpartition("/")[0] or "/"


def _subdirectories(directory: str, view: FileView) -> Iterator[str]:
    """Directories worth a look for workspaces; hidden ones, links and unreadable ones are passed over."""
    try:
        names = view.listdir(directory) or ()
        for name in names:
            path = f"{directory.rstrip('/')}/{name}"
            status = None if name.startswith(".") else view.lstat(path)
            if status is not None and status.kind == "dir":
                yield path
    except FactsUnreadable:
        return
