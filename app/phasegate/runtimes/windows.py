"""Windows path forms, read on any machine: text in, text out, no disk.

A runtime on Windows may ask a service in a container or in WSL. Its paths come as
`C:\\work\\shop`, `c:/work/shop`, `\\\\server\\share\\x` or `\\\\?\\C:\\work`; letter case and
the direction of slashes don't distinguish two files there.
"""

from __future__ import annotations

import ntpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from phasegate.core.call import ToolCall

_VERBATIM: Final = ("\\\\?\\", "\\\\.\\")
_UNC: Final = "UNC\\"
MAX_DEPTH: Final = 8
MAX_PATH: Final = 4096

Maps = Sequence[tuple[str, str]]
"""Pairs of a path prefix as the runtime spells it and the same directory on this machine."""


def is_absolute(path: str) -> bool:
    """Whether *path* is absolute in a Windows form (drive or share); `/x` and `C:x` are not."""
    drive, rest = ntpath.splitdrive(plain(path))
    return bool(drive) and (drive.startswith("\\\\") or rest.startswith("\\"))


def plain(path: str) -> str:
    """*path* with backslashes and without a verbatim prefix."""
    path = path.replace("/", "\\") if _looks_windows(path) else path
    for prefix in _VERBATIM:
        if path.startswith(prefix):
            rest = path[len(prefix) :]
            return "\\\\" + rest[len(_UNC) :] if rest.upper().startswith(_UNC) else rest
    return path


def join(base: str, path: str) -> str:
    """*path* as seen from the directory *base*, `.` and `..` removed, separators as Windows has them."""
    return ntpath.normpath(ntpath.join(plain(base), plain(path)))


def local(path: str, maps: Maps) -> str | None:
    """The path on this machine that *path* names by the longest matching prefix, or None."""
    wanted = _parts(path)
    for host, here in sorted(maps, key=lambda pair: len(pair[0]), reverse=True):
        prefix = _parts(host)
        if is_absolute(host) and _folded(wanted[: len(prefix)]) == _folded(prefix):
            return "/".join([here.rstrip("/"), *wanted[len(prefix) :]]) or "/"
    return None


def localised(call: ToolCall, maps: Maps) -> ToolCall:
    """*call* with every mapped Windows path replaced: its directory, and whole arguments at any depth.

    Paths inside a command line are left alone; what runs there is a Windows shell.
    """
    if not maps:
        return call
    cwd = local(call.cwd, maps) if call.cwd and is_absolute(call.cwd) else None
    args = {key: _localised(value, maps, MAX_DEPTH) for key, value in call.args.items()}
    if cwd is not None:
        # Relative arguments keep their meaning only with the other slash.
        args = {key: _slashed(key, value) for key, value in args.items()}
    return replace(call, cwd=cwd or call.cwd, args=args)


def _localised(value: Any, maps: Maps, depth: int) -> Any:
    if depth == 0:
        return value
    if isinstance(value, str):
        return (local(value, maps) or value) if len(value) <= MAX_PATH and is_absolute(value) else value
    if isinstance(value, list):
        return [_localised(item, maps, depth - 1) for item in value]
    if isinstance(value, Mapping):
        return {key: _localised(item, maps, depth - 1) for key, item in value.items()}
    return value


def _slashed(key: str, value: Any) -> Any:
    named = key.lower().endswith(("path", "file", "filename", "source", "destination"))
    return value.replace("\\", "/") if named and isinstance(value, str) else value


def _parts(path: str) -> list[str]:
    normal = ntpath.normpath(plain(path))
    drive, rest = ntpath.splitdrive(normal)
    return [drive, *(part for part in rest.split("\\") if part)]


def _folded(parts: list[str]) -> list[str]:
    return [part.casefold() for part in parts]


def _looks_windows(path: str) -> bool:
    return path[1:2] == ":" or path.startswith("\\\\") or "\\" in path
