"""`phasegate hook`: the spawned hook by its short name. `install` writes the fast, direct form."""

from __future__ import annotations

import sys

import click

from phasegate import hook_client
from phasegate.cli.install.shell_hook import ShellHook, script


@click.command(
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": [],
    },
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def hook(words: tuple[str, ...]) -> None:
    """Ask the service about the payload on standard input: `phasegate hook RUNTIME [options]`.

    `--print-sh` as the only option prints the same hook as a POSIX sh script.
    """
    if not words or words[0] in {"-h", "--help"}:
        click.echo((hook_client.__doc__ or "").replace("hook.py", "phasegate hook"))
        return
    if words[1:2] == ("--print-sh",):
        click.echo(_script(words[0], words[2:]), nl=False)
        return
    sys.stdout.flush()
    hook_client.run(words)


def _script(runtime: str, words: tuple[str, ...]) -> str:
    options = hook_client.Options({})
    options.read([runtime, *words])
    return script(
        ShellHook(
            runtime,
            event=options.event.decode(),
            uds=options.uds.decode(),
            url=options.url.decode(),
            mode="advisory" if options.mode == b"advisory" else "strict" if options.mode else None,
            timeout=int(options.seconds),
            run=options.run.decode(),
            cwd=options.cwd.decode(),
        )
    )
