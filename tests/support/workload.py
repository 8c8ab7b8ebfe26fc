"""The decision route's standard workload: a 400-byte write into a run of twelve artifacts, a policy and receipts."""

from __future__ import annotations

import json
from pathlib import Path

from support import cases, peer

RUN = "r1"
ACTIVE = peer.SEQUENCE[-1]


def build_workspace(root: Path, runs: int = 1) -> None:
    """Twelve artifacts of 2 to 8 KB, eleven locked; a policy file; read receipts. *runs* of them."""
    files = {
        name: {
            "kind": "draft" if name == ACTIVE else "locked",
            "body": "text of a line\n" * (130 + 35 * index),
        }
        for index, name in enumerate(peer.SEQUENCE)
    }
    files["memory-injections.json"] = {"kind": "reads", "phases": [peer.SEQUENCE[0]]}
    names = [RUN, *(f"run-{number}" for number in range(1, runs))]
    policy = {
        "version": 1,
        "rules": [
            *(
                {"pattern": f"internal_{number}*", "verdict": "deny", "reason": "not for agents"}
                for number in range(19)
            ),
            {"pattern": "*", "verdict": "allow", "reason": "nothing objects"},
        ],
    }
    setup = {"policy_file": policy, "runs": {name: {"files": files} for name in names}}
    cases.build({"setup": setup}, root)


def call(root: Path, run: str = RUN, artifact: str = ACTIVE) -> dict[str, object]:
    return {
        "tool": "write",
        "args": {"file_path": f".recursive/run/{run}/{artifact}", "content": "a line of text\n" * 27},
        "workspace": str(root),
        "cwd": str(root),
        "run_id": run,
        "runtime": "claude-code",
        "session_id": "session-1",
        "agent_id": "agent-1",
        "call_id": "call-1",
    }


def body(root: Path, run: str = RUN, artifact: str = ACTIVE) -> bytes:
    return json.dumps(call(root, run, artifact)).encode()


def versions(root: Path, count: int) -> list[bytes]:
    """The same write *count* times, each with another text and call id, as an agent sends it."""
    made = []
    for number in range(count):
        value = call(root) | {"call_id": f"call-{number}"}
        value["args"] = {**value["args"], "content": f"line {number:09}\n" * 27}
        made.append(json.dumps(value).encode())
    return made


def strangers(root: Path, count: int) -> list[bytes]:
    """*count* calls of which no two are about the same file: nothing found out for one serves another."""
    made = []
    for number in range(count):
        value = call(root) | {"call_id": f"call-{number}"}
        value["args"] = {**value["args"], "file_path": f"src/module_{number}.py"}
        made.append(json.dumps(value).encode())
    return made
