"""Several files of a run changed as one: all of them, or none.

The whole change is first written to one pending file. From the moment that file stands
the change will happen: if the process is killed, the next operation on the run (or the
next observation) completes it before anything else. The pending file lies among the
lock receipts, where no tool of an agent may write, and carries a keyed seal; it is
applied only over the very bytes it was made for.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Layout
from phasegate.errors import FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import MIB
from phasegate.files.write import make_directories, move_aside, remove, replace

PENDING_FILE = "phasegate-pending.json"
PENDING_LIMIT = 64 * MIB
FILE_LIMIT = 8 * MIB
_PURPOSE = "phasegate pending change 1"


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the run and what it is to hold; `data` None removes it."""

    rel: str
    data: bytes | None


def apply_changes(
    run: Directory, layout: Layout, run_id: str, key: SealKey, changes: Iterable[Change]
) -> None:
    """Make all *changes* to the locked *run*, in order, or none of them."""
    wanted = tuple(changes)
    make_directories(run, layout.locks)
    record = {
        "run": run_id,
        "key_id": key.key_id,
        "changes": [
            {
                "path": change.rel,
                "before": _digest(run.read(change.rel, FILE_LIMIT)),
                "data": None if change.data is None else base64.b64encode(change.data).decode("ascii"),
            }
            for change in wanted
        ],
    }
    sealed = {**record, "mac": key.seal(_PURPOSE, record)}
    pending = _path(layout)
    replace(run, pending, json.dumps(sealed).encode("ascii"), limit=PENDING_LIMIT)
    _apply(run, wanted)
    remove(run, pending)


def finish(run: Directory, layout: Layout, run_id: str, key: SealKey) -> tuple[str, ...]:
    """Complete an interrupted change of the locked *run*; returns the paths it is about.

    A pending file that is not ours, or whose files have changed meanwhile, is moved
    aside and nothing is done.
    """
    pending = _path(layout)
    try:
        data = run.read(pending, PENDING_LIMIT)
        if data is None:
            return ()
        changes = _genuine(run, data, run_id, key)
    except FileRefused:
        changes = None
    if changes is None:
        move_aside(run, pending)
        return ()
    _apply(run, changes)
    remove(run, pending)
    return tuple(change.rel for change in changes)


def _apply(run: Directory, changes: tuple[Change, ...]) -> None:
    for change in changes:
        if change.data is None:
            remove(run, change.rel)
        else:
            replace(run, change.rel, change.data, limit=FILE_LIMIT)


def _genuine(run: Directory, data: bytes, run_id: str, key: SealKey) -> tuple[Change, ...] | None:
    try:
        sealed = json.loads(data)
        mac = sealed.pop("mac")
        if sealed["run"] != run_id or not key.matches(_PURPOSE, sealed, mac):
            return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    changes = tuple(_change(item) for item in sealed["changes"])
    for change, item in zip(changes, sealed["changes"], strict=True):
        present = run.read(change.rel, FILE_LIMIT)
        if _digest(present) != item["before"] and present != change.data:
            return None
    return changes


def _change(item: dict[str, Any]) -> Change:
    return Change(item["path"], None if item["data"] is None else base64.b64decode(item["data"]))


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _path(layout: Layout) -> str:
    return f"{layout.locks}/{PENDING_FILE}"
