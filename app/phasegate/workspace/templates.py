"""What a new run is filled with and what each phase must hold, read from shipped data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from phasegate.core.header import text_field, unify_newlines
from phasegate.core.workflow import Phase, Workflow
from phasegate.files.shipped import shipped_text

TEMPLATES_FILE = "run-templates.toml"
TODO_SECTION = "TODO"
_UNTICKED = ("- [ ]", "* [ ]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a phase owes until its artifact answers it in a line `- marker: ...`."""

    gate: str
    marker: str
    header: str
    question: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """What the phase that owns the memory plane is told about writing it."""

    section: str
    field: str
    episodes: str
    kinds: tuple[str, ...]
    summary: str
    instruction: str


@dataclass(frozen=True, slots=True)
class DelegationNames:
    """Where work handed to others lies in a run, and how its files are called."""

    folder: str
    handoff: str
    reply: str


@dataclass(frozen=True, slots=True)
class RunTemplates:
    """The wording of new artifacts and the standard that a lock asks for."""

    placeholder: str
    scope: str
    todo: str
    gates: tuple[str, ...]
    audit: str
    rules: tuple[str, ...]
    memory_write: MemoryWrite
    questions: Mapping[str, Question]
    sections: Mapping[str, tuple[str, ...]]
    delegations: DelegationNames

    def required_sections(self, artifact: str) -> tuple[str, ...]:
        """Headings of the artifact, in order."""
        return (TODO_SECTION, *self.sections.get(artifact, ()))

    def owed_question(self, phase: Phase, text: str | None) -> Question | None:
        """The question of *phase* that *text* does not answer yet."""
        question = self.questions.get(phase.evidence)
        if question is None:
            return None
        lines = unify_newlines(text or "").split("\n")
        answered = any(line.startswith(f"- {question.marker}:") for line in lines)
        return None if answered else question

    def shortfalls(self, text: str, phase: Phase | None) -> tuple[str, ...]:
        """What of the phase standard *text* misses: open boxes, placeholders, gates that say FAIL, no body.

        Only what the text itself admits counts. That a section is missing is no fault:
        a lean artifact that says what there is to say may be locked.
        """
        lines = unify_newlines(text).split("\n")
        found: list[str] = []
        unticked = sum(line.lstrip().startswith(_UNTICKED) for line in lines)
        if unticked:
            found.append(f"{unticked} open TODO boxes")
        if any(line.strip() == self.placeholder for line in lines):
            found.append("a placeholder is still there")
        gates = (*self.gates, *((self.audit,) if phase is None or phase.audited else ()))
        found.extend(f"the gate `{gate}` says FAIL" for gate in gates if _gate_fails(text, gate))
        if not any(line.strip() for line in lines):
            found.append("it is empty")
        return tuple(found)


def new_artifact(
    templates: RunTemplates, workflow: Workflow, phase: Phase, *, run_id: str, title: str
) -> str:
    """The draft of one artifact of a new run."""
    place = f"{workflow.runs_path}/{run_id}"
    lines = [
        f"Run: `/{place}/`",
        f"Phase: `{phase.stem.split('-')[0]} {phase.title}`",
        "Status: `DRAFT`",
    ]
    if phase.artifact == workflow.layout.requirements:
        lines.append(f"Workflow version: `{workflow.name}`")
    earlier = workflow.artifacts[: workflow.position(phase.artifact)]
    lines += ["Inputs:", *(f"- `{place}/{name}`" for name in earlier[-1:]), "Outputs:"]
    lines += [f"- `{place}/{phase.artifact}`", f"Scope note: {templates.scope}", ""]
    if title and phase.artifact == workflow.layout.requirements:
        lines += ["## Request", "", title, ""]
    lines += [f"## {TODO_SECTION}", "", f"- [ ] {templates.todo}", ""]
    for section in templates.sections.get(phase.artifact, ()):
        lines += [f"## {section}", "", templates.placeholder, ""]
    gates = (*templates.gates, *((templates.audit,) if phase.audited else ()))
    for gate in gates:
        lines += [f"## {gate} Gate", "", f"{gate}: FAIL", ""]
    return "\n".join(lines)


def written_words(text: str, draft: str) -> str:
    """The lines of *text* that the untouched *draft* does not have: what somebody wrote."""
    template = {line.strip() for line in unify_newlines(draft).split("\n")}
    return "\n".join(line for line in unify_newlines(text).split("\n") if line.strip() not in template)


@cache
def load_templates() -> RunTemplates:
    """The templates of `policies/run-templates.toml`."""
    data = tomllib.loads(shipped_text(TEMPLATES_FILE))
    header, entry, write = data["header"], data["entry"], data["entry"]["memory_write"]
    return RunTemplates(
        placeholder=header["placeholder"],
        scope=header["scope"],
        todo=header["todo"],
        gates=tuple(header["gates"]),
        audit=header["audit"],
        rules=tuple(entry["rules"]),
        memory_write=MemoryWrite(**{**write, "kinds": tuple(write["kinds"])}),
        questions={name: Question(**question) for name, question in data["questions"].items()},
        sections={name: tuple(sections) for name, sections in data["sections"].items()},
        delegations=DelegationNames(**data["delegations"]),
    )


def _gate_fails(text: str, gate: str) -> bool:
    value = text_field(text, gate)
    return value is not None and value.strip("*_ ").upper().startswith("FAIL")
