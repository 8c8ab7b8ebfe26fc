"""Rows for the mirror, also from processes of their own: those import this module by its name."""

from __future__ import annotations

from phasegate.decision_log.mirror import Mirror
from support.facts import WORKFLOW
from support.records import moment

LAYOUT = WORKFLOW.layout
LOG = f"{LAYOUT.control}/{LAYOUT.logs[0]}"


def mirror() -> Mirror:
    return Mirror(LAYOUT.control, LAYOUT.logs[0])


def row(tool: str) -> dict[str, str]:
    return {"at": moment(0), "runId": "r1", "tool": tool, "kind": "allow", "rule": "none"}


def write_rows(root: str, name: str, count: int) -> None:
    for number in range(count):
        assert mirror().append(root, row(f"{name}-{number}"))
