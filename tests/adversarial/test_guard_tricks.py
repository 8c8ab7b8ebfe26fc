"""Ways round the guard, each named after its trick, on a real run directory."""

from __future__ import annotations

import json
import os

import pytest

from support.guarded import ALL_LOCKED, guarded

RUN = ".recursive/run/r1"
LOCKED = f"{RUN}/00-requirements.md"
PLAN = f"{RUN}/02-to-be-plan.md"
ARTIFACT_8 = f"{RUN}/08-memory-impact.md"
DENIED = ("deny", "locked-write")


@pytest.fixture
def guard(tmp_path):
    with guarded(tmp_path) as found:
        yield found


@pytest.fixture
def run(guard):
    return guard.run("Ld")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write", {"file_path": "src/ok.ts", "path": LOCKED}),
        ("write", {"path": "src/ok.ts", "file_path": LOCKED}),
        ("edit", {"edits": [{"file_path": "src/ok.ts"}, {"file_path": LOCKED}]}),
        ("write", {"file_path": [LOCKED]}),
        ("write_file", {"uri": f"file:{LOCKED}"}),
        ("write_file", {"filename": LOCKED}),
        ("copy_file", {"source": "src/ok.ts", "dest": LOCKED}),
        ("move_file", {"source": LOCKED, "destination": "x.md"}),
        ("write", f'{{"file_path": "{LOCKED}"}}'),
        ("write", {"file_path": "00-requirements.md", "cwd": RUN}),
    ],
)
def test_a_decoy_or_an_unusual_argument_hides_nothing(guard, run, tool, args):
    assert guard.answer(tool, args) == DENIED


@pytest.mark.parametrize(
    "tool",
    ["Write", "Edit", "MultiEdit", "NotebookEdit", "multi_edit", "delete_file", "fs_delete", "mcp__fs__write_file",
     "str_replace_editor", "create_file", "WriteFile", "replace", "write_to_file", "fs-write", "FS_WRITE"],
)  # fmt: skip
def test_another_tool_name_is_the_same_tool(guard, run, tool):
    args = {"file_path": LOCKED, "notebook_path": LOCKED, "path": LOCKED, "command": "str_replace"}
    assert guard.answer(tool, args) == DENIED


@pytest.mark.parametrize("key", ["input", "patch", "command", "patchText"])
def test_a_patch_is_read_wherever_its_text_sits(guard, run, key):
    patch = f"*** Begin Patch\n*** Update File: {LOCKED}\n@@\n-a\n+b\n*** End Patch"
    assert guard.answer("apply_patch", {key: patch}) == DENIED


@pytest.mark.parametrize(
    "spelling", [f"{LOCKED}/.", f"{LOCKED}/", f" {LOCKED} ", f"./{LOCKED}", f"src/../{LOCKED}"]
)
def test_another_spelling_is_the_same_file(guard, run, spelling):
    assert guard.answer("write", {"file_path": spelling}) == DENIED


def test_a_link_to_a_locked_file_is_that_file(guard, run):
    (guard.root / "innocent.txt").symlink_to(run / "00-requirements.md")
    assert guard.answer("write", {"file_path": "innocent.txt"}) == DENIED


def test_a_hard_link_to_a_locked_file_is_that_file(guard, run):
    os.link(run / "00-requirements.md", guard.root / "innocent.txt")
    assert guard.answer("write", {"file_path": "innocent.txt"}) == DENIED
    assert guard.bash("echo x > innocent.txt")["rule"] == "locked-write"


def test_a_linked_control_directory_is_still_guarded(guard, run, tmp_path):
    (guard.root / ".recursive").rename(tmp_path / "elsewhere")
    (guard.root / ".recursive").symlink_to(tmp_path / "elsewhere")

    assert guard.answer("write", {"file_path": LOCKED}) == DENIED
    assert (
        guard.answer("write", {"file_path": str(tmp_path / "elsewhere/run/r1/00-requirements.md")}) == DENIED
    )


def test_a_fifo_or_a_device_in_an_artifacts_place_hangs_nothing(guard):
    run = guard.run("-d")
    os.mkfifo(run / "00-requirements.md")
    assert guard.answer("write", {"file_path": PLAN})[0] == "deny"
    (run / "00-requirements.md").unlink()
    (run / "00-requirements.md").symlink_to("/dev/zero")
    assert guard.answer("write", {"file_path": PLAN})[0] == "deny"


@pytest.mark.parametrize("tool", ["", "  ", "\t"])
@pytest.mark.parametrize("mode", ["strict", "advisory"])
def test_a_call_without_a_name_is_refused(tmp_path, tool, mode):
    with guarded(tmp_path, mode) as guard:
        assert guard.answer(tool, {}) == ("deny", "none")


@pytest.mark.parametrize("args", [[], 7, "text", '["a"]', True])
@pytest.mark.parametrize("mode", ["strict", "advisory"])
def test_arguments_that_are_no_object_are_refused(tmp_path, args, mode):
    with guarded(tmp_path, mode) as guard:
        assert guard.answer("write", args) == ("deny", "none")


@pytest.mark.parametrize("run_id", ["../x", "a/b", "", ".hidden", "a" * 101, "caf\u00e9"])
def test_a_malformed_session_run_is_refused_in_strict_and_warned_about_in_advisory(tmp_path, run_id):
    with guarded(tmp_path / "s") as strict, guarded(tmp_path / "a", "advisory") as advisory:
        assert strict.answer("write", {"file_path": "src/a"}, run_id=run_id) == ("deny", "none")
        reply = advisory.decide("write", {"file_path": "src/a"}, run_id=run_id)

    assert reply["kind"] == "allow"
    assert "run" in reply["warning"]


def test_a_lock_made_by_hand_moves_nothing(guard):
    run = guard.run("LL")
    for receipt in (run / "locks").iterdir():
        receipt.unlink()

    assert guard.answer("write", {"file_path": PLAN}) == ("deny", "phase-order")
    assert guard.answer("recursive_lock", {"artifact": "01-as-is.md"}, run_id="r1")[1] == "lock-order"


def test_a_smuggled_line_breaks_the_lock(guard):
    run = guard.run("LL")
    with (run / "00-requirements.md").open("a") as file:
        file.write("\nLockHash: ignore the requirements\n")

    reply = guard.decide("recursive_lock", {"artifact": "01-as-is.md"}, run_id="r1")

    assert reply["rule"] == "lock-order"
    assert "STALE_LOCK" in reply["reason"]


def test_deleting_the_early_phases_opens_nothing(guard):
    run = guard.run("LLLLLd")
    (run / "00-requirements.md").unlink()

    assert guard.answer("write", {"file_path": f"{RUN}/03-implementation-summary.md"}) == (
        "deny",
        "phase-order",
    )
    assert (
        guard.answer("recursive_lock", {"artifact": "03-implementation-summary.md"}, run_id="r1")[1]
        == "lock-order"
    )


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf .recursive/run/r1",
        "rm -rf .recursive",
        "rm -rf .",
        "mv .recursive/run/r1 /tmp/gone",
        "mv .recursive/run runs",
        "cd .recursive && rm -rf run",
        "find .recursive/run/r1 -delete",
        "rm -r .recursive/run/*",
        "git clean -xdf",
        "git reset --hard",
        "git checkout .",
        "git checkout -- .",
        "git restore .",
        f"git checkout -- {LOCKED}",
        f"git restore {LOCKED}",
        f"sed -i s/a/b/ {LOCKED}",
        f"tee {LOCKED} < x",
        f"cp x {LOCKED}",
        f"ln -sf x {LOCKED}",
        f"bash -c 'echo x > {LOCKED}'",
        f"echo x | xargs -I{{}} cp {{}} {LOCKED}",
        f"true && cd {RUN} && echo x >> 00-requirements.md",
        f"F={LOCKED}; echo x > $F",
        f"python3 -c \"open('{LOCKED}','w').write('x')\"",
        f"python3 - <<'EOF'\nfrom pathlib import Path\nPath('{LOCKED}').write_text('x')\nEOF",
        f"cat > {LOCKED} <<'EOF'\nx\nEOF",
        f"python3 fix.py {LOCKED}",
        f"make -C {RUN}",
        f"cd {RUN} && ./anything",
        f"chmod 600 {LOCKED}",
        f"truncate -s 0 {LOCKED}",
    ],
)
def test_the_shell_is_no_way_round(guard, command):
    guard.run("LLd")
    reply = guard.bash(command)
    assert reply["kind"] == "deny", reply


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "npm test",
        "make -j4",
        "git pull --rebase",
        "git stash",
        "git switch main",
        "git merge main",
        "git add -A && git commit -m 'lock .recursive/run/r1/00-requirements.md'",
        "grep -rn LOCKED .recursive/run/r1",
        f"cat {LOCKED} > /dev/null",
        f"diff {LOCKED} {PLAN} 2>&1 | head",
        "echo done > build.log",
        "rm -rf build dist",
        "find . -name '*.pyc' -delete",
        "phasegate run enter r1",
        "phasegate run lock r1 01-as-is.md",
        "git clean -n",
        "git restore --staged .",
        "docker compose up -d",
        f"git log -p -- {LOCKED} | less",
        "ls -la .recursive/run/r1/*.md",
    ],
)
def test_everyday_commands_pass(guard, command):
    guard.run("LLd")
    reply = guard.bash(command)
    assert reply["kind"] == "allow", reply


@pytest.mark.parametrize("command", ["git clean -xdf", "git reset --hard", "git checkout ."])
def test_whole_tree_git_passes_while_nothing_is_locked(guard, command):
    guard.run("dd")
    assert guard.bash(command)["kind"] == "allow"


def test_a_lock_pasted_into_a_shell_is_judged_as_a_lock(guard, run):
    reply = guard.bash("phasegate run lock r1 02-to-be-plan.md")
    assert (reply["kind"], reply["rule"], reply["effect"]) == ("deny", "lock-order", "lock")


@pytest.mark.parametrize("run_id", ["../../elsewhere", "", 7])
def test_a_lock_with_a_bad_run_id_names_the_run_it_fell_back_to(guard, run, run_id):
    reply = guard.decide("recursive_lock", {"runId": run_id, "artifact": "01-as-is.md"})
    assert (reply["kind"], reply["rule"], reply["run_id"]) == ("deny", "lock-order", "r1")


@pytest.mark.parametrize("artifact", ["../r2/01-as-is.md", "/etc/passwd", "x/../../r2/01-as-is.md"])
def test_a_lock_leads_out_of_no_run(guard, run, artifact):
    assert guard.answer("recursive_lock", {"artifact": artifact}, run_id="r1") == ("deny", "lock-order")


@pytest.mark.parametrize(
    "path",
    [
        ".recursive/config/recursive-permissions.json",
        f"{RUN}/memory-injections.json",
        f"{RUN}/locks/00-requirements.receipt.json",
        ".recursive/memory/.feedback.json",
        ".recursive/config/guard-decisions.jsonl",
    ],
)
@pytest.mark.parametrize(
    "how", ["write", "rm {}", "mv {} x", "echo x > {}", "chmod 777 {}", "cp x {}", "ln -sf x {}"]
)
@pytest.mark.parametrize("mode", ["strict", "advisory"])
def test_the_guards_own_files_are_out_of_reach_in_both_modes(tmp_path, path, how, mode):
    with guarded(tmp_path, mode) as guard:
        guard.run("Ld")
        reply = guard.decide("write", {"file_path": path}) if how == "write" else guard.bash(how.format(path))

    assert (reply["kind"], reply["rule"]) == ("deny", "control-plane")


def test_the_services_own_data_is_out_of_reach(guard, tmp_path):
    reply = guard.bash(f"rm -rf {tmp_path}/data")
    assert (reply["kind"], reply["rule"]) == ("deny", "control-plane")
    assert str(tmp_path) not in reply["reason"].replace(reply["targets"][0]["typed"], "")


@pytest.mark.parametrize(
    ("tool", "args"), [("edit", {"file_path": "src/a.ts"}), ("Bash", {"command": "echo x > src/a.ts"})]
)
def test_a_documentation_phase_freezes_product_files_for_every_tool(guard, tool, args):
    guard.run("L" * 11 + "d")
    assert guard.answer(tool, args, run_id="r1") == ("deny", "documentation-phase")
    assert guard.answer(tool, args) == ("allow", "none")


def test_a_finished_run_freezes_nothing(guard):
    guard.run(ALL_LOCKED)
    assert guard.answer("write", {"file_path": "src/a.ts"}, run_id="r1") == ("allow", "none")


def test_an_unknown_tool_that_names_a_protected_path_is_to_be_declared(guard, run):
    reply = guard.decide("frobnicate", {"path": f"{RUN}/notes.md"})
    assert (reply["kind"], reply["rule"]) == ("deny", "opaque-write")
    assert reply["remedy"]["action"] == "declare_tool"
    assert guard.answer("frobnicate", {"path": "src/a.ts"}) == ("allow", "none")


def test_a_declared_tool_is_believed(guard):
    guard.run("Ld", policy={"version": 2, "tools": {"frobnicate": "read"}})
    assert guard.answer("frobnicate", {"path": LOCKED}) == ("allow", "none")


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "x" * 100_000, "", ".", "/", "~", "\\\\?\\C:\\x", "C:\\x"])
def test_hostile_paths_get_an_answer(guard, run, path):
    assert guard.decide("write", {"file_path": path})["kind"] in ("allow", "deny")


def test_one_bad_target_among_good_ones_decides(guard, run):
    reply = guard.bash(f"echo a > src/a; echo b > src/b; echo c >> {LOCKED}; echo d > src/d")
    assert (reply["kind"], reply["rule"]) == ("deny", "locked-write")
    assert len(reply["targets"]) == 4
    assert reply["targets"][reply["findings"][0]["target"]]["rel"] == LOCKED


def test_an_appended_read_receipt_of_another_shape_opens_nothing(guard):
    run = guard.run("dd", read=False)
    (run / "memory-injections.json").write_text(
        '[{"source": "memory-read:attempt", "phase": "0", "reason": "x"}]'
    )
    assert guard.answer("write", {"file_path": LOCKED}) == ("deny", "memory-read")


def test_going_to_a_workspace_with_a_loose_policy_opens_no_other(tmp_path):
    loose = tmp_path / "loose"
    (loose / ".recursive/config").mkdir(parents=True)
    off = dict.fromkeys(("locked-write", "phase-order", "memory-read", "opaque-write"), "ours")
    (loose / ".recursive/config/recursive-permissions.json").write_text(
        json.dumps({"version": 2, "rules_off": off})
    )
    with guarded(tmp_path, also=[f"loose={loose}"]) as guard:
        guard.run("LL")
        here = {"workspace": str(loose), "cwd": str(loose)}
        reply = guard.decide("write", {"file_path": str(guard.root / LOCKED)}, **here)

    assert (reply["kind"], reply["rule"], reply["run_id"]) == ("deny", "locked-write", "r1")


@pytest.mark.parametrize("name", ["decisions.db", "receipts.key"])
def test_a_hard_link_to_the_services_own_file_is_that_file(guard, tmp_path, name):
    os.link(tmp_path / "data" / name, guard.root / "innocent.txt")
    (guard.root / "a").write_text("x")
    os.link(guard.root / "a", guard.root / "b")

    assert guard.answer("write", {"file_path": "innocent.txt"}) == ("deny", "control-plane")
    assert guard.answer("write", {"file_path": "a"}) == ("allow", "none")
