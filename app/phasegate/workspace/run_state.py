"""A run as it is on disk now: read afresh, under the run lock, for operations that grant something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phasegate.core.facts import RunFacts
from phasegate.core.header import lock_hash
from phasegate.core.workflow import Workflow
from phasegate.errors import FileRefused
from phasegate.files.directory import Directory
from phasegate.files.read import (
    ARTIFACT_BYTES,
    LOCK_RECEIPT_BYTES,
    Absent,
    Content,
    Outcome,
    Refused,
    read_file,
)
from phasegate.workspace.artifacts import receipt_of, seal_of, status_of, text_of
from phasegate.workspace.lock_receipts import ReceiptReading


@dataclass(frozen=True, slots=True)
class RunState:
    """The workflow's artifacts of one run. Absent ones have no entry in `texts` and `receipts`.

    `texts` holds what could be read as text, `receipts` every lock receipt that exists.
    """

    facts: RunFacts
    texts: Mapping[str, str]
    receipts: Mapping[str, ReceiptReading]

    @property
    def hashes(self) -> Mapping[str, str | None]:
        """Lock hash of each artifact's present text, None when it is absent or unreadable."""
        names = self.facts.artifacts
        return {name: lock_hash(self.texts[name]) if name in self.texts else None for name in names}


def read_state(run: Directory, run_id: str, workflow: Workflow) -> RunState:
    """Read every artifact and lock receipt of the run; links are not followed."""
    outcomes = {name: read_file(name, ARTIFACT_BYTES, dir_fd=run.descriptor) for name in workflow.artifacts}
    receipts = read_lock_receipts(run, workflow)
    facts = {
        name: status_of(name, seal_of(outcome), receipt_of(receipts[name]))
        for name, outcome in outcomes.items()
    }
    texts = {name: text for name, outcome in outcomes.items() if (text := _text(outcome)) is not None}
    present = {
        name: receipt_of(outcome) for name, outcome in receipts.items() if not isinstance(outcome, Absent)
    }
    return RunState(RunFacts(run_id, exists=True, artifacts=facts), texts, present)


def read_lock_receipts(run: Directory, workflow: Workflow) -> Mapping[str, Outcome]:
    """The outcome of reading each artifact's lock receipt."""
    layout = workflow.layout
    try:
        directory = run.below(layout.locks)
    except FileNotFoundError:
        return dict.fromkeys(workflow.artifacts, Absent())
    except FileRefused:
        return dict.fromkeys(workflow.artifacts, Refused("in a linked directory"))
    with directory:
        return {
            phase.artifact: read_file(
                phase.stem + layout.lock_receipt_suffix, LOCK_RECEIPT_BYTES, dir_fd=directory.descriptor
            )
            for phase in workflow.phases
        }


def _text(outcome: Outcome) -> str | None:
    return text_of(outcome.data) if isinstance(outcome, Content) else None
