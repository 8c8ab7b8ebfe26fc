"""Enter a phase: read memory for it, record that it was read, say what the phase asks for.

The receipt is written before the caller sees anything, and only into a run that exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.core.ordering import lock_blockers, next_legal_artifact
from phasegate.core.reading import MemoryReading, MemoryRequest
from phasegate.core.workflow import Phase
from phasegate.errors import InvalidRequest, PhaseRefused, RunComplete
from phasegate.workspace.receipt_book import Reader, RecordedRead, record_read
from phasegate.workspace.run_state import RunState, read_state
from phasegate.workspace.site import HeldRun, Site, held_run
from phasegate.workspace.templates import Question, new_artifact, written_words

QUERY_UNITS = 4_000
MAX_CHANGED_PATHS = 5_000
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """`run_id` None: the newest run. `phase` None: the next legal one; else an artifact's name or its stem.

    `query` replaces the requirements text as what memory is searched for.
    """

    run_id: str | None = None
    phase: str | None = None
    session_id: str | None = None
    query: str | None = None
    changed_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhaseEntry:
    """What was entered and read. `ask` is the question the phase still owes."""

    run_id: str
    phase: Phase
    required_sections: tuple[str, ...]
    rules: tuple[str, ...]
    reading: MemoryReading
    recorded: RecordedRead
    memory_write: Mapping[str, Any] | None = None
    ask: Question | None = None

    def payload(self) -> dict[str, Any]:
        """The reply: the peer's fields in the peer's order, then ours."""
        phase = self.phase
        reply: dict[str, Any] = {
            "runId": self.run_id,
            "phase": phase.artifact,
            "fileName": phase.artifact,
            "label": phase.stem,
            "requiredSections": list(self.required_sections),
            "audited": phase.audited,
            "tdd": phase.evidence == "tdd",
            "qa": phase.evidence == "qa",
            "memoryWrite": dict(self.memory_write) if self.memory_write else None,
            "memory": self.reading.section,
            "memoryReason": self.reading.reason,
        }
        if self.ask is not None:
            reply["ask"] = {
                "gate": self.ask.gate,
                "header": self.ask.header,
                "question": self.ask.question,
                "options": [{"id": key, "text": text} for key, text in self.ask.options.items()],
                "artifact": phase.artifact,
            }
        reply["rules"] = list(self.rules)
        reply["memorySkipped"] = list(self.reading.skipped)
        reply["warnings"] = list(self.recorded.warnings)
        return reply


def enter_phase(site: Site, request: EntryRequest) -> PhaseEntry:
    """Enter a phase of an existing run.

    Raises `InvalidRequest`, `RunNotFound`, `RunComplete`, `PhaseRefused` or `RunBusy`;
    nothing is written then.
    """
    with held_run(site, request.run_id) as held:
        state = read_state(held.directory, held.run_id, site.workflow)
        phase = _phase(site, state, request.phase)
        memory = _memory_request(site, state, held, phase, request)
        reading = site.read_memory(memory)
        recorded = record_read(
            held.directory,
            site.workflow.layout.read_receipts,
            phase.artifact,
            reading,
            reader=Reader(held.run_id, request.session_id, site.key),
        )
    return PhaseEntry(
        run_id=held.run_id,
        phase=phase,
        required_sections=site.templates.required_sections(phase.artifact),
        rules=site.templates.rules,
        reading=reading,
        recorded=recorded,
        memory_write=_memory_write(site, held.run_id, phase),
        ask=site.templates.owed_question(phase, state.texts.get(phase.artifact)),
    )


def _phase(site: Site, state: RunState, wanted: str | None) -> Phase:
    if wanted is None:
        return _next_phase(site, state)
    name = wanted.strip()
    phase = site.workflow.by_artifact.get(name) or site.workflow.by_artifact.get(f"{name}.md")
    if phase is None:
        raise InvalidRequest(
            f"`{wanted[:_SHOWN]}` is no phase of the workflow",
            remedy=f"name one of {', '.join(site.workflow.artifacts)}",
            errors=[{"loc": ["phase"], "msg": "no phase of the workflow"}],
        )
    if state.facts.artifacts[phase.artifact].status == "LOCKED":
        raise PhaseRefused(f"`{phase.artifact}` is locked", remedy="reopen it first, or enter a later phase")
    blockers = lock_blockers(state.facts, site.workflow, phase.artifact)
    if blockers:
        listed = ", ".join(f"`{blocker.artifact}` ({blocker.status})" for blocker in blockers)
        raise PhaseRefused(
            f"`{phase.artifact}` can't be entered before {listed}",
            remedy=f"lock `{blockers[0].artifact}` first",
            errors=[{"artifact": blocker.artifact, "status": blocker.status} for blocker in blockers],
        )
    return phase


def _next_phase(site: Site, state: RunState) -> Phase:
    name = next_legal_artifact(state.facts, site.workflow)
    if name is None:
        raise RunComplete(
            f"every phase of run `{state.facts.run_id}` is locked",
            remedy="reopen an artifact, or start a run",
        )
    return site.workflow.by_artifact[name]


def _memory_request(
    site: Site, state: RunState, held: HeldRun, phase: Phase, request: EntryRequest
) -> MemoryRequest:
    query, is_template = request.query, False
    if query is None:
        requirements = site.workflow.by_artifact[site.workflow.layout.requirements]
        text = state.texts.get(requirements.artifact, "")
        draft = new_artifact(site.templates, site.workflow, requirements, run_id=held.run_id, title="")
        written = written_words(_first_units(text, QUERY_UNITS), draft)
        is_template = bool(text) and not _says_something(written)
        query = written
    return MemoryRequest(
        run_id=held.run_id,
        phase=phase.artifact,
        query=_first_units(query, QUERY_UNITS),
        template_query=is_template,
        changed_paths=request.changed_paths[:MAX_CHANGED_PATHS],
    )


def _says_something(written: str) -> bool:
    """Headings and field lines alone are still an unfilled form."""
    return any(
        line.strip() and not line.startswith("#") and "`DRAFT`" not in line for line in written.split("\n")
    )


def _first_units(text: str, units: int) -> str:
    """The first *units* UTF-16 code units; a pair that the cut would split is left out."""
    if len(text) * 2 <= units:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "ignore")


def _memory_write(site: Site, run_id: str, phase: Phase) -> Mapping[str, Any] | None:
    layout = site.workflow.layout
    if not phase.own_plane or layout.planes[phase.own_plane] != layout.planes["memory"]:
        return None
    words = site.templates.memory_write
    plane = f"{layout.control}/{layout.planes['memory']}"
    return {
        "artifact": phase.artifact,
        "plane": plane,
        "section": words.section,
        "provenanceField": words.field,
        "alwaysAvailable": f"{plane}/{words.episodes}/{run_id}.md",
        "kinds": list(words.kinds),
        "summary": words.summary,
        "instruction": words.instruction,
    }
