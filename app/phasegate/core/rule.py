"""The shape of a rule: one frozen value in one module, with a label that is never reused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.core.call import ToolCall
from phasegate.core.facts import Facts
from phasegate.core.verdict import Verdict

if TYPE_CHECKING:
    from phasegate.core.policy import Policy

Judge = Callable[[ToolCall, Facts, "Policy"], Iterable[Verdict]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One built-in rule.

    `order` places it in the evaluation; lower goes first and wins the headline.
    `judge` gives one verdict for each thing it looked at, and nothing or
    `Pass(applied=False)` when it had nothing to look at. It must not do I/O.
    `always` marks a rule that no policy and no mode can soften.
    """

    label: str
    order: int
    summary: str
    judge: Judge
    always: bool = False
