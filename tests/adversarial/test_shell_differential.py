"""Random commands are predicted and then run: every file that changed was predicted, or the answer was opaque."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.shell import FAILED, ShellTargets, extract_shell
from support.shell_grammar import Grammar, build
from support.shell_runner import Outcome, remove, run
from support.target_calls import workflow

SEEDS = 4
COMMANDS = 510
"""Commands of each seed; set PHASEGATE_SEED to start elsewhere."""


@pytest.fixture(scope="module")
def parser():
    return ShfmtParser()


def predict(command: str, top: Path, parser: ShfmtParser) -> ShellTargets:
    build(top)
    try:
        return extract_shell(
            command,
            cwd=str(top),
            root=str(top),
            view=DiskView(home=str(top)),
            parser=parser,
            workflow=workflow(),
        )
    finally:
        remove(top)


def predicted_names(found: ShellTargets, top: Path) -> dict[str, bool]:
    """Names below *top*, and whether all below them is meant too."""
    names: dict[str, bool] = {}
    for target in found.targets:
        name = os.path.relpath(target.path, top)
        names[name] = names.get(name, False) or target.recursive
    return names


def missed(outcome: Outcome, names: dict[str, bool]) -> list[str]:
    trees = [name for name, recursive in names.items() if recursive]
    return [
        changed
        for changed in sorted(outcome.changed)
        if changed not in names and not any(tree == "." or changed.startswith(tree + "/") for tree in trees)
    ]


def extra(outcome: Outcome, names: dict[str, bool]) -> list[str]:
    return [
        name
        for name in names
        if name not in outcome.changed
        and not any(changed.startswith(name + "/") for changed in outcome.changed)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SEEDS))
def test_no_change_goes_unseen(tmp_path, parser, number):
    grammar = Grammar(int(os.environ.get("PHASEGATE_SEED", "1000")) + number)
    top = tmp_path / "t"
    problems: list[str] = []
    opaque = 0
    for _ in range(COMMANDS):
        command = grammar.command()
        found = predict(command, top, parser)
        outcome = run(command, top)
        opaque += bool(found.opaque)
        lost = missed(outcome, predicted_names(found, top))
        if any(reason.why.startswith(FAILED) for reason in found.opaque):
            problems.append(f"failed on {command!r}: {found.opaque[0].why}")
        elif lost and not found.opaque:
            problems.append(f"missed {lost} of {command!r}")

    assert not problems, "\n".join(problems)
    # An extractor that calls everything opaque would pass; the grammar is one it must know.
    assert opaque < COMMANDS * 0.08


@pytest.mark.slow
def test_simple_commands_that_succeed_change_what_was_predicted(tmp_path, parser):
    """Precision, where nothing is conditional: almost no name too many."""
    grammar = Grammar(7)
    top = tmp_path / "t"
    succeeded = too_many = 0
    for _ in range(300):
        command = grammar.program()
        found = predict(command, top, parser)
        outcome = run(command, top)
        if outcome.succeeded and not found.opaque:
            succeeded += 1
            too_many += bool(extra(outcome, predicted_names(found, top)))

    assert succeeded > 150
    assert too_many / succeeded < 0.15
