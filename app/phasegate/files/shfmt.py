"""The shell parser: mvdan/sh, through its `shfmt` binary."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson

MAX_TEXT = 1 << 20
"""Characters of a text that is parsed."""

MAX_OUTPUT = 16 << 20
"""Bytes of a tree; it takes about 300 bytes for each byte of dense text."""

TIME_LIMIT_S = 2.0
CACHED = 512
CACHED_TEXT = 1 << 14
"""Characters of a text whose tree is remembered."""

_PIPE = 1 << 12
# Stand-ins for a carriage return, which the parser would drop; one byte, so that
# positions stay right.
_STAND_INS = "\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17"


class ShfmtParser:
    """Implements `phasegate.core.ports.ShellParser`. Safe for use by several threads.

    *binary* is found beside this Python first, then on the search path; without one
    every text counts as one that does not parse.
    """

    def __init__(self, binary: str | None = None, *, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._binary = find_binary() if binary is None else binary
        self._time_limit_s = time_limit_s
        self._trees: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def binary(self) -> str | None:
        """The program in use, for diagnosis."""
        return self._binary

    def parse(self, text: str) -> Mapping[str, Any] | None:
        """The AST of *text*, or None when it does not parse or a bound was hit."""
        if self._hopeless(text):
            return None
        known = self.remembered(text)
        if known is not None:
            return known
        tree = self._parse(text)
        # A failure is not remembered: it may have been the time limit on a busy machine.
        if tree is not None and len(text) <= CACHED_TEXT:
            with self._lock:
                self._trees[text] = tree
                while len(self._trees) > CACHED:
                    self._trees.popitem(last=False)
        return tree

    def remembered(self, text: str) -> Mapping[str, Any] | None:
        """The AST of *text* if it was parsed before; no process is started."""
        with self._lock:
            tree = self._trees.get(text)
            if tree is not None:
                self._trees.move_to_end(text)
            return tree

    def at_once(self, text: str) -> bool:
        """Whether `parse` would answer without starting a process."""
        return self._hopeless(text) or self.remembered(text) is not None

    def _hopeless(self, text: str) -> bool:
        return self._binary is None or len(text) > MAX_TEXT or "\0" in text

    def _parse(self, text: str) -> Mapping[str, Any] | None:
        stand_in = ""
        if "\r" in text:
            stand_in = next((char for char in _STAND_INS if char not in text), "")
            # The escape of the stand-in must not be spelled out in the text either.
            if not stand_in or "\\u00" in text:
                return None
        try:
            data = text.replace("\r", stand_in).encode() if stand_in else text.encode()
        except UnicodeEncodeError:
            return None
        raw = self._run(data)
        if raw is None:
            return None
        if stand_in:
            raw = raw.replace(f"\\u{ord(stand_in):04x}".encode(), b"\\r")
        try:
            tree = orjson.loads(raw)
        except orjson.JSONDecodeError:
            # Nested more deeply than the JSON reader goes.
            return None
        return tree if isinstance(tree, dict) else None

    def _run(self, data: bytes) -> bytes | None:
        with contextlib.ExitStack() as stack:
            try:
                process = subprocess.Popen(  # noqa: S603 (fixed argv, no shell, text on stdin)
                    [self._binary or "", "--to-json", "-ln", "bash"],
                    stdin=stack.enter_context(_as_file(data)) if len(data) > _PIPE else subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                return None
            stack.enter_context(process)
            timer = threading.Timer(self._time_limit_s, process.kill)
            timer.daemon = True
            timer.start()
            try:
                output = _exchange(process, data)
            finally:
                timer.cancel()
            if output is None:
                process.kill()
                return None
            return output if process.wait() == 0 else None


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes | None:
    """Feed *data* and read the output; None when there is too much of it."""
    if process.stdin is not None:
        # Shorter than a pipe holds, so writing before reading can't block.
        with contextlib.suppress(OSError):
            process.stdin.write(data)
            process.stdin.close()
    if process.stdout is None:
        return None
    output = process.stdout.read(MAX_OUTPUT + 1)
    return None if len(output) > MAX_OUTPUT else output


@contextlib.contextmanager
def _as_file(data: bytes) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def find_binary() -> str | None:
    """The `shfmt` beside this Python, else the one on the search path."""
    name = "shfmt.exe" if sys.platform == "win32" else "shfmt"
    beside = Path(sysconfig.get_path("scripts")) / name
    return str(beside) if beside.is_file() else shutil.which("shfmt")
