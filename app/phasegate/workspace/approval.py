"""Whether a person has approved that a run may start.

The peer writes the approval as a line of the requirements, which an agent can write
too: the line is reported and proves nothing. No rule rests on it. Who wants a person's
word before a run goes on gives the policy file a rule that asks.
"""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.core.header import text_field
from phasegate.core.workflow import Layout
from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import ARTIFACT_BYTES

MARKER, APPROVED = "Run Start", "Start run"
GATE = "run-start"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Approval:
    """What is known about the approval of a run; `reason` says what is missing."""

    approved: bool
    reason: str
    artifact: str
    gate: str = GATE


def read_approval(run: Directory, layout: Layout) -> Approval:
    """Whether the open *run* is approved: never by a line that its agent can write."""
    artifact = layout.requirements
    line = _line(run, artifact)
    if line is None:
        why = f"`{artifact}` has no line `{MARKER}`"
    elif line == APPROVED:
        why = f"`{artifact}` says `{MARKER}: {APPROVED}`, which an agent can write: it proves no person's approval"
    else:
        why = f"`{artifact}` says `{MARKER}: {line[:_SHOWN]}`"
    return Approval(approved=False, reason=why, artifact=artifact)


def _line(run: Directory, artifact: str) -> str | None:
    try:
        data = run.read(artifact, ARTIFACT_BYTES)
    except (FileRefused, FactsUnreadable):
        return None
    return text_field((data or b"").decode("utf-8", "replace"), MARKER)
