"""Acceptance cases as data: read them, and build the workspace that each describes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from support import peer

CASES = Path(__file__).resolve().parent.parent / "cases"
POLICY = ".recursive/config/recursive-permissions.json"


def load(name: str) -> list[dict[str, Any]]:
    return json.loads((CASES / name).read_text(encoding="utf-8"))


def decisions(name: str) -> list[dict[str, Any]]:
    """The cases that are a tool call (not a `#` vector) and run on this platform's file system."""
    return [case for case in load(name) if not is_vector(case) and "platform" not in case]


def is_vector(case: dict[str, Any]) -> bool:
    return str(case["call"]["tool"]).startswith("#")


def ids(cases: list[dict[str, Any]]) -> list[str]:
    return [case["id"] for case in cases]


def substitute(value: Any, root: Path) -> Any:
    """*value* with `{root}` replaced in every string."""
    if isinstance(value, str):
        return value.replace("{root}", str(root))
    if isinstance(value, list):
        return [substitute(item, root) for item in value]
    if isinstance(value, dict):
        return {key: substitute(item, root) for key, item in value.items()}
    return value


def build(case: dict[str, Any], root: Path) -> None:
    """Create the files of the case's `setup` below *root*."""
    root.mkdir(parents=True, exist_ok=True)
    setup = substitute(case["setup"], root)
    for name, descriptor in setup.get("files", {}).items():
        _write(root / name, "", name, descriptor)
    if setup.get("policy_file") is not None:
        _policy(root / POLICY, setup["policy_file"])
    runs = setup.get("runs", {})
    for run_id, run in runs.items():
        _run(root / ".recursive" / "run" / run_id, run_id, run)
    for run_id, run in runs.items():
        if run.get("mtime") is not None:
            os.utime(root / ".recursive" / "run" / run_id, (run["mtime"], run["mtime"]))


def request(case: dict[str, Any], root: Path) -> dict[str, Any]:
    """The body of a decision request for the case."""
    call = substitute(case["call"], root)
    body = {"tool": call["tool"], "args": call["args"], "workspace": str(root), "cwd": str(root)}
    if case["setup"].get("active_run") is not None:
        body["run_id"] = case["setup"]["active_run"]
    return body


def check(case: dict[str, Any], reply: dict[str, Any]) -> None:
    """Compare a reply (the documented JSON) with the case's expectation."""
    expect = case["expect"]
    assert reply["kind"] == expect["kind"], reply
    _check_rule(expect, reply)
    told = " ".join(
        [reply["reason"], reply["warning"] or "", *(finding["reason"] for finding in reply["findings"])]
    )
    for fact in expect.get("reason_mentions", []):
        assert fact in told, (fact, told)
    if "run_id" in expect:
        assert (reply["run_id"] or "") == expect["run_id"]
    if "warn" in expect:
        assert (reply["warning"] is not None) == expect["warn"]
    if "gate_block" in expect:
        assert (reply["ask"] is not None) == expect["gate_block"]
    if "transition_passed" in expect:
        transition = reply["transition"]
        assert (transition and transition["passed"]) == expect["transition_passed"]


def _check_rule(expect: dict[str, Any], reply: dict[str, Any]) -> None:
    rule = expect.get("rule")
    if rule is None:
        return
    objecting = {finding["rule"] for finding in reply["findings"]}
    if rule == "none" and "documentation-phase" in objecting:
        rule = "documentation-phase"
    assert reply["rule"] == rule, reply


def _policy(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if content == "shipped":
        content = json.loads(shipped_policy())
    if isinstance(content, dict) and "_repeat_rules" in content:
        rules = [
            {"pattern": f"tool_{index}", "verdict": "deny", "reason": "generated"}
            for index in range(content["_repeat_rules"])
        ]
        content = {"version": 1, "rules": [*rules, {"pattern": "*", "verdict": "allow", "reason": "ok"}]}
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")


def shipped_policy() -> str:
    return (CASES.parent.parent / "policies" / "recursive-permissions.json").read_text(encoding="utf-8")


def _run(run_dir: Path, run_id: str, run: dict[str, Any]) -> None:
    run_dir.mkdir(parents=True, exist_ok=True)
    files = run.get("files", {})
    late = {name: item for name, item in files.items() if item["kind"] == "receipt"}
    for name, descriptor in files.items():
        if name not in late:
            _write(run_dir / name, run_id, name, descriptor)
    for name in late:
        stem = Path(name).name.removesuffix(".receipt.json")
        _text(run_dir / name, peer.lock_receipt(run_dir, f"{stem}.md"))
    if run.get("receipts", True):
        _add_receipts(run_dir)


def _add_receipts(run_dir: Path) -> None:
    for name in peer.SEQUENCE:
        path = run_dir / name
        receipt = run_dir / "locks" / f"{name.removesuffix('.md')}.receipt.json"
        wanted = path.is_file() and not receipt.exists()
        if wanted and peer.status(path.read_bytes().decode("utf-8", "replace")) == "LOCKED":
            _text(receipt, peer.lock_receipt(run_dir, name))


def _write(path: Path, run_id: str, name: str, descriptor: dict[str, Any]) -> None:
    kind = descriptor["kind"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in ("draft", "locked", "stale"):
        _text(path, peer.artifact_text(run_id or "none", Path(name).name, kind, descriptor.get("body", "")))
    elif kind == "seal":
        _text(path, peer.seal(descriptor["text"]))
    elif kind == "raw":
        _text(path, descriptor["text"])
    elif kind == "reads":
        _text(path, peer.read_rows(descriptor["phases"]))
    elif kind == "symlink":
        path.symlink_to(descriptor["to"])
    elif kind == "dir":
        path.mkdir(exist_ok=True)
    elif kind == "repeat":
        _text(
            path,
            descriptor.get("prefix", "")
            + descriptor["char"] * descriptor["count"]
            + descriptor.get("suffix", ""),
        )
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(descriptor["size"])
    else:
        raise AssertionError(f"unknown descriptor {kind}")


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
