"""A guard in process over a scratch workspace, for tests of tricks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from phasegate.api.models import parse_call
from phasegate.service import Service, open_service
from phasegate.settings import load_settings
from support import cases, peer

ALL_LOCKED = "L" * len(peer.SEQUENCE)
KINDS = {"L": "locked", "d": "draft", "s": "stale"}


class Guarded:
    """`decide` asks; `root` is the workspace. `run` makes a run from one letter an artifact."""

    def __init__(self, root: Path, service: Service) -> None:
        self.root = root
        self.service = service

    def run(
        self, statuses: str, run_id: str = "r1", *, read: bool = True, policy: Any = None, **files: Any
    ) -> Path:
        named = {
            name: {"kind": KINDS[letter]}
            for name, letter in zip(peer.SEQUENCE, statuses, strict=False)
            if letter != "-"
        }
        if read:
            named["memory-injections.json"] = {"kind": "reads", "phases": [peer.SEQUENCE[0]]}
        setup = {"runs": {run_id: {"files": named | files}}, "policy_file": policy}
        cases.build({"setup": setup}, self.root)
        return self.root / ".recursive" / "run" / run_id

    def decide(self, tool: str, args: Any = None, **fields: Any) -> dict[str, Any]:
        body = {"tool": tool, "args": args, "workspace": str(self.root), "cwd": str(self.root), **fields}
        return self.service.explain(parse_call(json.dumps(body).encode()))

    def bash(self, command: str, **fields: Any) -> dict[str, Any]:
        return self.decide("Bash", {"command": command}, **fields)

    def answer(self, tool: str, args: Any = None, **fields: Any) -> tuple[str, str]:
        reply = self.decide(tool, args, **fields)
        return reply["kind"], reply["rule"]


@contextmanager
def guarded(base: Path, mode: str = "strict", also: Sequence[str] = (), **settings: Any) -> Iterator[Guarded]:
    root = base / "repo"
    root.mkdir(parents=True)
    flags = {"workspace": [f"repo={root}", *also], "mode": mode, "data": str(base / "data"), **settings}
    service = open_service(load_settings(flags, environ={"HOME": str(base)}))
    try:
        yield Guarded(root, service)
    finally:
        asyncio.run(service.close())
