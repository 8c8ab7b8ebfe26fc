"""What commands print: text for people, JSON for programs, errors with their exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

from phasegate.errors import PhasegateError

Command = TypeVar("Command", bound=Callable[..., Any])


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


def fail(error: PhasegateError, *, as_json: bool) -> NoReturn:
    """Print *error* to standard error and exit with its own code."""
    if as_json:
        problem = {"code": error.code, "detail": error.detail, "remedy": error.remedy, "errors": error.errors}
        click.echo(json.dumps(problem, ensure_ascii=False), err=True)
    else:
        click.echo(f"phasegate: {error.detail}" + (f"; {error.remedy}" if error.remedy else ""), err=True)
        for item in error.errors:
            click.echo(f"  {item.get('field', '')}: {item.get('problem', '')}", err=True)
    sys.exit(error.exit_code)
