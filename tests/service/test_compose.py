"""What the settings change about the service that is put together from them."""

from __future__ import annotations

import json

import pytest

from support import inprocess

LOCKED = ".recursive/run/r1/00-requirements.md"
MIRROR = ".recursive/config/guard-decisions.jsonl"


def rows(root):
    return [json.loads(line) for line in (root / MIRROR).read_text().splitlines()]


def test_the_peers_own_log_is_not_written_unless_asked_for(strict, root):
    strict.decide("write", {"file_path": LOCKED})

    assert not (root / MIRROR).exists()


def test_the_peers_own_log_is_kept_when_it_is_asked_for(root, tmp_path):
    with inprocess.guard({"repo": root}, tmp_path, mirror=True) as guard:
        denied = guard.decide("write", {"file_path": LOCKED})
        guard.decide("read", {"file_path": LOCKED})

    assert [(row["tool"], row["kind"]) for row in rows(root)] == [("write", "deny"), ("read", "allow")]
    assert rows(root)[0] == {
        "at": denied["at"],
        "runId": "r1",
        "tool": "write",
        "kind": "deny",
        "rule": "locked-write",
        "reason": denied["reason"],
    }


def test_a_found_workspace_below_a_root_has_its_own(tmp_path):
    projects = tmp_path / "projects"
    inprocess.make_run(projects / "one")
    with inprocess.guard({}, tmp_path, workspace_root=str(projects), mirror=True) as guard:
        guard.decide("read", cwd=str(projects / "one"))

    assert [row["tool"] for row in rows(projects / "one")] == ["read"]


@pytest.mark.parametrize("mirror", [True, False])
def test_no_control_directory_is_made_for_it(tmp_path, mirror):
    plain = tmp_path / "plain"
    plain.mkdir()
    with inprocess.guard({"plain": plain}, tmp_path, mirror=mirror) as guard:
        assert guard.decide("write", {"file_path": "a"})["kind"] == "allow"

    assert list(plain.iterdir()) == []
