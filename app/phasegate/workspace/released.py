"""A sealed note of the locks that reopening has released.

Whoever watches the run from another process can tell by it a lock that the guard
released from one that was broken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Layout
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.workspace.pending import Change

RELEASED_FILE = "phasegate-released.json"
_LIMIT = 64 * 1024
_PURPOSE = "phasegate released locks 1"


def read_released(run: Directory, layout: Layout, run_id: str, key: SealKey) -> Mapping[str, str]:
    """Artifact to the lock hash it had when it was last released; empty when the note is not ours."""
    try:
        sealed = json.loads(run.read(_path(layout), _LIMIT) or b"{}")
        mac = sealed.pop("mac")
        if sealed["run"] != run_id or not key.matches(_PURPOSE, sealed, mac):
            return {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, FileRefused, FactsUnreadable):
        return {}
    return {str(name): str(digest) for name, digest in sealed["released"].items()}


def released_change(
    run: Directory, layout: Layout, run_id: str, key: SealKey, released: Mapping[str, str]
) -> Change:
    """The note with *released* added."""
    merged = {**read_released(run, layout, run_id, key), **released}
    record = {"run": run_id, "released": merged, "key_id": key.key_id}
    sealed = {**record, "mac": key.seal(_PURPOSE, record)}
    return Change(_path(layout), json.dumps(sealed, indent=2, sort_keys=True).encode("ascii") + b"\n")


def _path(layout: Layout) -> str:
    return f"{layout.locks}/{RELEASED_FILE}"
