"""Facts in memory, for tests of the core and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasegate.core.call import Effect, Extraction, LockRequest, ToolCall, WriteTarget
from phasegate.core.facts import ArtifactFacts, Facts, LockFacts, ReadReceiptFacts, RunFacts, TargetFacts
from phasegate.core.policy import Policy, builtin_policy
from phasegate.rules import discover
from phasegate.workspace.workflow_file import load_workflow

ROOT = "/w"
WORKFLOW = load_workflow()
BUILTIN = builtin_policy(WORKFLOW, discover())
_LETTERS = {"L": "LOCKED", "d": "DRAFT", "s": "STALE_LOCK", "-": "MISSING", "n": "STALE_LOCK"}


def run(statuses: str = "", run_id: str = "r1", read: tuple[str, ...] = (), **more: Any) -> RunFacts:
    """A run from one letter an artifact: L locked, d draft, s stale, n sealed without receipt, - absent."""
    letters = statuses.ljust(len(WORKFLOW.artifacts), "-")
    artifacts = {
        name: ArtifactFacts(
            name,
            _LETTERS[letter],  # type: ignore[arg-type]  # the table holds the four statuses
            sealed=letter in "Ln",
            lacks="its lock receipt is missing" if letter == "n" else "",
        )
        for name, letter in zip(WORKFLOW.artifacts, letters, strict=True)
    }
    receipts = {phase: ReadReceiptFacts(phase, "valid") for phase in read}
    fields = {"exists": True, "artifacts": artifacts, "read_receipts": receipts, **more}
    return RunFacts(run_id, **fields)


def target(
    rel: str | None, of: RunFacts | None = None, op: str = "write", index: int = 0, **more: Any
) -> TargetFacts:
    """A target by its path relative to the workspace; run, name and seal follow from *of*."""
    path = f"{ROOT}/{rel}" if rel is not None else "/elsewhere/file"
    fields: dict[str, Any] = {"workspace": "w", "rel": rel}
    write = {key: more.pop(key) for key in ("change", "via", "recursive", "lexical") if key in more}
    if of is not None and rel is not None:
        prefix = f"{WORKFLOW.runs_path}/{of.run_id}"
        name = rel.removeprefix(prefix).lstrip("/")
        artifact = name if name in WORKFLOW.artifacts else None
        fields |= {"run": of, "run_rel": name, "artifact": artifact}
        fields["sealed"] = artifact is not None and of.artifacts[artifact].sealed
    spelled = WriteTarget(
        path,
        write.pop("lexical", path),
        rel or path,
        op,  # type: ignore[arg-type]  # tests name documented operations
        via=write.pop("via", "args.file_path"),
        **write,
    )
    return TargetFacts(spelled, index, **{**fields, **more})


def in_run(name: str, of: RunFacts, op: str = "write", index: int = 0, **more: Any) -> TargetFacts:
    """A target inside the run directory."""
    return target(f"{WORKFLOW.runs_path}/{of.run_id}/{name}".rstrip("/"), of, op, index, **more)


def lock(artifact: str | None, of: RunFacts | None, text: str | None = "", **more: Any) -> LockFacts:
    request = LockRequest(artifact, more.pop("run_id", None), reopen=more.pop("reopen", False))
    return LockFacts(request, of, artifact, text=text, **more)


def facts(*targets: TargetFacts, effect: Effect = Effect.WRITE, **more: Any) -> Facts:
    known = more.pop("known", True)
    extraction = Extraction(
        effect,
        more.pop("canonical", "write"),
        known,
        targets=tuple(item.target for item in targets),
        unusable=more.pop("unusable", ()),
        locks=tuple(item.request for item in more.get("locks", ())),
    )
    return Facts("w", ROOT, extraction, targets=targets, **more)


def call(tool: str = "write", **more: Any) -> ToolCall:
    args: Mapping[str, Any] = more.pop("args", {})
    return ToolCall(tool, args, **more)


def policy(**more: Any) -> Policy:
    from dataclasses import replace

    return replace(BUILTIN, **more)
