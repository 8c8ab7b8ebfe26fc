"""Whether a person has approved that a run may start.

The peer writes the approval as a line of the requirements, which an agent can write
too. Here the line alone proves nothing: the approval is a sealed record among the lock
receipts, where no tool of an agent may write.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from phasegate.core.header import text_field
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import ARTIFACT_BYTES
from phasegate.files.write import make_directories, replace
from phasegate.workspace.site import Site, held_run

APPROVAL_FILE = "phasegate-approval.json"
MARKER, APPROVED = "Run Start", "Start run"
GATE = "run-start"
_LIMIT = 16 * 1024
_PURPOSE = "phasegate run approval 1"


@dataclass(frozen=True, slots=True)
class Approval:
    """`reason` says what is missing, or who approved and when."""

    approved: bool
    reason: str
    artifact: str
    gate: str = GATE


def approve_run(site: Site, run_id: str | None, by: str) -> Approval:
    """Record a person's approval of the run; *by* names the person. For callers that are people."""
    with held_run(site, run_id) as held:
        record = {"run": held.run_id, "by": by[:200], "at": site.now(), "key_id": site.key.key_id}
        sealed = {**record, "mac": site.key.seal(_PURPOSE, record)}
        make_directories(held.directory, site.workflow.layout.locks)
        data = json.dumps(sealed, indent=2).encode("ascii") + b"\n"
        replace(held.directory, f"{site.workflow.layout.locks}/{APPROVAL_FILE}", data, limit=_LIMIT)
        return read_approval(site, held.directory, held.run_id)


def read_approval(site: Site, run: Directory, run_id: str) -> Approval:
    """Whether the open *run* is approved."""
    artifact = site.workflow.layout.requirements
    record = _record(site, run, run_id)
    if record is not None:
        return Approval(True, f"approved by {record['by']} at {record['at']}", artifact)
    line = _line(run, artifact)
    if line is None:
        return Approval(False, f"`{artifact}` has no line `{MARKER}`, and no approval is recorded", artifact)
    if line == APPROVED:
        why = f"`{artifact}` says `{MARKER}: {APPROVED}`, but no person's approval is recorded"
        return Approval(False, why, artifact)
    return Approval(False, f"`{artifact}` says `{MARKER}: {line[:80]}`", artifact)


def _record(site: Site, run: Directory, run_id: str) -> dict[str, str] | None:
    try:
        data = run.read(f"{site.workflow.layout.locks}/{APPROVAL_FILE}", _LIMIT)
        sealed = json.loads(data or b"{}")
        mac = sealed.pop("mac")
        if sealed["run"] != run_id or not site.key.matches(_PURPOSE, sealed, mac):
            return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, FileRefused, FactsUnreadable):
        return None
    return {"by": str(sealed["by"]), "at": str(sealed["at"])}


def _line(run: Directory, artifact: str) -> str | None:
    try:
        data = run.read(artifact, ARTIFACT_BYTES)
    except (FileRefused, FactsUnreadable):
        return None
    return text_field((data or b"").decode("utf-8", "replace"), MARKER)
