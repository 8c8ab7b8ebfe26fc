"""The policy in force: built-in rules, the host's tool patterns, modes and options.

The file format is the peer's `recursive-permissions.json`, version 1, and version 2,
which adds `rules_off`, `modes` and `tools`. A text with any defect is not believed at
all: the whole policy then denies, and names the defect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from phasegate.core.call import Effect, Mode
from phasegate.core.patterns import pattern_matches, pattern_tier
from phasegate.core.rule import Rule
from phasegate.core.workflow import Workflow

PolicyVerdict = Literal["allow", "deny", "ask"]
ReadReceiptMode = Literal["accept-v1", "sealed"]

MATCHES_REMEMBERED = 1_024
BUILTIN_DIGEST = "sha256:" + hashlib.sha256(b"phasegate built-in policy 1").hexdigest()


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """What the policy says one of the host's own tools does.

    `paths` names the arguments that hold paths (none: the usual path keys); `command`
    names the argument that holds shell text.
    """

    effect: Effect
    paths: tuple[str, ...] = ()
    command: str | None = None


@dataclass(frozen=True, slots=True)
class PatternRule:
    """One entry of the file's `rules`. With a condition's label it decides only when that condition holds."""

    pattern: str
    verdict: PolicyVerdict
    reason: str
    label: str | None
    conditional: bool
    tier: int


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a person may set about decisions.

    `source` is `builtin`, `file` or `defect`; `defect` names what is wrong with a text
    that can't be believed. `rules` are the built-in rules in order, `rules_off` maps a
    label to the reason it was switched off for. `patterns` are sorted by precedence.
    `mode` is the service's, `modes` the file's per rule.
    """

    workflow: Workflow
    rules: tuple[Rule, ...] = ()
    source: Literal["builtin", "file", "defect"] = "builtin"
    digest: str = BUILTIN_DIGEST
    version: int = 1
    description: str | None = None
    patterns: tuple[PatternRule, ...] = ()
    rules_off: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, Mode] = field(default_factory=dict)
    tools: Mapping[str, ToolDeclaration] = field(default_factory=dict)
    defect: str | None = None
    mode: Mode = "strict"
    read_receipts: ReadReceiptMode = "accept-v1"
    entry_every_phase: bool = False
    plane_freeze: bool = False
    _matches: dict[str, tuple[PatternRule, ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def match(self, tool: str) -> tuple[PatternRule, ...]:
        """The patterns that match *tool*, the most specific first. Remembered, up to a bound."""
        found = self._matches.get(tool)
        if found is None:
            found = tuple(entry for entry in self.patterns if pattern_matches(entry.pattern, tool))
            if len(self._matches) >= MATCHES_REMEMBERED:
                self._matches.clear()
            self._matches[tool] = found
        return found


def allow_all() -> PatternRule:
    """The entry that ends the built-in list."""
    return PatternRule("*", "allow", "nothing objects", None, conditional=False, tier=0)


def by_precedence(entries: list[PatternRule]) -> tuple[PatternRule, ...]:
    """Higher tier first; inside a tier the earlier entry first."""
    return tuple(sorted(entries, key=lambda entry: -entry.tier))


def builtin_policy(workflow: Workflow, rules: tuple[Rule, ...]) -> Policy:
    """The policy of a workspace without a policy file."""
    return Policy(workflow, rules, patterns=(allow_all(),))


def broken_policy(base: Policy, defect: str, text: bytes = b"") -> Policy:
    """A policy that denies everything and says why."""
    return replace(base, source="defect", defect=defect, digest=digest_of(text), patterns=(), tools={})


def digest_of(text: bytes) -> str:
    """`sha256:` and the hex digest of a policy file's bytes."""
    return "sha256:" + hashlib.sha256(text).hexdigest()


def pattern_entry(
    pattern: str, verdict: PolicyVerdict, reason: str, label: str | None, *, conditional: bool
) -> PatternRule:
    """Build an entry with its tier."""
    return PatternRule(pattern, verdict, reason, label, conditional, pattern_tier(pattern))
