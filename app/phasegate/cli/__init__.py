"""The command line. `main` is the console script; each command lives in its own module."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import click

from phasegate import __version__
from phasegate.cli.output import fail
from phasegate.errors import PhasegateError

# Command name -> module and attribute. A module is imported when its command is used:
# `phasegate decide` must not wait for uvicorn, nor the hook for anything at all.
COMMANDS = {
    "serve": "phasegate.cli.serve:serve",
    "demo": "phasegate.cli.demo:demo",
    "decide": "phasegate.cli.decide:decide",
    "explain": "phasegate.cli.decide:explain",
    "targets": "phasegate.cli.decide:targets",
    "run": "phasegate.cli.run:run",
    "memory": "phasegate.cli.memory:memory",
    "log": "phasegate.cli.log:log",
    "policy": "phasegate.cli.policy:policy",
    "watch": "phasegate.cli.watch:watch",
    "hook": "phasegate.cli.hook:hook",
    "install": "phasegate.cli.install:install",
    "uninstall": "phasegate.cli.install:uninstall",
    "doctor": "phasegate.cli.doctor:doctor",
    "mcp-proxy": "phasegate.cli.mcp_proxy:mcp_proxy",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [name for name, place in COMMANDS.items() if importlib.util.find_spec(place.split(":")[0])]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name]} is not a command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Errors that we raise on purpose end as one line and their own exit code."""
        try:
            return super().invoke(ctx)
        except PhasegateError as error:
            fail(error, as_json=bool(ctx.find_root().meta.get("phasegate.json")))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="phasegate")
def cli() -> None:
    """A policy guard that enforces write ordering for AI agents."""


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the console script."""
    cli.main(args=None if argv is None else list(argv), prog_name="phasegate")
