"""From decisions to one answer: several calls, one voice.

Ordered deny-overrides again: any denial decides, then any question, else it passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.core.verdict import Decision
from phasegate.runtimes.model import NEEDS_PERSON, PASS, Answer

MAX_TEXT = 4000
"""Characters of a text shown to a model; Claude Code cuts at 10,000."""


def answer(decisions: Sequence[Decision]) -> Answer:
    """The answer to a request whose calls were decided as *decisions*, in order."""
    denied = [decision for decision in decisions if decision.kind == "deny"]
    for decision in denied:
        if decision.verdict != "ask":
            return deny(model_text(decision), person=decision.reason)
    if denied:
        return Answer("ask", text=_bounded(_with_way(denied[0])), person=_bounded(denied[0].reason))
    warnings = [text for decision in decisions for text in _warnings(decision)]
    return Answer("pass", warning=_bounded("; ".join(warnings))) if warnings else PASS


def deny(text: str, *, person: str | None = None) -> Answer:
    """A denial that says *text* to the model."""
    return Answer("deny", text=_bounded(text), person=None if person is None else _bounded(person))


def model_text(decision: Decision) -> str:
    """What a model is shown: the reason, then the way on."""
    return joined(decision.reason, decision.remedy.text)


def joined(reason: str, remedy: str) -> str:
    """One line of *reason* and *remedy*."""
    return f"{reason}. {remedy}" if remedy else reason


def _with_way(decision: Decision) -> str:
    return joined(decision.reason, decision.remedy.text or NEEDS_PERSON)


def _warnings(decision: Decision) -> list[str]:
    if not decision.warning:
        return []
    return [f"phasegate (advisory): {joined(decision.warning, decision.remedy.text)}"]


def _bounded(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
