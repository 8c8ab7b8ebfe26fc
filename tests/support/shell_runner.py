"""Runs a command with a real shell in a scratch tree and tells which files changed."""

from __future__ import annotations

import functools
import os
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.shell_grammar import build

Snapshot = dict[str, tuple[object, ...]]
_DEEPEST = 3_000
"""Length of a path below which nothing is compared: a copy into itself goes on until names are too long."""


@dataclass(frozen=True)
class Outcome:
    """Names below the scratch tree that changed, and whether the command succeeded."""

    changed: frozenset[str]
    made_directories: frozenset[str]
    succeeded: bool


@functools.cache
def isolation() -> tuple[str, ...]:
    """A prefix that gives the command its own processes and mounts, where that is allowed."""
    prefix = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
    if shutil.which("unshare") is None:
        return ()
    trial = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if trial.returncode == 0 else ()


def run(command: str, top: Path, *, isolated: bool = True) -> Outcome:
    """Build the tree at *top*, run *command* in it, compare, and remove the tree."""
    build(top)
    before = snapshot(top)
    environment = {"PATH": os.environ["PATH"], "HOME": str(top), "LC_ALL": "C.UTF-8", "TMPDIR": str(top)}
    argv = [*(isolation() if isolated else ()), "bash", "--norc", "--noprofile", "-c", command]
    try:
        done = subprocess.run(
            argv,
            cwd=top,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        succeeded = done.returncode == 0
    except subprocess.TimeoutExpired:
        succeeded = False
    after = snapshot(top)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    made = {name for name in changed if name not in before and after[name][0] == "dir"}
    remove(top)
    return Outcome(frozenset(changed - made), frozenset(made), succeeded)


def snapshot(top: Path) -> Snapshot:
    """Every name below *top* with what is compared: kind, identity, content, mode and time."""
    found: Snapshot = {}
    waiting = [str(top)]
    while waiting:
        for entry in os.scandir(waiting.pop()):
            status = entry.stat(follow_symlinks=False)
            key = os.path.relpath(entry.path, top)
            if not stat.S_ISDIR(status.st_mode):
                found[key] = ("file", status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)
                continue
            found[key] = ("dir", stat.S_IMODE(status.st_mode))
            if len(entry.path) < _DEEPEST:
                waiting.append(entry.path)
    return found


def remove(top: Path) -> None:
    """Remove the tree, whatever modes and depth the command left behind."""
    try:
        shutil.rmtree(top)
    except (OSError, RecursionError):
        subprocess.run(["chmod", "-R", "u+rwX", top], capture_output=True, check=False)
        subprocess.run(["rm", "-rf", top], check=True)
