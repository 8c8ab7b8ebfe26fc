"""Looking at a directory as a value, and cutting a process short at one file operation."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from phasegate.files.steps import observed_by


class Cut(BaseException):
    """The process would have ended here."""


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def tree(directory: Path) -> dict[str, bytes | str]:
    """Every file below *directory* with its bytes; links with their text, directories with `/`."""
    found: dict[str, bytes | str] = {}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name + "/"] = ""
        else:
            found[name] = path.read_bytes() if path.is_file() else "special"
    return found


def moments_of(work: Callable[[], object]) -> list[str]:
    """The moments before and after each file operation of *work*."""
    seen: list[str] = []
    with observed_by(seen.append):
        work()
    return seen


def cut_at(number: int) -> AbstractContextManager[None]:
    """Raise `Cut` at the given moment, counted from 1."""
    seen: list[str] = []

    def observer(moment: str) -> None:
        seen.append(moment)
        if len(seen) == number:
            raise Cut(moment)

    return observed_by(observer)


def kill_at(number: int, work: Callable[[], object]) -> bool:
    """Run *work* in a child that is killed (SIGKILL) at the given moment; False when it ended before."""
    pid = os.fork()
    if pid == 0:
        seen: list[str] = []

        def observer(moment: str) -> None:
            seen.append(moment)
            if len(seen) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            with observed_by(observer):
                work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def killed_everywhere(work: Callable[[], object]) -> Iterator[int]:
    """Kill *work* at its first moment, then its second, ...; yields after each kill."""
    number = 1
    while kill_at(number, work):
        yield number
        number += 1
