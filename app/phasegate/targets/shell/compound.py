"""Compound commands: conditions, loops, `case`, declarations, tests and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from phasegate.targets.shell import arith, loops
from phasegate.targets.shell.conditions import tested
from phasegate.targets.shell.declare import declare
from phasegate.targets.shell.patterns import MAX_MATCHED, matches
from phasegate.targets.shell.simple import opaque_part
from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.state import Function, State, Var, merge
from phasegate.targets.shell.text import literal, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.walk import Shell


def run(shell: Shell, node: Node, state: State) -> list[State]:
    """Run a compound command."""
    handler = _HANDLERS.get(node["Type"])
    if handler is None:
        opaque_part(shell, state, shell.origin(node), "this construct is not known")
        return [state]
    return handler(shell, node, state)


def _if(shell: Shell, node: Node, state: State) -> list[State]:
    if not node.get("Cond"):
        return shell.statements(node.get("Then") or [], state)
    results: list[State] = []
    for done in shell.statements(node["Cond"], state):
        if done.jump:
            results.append(done)
            continue
        # Both arms are looked at even when the outcome seems clear.
        outcome, other = done.status, done.copy()
        then = shell.statements(node.get("Then") or [], done if done.status is not False else done.copy())
        otherwise = [other]
        if node.get("Else"):
            otherwise = _if(shell, node["Else"], other.copy() if done.status is True else other)
        results.extend(then if outcome is not False else [])
        results.extend(otherwise if outcome is not True else [])
    return merge(results)


def _case(shell: Shell, node: Node, state: State) -> list[State]:
    subject = plain(shell.expander.text(node["Word"], state))
    results: list[State] = []
    falls: list[State] = []
    open_ended = True
    for item in node.get("Items") or []:
        fits = _fits(shell, item, subject, state)
        entering = [*falls]
        if fits is not False and open_ended:
            entering.append(state.copy())
        ghost = not entering
        if ghost:
            entering = [state.copy()]
        states = merge(
            [result for one in entering for result in shell.statements(item.get("Stmts") or [], one)]
        )
        through = operator(item) in (";&", ";;&") and not ghost
        falls = [one.copy() for one in states] if through else []
        results.extend([] if ghost else states)
        open_ended = open_ended and fits is not True
    if open_ended or not results:
        results.append(state)
    return merge(results)


def _fits(shell: Shell, item: Node, subject: str | None, state: State) -> bool | None:
    """Whether one of an item's patterns matches; None when that is unknown."""
    fits: bool | None = False
    for word in item.get("Patterns") or []:
        pattern = shell.expander.pattern(word, state)
        if pattern == "*":
            return True
        if subject is None or pattern is None or "nocasematch" in state.options or len(subject) > MAX_MATCHED:
            fits = None
        elif matches(pattern, subject, shell.context.effort):
            return True
    return fits


def _function(shell: Shell, node: Node, state: State) -> list[State]:
    state.functions[name_of(node.get("Name"))] = Function(node["Body"], shell.source)
    state.status = True
    return [state]


def _arithmetic(shell: Shell, node: Node, state: State) -> list[State]:
    value = arith.evaluate(node["X"], state, shell.expander)
    state.status = None if value is None else value != 0
    return [state]


def _let(shell: Shell, node: Node, state: State) -> list[State]:
    for expression in node.get("Exprs") or []:
        value = arith.evaluate(expression, state, shell.expander)
        state.status = None if value is None else value != 0
        text = shell.source.spelled(expression)
        if "=" in text and expression.get("Type", "Word") == "Word":
            # A quoted assignment (`let "n=1"`) is not parsed any further.
            state.forget([text.strip("\"'").partition("=")[0].rstrip("+-*/%&|^<>").strip()])
    return [state]


def _test(shell: Shell, node: Node, state: State) -> list[State]:
    state.status = tested(shell, node["X"], state)
    return [state]


def _time(shell: Shell, node: Node, state: State) -> list[State]:
    return shell.statement(node["Stmt"], state) if node.get("Stmt") else [state]


def _coprocess(shell: Shell, node: Node, state: State) -> list[State]:
    def start(child: State) -> list[State]:
        child.out, child.stdin = None, None
        return shell.statement(node["Stmt"], child)

    out = state.out
    shell.aside(start, state)
    state.out, state.status = out, True
    name = plain(shell.expander.text(node["Name"], state)) if node.get("Name") else "COPROC"
    if name:
        # Numbers that stand for the two ends of its pipes; which ones makes no difference.
        state.vars[name] = Var(items={"0": literal("63"), "1": literal("60")}, is_list=True)
    return [state]


_HANDLERS: Mapping[str, Callable[[Shell, Node, State], list[State]]] = {
    "IfClause": _if,
    "WhileClause": loops.run_while,
    "ForClause": loops.run_for,
    "CaseClause": _case,
    "FuncDecl": _function,
    "ArithmCmd": _arithmetic,
    "LetClause": _let,
    "TestClause": _test,
    "TimeClause": _time,
    "CoprocClause": _coprocess,
    "DeclClause": declare,
}
