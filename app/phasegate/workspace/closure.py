"""Close a run: what its finished phases were shown is ready to be counted.

A run is closed by the lock of its last artifact. Whether it may be is asked of a list
of checks, empty as shipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from phasegate.errors import ClosureRefused
from phasegate.workspace.read_receipts import SEAL_FIELD, SIDECAR_LIMIT, Sidecar, is_authentic, parse_sidecar
from phasegate.workspace.run_state import RunState, read_state
from phasegate.workspace.site import HeldRun, Site, held_run


@dataclass(frozen=True, slots=True)
class ClosureCheck:
    """One reason why a run may have to stay open. `problem` answers with one line, or ""."""

    label: str
    problem: Callable[[HeldRun, RunState], str]
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ClosedRun:
    """`locked`: the finished phases. `shown`: (phase, memory source) of everything shown in them."""

    run_id: str
    locked: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]


CLOSURE_CHECKS: tuple[ClosureCheck, ...] = ()


def close_run(
    site: Site,
    run_id: str | None,
    *,
    sealed_only: bool = False,
    checks: tuple[ClosureCheck, ...] = CLOSURE_CHECKS,
) -> ClosedRun:
    """Ask every check, then say what may be counted. Writes nothing.

    A phase with a genuine sealed receipt counts what the receipt names; one whose receipt
    is not genuine counts nothing. Other phases count their shard rows, unless
    *sealed_only*. Raises `ClosureRefused` with every objection in `errors`.
    """
    with held_run(site, run_id) as held:
        state = read_state(held.directory, held.run_id, site.workflow)
        refuse_closure(checks, held, state)
        sidecar = parse_sidecar(held.directory.read(site.workflow.layout.read_receipts, SIDECAR_LIMIT))
    locked = tuple(name for name, facts in state.facts.artifacts.items() if facts.status == "LOCKED")
    shown = sorted(
        {pair for phase in locked for pair in _shown(site, held.run_id, sidecar, phase, sealed_only)}
    )
    return ClosedRun(held.run_id, locked, tuple(shown))


def refuse_closure(checks: tuple[ClosureCheck, ...], held: HeldRun, state: RunState) -> None:
    """Raise `ClosureRefused` with every objection of *checks*, if there is one."""
    problems = [(check, why) for check in checks if (why := check.problem(held, state))]
    if problems:
        raise ClosureRefused(
            "; ".join(why for _, why in problems),
            remedy=problems[0][0].remedy,
            errors=[{"check": check.label, "reason": why} for check, why in problems],
        )


def _shown(site: Site, run_id: str, sidecar: Sidecar, phase: str, sealed_only: bool) -> list[tuple[str, str]]:
    receipts = [row for row in sidecar.receipts if row["phase"] == phase]
    if any(SEAL_FIELD in row for row in receipts):
        entries = [
            entry
            for row in receipts
            if is_authentic(row, site.key, run_id)
            for entry in row[SEAL_FIELD]["entries"]
        ]
        return [(phase, entry["source"]) for entry in entries]
    if sealed_only:
        return []
    rows = [row for row in sidecar.shards if row.get("phase") == phase]
    return [(phase, row["source"]) for row in rows if isinstance(row.get("source"), str)]
