"""What an installation changes on disk: planned as values, shown as a diff, then applied."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from phasegate.cli.install import merge
from phasegate.cli.install.plugins import RUNTIMES as PLUGIN_RUNTIMES
from phasegate.cli.install.plugins import plugin
from phasegate.cli.install.register import REGISTRATIONS, Registration, hook_event
from phasegate.cli.install.spawn import Hook, Wanted
from phasegate.errors import SettingsError
from phasegate.runtimes.places import PLACES

MAX_BYTES = 1 << 20
_SHARED = 0o644
_EXECUTABLE = 0o755

# Hook files that are programs themselves, one per event, with the runtime's suffix.
PROGRAMS = {"cline-vscode": "", "cline-sdk": ".sh"}
PROGRAM_EVENTS = ("PreToolUse", "PostToolUse")


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its text before and after; None where it is absent."""

    path: Path
    before: str | None
    after: str | None
    mode: int = _SHARED

    @property
    def needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            (self.after or "").splitlines(keepends=True),
            f"{self.path}" if self.before is not None else "/dev/null",
            f"{self.path}" if self.after is not None else "/dev/null",
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def supported() -> tuple[str, ...]:
    """Runtimes that have a place for a hook."""
    return tuple(sorted({*REGISTRATIONS, *PLUGIN_RUNTIMES, *PROGRAMS}))


def config_file(runtime: str, base: Path, *, user: bool) -> Path:
    """The file (or directory of programs) to change. Raises `SettingsError` for a scope without one."""
    place = PLACES[runtime]
    candidates = place.user if user else place.project
    if not candidates:
        scope = "--user" if user else "--project"
        raise SettingsError(f"`{runtime}` has no `{scope}` configuration", remedy="use the other scope")
    existing = [path for path in candidates if (base / path).exists()]
    return base / (existing or candidates)[0]


def install_changes(runtime: str, path: Path, wanted: Wanted) -> list[Change]:
    """What to write so that *runtime* asks phasegate."""
    if runtime in PLUGIN_RUNTIMES:
        return [Change(path, read(path), plugin(runtime, wanted))]
    if runtime in PROGRAMS:
        return list(_programs(runtime, path, wanted))
    registration = REGISTRATIONS[runtime]
    if wanted.transport == "http" and not registration.http:
        raise SettingsError(f"`{runtime}` knows no HTTP hooks", remedy="leave `--transport http` out")
    before = read(path)
    root = root_of(registration, before or "")
    hooks = {event: Hook(runtime, hook_event(runtime, event), wanted) for event in registration.events}
    entries = {event: registration.entry(hook) for event, hook in hooks.items()}
    after = merge.merged(before or "", root, entries, registration.skeleton)
    scripts = [
        Change(hook.script_path(), read(hook.script_path()), hook.script_text(), _EXECUTABLE)
        for hook in hooks.values()
        if wanted.transport == "sh"
    ]
    return [*scripts, Change(path, before, after)]


def uninstall_changes(runtime: str, path: Path) -> list[Change]:
    """What to write so that nothing of phasegate is left in *path*."""
    if runtime in PROGRAMS:
        files = [path / f"{event}{PROGRAMS[runtime]}" for event in PROGRAM_EVENTS]
        return [Change(file, text, None) for file in files if (text := read(file)) and merge.MARK in text]
    before = read(path)
    if before is None:
        return []
    if runtime in PLUGIN_RUNTIMES:
        return [Change(path, before, None)] if merge.MARK in before else []
    registration = REGISTRATIONS[runtime]
    after = merge.stripped(before, root_of(registration, before))
    own = merge.MARK in path.name or merge.MARK in path.parts[-3:-1]
    emptied = own and not merge.installed(after, root_of(registration, after)) and "hooks" not in after
    return [Change(path, before, None if emptied else after)]


def root_of(registration: Registration, text: str) -> tuple[str, ...]:
    """Where the events are; some runtimes allow them with and without the wrapper key."""
    if registration.root or not text.strip():
        return registration.root
    return ("hooks",) if merge.has_wrapper(text) else ()


def _programs(runtime: str, directory: Path, wanted: Wanted) -> Iterator[Change]:
    for event in PROGRAM_EVENTS:
        path = directory / f"{event}{PROGRAMS[runtime]}"
        before = read(path)
        if before is not None and merge.MARK not in before:
            raise SettingsError(
                f"`{path}` exists and is not phasegate's",
                remedy=f"add this line to it yourself: {Hook(runtime, event, wanted).command()}",
            )
        hook = Hook(runtime, event, wanted)
        if wanted.transport == "sh":
            text = hook.script_text()
        else:
            text = f"#!/bin/sh\n# phasegate hook, written by `phasegate install {runtime}`\nexec {hook.command()}\n"
        yield Change(path, before, text, _EXECUTABLE)


def read(path: Path) -> str | None:
    """The text of *path*, None when it is absent. Raises `SettingsError` when it is unusable."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"`{path}` can't be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise SettingsError(f"`{path}` is over {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"`{path}` is not UTF-8") from error


def apply(change: Change) -> None:
    """Write or remove one file, whole or not at all; a linked file is changed where it really is."""
    path = change.path.resolve()
    try:
        if change.after is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, change.after.encode(), change.mode)
    except OSError as error:
        raise SettingsError(f"`{change.path}` can't be written: {error.strerror}") from error


def _replace(path: Path, data: bytes, mode: int) -> None:
    kept = path.stat().st_mode & 0o777 if path.exists() else mode
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(kept | (mode & 0o111))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
