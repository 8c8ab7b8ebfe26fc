"""Make a record's call and facts again, so that its decision can be made again.

What rules look at comes back exactly; what they don't (file contents, arguments) does
not. A record whose facts were cut away for size, or never gathered, gives None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from phasegate.core.call import (
    ContentChange,
    Effect,
    EnterRequest,
    Extraction,
    LockRequest,
    OpaqueReason,
    ToolCall,
    WriteTarget,
)
from phasegate.core.change import HOOK_MARK
from phasegate.core.facts import (
    ArtifactFacts,
    EnterFacts,
    Facts,
    LockFacts,
    OpaqueFacts,
    ReadReceiptFacts,
    RunFacts,
    TargetFacts,
)
from phasegate.core.workflow import Workflow
from phasegate.decision_log.record.facts_form import MENTION
from phasegate.decision_log.record.texts import ROOT_MARK

_LISTED = 8


class Restored(NamedTuple):
    """The arguments of the decision that a record is about."""

    call: ToolCall
    facts: Facts


def restored(record: Mapping[str, Any], root: str, workflow: Workflow) -> Restored | None:
    """The call and the facts of a decision record, its workspace placed at *root*."""
    form = record.get("facts")
    if record.get("type") != "decision" or not isinstance(form, Mapping):
        return None
    runs = tuple(_run(run, workflow) for run in form.get("runs", ()))
    targets = tuple(
        _target(target, index, root, str(record.get("workspace", "")), runs)
        for index, target in enumerate(record.get("targets", ()))
    )
    opaque = tuple(_opaque(part) for part in record.get("opaque_reasons", ()))
    locks = tuple(_lock(lock, runs) for lock in form.get("locks", ()))
    enters = tuple(_enter(enter, runs) for enter in form.get("enters", ()))
    tool = record.get("tool", "")
    extraction = Extraction(
        effect=Effect(record["effect"]),
        canonical=form.get("canonical", tool),
        known=not form.get("unknown", False),
        targets=tuple(facts.target for facts in targets),
        opaque=tuple(part.reason for part in opaque),
        unusable=_names(form.get("unusable", ())),
        locks=tuple(lock.request for lock in locks),
        enters=tuple(enter.request for enter in enters),
    )
    guards = tuple(
        (facts.target.path, form["guard"])
        for facts, form in zip(targets, record.get("targets", ()), strict=True)
        if "guard" in form
    )
    facts = Facts(
        workspace=record.get("workspace", ""),
        root=root,
        extraction=extraction,
        targets=targets,
        opaque=opaque,
        locks=locks,
        enters=enters,
        bound=_nth(runs, form.get("bound")),
        run_id_problem=form.get("run_id_problem", ""),
        guard_paths=guards,
        unreadable=tuple(form.get("unreadable", ())),
    )
    return Restored(_call(record, form, tool), facts)


def _call(record: Mapping[str, Any], form: Mapping[str, Any], tool: str) -> ToolCall:
    return ToolCall(
        tool,
        run_id=record.get("session_run_id"),
        mode=form.get("mode"),
        runtime=record.get("runtime"),
        session_id=record.get("session_id"),
        agent_id=record.get("agent_id"),
        call_id=record.get("call_id"),
        defect=form.get("defect"),
    )


def _run(form: Mapping[str, Any], workflow: Workflow) -> RunFacts:
    artifacts = {name: ArtifactFacts(name, "MISSING") for name in workflow.artifacts}
    unusual = form.get("seal_differs", ())
    for status in ("LOCKED", "DRAFT", "STALE_LOCK"):
        for item in form.get(status, ()):
            name, lacks = (item, "") if isinstance(item, str) else item
            sealed = (status == "LOCKED") != (name in unusual)
            artifacts[name] = ArtifactFacts(name, status, sealed, lacks)
    reads = {
        phase: ReadReceiptFacts(phase, state, version) for phase, state, version in form.get("reads", ())
    }
    return RunFacts(
        form["run_id"], not form.get("absent", False), artifacts, reads, form.get("reads_defect", "")
    )


def _target(
    form: Mapping[str, Any], index: int, root: str, workspace: str, runs: Sequence[RunFacts]
) -> TargetFacts:
    rel = form.get("rel")
    below = "" if rel in (None, ".") else f"/{rel}"
    path = root + below if rel is not None else str(form.get("path", ""))
    if rel is not None and "workspace" in form:
        path = f"/{form['workspace']}{below}"
    typed = form.get("typed", rel or path)
    text, change = _text_and_change(form)
    target = WriteTarget(
        path=path,
        lexical=str(form.get("lexical", path)).replace(ROOT_MARK, root),
        typed=path if typed == ROOT_MARK else typed.replace(ROOT_MARK, root),
        op=form["op"],
        recursive=form.get("recursive", False),
        via=form.get("via", ""),
        span=tuple(form["span"]) if "span" in form else None,
        change=change,
        source="" if form.get("sourced") else None,
    )
    return TargetFacts(
        target,
        index,
        workspace=form.get("workspace", workspace) if rel is not None else None,
        rel="" if rel == "." else rel,
        run=_nth(runs, form.get("run")),
        run_rel=form.get("run_rel", "") if "run" in form else None,
        artifact=form.get("artifact"),
        sealed=form.get("sealed", False),
        text=text,
        covers_sealed=_names(form.get("covers_sealed", ())),
        covers_guarded=_names(form.get("covers_guarded", ())),
        carries_hook="hook" in form,
    )


def _text_and_change(form: Mapping[str, Any]) -> tuple[str | None, ContentChange | None]:
    """The least text and change that look to the rules as the real ones did."""
    if "hook" in form:
        before, after = form["hook"]
        return HOOK_MARK * before, ContentChange("replace", HOOK_MARK * after)
    lines = form.get("lock_lines")
    if lines is None:
        return None, None
    text = "\n".join(lines.get("before", ()))
    if lines.get("mention"):
        return text, ContentChange("unknown", MENTION)
    return text, ContentChange("replace", "\n".join(lines.get("after", ())))


def _opaque(form: Mapping[str, Any]) -> OpaqueFacts:
    span = tuple(form["span"]) if "span" in form else None
    return OpaqueFacts(
        OpaqueReason(form.get("part", ""), form.get("why", ""), form.get("remedy", ""), span=span),
        words=_names(form.get("words", ())),
        cwds=_names(form.get("cwds", ())),
        destroys=_names(form.get("destroys", ())),
        destroys_sealed=_names(form.get("destroys_sealed", ())),
    )


def _lock(form: Mapping[str, Any], runs: Sequence[RunFacts]) -> LockFacts:
    request = LockRequest(
        form.get("artifact"), form.get("run_id"), form.get("malformed", False), form.get("reopen", False)
    )
    return LockFacts(
        request,
        _nth(runs, form.get("run")),
        form.get("name"),
        form.get("artifact_problem", ""),
        form.get("run_problem", ""),
        "\n".join(form["text"]) if "text" in form else None,
        dict(form.get("evidence", ())),
    )


def _enter(form: Mapping[str, Any], runs: Sequence[RunFacts]) -> EnterFacts:
    request = EnterRequest(form.get("phase"), form.get("run_id"), form.get("malformed", False))
    return EnterFacts(request, _nth(runs, form.get("run")), form.get("run_problem", ""))


def _nth(runs: Sequence[RunFacts], index: int | None) -> RunFacts | None:
    return runs[index] if index is not None else None


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """A list of names; a last one such as `+3` stands for three more that were not kept."""
    if len(names) <= _LISTED:
        return tuple(names)
    return (*names[:_LISTED], *[""] * int(names[_LISTED]))
