"""Loops: round by round while that can be told, else once for any number of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell import arith
from phasegate.targets.shell.assigned import assigned
from phasegate.targets.shell.limits import MAX_ROUNDS
from phasegate.targets.shell.source import Node, name_of
from phasegate.targets.shell.state import State, merge

if TYPE_CHECKING:
    from phasegate.targets.shell.text import Field
    from phasegate.targets.shell.walk import Shell

Step = Callable[[State], "list[State]"]


def run_while(shell: Shell, node: Node, state: State) -> list[State]:
    """`while` and `until`."""
    until = bool(node.get("Until"))

    def condition(one: State) -> list[State]:
        results = shell.statements(node.get("Cond") or [], one)
        for result in results:
            if until and result.status is not None and not result.jump:
                result.status = not result.status
        return results

    return _loop(shell, node, state, condition)


def _loop(shell: Shell, node: Node, state: State, condition: Step) -> list[State]:
    """Follow a loop round by round while its condition is known, else once with unknowns."""
    done: list[State] = []
    going = [state]
    for _ in range(MAX_ROUNDS):
        before = [one.copy() for one in going]
        going = [result for one in going for result in condition(one)]
        done.extend(one for one in going if one.status is False or one.jump)
        going = [one for one in going if one.status is not False and not one.jump]
        if any(one.status is None for one in going):
            return _unknown_rounds(shell, node, going, done, condition)
        if not going:
            return merge(_leave(done))
        going = [result for one in going for result in shell.statements(node.get("Do") or [], one)]
        going, left = _after_round(going)
        done.extend(left)
        if len(going) == len(before) and all(a.same_as(b) for a, b in zip(going, before, strict=True)):
            return merge(_leave([*done, *going]))
        if not going:
            return merge(_leave(done))
    return _unknown_rounds(shell, node, going, done, condition)


def _unknown_rounds(
    shell: Shell, node: Node, going: list[State], done: list[State], condition: Step
) -> list[State]:
    """One round that stands for any number: what the body assigns is unknown in it."""
    body = node.get("Do") or []
    names = assigned((node, *body))
    results = list(done)
    for one in going:
        results.append(one.copy())
        one.forget(names)
        one.stdin = None
        cwd = one.cwd
        for result in _after_all(shell.statements(body, one)):
            results.append(result)
            if result.cwd != cwd:
                result.lost = True
                result.others = tuple(dict.fromkeys((*result.others, cwd)))
                again = result.copy()
                results.extend(_after_all([s for c in condition(again) for s in shell.statements(body, c)]))
    for result in results:
        result.forget(name for name in names if name in result.vars)
        result.status = None
    return merge(_leave(results))


def _after_all(states: list[State]) -> list[State]:
    going, left = _after_round(states)
    return [*going, *left]


def _after_round(states: list[State]) -> tuple[list[State], list[State]]:
    """States that go on to the next round, and those that leave the loop."""
    going: list[State] = []
    left: list[State] = []
    for state in states:
        if state.jump == "continue":
            state.jump = ""
        (left if state.jump else going).append(state)
    return going, left


def _leave(states: list[State]) -> list[State]:
    for state in states:
        if state.jump in ("break", "continue"):
            state.jump = ""
        elif not state.jump and state.status is False:
            state.status = True
    return states


def run_for(shell: Shell, node: Node, state: State) -> list[State]:
    """`for` and `select`."""
    loop = node["Loop"]
    if loop["Type"] == "CStyleLoop":
        return _c_style(shell, node, loop, state)
    if loop.get("Items") is not None:
        fields: Sequence[Field] | None = shell.expander.fields(loop["Items"], state)
    else:
        fields = state.params
    name = name_of(loop.get("Name"))
    known = fields is not None and len(fields) <= MAX_ROUNDS and not any(field.many for field in fields)
    if not known or fields is None or node.get("Select"):
        values = fields if fields is not None and len(fields) <= MAX_ROUNDS else []
        return _each_of(shell, node, name, [*values, None], state, sure=False)
    return _each_of(shell, node, name, list(fields), state, sure=True)


def _each_of(
    shell: Shell, node: Node, name: str, values: list[Field | None], state: State, *, sure: bool
) -> list[State]:
    """Run the body once for each value (None: an unknown one)."""
    going, done = [state], list[State]()
    for value in values:
        if not sure:
            done.extend(one.copy() for one in going)
        for one in going:
            if value is None or value.many:
                one.forget([name, *assigned(node.get("Do") or [])])
            else:
                one.assign(name, value.value)
        if not going:
            break
        states = [result for one in going for result in shell.statements(node.get("Do") or [], one)]
        going, left = _after_round(merge(states))
        done.extend(left)
    return merge(_leave([*done, *going]))


def _c_style(shell: Shell, node: Node, loop: Node, state: State) -> list[State]:
    if loop.get("Init"):
        arith.evaluate(loop["Init"], state, shell.expander)
    first = True

    def condition(one: State) -> list[State]:
        nonlocal first
        if not first and loop.get("Post"):
            arith.evaluate(loop["Post"], one, shell.expander)
        first = False
        value = arith.evaluate(loop["Cond"], one, shell.expander) if loop.get("Cond") else 1
        one.status = None if value is None else value != 0
        return [one]

    return _loop(shell, node, state, condition)
