"""The workflow as a value: which artifacts a run has, in which order, and who owns what.

It is data, read from `policies/recursive-mode.toml`; no other module spells an
artifact's or a control-plane file's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from phasegate.errors import PolicyDefect

PlaneName = Literal["", "decisions", "state", "memory"]
KeepsOut = Literal["", "planes", "product"]


@dataclass(frozen=True, slots=True)
class Phase:
    """One artifact of the sequence."""

    artifact: str
    number: int
    mandatory: bool
    title: str
    audited: bool = False
    own_plane: PlaneName = ""
    keeps_out: KeepsOut = ""
    evidence: str = ""

    @property
    def stem(self) -> str:
        return self.artifact.removesuffix(".md")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are, relative to the workspace's control directory or to a run directory.

    The guard's own names are in lower case, so that a folded path can be compared with them.
    """

    control: str
    runs: str
    policy: str
    config: str
    logs: tuple[str, ...]
    own_files: str
    planes: Mapping[str, str]
    feedback: str
    read_receipts: str
    locks: str
    lock_receipt_suffix: str
    addenda: str
    evidence: str
    requirements: str
    run_directories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TransitionWords:
    """Phrases that the report on a lock looks for."""

    every: str
    audit_gate: str
    completion: str
    delegation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A shell command that is phasegate's or the peer's own, and what it does.

    Matched by the program's base name and the literal words after it; the longest
    match wins. `arguments` names the positional operands in order, `options` the long
    options that carry the same values.
    """

    program: str
    words: tuple[str, ...]
    effect: Literal["lock", "reopen", "enter", "other"]
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Workflow:
    """Sequence, layout and command table. `phases` never go back in number."""

    name: str
    phases: tuple[Phase, ...]
    layout: Layout
    transition: TransitionWords
    lock_tools: frozenset[str]
    enter_tools: frozenset[str]
    commands: tuple[OwnCommand, ...]

    @cached_property
    def by_artifact(self) -> Mapping[str, Phase]:
        return {phase.artifact: phase for phase in self.phases}

    @cached_property
    def artifacts(self) -> tuple[str, ...]:
        return tuple(phase.artifact for phase in self.phases)

    @cached_property
    def folded(self) -> Mapping[str, str]:
        """Case-folded artifact name to its real spelling."""
        return {name.casefold(): name for name in self.artifacts}

    def position(self, artifact: str) -> int:
        """Index in the sequence; raises `KeyError` for a name outside it."""
        return self._positions[artifact]

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.artifacts)}

    @cached_property
    def first_phase(self) -> tuple[Phase, ...]:
        """The artifacts of the lowest phase number: those that memory must be read for."""
        lowest = min(phase.number for phase in self.phases)
        return tuple(phase for phase in self.phases if phase.number == lowest)

    @cached_property
    def first_artifacts(self) -> frozenset[str]:
        """Names of `first_phase`."""
        return frozenset(phase.artifact for phase in self.first_phase)

    @property
    def runs_path(self) -> str:
        """The directory of all runs, relative to the workspace."""
        return f"{self.layout.control}/{self.layout.runs}"

    @property
    def policy_path(self) -> str:
        """The policy file, relative to the workspace."""
        return f"{self.layout.control}/{self.layout.policy}"


def workflow_from(data: Mapping[str, Any]) -> Workflow:
    """Build a workflow from its TOML document.

    Raises `PolicyDefect` naming the missing or wrong key: the file is shipped, so this
    means a broken installation.
    """
    try:
        numbers = [entry["number"] for entry in data["phases"]]
        if numbers != sorted(numbers):
            raise PolicyDefect("the workflow file lists its phases out of order")
        layout: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data["layout"].items()
        }
        return Workflow(
            name=data["name"],
            phases=tuple(Phase(**entry) for entry in data["phases"]),
            layout=Layout(**layout),
            transition=TransitionWords(
                **{**data["transition"], "delegation": tuple(data["transition"]["delegation"])}
            ),
            lock_tools=frozenset(data["tools"]["lock"]),
            enter_tools=frozenset(data["tools"]["enter"]),
            commands=tuple(
                OwnCommand(
                    program=entry["program"],
                    words=tuple(entry["words"]),
                    effect=entry["effect"],
                    arguments=tuple(entry.get("arguments", ())),
                    options=entry.get("options", {}),
                )
                for entry in data["commands"]
            ),
        )
    except (KeyError, TypeError) as error:
        raise PolicyDefect(f"the workflow file lacks or misspells {error}") from error
