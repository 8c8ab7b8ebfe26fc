"""What commands print: text for people, JSON for programs, errors with their exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from phasegate.errors import PhasegateError

Command = TypeVar("Command", bound=Callable[..., Any])
_UNCUT = 4000
_STYLES = {"allow": "green", "deny": "bold red", "ask": "yellow", "LOCKED": "green", "STALE_LOCK": "red"}


def json_option(command: Command) -> Command:
    """`--json`: print the API's own JSON, errors included."""

    def remember(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        del param
        ctx.find_root().meta["phasegate.json"] = value
        return value

    return click.option(
        "--json", "as_json", is_flag=True, is_eager=True, callback=remember, help="Print JSON for programs."
    )(command)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def console() -> Console:
    """Where people read. Not a terminal: no colour, and lines that are not cut."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _UNCUT, soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows; an answer word is coloured wherever it stands."""
    shown = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        shown.add_row(*(styled(cell) for cell in row))
    console().print(shown)


def styled(cell: Any) -> str:
    text = escape("" if cell is None else printable(str(cell)))
    style = _STYLES.get(str(cell))
    return f"[{style}]{text}[/]" if style else text


def printable(text: str) -> str:
    """*text* on one line, without characters that would move a terminal's cursor."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def answer_panel(answer: Mapping[str, Any]) -> None:
    """One decision for a person."""
    out = console()
    out.print(f"{styled(answer['kind'])}  {escape(answer['rule'])} ({answer['mode']})")
    lines = [answer["reason"], answer["remedy"]["text"], *answer["warnings"]]
    if answer["kind"] == "allow" and answer["warning"]:
        lines[0] = f"warning: {answer['warning']}"
    for line in lines:
        if line:
            out.print(f"  {escape(printable(line))}")


def fail(error: PhasegateError, *, as_json: bool) -> NoReturn:
    """Print *error* to standard error and exit with its own code."""
    if as_json:
        problem = {"code": error.code, "detail": error.detail, "remedy": error.remedy, "errors": error.errors}
        click.echo(json.dumps(problem, ensure_ascii=False), err=True)
    else:
        click.echo(f"phasegate: {error.detail}" + (f"; {error.remedy}" if error.remedy else ""), err=True)
        for item in (item for item in error.errors if "problem" in item):
            click.echo(f"  {item.get('field', '')}: {item.get('problem', '')}", err=True)
    sys.exit(error.exit_code)
