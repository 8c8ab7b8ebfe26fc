"""A whole run through HTTP, from its start to a complete verified chain, and nothing out of order on the way."""

import json

import pytest

from support.inprocess import guard
from support.peer import SEQUENCE, content_hash, lock_receipt, status
from support.plane import canonical, write

LAST = SEQUENCE[-1]
EPISODE = ".recursive/memory/episodes/r1.md"


def text_of(name: str) -> str:
    """What an agent would write: everything the phase is asked for, and no open ends."""
    lines = ["Run: `/.recursive/run/r1/`", f"Phase: `{name[:2]}`", "Status: `DRAFT`", ""]
    lines += ["## TODO", "", "- [x] all done", "", "## Effective Inputs Re-read", "", "all of them", ""]
    lines += ["TDD Mode: strict", "RED: evidence/red.log", "GREEN: evidence/green.log", ""]
    lines += ["QA Execution Mode: agent", "", "Audit: PASS", "", "## Requirement Completion Status", ""]
    lines += ["Delegation Decision Basis: none needed", ""]
    lines += ["## Affected Memory Docs", "", f"- `{EPISODE}`", ""]
    return "\n".join(lines)


def path_of(name: str) -> str:
    return f".recursive/run/r1/{name}"


class Walk:
    """An agent that asks before every write, and writes only what it may."""

    def __init__(self, door, root):
        self.door = door
        self.root = root
        self.run = root / ".recursive/run/r1"

    def ask(self, name, content):
        args = {"file_path": path_of(name), "content": content}
        return self.door.decide("Write", args, run_id="r1", cwd=str(self.root))

    def write(self, name):
        reply = self.ask(name, text_of(name))
        assert reply["kind"] == "allow", reply["reason"]
        (self.run / name).write_text(text_of(name))
        return reply

    def enter(self):
        reply = self.door.post("/v1/runs/r1/phase", {})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def lock(self, name):
        return self.door.post("/v1/runs/r1/locks", {"artifact": name})


@pytest.fixture(params=["strict", "advisory"])
def walk(request, tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    with guard({"repo": root}, tmp_path, mode=request.param) as door:
        yield Walk(door, root), request.param


def test_twelve_artifacts_from_start_to_a_verified_chain(walk):
    agent, mode = walk
    door = agent.door
    refused = "deny" if mode == "strict" else "allow"
    started = door.post("/v1/runs", {"run_id": "r1", "title": "Fix the parser"})
    assert started.status_code == 201
    (agent.run / "evidence/red.log").write_text("1 failed\n")
    (agent.run / "evidence/green.log").write_text("1 passed\n")

    unread = agent.ask(SEQUENCE[0], text_of(SEQUENCE[0]))
    assert (unread["kind"], unread["rule"]) == (refused, "memory-read")

    for position, name in enumerate(SEQUENCE):
        entered = agent.enter()
        assert entered["phase"] == name
        assert entered["requiredSections"]
        if position + 1 < len(SEQUENCE):
            early = agent.ask(SEQUENCE[-1], "x")
            assert (early["kind"], early["rule"]) == (refused, "phase-order")
            out_of_order = agent.lock(SEQUENCE[-1])
            assert out_of_order.status_code == 409
        if name == LAST:
            unpromoted = agent.lock(name)
            assert unpromoted.status_code == 409
            write(
                agent.root, "episodes/r1.md", canonical("# Lesson\nlock first\n", runs="r1", kind="episode")
            )
        agent.write(name)
        locked = agent.lock(name)
        assert locked.status_code == 201, locked.text
        again = agent.lock(name)
        assert again.status_code == 409
        touched = agent.ask(name, "x")
        assert (touched["kind"], touched["rule"]) == (refused, "locked-write")

    assert locked.json()["settled"] == []
    finished = door.post("/v1/runs/r1/phase", {})
    assert finished.status_code == 409
    report = door.get("/v1/runs/r1/verify").json()
    assert (report["ok"], report["checked"], report["problems"]) == (True, 12, [])
    view = door.get("/v1/runs/r1").json()
    assert {artifact["status"] for artifact in view["artifacts"]} == {"LOCKED"}
    assert door.post("/v1/observations", {"run_id": "r1"}).json()["tampered"] == []

    verify_as_the_peer_does(agent.run)


def verify_as_the_peer_does(directory):
    for name in SEQUENCE:
        text = (directory / name).read_text()
        assert status(text) == "LOCKED"
        fields = json.loads((directory / "locks" / f"{name.removesuffix('.md')}.receipt.json").read_text())
        assert fields["artifact_hash"] == content_hash(text)
        again = json.loads(lock_receipt(directory.resolve(), name))
        assert fields["prerequisite_hashes"] == again["prerequisite_hashes"]


def test_what_is_done_behind_the_guards_back_is_recorded(walk):
    agent, _ = walk
    agent.door.post("/v1/runs", {"run_id": "r1"})
    agent.enter()
    agent.write(SEQUENCE[0])
    assert agent.lock(SEQUENCE[0]).status_code == 201
    with (agent.run / SEQUENCE[0]).open("a") as file:
        file.write("one line more\n")

    seen = agent.door.post("/v1/observations", {"paths": [path_of(SEQUENCE[0])]}).json()

    assert [tamper["kind"] for tamper in seen["tampered"]] == ["edited"]
    (record,) = agent.door.get("/v1/decisions", type="tamper").json()["items"]
    assert record["run_id"] == "r1"


def test_memory_that_was_shown_counts_once_the_run_is_closed(walk):
    agent, _ = walk
    write(agent.root, "episodes/r1.md", canonical("# Parser lesson\nparser\n", runs="r1", kind="episode"))
    book = agent.root / ".recursive/memory/.feedback.json"
    agent.door.post("/v1/runs", {"run_id": "r1", "title": "Fix the parser"})
    for name in SEQUENCE:
        entered = agent.enter()
        assert ("Parser lesson" in entered["memory"]) == (name == SEQUENCE[0])
        agent.write(name)
        assert not book.exists()
        assert agent.lock(name).status_code == 201

    assert json.loads(book.read_text())["episodes/r1.md"]["applied"] == 1
    assert agent.door.post("/v1/observations", {"run_id": "r1"}).json()["tampered"] == []


def test_reopening_says_what_no_longer_stands(walk):
    agent, _ = walk
    agent.door.post("/v1/runs", {"run_id": "r1"})
    for name in SEQUENCE[:3]:
        agent.enter()
        agent.write(name)
        assert agent.lock(name).status_code == 201

    reply = agent.door.post(
        "/v1/runs/r1/reopen", {"artifact": SEQUENCE[0], "reason": "a requirement was missing"}
    ).json()

    assert reply["stale"] == list(SEQUENCE[1:3])
    view = agent.door.get("/v1/runs/r1").json()
    states = {artifact["name"]: artifact["status"] for artifact in view["artifacts"]}
    assert [states[name] for name in SEQUENCE[:3]] == ["DRAFT", "STALE_LOCK", "STALE_LOCK"]
    assert view["next_phase"] == SEQUENCE[0]
    report = agent.door.get("/v1/runs/r1/verify").json()
    assert report["ok"] is True
