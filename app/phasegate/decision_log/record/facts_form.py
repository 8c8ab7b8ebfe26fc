"""Facts as plain values, small enough to keep with every decision.

What is kept is what rules look at: statuses, places, and of texts the few words that
decide. With these and the workflow the decision can be made again; see `restore`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from phasegate.core.call import EnterRequest, LockRequest, OpaqueReason, WriteTarget
from phasegate.core.change import apply_change, claim_lines
from phasegate.core.evidence import (
    LABELS,
    QA_MODE,
    TDD_MODE,
    gives_rationale,
    labelled_paths,
    signed_off,
)
from phasegate.core.facts import (
    CHANGING_OPS,
    EnterFacts,
    Facts,
    LockFacts,
    OpaqueFacts,
    RunFacts,
    TargetFacts,
)
from phasegate.core.header import claims_lock, text_field
from phasegate.core.hook_entry import survives
from phasegate.core.workflow import Workflow
from phasegate.decision_log.record.places import Places
from phasegate.decision_log.record.texts import ROOT_MARK, Texts

NAME_BYTES = 512
PATH_BYTES = 1024
LINE_BYTES = 600
_LISTED = 8
_READS = 32
_VALUE_BYTES = 64
MENTION = "LOCKED"
SIGNED = "sign-off: yes"
RATIONALE = "rationale"


def compact(fields: dict[str, Any]) -> dict[str, Any]:
    """*fields* without those that are null, false or empty. Numbers stay, zero too."""
    return {key: value for key, value in fields.items() if value or type(value) is int}


@dataclass(slots=True)
class FactsForm:
    """Builds the plain form of one call's facts. `runs` collects each run once."""

    texts: Texts
    places: Places
    workflow: Workflow
    facts: Facts | None
    runs: list[RunFacts] = field(default_factory=list)

    def target(self, target: WriteTarget, index: int) -> dict[str, Any]:
        """A target with where it lies and what is there."""
        known = self._target_facts(index)
        form = self._place(target, known)
        form |= {
            "op": target.op,
            "recursive": target.recursive,
            "sourced": target.source is not None,
            "via": self.texts.short(target.via, NAME_BYTES),
            "span": list(target.span) if target.span is not None else None,
            "lexical": self._path(target.lexical) if target.lexical != target.path else None,
        }
        return compact(form | (self._evidence(known) if known is not None else {}))

    def opaque(self, reason: OpaqueReason, index: int) -> dict[str, Any]:
        """An opaque part with the protected places it could reach."""
        form: dict[str, Any] = {
            "part": self.texts.short(reason.part, NAME_BYTES),
            "why": self.texts.short(reason.why, LINE_BYTES),
            "remedy": self.texts.short(reason.remedy, LINE_BYTES),
            "span": list(reason.span) if reason.span is not None else None,
        }
        if self.facts is not None and index < len(self.facts.opaque):
            form |= self._reach(self.facts.opaque[index])
        return compact(form)

    def rest(self, tool: str, call_mode: str | None, defect: str | None) -> dict[str, Any] | None:
        """The facts that belong to no single target. Call it last: it lists the runs collected so far."""
        facts = self.facts
        if facts is None:
            return None
        extraction = facts.extraction
        form = {
            "mode": call_mode,
            "defect": self.texts.short(defect or "", LINE_BYTES),
            "canonical": self.texts.short(extraction.canonical, NAME_BYTES),
            "unknown": not extraction.known,
            "unusable": self._names(extraction.unusable),
            "locks": [self._lock(lock) for lock in facts.locks[:_LISTED]],
            "enters": [self._enter(enter) for enter in facts.enters[:_LISTED]],
            "bound": self._run_index(facts.bound),
            "run_id_problem": self.texts.short(facts.run_id_problem, LINE_BYTES),
            "unreadable": [self.texts.short(text, LINE_BYTES) for text in facts.unreadable[:_LISTED]],
        }
        if form["canonical"] == tool:
            del form["canonical"]
        return compact({**form, "runs": [self._run(run) for run in self.runs]})

    def _target_facts(self, index: int) -> TargetFacts | None:
        if self.facts is None:
            return None
        if index < len(self.facts.targets) and self.facts.targets[index].index == index:
            return self.facts.targets[index]
        return next((known for known in self.facts.targets if known.index == index), None)

    def _place(self, target: WriteTarget, known: TargetFacts | None) -> dict[str, Any]:
        placed = self.places.place(target.path)
        workspace, rel = (placed.workspace, placed.rel) if placed is not None else (None, None)
        if known is not None and known.rel is not None:
            workspace, rel = known.workspace, known.rel
        typed = self.places.hide(target.typed)
        if rel is None:
            path = self._path(target.path)
            return {"path": path, "typed": self.texts.short(typed, PATH_BYTES) if typed != path else None}
        if typed in (f"{ROOT_MARK}/{rel}", ROOT_MARK):
            typed = ROOT_MARK
        return {
            "rel": self.texts.short(rel, PATH_BYTES) or ".",
            "typed": self.texts.short(typed, PATH_BYTES) if typed != rel else None,
            "workspace": workspace if workspace != self.places.own else None,
        }

    def _evidence(self, known: TargetFacts) -> dict[str, Any]:
        return {
            "run": self._run_index(known.run),
            "run_rel": self.texts.short(known.run_rel or "", PATH_BYTES),
            "artifact": known.artifact,
            "sealed": known.sealed,
            "covers_sealed": self._names(known.covers_sealed),
            "covers_guarded": self._names(known.covers_guarded),
            "guard": self._guard(known.target),
            "hook": self._hook(known),
            "lock_lines": self._lock_lines(known),
        }

    def _guard(self, target: WriteTarget) -> str | None:
        """What the target is of the service's own files."""
        for path, what in self.facts.guard_paths if self.facts is not None else ():
            inside = path.rstrip("/") + "/"
            if any(
                spelled == path or spelled.startswith(inside) for spelled in (target.path, target.lexical)
            ):
                return what
        return None

    def _hook(self, known: TargetFacts) -> list[int] | None:
        """Whether our entry in a runtime's configuration runs before and after the change."""
        if not known.carries_hook:
            return None
        name = known.target.path.rpartition("/")[2]
        return [1, int(survives(name, known.text or "", known.target.change))]

    def _lock_lines(self, known: TargetFacts) -> dict[str, Any] | None:
        """The lock lines before and after a change that could forge a lock; nothing else of a text."""
        change, before = known.target.change, known.text or ""
        if change is None or known.run is None or known.target.op not in CHANGING_OPS:
            return None
        locked = self._lines(claim_lines(before))
        if change.kind == "unknown":
            return {"before": locked, "mention": True} if MENTION in change.text else None
        after = apply_change(before, change)
        if after is None:
            return {"before": [], "mention": True}
        return {"before": locked, "after": self._lines(claim_lines(after))} if claims_lock(after) else None

    def _reach(self, known: OpaqueFacts) -> dict[str, Any]:
        return {
            "words": self._names(known.words),
            "cwds": self._names(known.cwds),
            "destroys": self._names(known.destroys),
            "destroys_sealed": self._names(known.destroys_sealed),
        }

    def _lock(self, lock: LockFacts) -> dict[str, Any]:
        form = self._request(lock.request, lock.run, lock.run_problem) | {
            "artifact": lock.request.artifact and self.texts.short(lock.request.artifact, NAME_BYTES),
            "reopen": lock.request.reopen,
            "name": lock.artifact and self.texts.short(lock.artifact, NAME_BYTES),
            "artifact_problem": self.texts.short(lock.artifact_problem, LINE_BYTES),
            "evidence": [
                [self.texts.short(p, NAME_BYTES), ok] for p, ok in list(lock.evidence.items())[:_READS]
            ],
        }
        form = compact(form)
        if lock.text is not None:
            form["text"] = self._lines(deciding_lines(lock.text, self.workflow))
        return form

    def _enter(self, enter: EnterFacts) -> dict[str, Any]:
        phase = enter.request.phase and self.texts.short(enter.request.phase, NAME_BYTES)
        return compact(self._request(enter.request, enter.run, enter.run_problem) | {"phase": phase})

    def _request(
        self, request: LockRequest | EnterRequest, run: RunFacts | None, problem: str
    ) -> dict[str, Any]:
        return {
            "run_id": request.run_id and self.texts.short(request.run_id, NAME_BYTES),
            "malformed": request.run_id_malformed,
            "run": self._run_index(run),
            "run_problem": self.texts.short(problem, LINE_BYTES),
        }

    def _run_index(self, run: RunFacts | None) -> int | None:
        if run is None:
            return None
        for index, known in enumerate(self.runs):
            if known is run or known == run:
                return index
        self.runs.append(run)
        return len(self.runs) - 1

    def _run(self, run: RunFacts) -> dict[str, Any]:
        """The form of a run; made once, because a run is judged far more often than it changes."""
        marks, form, noted = run.derived.get(__name__, (None, {}, ()))
        if marks is self.texts.marks:
            self.texts.note(noted)
            known: dict[str, Any] = form
            return known
        before = len(self.texts.noted)
        made = self._new_run(run)
        run.derived[__name__] = (self.texts.marks, made, self.texts.noted[before:])
        return made

    def _new_run(self, run: RunFacts) -> dict[str, Any]:
        by_status: dict[str, list[Any]] = {"LOCKED": [], "DRAFT": [], "STALE_LOCK": []}
        unusual = []
        for name, artifact in run.artifacts.items():
            if artifact.status in by_status:
                by_status[artifact.status].append([name, artifact.lacks] if artifact.lacks else name)
            if artifact.sealed != (artifact.status == "LOCKED"):
                unusual.append(name)
        form = {
            "run_id": self.texts.short(run.run_id, NAME_BYTES),
            "absent": not run.exists,
            **by_status,
            "seal_differs": unusual,
            "reads": [
                [self.texts.short(read.phase, NAME_BYTES), read.state, read.version]
                for read in list(run.read_receipts.values())[:_READS]
            ],
            "reads_defect": self.texts.short(run.read_receipts_defect, LINE_BYTES),
        }
        return compact(form)

    def _path(self, path: str) -> str:
        return self.texts.short(self.places.hide(path), PATH_BYTES)

    def _names(self, names: Iterable[str]) -> list[str]:
        """The first few of *names*; rules and readers look at the first and at how many there are."""
        listed = list(names)
        shown = [self.texts.short(name, NAME_BYTES) for name in listed[:_LISTED]]
        return [*shown, f"+{len(listed) - _LISTED}"] if len(listed) > _LISTED else shown

    def _lines(self, lines: Iterable[str]) -> list[str]:
        return [self.texts.short(line, NAME_BYTES) for line in lines][:_READS]


def deciding_lines(text: str, workflow: Workflow) -> list[str]:
    """Of an artifact's text, the words that the evidence rule and the transition report look for."""
    lines: list[str] = []
    for name in (TDD_MODE, QA_MODE):
        value = text_field(text, name)
        if value:
            lines.append(f"{name}: {value[:_VALUE_BYTES]}")
    for label in LABELS:
        paths = labelled_paths(text, label)
        if paths:
            lines.append(f"{label}: {' '.join(paths)}")
    words = workflow.transition
    phrases = (words.every, words.audit_gate, words.completion, *words.delegation)
    lines += [phrase for phrase in phrases if phrase in text]
    if signed_off(text):
        lines.append(SIGNED)
    if gives_rationale(text):
        lines.append(RATIONALE)
    return lines
