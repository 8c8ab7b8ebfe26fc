"""How rules name targets."""

from __future__ import annotations

from phasegate.core.facts import TargetFacts
from phasegate.core.verdict import Remedy
from phasegate.core.workflow import Workflow

_VERBS = {
    "write": "edit",
    "append": "append to",
    "truncate": "truncate",
    "delete": "delete",
    "move_from": "move away",
    "move_to": "overwrite",
    "chmod": "change the permissions of",
}
_SHOWN = 200
ADDENDUM_HINT = "or write the correction to an addendum in `addenda/`"


def shown(text: str) -> str:
    """*text* on one line, bounded, fit to stand in backticks."""
    if text.isprintable() and "`" not in text:
        line = text
    else:
        line = "".join(char if char.isprintable() and char != "`" else "?" for char in text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def one_line(text: str) -> str:
    """*text*, in which names from a call may stand, without what would end the line."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)


def name_of(facts: TargetFacts) -> str:
    """The shortest name that identifies the target for a reader."""
    if facts.artifact is not None:
        return facts.artifact
    if facts.run_rel:
        return shown(facts.run_rel)
    return shown(facts.target.typed if facts.rel is None else facts.rel or ".")


def action_of(facts: TargetFacts) -> str:
    """`` `sed -i` would edit `` or ``the call would edit``."""
    via = facts.target.via
    by = "the call" if not via or via.startswith("args") else f"`{shown(via)}`"
    return f"{by} would {_VERBS[facts.target.op]}"


def sweeps(facts: TargetFacts, workflow: Workflow) -> bool:
    """Whether a recursive operation changes what already lies below its target.

    Writing a tree into a directory (unpacking, syncing) adds to it; only inside the
    control directory itself must it be taken for an overwrite. Where the tree is known,
    what it overwrites is known too.
    """
    control = workflow.layout.control
    inside = facts.rel is not None and (facts.rel + "/").startswith(control + "/")
    return facts.target.op != "write" or inside or facts.target.source is not None


def in_run(facts: TargetFacts) -> str:
    """`` of run `r1` `` or nothing."""
    return f" of run `{facts.run.run_id}`" if facts.run is not None else ""


def enter_remedy(run_id: str) -> Remedy:
    """Enter the phase, which reads memory."""
    return Remedy(
        "enter_phase",
        f"enter the phase, which reads memory (`phasegate run enter {run_id}`), then write again",
        retryable=True,
    )
