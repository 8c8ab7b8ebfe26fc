"""Redirections: what they open, and where input and output go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from phasegate.core.call import ContentChange, TargetOp
from phasegate.targets.shell.command import Touch
from phasegate.targets.shell.disk import known_text
from phasegate.targets.shell.limits import MAX_CHANGE
from phasegate.targets.shell.simple import opaque_part
from phasegate.targets.shell.source import Node, name_of, operator
from phasegate.targets.shell.text import Field, join, literal, plain

if TYPE_CHECKING:
    from phasegate.targets.shell.report import Key
    from phasegate.targets.shell.state import State
    from phasegate.targets.shell.walk import Shell

_WRITING: dict[str, TargetOp] = {
    ">": "write", ">|": "write", "&>": "write", "&>|": "write", ">>": "append", "&>>": "append", "<>": "write",
    ">&": "write", ">>|": "append", "&>>|": "append",
}  # fmt: skip


@dataclass(slots=True)
class Plan:
    """What the redirections of one statement do.

    `stdin`: the text to be read, meaningful when `feeds`. `output`: whether standard
    output stays, goes elsewhere, or is unknown. `files`: the targets that standard
    output goes to, with their operation and what is in them before.
    """

    feeds: bool = False
    stdin: str | None = None
    output: Literal["stays", "away", "unknown"] = "stays"
    files: list[tuple[Key, TargetOp, str | None]] = field(default_factory=list)
    body: str = ""


def redirected(shell: Shell, node: Node, state: State) -> list[State]:
    """Run the statement *node* with its redirections."""
    plan = plan_of(shell, node, state)
    out, stdin = state.out, state.stdin
    if plan.feeds:
        state.stdin = plan.stdin
    if plan.output != "stays":
        state.out = ""
    permanent = _is_bare_exec(node)
    results = shell.command(node.get("Cmd"), state)
    _tell_changes(shell, node, plan, results)
    for result in results:
        if plan.feeds and not permanent:
            result.stdin = stdin
        if plan.output == "stays":
            continue
        result.out = None if permanent or plan.output == "unknown" else out
    return results


def plan_of(shell: Shell, node: Node, state: State) -> Plan:
    """Evaluate the redirections of *node* and report the files they open."""
    plan = Plan()
    for redirect in node["Redirs"]:
        shell.tick()
        op = operator(redirect)
        if op in ("<<", "<<-"):
            _document(shell, redirect, state, plan)
        elif op == "<<<":
            text = plain(join((shell.expander.text(redirect["Word"], state), literal("\n"))))
            _feed(plan, redirect, text)
        else:
            _open(shell, redirect, op, state, plan)
    return plan


def _document(shell: Shell, redirect: Node, state: State, plan: Plan) -> None:
    word, body = redirect["Word"], redirect.get("Hdoc")
    quoted = any(part["Type"] != "Lit" or "\\" in name_of(part) for part in word.get("Parts") or [])
    if body is None:
        text: str | None = ""
        delimiter = plain(shell.expander.text(word, state))
        if shell.source.line_after(redirect) not in (delimiter, None) or delimiter is None:
            opaque_part(shell, state, shell.origin(redirect), "the here-document has no body")
            text = None
    elif quoted:
        text = "".join(name_of(part) for part in body.get("Parts") or [])
    else:
        text = plain(shell.expander.document(body, state))
    if text is not None and operator(redirect) == "<<-":
        text = "".join(line.lstrip("\t") for line in text.splitlines(keepends=True))
    if body is not None:
        plan.body = shell.source.spelled(body)[:MAX_CHANGE]
    _feed(plan, redirect, text)


def _feed(plan: Plan, redirect: Node, text: str | None) -> None:
    if name_of(redirect.get("N")) in ("", "0"):
        plan.feeds, plan.stdin = True, text


def _open(shell: Shell, redirect: Node, op: str, state: State, plan: Plan) -> None:
    operands = shell.expander.fields([redirect["Word"]], state)
    if len(operands) > 1 and op in _WRITING and all(operand.text is not None for operand in operands):
        # Bash refuses this; zsh writes to each.
        for operand in operands:
            _write(shell, redirect, op, operand, state, plan)
        return
    operand = operands[0] if len(operands) == 1 else Field((None,), shell.source.spelled(redirect["Word"]))
    descriptor = name_of(redirect.get("N"))
    if descriptor.startswith("{"):
        state.assign(descriptor.strip("{}"), literal("10"))
    text = operand.text
    if op in (">&", "<&") and _duplicates(text, descriptor, op):
        _duplicate(text or "", descriptor, plan)
    elif op in ("<", "<&"):
        _feed(plan, redirect, known_text(shell.view, state, text))
    elif op in _WRITING:
        _write(shell, redirect, op, operand, state, plan)
    else:
        opaque_part(shell, state, shell.origin(redirect), f"the redirection `{op}` is not known")


def _duplicates(text: str | None, descriptor: str, op: str) -> bool:
    if text is None:
        return op == "<&" or descriptor not in ("", "1")
    return text.rstrip("-").isdigit() or text == "-" or op == "<&"


def _duplicate(text: str, descriptor: str, plan: Plan) -> None:
    if descriptor not in ("", "1") or text.startswith("1"):
        return
    plan.output = "away" if text in ("2", "-") else "unknown"


def _write(shell: Shell, redirect: Node, op: str, operand: Field, state: State, plan: Plan) -> None:
    descriptor = name_of(redirect.get("N"))
    origin = shell.origin(redirect)
    key = None
    before = known_text(shell.view, state, operand.text) if _WRITING[op] == "append" else ""
    if operand.text is None:
        opaque_part(shell, state, origin, f"the file after `{op}` is not known", operand)
    elif operand.text:
        key = shell.target(state, Touch(operand.text, _WRITING[op], op), origin)
    takes_output = descriptor in ("", "1") and op != "<>"
    if takes_output:
        same = operand.text in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
        plan.output = "stays" if same else "away"
        plan.files = []
    if key is not None and takes_output:
        plan.files = [(key, _WRITING[op], before)]
    elif key is not None:
        shell.report.change(key, ContentChange("unknown", shell.source.spelled(redirect)[:MAX_CHANGE]))


def _tell_changes(shell: Shell, node: Node, plan: Plan, results: list[State]) -> None:
    outs = {result.out for result in results}
    text = outs.pop() if len(outs) == 1 else None
    for key, op, before in plan.files:
        if text is None:
            source = f"{shell.source.spelled(node)}\n{plan.body}"
            shell.report.change(key, ContentChange("unknown", source[:MAX_CHANGE]))
        else:
            shell.report.change(key, ContentChange("append" if op == "append" else "replace", text))
            if before is not None:
                for result in results:
                    result.files[key[0]] = before + text


def _is_bare_exec(node: Node) -> bool:
    """Whether the statement is `exec` with redirections only, which then last."""
    args = (node.get("Cmd") or {}).get("Args") or []
    if len(args) != 1:
        return False
    parts = args[0].get("Parts") or []
    return len(parts) == 1 and name_of(parts[0]) == "exec"
