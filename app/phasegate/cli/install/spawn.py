"""The hook as it is installed: the fast direct form with absolute paths, or one of its variants."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from phasegate import hook as hook_module
from phasegate.cli.install.shell_hook import ShellHook, script

Mode = Literal["strict", "advisory"]
Transport = Literal["command", "http", "sh"]

RUNTIME_TIMEOUT = 10
"""Seconds that the runtime is told to wait; the hook gives up earlier and says why."""

HOOK_TIMEOUT = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to install: where the service is, the failure mode, how to reach it.

    `mode` None leaves the mode to the service and fails closed. `autostart` is the
    command line that starts the service, empty for none. `scripts` is where `sh`
    variants are put, `directory` the project of a project installation.
    """

    uds: str = ""
    url: str = ""
    mode: Mode | None = None
    transport: Transport = "command"
    run: str = ""
    token_file: str = ""
    has_token: bool = False
    autostart: tuple[str, ...] = ()
    scripts: Path = Path()
    directory: Path | None = None
    python: str = field(default_factory=lambda: str(Path(sys.executable).resolve()))

    @property
    def closed(self) -> bool:
        """Whether the runtime's own fail-closed switch is to be set."""
        return self.mode != "advisory"


@dataclass(frozen=True, slots=True)
class Hook:
    """One event of one runtime."""

    runtime: str
    event: str
    wanted: Wanted

    def argv(self) -> list[str]:
        """The command as words."""
        if self.wanted.transport == "sh":
            return ["sh", str(self.script_path())]
        wanted = self.wanted
        words = [wanted.python, "-I", "-S", "-B", str(Path(hook_module.__file__).resolve()), self.runtime]
        words += ["--event", self.event]
        words += ["--uds", wanted.uds] if wanted.uds else ["--url", wanted.url]
        for flag, value in (
            ("--mode", wanted.mode),
            ("--run", wanted.run),
            ("--token-file", wanted.token_file),
            ("--cwd", self._cwd()),
        ):
            words += [flag, value] if value else []
        words += ["--timeout", str(HOOK_TIMEOUT)]
        return [*words, "--autostart", *wanted.autostart] if wanted.autostart else words

    def command(self) -> str:
        """The command as a POSIX shell line."""
        return shlex.join(self.argv())

    def url(self) -> str:
        """The address of an HTTP hook."""
        query = f"?event={self.event}" + (f"&mode={self.wanted.mode}" if self.wanted.mode else "")
        query += f"&run={self.wanted.run}" if self.wanted.run else ""
        return f"{self.wanted.url.rstrip('/')}/v1/hooks/{self.runtime}{query}"

    def script_path(self) -> Path:
        return self.wanted.scripts / f"phasegate-hook-{self.runtime}-{self.event}.sh"

    def script_text(self) -> str:
        """The `sh` variant."""
        wanted = self.wanted
        return script(
            ShellHook(
                self.runtime,
                event=self.event,
                uds=wanted.uds,
                url=wanted.url,
                mode=wanted.mode,
                timeout=HOOK_TIMEOUT,
                run=wanted.run,
                cwd=self._cwd(),
            )
        )

    def _cwd(self) -> str:
        """The project's directory where the runtime's payload does not name one."""
        silent = self.runtime in {"vscode", "windsurf-cascade"}
        return str(self.wanted.directory) if silent and self.wanted.directory is not None else ""
