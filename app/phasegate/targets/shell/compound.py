"""Compound commands: conditions, loops, `case`, declarations, tests and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell import arith
from phasegate.targets.shell.declare import declare
from phasegate.targets.shell.limits import MAX_ROUNDS
from phasegate.targets.shell.patterns import matches
from phasegate.targets.shell.simple import opaque_part
from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.state import Function, State, merge
from phasegate.targets.shell.text import Field, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.walk import Shell

Step = Callable[[State], "list[State]"]


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
    for tested in shell.statements(node["Cond"], state):
        if tested.jump:
            results.append(tested)
            continue
        # Both arms are looked at even when the outcome seems clear.
        other = tested.copy()
        then = shell.statements(
            node.get("Then") or [], tested if tested.status is not False else tested.copy()
        )
        otherwise = [other]
        if node.get("Else"):
            otherwise = _if(shell, node["Else"], other.copy() if tested.status is True else other)
        outcome = other.status
        results.extend(then if outcome is not False else [])
        results.extend(otherwise if outcome is not True else [])
    return merge(results)


def _while(shell: Shell, node: Node, state: State) -> list[State]:
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
        one.stdin = None if one.stdin is not None and reads_input(node) else one.stdin
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
    going, left = [], []
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


def _for(shell: Shell, node: Node, state: State) -> list[State]:
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
    going, done = [state], []
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
        if operator(item) in (";&", ";;&") and not ghost:
            falls = [one.copy() for one in states]
        else:
            falls = []
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
        if subject is None or pattern is None or "nocasematch" in state.options or len(subject) > 4096:
            fits = None
        elif matches(pattern, subject):
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
    state.status = _tested(shell, node["X"], state)
    return [state]


def _tested(shell: Shell, node: Node, state: State) -> bool | None:
    """The outcome of a `[[ ... ]]` expression; every word in it is expanded."""
    with shell.deeper():
        kind = node.get("Type", "Word")
        if kind == "ParenTest":
            return _tested(shell, node["X"], state)
        if kind == "UnaryTest":
            return _tested_unary(shell, node, state)
        if kind == "BinaryTest":
            return _tested_binary(shell, node, state)
        text = plain(shell.expander.text(node, state))
        return None if text is None else text != ""


def _tested_unary(shell: Shell, node: Node, state: State) -> bool | None:
    op = operator(node)
    if op == "!":
        inner = _tested(shell, node["X"], state)
        return None if inner is None else not inner
    text = plain(shell.expander.text(node["X"], state))
    if text is None or op not in ("-n", "-z"):
        return None
    return (text != "") is (op == "-n")


def _tested_binary(shell: Shell, node: Node, state: State) -> bool | None:
    op = operator(node)
    if op in ("&&", "||"):
        left, right = _tested(shell, node["X"], state), _tested(shell, node["Y"], state)
        decided = op == "||"
        if decided in (left, right):
            return decided
        return None if None in (left, right) else not decided
    text = plain(shell.expander.text(node["X"], state))
    if op in ("=", "==", "!="):
        pattern = shell.expander.pattern(node["Y"], state)
        if text is None or pattern is None or len(text) > 4096 or "nocasematch" in state.options:
            return None
        return matches(pattern, text) is (op != "!=")
    other = plain(shell.expander.text(node["Y"], state))
    return compare(op, text, other)


def compare(op: str, text: str | None, other: str | None) -> bool | None:
    """The outcome of a numeric comparison of two known integers."""
    if text is None or other is None or op not in _COMPARISONS:
        return None
    left, right = arith.number(text.strip()), arith.number(other.strip())
    return None if left is None or right is None else _COMPARISONS[op](left, right)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


def _time(shell: Shell, node: Node, state: State) -> list[State]:
    return shell.statement(node["Stmt"], state) if node.get("Stmt") else [state]


def _coprocess(shell: Shell, node: Node, state: State) -> list[State]:
    def start(child: State) -> list[State]:
        child.out, child.stdin = None, None
        return shell.statement(node["Stmt"], child)

    out = state.out
    shell.aside(start, state)
    state.out, state.status = out, True
    return [state]


def assigned(nodes: Sequence[Node]) -> list[str]:
    """Names of the variables that anything in *nodes* may assign."""
    names: dict[str, None] = {}
    pending: list[object] = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, Mapping):
            for name in _assigned_by(node):
                names[name] = None
            pending.extend(value for value in node.values() if isinstance(value, Mapping | list))
    return list(names)


_NAMING = frozenset({"read", "printf", "mapfile", "readarray", "unset", "getopts", "wait"})


def _assigned_by(node: Mapping[str, object]) -> list[str]:
    name = node.get("Name")
    if isinstance(name, Mapping) and (
        "Value" in node or "Array" in node or "Naked" in node or "Items" in node
    ):
        return [str(name.get("Value", ""))]
    kind = node.get("Type")
    if kind in ("BinaryArithm", "UnaryArithm"):
        found = arith.base_name(node["X"]) if isinstance(node.get("X"), Mapping) else None  # type: ignore[arg-type]
        return [found] if found else []
    if kind == "ParamExp":
        return [name_of(node.get("Param"))] if isinstance(node.get("Exp"), Mapping) else []  # type: ignore[arg-type]
    args = node.get("Args")
    if kind == "CallExpr" and isinstance(args, list):
        literals = [name_of(p) for arg in args for p in arg.get("Parts") or [] if p["Type"] == "Lit"]
        if literals and literals[0] in _NAMING:
            return [text.partition("[")[0] for text in literals[1:] if text[:1].isalpha() or text[:1] == "_"]
    return []


def reads_input(node: Node) -> bool:
    """Whether anything in a loop may read standard input."""
    return bool(node.get("Cond") or node.get("Do"))


def _declare(shell: Shell, node: Node, state: State) -> list[State]:
    return declare(shell, node, state)


_HANDLERS: Mapping[str, Callable[[Shell, Node, State], list[State]]] = {
    "IfClause": _if,
    "WhileClause": _while,
    "ForClause": _for,
    "CaseClause": _case,
    "FuncDecl": _function,
    "ArithmCmd": _arithmetic,
    "LetClause": _let,
    "TestClause": _test,
    "TimeClause": _time,
    "CoprocClause": _coprocess,
    "DeclClause": _declare,
}
