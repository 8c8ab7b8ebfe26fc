"""Which arguments of a call are paths, and which texts go with them.

Every path-like argument counts, at any depth, whatever stands beside it: which of them
a tool really looks at is not known here. Texts (file contents, prompts, patterns,
queries) are never taken for paths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from phasegate.targets.ids import compact
from phasegate.targets.keys import (
    MAX_KEY,
    MOVERS_ONLY,
    PATH_ROLES,
    PLAIN_MODES,
    TEXT_ROLES,
    UNWALKED,
    Role,
    role_of,
)
from phasegate.targets.paths import MAX_PATH

MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_PATHS = 200
_MAPS = frozenset(("files", "paths", "filepaths"))


class Spelled(NamedTuple):
    """One path as spelled, with the argument it came from."""

    via: str
    role: Role
    text: str
    key: str = ""


@dataclass(slots=True)
class Texts:
    """The texts that stand in one object beside each other.

    `vague`: they are appended, inserted or matched by a pattern, so that the result
    can't be computed from them.
    """

    content: list[str] = field(default_factory=list)
    old: str | None = None
    new: str | None = None
    patch: list[str] = field(default_factory=list)
    every: bool = False
    vague: bool = False

    def __bool__(self) -> bool:
        return bool(self.content or self.patch or self.old is not None or self.new is not None)


@dataclass(slots=True)
class Group:
    """The paths of one object, and the texts that belong to them.

    `names` are bare names, relative to the object's `folder` or, in a rename, to the
    place of its source.
    """

    paths: list[Spelled] = field(default_factory=list)
    names: list[Spelled] = field(default_factory=list)
    folder: str | None = None
    texts: list[Texts] = field(default_factory=list)


@dataclass(slots=True)
class Arguments:
    """What the arguments of a call hold. `overflow`: there was more than is looked at."""

    groups: list[Group] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    overflow: bool = False


def collect(
    args: Mapping[str, Any], *, extra: frozenset[str] = frozenset(), strict: bool = True, moves: bool = False
) -> Arguments:
    """The paths and texts in *args*.

    *extra*: further keys (compacted) that hold paths. *strict*: a path argument with a
    value that can't be a path is named in `unusable`; without it only texts that can't
    be read are, because an unknown tool may mean something else by the key. *moves*:
    short words such as `from` are paths too.
    """
    walker = _Walker(extra, strict=strict, moves=moves)
    walker.mapping(args, "args", None, 0)
    return walker.found


def text_of(value: object, *, depth: int = 0) -> str:
    """The texts in a value of any shape, joined by line breaks."""
    if isinstance(value, str):
        return value
    if depth > MAX_DEPTH or value is None or isinstance(value, bool):
        return ""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence):
        return "\n".join(filter(None, (text_of(item, depth=depth + 1) for item in value[:MAX_NODES])))
    return str(value)[:MAX_KEY]


class _Walker:
    """One pass over the arguments, bounded in depth and in nodes."""

    def __init__(self, extra: frozenset[str], *, strict: bool, moves: bool) -> None:
        self.found = Arguments()
        self._extra = extra
        self._strict = strict
        self._moves = moves
        self._nodes = 0
        self._paths = 0

    def mapping(self, node: Mapping[str, Any], where: str, owner: Group | None, depth: int) -> None:
        if not self._enter(depth, len(node)):
            return
        roles = [self._role(key) for key in node]
        group = owner
        if group is None or not PATH_ROLES.isdisjoint(roles):
            group = Group()
            self.found.groups.append(group)
        texts = Texts()
        for (key, value), role in zip(node.items(), roles, strict=True):
            if role in TEXT_ROLES:
                _add_text(texts, role, value)
            elif role in PATH_ROLES:
                self._path(Spelled(f"{where}.{key[:MAX_KEY]}", role, "", compact(key)), value, group, depth)
            elif role:
                self._side(Spelled(f"{where}.{key}", role, "", compact(key)), value, group)
            elif isinstance(value, Mapping | list | tuple) and compact(key[:MAX_KEY]) not in UNWALKED:
                self._nested(value, f"{where}.{key[:MAX_KEY]}", group, depth + 1)
        if texts:
            group.texts.append(texts)

    def _enter(self, depth: int, size: int = 0) -> bool:
        self._nodes += 1 + size
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            self.found.overflow = True
            return False
        return True

    def _role(self, key: str) -> Role:
        return "" if len(key) > MAX_KEY else _role(key, self._extra, moves=self._moves)

    def _nested(self, value: Any, where: str, group: Group, depth: int) -> None:
        if isinstance(value, Mapping):
            self.mapping(value, where, group, depth)
        elif self._enter(depth):
            for index, item in enumerate(value):
                if isinstance(item, Mapping | list | tuple):
                    self._nested(item, f"{where}[{index}]", group, depth + 1)
                if self.found.overflow:
                    return

    def _side(self, spelled: Spelled, value: Any, group: Group) -> None:
        if not isinstance(value, str) or not value.strip():
            return
        if spelled.role == "folder":
            group.folder = value
        elif spelled.role == "name":
            group.names.append(Spelled(spelled.via, "name", value, spelled.key))

    def _path(self, spelled: Spelled, value: Any, group: Group, depth: int) -> None:
        if isinstance(value, str):
            self._spell(spelled, value, group)
        elif isinstance(value, list | tuple):
            self._path_list(spelled, value, group, depth + 1)
        elif isinstance(value, Mapping):
            self._path_mapping(spelled, value, group, depth + 1)
        elif value is not None:
            self._refuse(spelled)

    def _spell(self, spelled: Spelled, text: str, group: Group) -> None:
        if not text.strip():
            self._refuse(spelled)
        elif "\0" in text or len(text) > MAX_PATH:
            self.found.unusable.append(spelled.via)
        elif self._paths >= MAX_PATHS:
            self.found.overflow = True
        else:
            self._paths += 1
            group.paths.append(Spelled(spelled.via, spelled.role, text, spelled.key))

    def _path_list(self, spelled: Spelled, values: Sequence[Any], group: Group, depth: int) -> None:
        if not self._enter(depth):
            return
        for index, item in enumerate(values):
            self._path(Spelled(f"{spelled.via}[{index}]", spelled.role, "", spelled.key), item, group, depth)
            if self.found.overflow:
                return

    def _path_mapping(self, spelled: Spelled, value: Mapping[str, Any], group: Group, depth: int) -> None:
        """An object in the place of a path: contents by path, or something with paths of its own."""
        if spelled.key in _MAPS and value and not any(self._role(key) for key in value):
            for key, text in value.items():
                own = Group(texts=[Texts(content=[text_of(text)])])
                self.found.groups.append(own)
                self._spell(Spelled(f"{spelled.via}.{key[:MAX_KEY]}", "path", "", "path"), key, own)
            return
        before = self._paths, len(self.found.unusable)
        self.mapping(value, spelled.via, group, depth)
        if before == (self._paths, len(self.found.unusable)):
            self._refuse(spelled)

    def _refuse(self, spelled: Spelled) -> None:
        if self._strict and spelled.role != "loose" and len(self.found.unusable) < MAX_PATHS:
            self.found.unusable.append(spelled.via)


@lru_cache(maxsize=4096)
def _role(key: str, extra: frozenset[str], *, moves: bool) -> Role:
    """What *key* holds for a tool with the path arguments *extra*."""
    role = role_of(key)
    if extra and role not in PATH_ROLES and compact(key) in extra:
        return "path"
    if role in PATH_ROLES and not moves and compact(key) in MOVERS_ONLY:
        return ""
    return role


def _add_text(texts: Texts, role: Role, value: Any) -> None:
    if role == "every":
        texts.every = texts.every or value is True or (isinstance(value, int) and value > 1)
        return
    if role == "vague":
        plain = value.lower() in PLAIN_MODES if isinstance(value, str) else value is None or value is False
        texts.vague = texts.vague or not plain
        return
    if value is None:
        return
    text = text_of(value)
    if role == "content":
        texts.content.append(text)
    elif role == "patch":
        texts.patch.append(text)
    elif role == "old" and texts.old is None:
        texts.old = text
    elif role == "new" and texts.new is None:
        texts.new = text
    else:
        # A second text of one kind: which of them the tool takes is not known.
        texts.content.append(text)
