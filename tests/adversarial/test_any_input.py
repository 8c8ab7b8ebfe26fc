"""No call, path or content makes the guard raise: what it can't make sense of it decides all the same.

An exception inside a judgement would become a denial (or, in advisory mode, a warning), so
the count of such failures is what is looked at, not only the answer.
"""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phasegate.core.call import ToolCall
from phasegate.service import open_service
from phasegate.settings import load_settings
from support import inprocess, peer

RUN = ".recursive/run/r1"
TOOLS = (
    *("write", "Edit", "apply_patch", "bash", "multi_edit", "delete_file", "mcp__fs__move_file", "run_code"),
    *("recursive_lock", "recursive_phase", "read", "made_up", "\u212a", ""),
)
KEYS = (
    *("file_path", "path", "command", "target", "paths", "edits", "patch", "input", "content", "cwd"),
    *("old_string", "new_string", "artifact", "runId", "phase", "code", "reopen", "destination"),
)
NAMES = (
    *(f"{RUN}/{name}" for name in peer.SEQUENCE[:4]),
    *(f"{RUN}/memory-injections.json", f"{RUN}/locks/00-requirements.receipt.json", RUN, ".recursive", "/"),
    *(
        "src/a.py",
        "a\0b",
        "a\nb",
        "../../..",
        "~",
        "~nobody/x",
        "file:///etc/passwd",
        "C:\\x",
        "\\\\?\\C:\\x",
    ),
    *("\udc80", "x" * 5_000, "a/" * 600, "//", " ", "\u202e", "./././"),
)
COMMANDS = tuple(
    template.format(name)
    for name in NAMES[:6]
    for template in ("echo x > {}", "sed -i s/a/b/ {}", "rm -rf {}", "cat <<E >{}\nE", "$(({}", "mv {} 'x")
)
PATCHES = (
    f"*** Begin Patch\n*** Update File: {NAMES[0]}\n@@\n-a\n+b\n*** End Patch",
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
)
TEXTS = st.one_of(st.sampled_from((*NAMES, *COMMANDS, *PATCHES)), st.text(max_size=40))
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=6,
)
ARGS = st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=8)), VALUES, max_size=4)
LINES = st.sampled_from(
    ["Status: LOCKED", "Status: `DRAFT`", "LockedAt: x", "LockHash: " + "f" * 64, "TDD Mode: strict", "RED: a,b",
     "GREEN: ../..", "```", "\0", "\u2028", "[", '{"a":', "null", "é"]
)  # fmt: skip
CONTENTS = st.one_of(st.binary(max_size=60), st.lists(LINES, max_size=6).map("\n".join).map(str.encode))

look = partial(
    settings, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150
)


@pytest.fixture(params=["strict", "advisory"])
def guard(request, tmp_path):
    root = tmp_path / "repo"
    inprocess.make_run(root)
    flags = {"workspace": [str(root)], "data": str(tmp_path / "data"), "mode": request.param}
    service = open_service(load_settings(flags, {"HOME": str(tmp_path)}))
    yield service, root
    service.discard()


def judged(service, call):
    decision = service.judge.judge(call, traced=True).decision
    assert decision.kind in ("allow", "deny")
    assert decision.reason == decision.reason.strip()
    assert "\n" not in decision.reason
    assert service.counters.failures == 0
    assert "error" not in {step.outcome for step in decision.trace}


@look()
@given(
    tool=st.one_of(st.sampled_from(TOOLS), st.text(max_size=20)),
    args=ARGS,
    run_id=st.one_of(st.none(), TEXTS),
)
def test_no_call_makes_the_guard_raise(guard, tool, args, run_id):
    service, root = guard

    judged(service, ToolCall(tool, args, cwd=str(root), run_id=run_id))


@look()
@given(
    name=st.sampled_from([NAMES[0], NAMES[2], NAMES[4], NAMES[5]]),
    content=CONTENTS,
    tool=st.sampled_from(["write", "edit", "bash", "recursive_lock"]),
)
def test_no_content_of_a_runs_files_makes_the_guard_raise(guard, name, content, tool):
    service, root = guard
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    args = {
        "file_path": NAMES[2],
        "command": f"sed -i s/DRAFT/LOCKED/ {NAMES[2]}",
        "old_string": "Status",
        "new_string": "Status: LOCKED\n",
        "artifact": peer.SEQUENCE[5],
        "runId": "r1",
    }

    judged(service, ToolCall(tool, args, cwd=str(root), run_id="r1"))


@look()
@given(
    content=st.one_of(
        st.binary(max_size=60), VALUES.map(repr).map(lambda text: text.encode("utf-8", "replace"))
    )
)
def test_no_policy_file_makes_the_guard_raise(guard, content):
    service, root = guard
    path = root / ".recursive/config/recursive-permissions.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)

    judged(service, ToolCall("write", {"file_path": "a"}, cwd=str(root)))
