"""`decide`, `explain` and `targets`: one proposed call, answered."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from phasegate.cli.connection import ask
from phasegate.cli.output import answer_panel, json_option, print_json, table
from phasegate.errors import InvalidRequest
from phasegate.settings import client_settings

Command = TypeVar("Command", bound=Callable[..., Any])
EXIT_DENY = 3


def call_options(command: Command) -> Command:
    """What describes a call: the tool and its arguments, then who asks."""
    for option in reversed(
        (
            click.argument("tool", required=False),
            click.argument("args", nargs=-1, metavar="[KEY=VALUE | JSON]..."),
            click.option(
                "--call", "call_file", type=click.File("rb"), help="Read the whole call as JSON; - is stdin."
            ),
            click.option("--workspace", help="Control-plane root. Default: found from --cwd."),
            click.option("--cwd", help="The tool's working directory. Default: this one."),
            click.option("--run", "run_id", help="The run that the session is bound to."),
            click.option("--mode", type=click.Choice(["strict", "advisory"])),
            click.option("--session", "session_id"),
            json_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@call_options
def decide(as_json: bool, **given: Any) -> None:
    """Decide one call and record the decision. Exit code 0 allows, 3 denies.

    \b
    phasegate decide write file_path=src/a.py content=x
    phasegate decide bash 'command=git reset --hard' --run r1
    """
    answer = ask("POST", "/v1/decisions", body=read_call(**given)).document
    print_json(answer) if as_json else answer_panel(answer)
    sys.exit(EXIT_DENY if answer["kind"] == "deny" else 0)


@click.command()
@call_options
def explain(as_json: bool, **given: Any) -> None:
    """Decide one call without recording it, and show every rule's part."""
    answer = ask("POST", "/v1/explain", body=read_call(**given)).document
    if as_json:
        print_json(answer)
        return
    answer_panel(answer)
    table(
        ("rule", "outcome", "reason"),
        [(step["rule"], step["outcome"], step["reason"]) for step in answer["trace"]],
    )


@click.command()
@call_options
def targets(as_json: bool, **given: Any) -> None:
    """Show which files one call would change, and what about it can't be known."""
    answer = ask("POST", "/v1/targets", body=read_call(**given)).document
    if as_json:
        print_json(answer)
        return
    table(
        ("op", "path", "typed as", "because of"),
        [(item["op"], item["rel"] or item["path"], item["typed"], item["via"]) for item in answer["targets"]],
    )
    for item in answer["opaque_reasons"]:
        click.echo(f"not understood: `{item['part']}`: {item['why']}")


def read_call(**given: Any) -> dict[str, Any]:
    """The request that the options describe."""
    call = _from_file(given.pop("call_file"))
    tool, args = given.pop("tool"), given.pop("args")
    if tool is not None:
        call["tool"] = tool
    if args:
        call["args"] = _arguments(args)
    if "tool" not in call:
        raise click.UsageError("name the tool, or give the whole call with --call")
    call.update({key: value for key, value in given.items() if value is not None})
    call.setdefault("cwd", str(Path.cwd()))
    call["cwd"] = str(Path(call["cwd"]).absolute())
    if "workspace" in call:
        call["workspace"] = str(Path(call["workspace"]).absolute())
    bound = client_settings().run_id
    if bound is not None:
        call.setdefault("run_id", bound)
    return call


def _from_file(stream: Any) -> dict[str, Any]:
    if stream is None:
        return {}
    try:
        call = json.loads(stream.read())
    except ValueError as error:
        raise InvalidRequest(f"`--call` is not JSON: {error}") from error
    if not isinstance(call, dict):
        raise InvalidRequest("`--call` is not a JSON object")
    return call


def _arguments(words: tuple[str, ...]) -> Any:
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return words[0]
    found = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator:
            raise click.UsageError(f"`{word}` is neither KEY=VALUE nor a JSON object")
        found[key] = value
    return found
