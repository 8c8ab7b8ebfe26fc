"""Tools that run something, under every name and shape of their text."""

from __future__ import annotations

import pytest

from phasegate.core.call import Effect
from support.target_calls import PLAN, RUN, extraction, touched

REMOVE = f"rm {PLAN}"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Bash", {"command": REMOVE, "description": "x", "timeout": 5}),
        ("Monitor", {"command": REMOVE}),
        ("exec_command", {"cmd": REMOVE, "workdir": "/repo"}),
        ("shell", {"command": ["bash", "-lc", REMOVE], "workdir": "/repo"}),
        ("shell", {"command": ["rm", PLAN]}),
        ("local_shell", {"command": ["rm", "-f", PLAN]}),
        ("run_shell_command", {"command": REMOVE, "dir_path": "/repo"}),
        ("run_in_terminal", {"command": REMOVE, "isBackground": False}),
        ("execute_command", {"command": REMOVE, "requires_approval": True}),
        ("run_commands", {"commands": ["ls", REMOVE]}),
        ("run_commands", {"commands": REMOVE}),
        ("run_commands", {"commands": [{"command": REMOVE}]}),
        ("run_command", {"CommandLine": REMOVE, "Cwd": "/repo"}),
        ("pre_run_command", {"command_line": REMOVE, "cwd": "/repo"}),
        ("terminal", {"command": REMOVE, "is_input": False}),
        ("developer__shell", {"command": REMOVE}),
        ("Execute", {"command": REMOVE}),
        ("create_and_run_task", {"task": {"label": "x", "command": "rm", "args": [PLAN]}}),
        ("mcp__desktop-commander__start_process", {"command": REMOVE, "timeout_ms": 1}),
        ("mcp__shell__execute", {"command": ["rm", PLAN]}),
        ("mcp__runner__run_in_shell", {"command": REMOVE}),
        ("attempt_completion", {"result": "done", "command": REMOVE}),
        ("terminal", {"commands": [REMOVE]}),
    ],
)
def test_the_command_is_found_and_read(tool, args):
    found = extraction(tool, args)

    assert found.effect is Effect.EXECUTE
    assert touched(found) == [f"delete {PLAN}"]
    assert found.command is not None
    assert PLAN in found.command


@pytest.mark.parametrize("tool", ["bash", "shell", "pwsh", "run_code"])
@pytest.mark.parametrize("key", ["path", "file_path", "filePath", "target"])
def test_a_path_beside_the_command_is_written_to(tool, key):
    """The peer takes these ids for writers whatever else they carry."""
    assert touched(extraction(tool, {key: PLAN})) == [f"write {PLAN}"]
    assert f"write {PLAN}" in touched(extraction(tool, {key: PLAN, "command": "ls", "code": "1"}))


def test_a_blank_path_beside_a_command_is_no_matter():
    assert extraction("bash", {"command": "ls", "path": ""}).unusable == ()


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("exec_command", {"cmd": "echo x > a", "workdir": "src"}, ["write src/a"]),
        ("run_shell_command", {"command": "echo x > a", "dir_path": "src"}, ["write src/a"]),
        ("terminal", {"command": "echo x > a", "cd": "/repo/src"}, ["write src/a"]),
        ("execute_command", {"command": "echo x > a", "cwd": "alias"}, [f"write {RUN}/a"]),
        ("Bash", {"command": "echo x > a", "cwd": "src"}, ["write a", "write src/a"]),
    ],
)
def test_the_calls_own_directory_is_the_base(tool, args, expected):
    """Where a tool is not known to heed the argument, both directories count."""
    assert touched(extraction(tool, args)) == expected


def test_a_command_that_only_reads_has_no_targets():
    found = extraction("Bash", {"command": f"cat {PLAN} | grep x > /dev/null"})

    assert (found.effect, found.targets, found.opaque) == (Effect.EXECUTE, (), ())


@pytest.mark.parametrize("args", [{}, {"command": ""}, {"command": None}, {"command": 7}, {"command": []}])
def test_without_a_text_nothing_runs(args):
    found = extraction("Bash", args)

    assert (found.effect, found.command, found.opaque) == (Effect.OTHER, None, ())


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_stdin", {"session_id": 1, "chars": f"{REMOVE}\n"}),
        ("interact_with_process", {"pid": 1, "input": REMOVE}),
        ("terminal", {"command": REMOVE, "is_input": True}),
    ],
)
def test_keys_for_a_running_program_are_opaque_and_read_as_a_command(tool, args):
    found = extraction(tool, args)

    assert f"delete {PLAN}" in touched(found)
    assert any(f"/repo/{PLAN}" in reason.words for reason in found.opaque)


@pytest.mark.parametrize("chars", ["", "\n", "\x03", "C-c"])
def test_polling_and_interrupting_type_nothing(chars):
    assert extraction("write_stdin", {"session_id": 1, "chars": chars}).opaque == ()


def test_an_argument_that_names_powershell_is_read_both_ways():
    found = extraction("run_in_terminal", {"command": f"ri {PLAN}", "shell": "pwsh"})

    assert touched(found) == [f"delete {PLAN}"]


def test_many_commands_are_bounded():
    found = extraction("run_commands", {"commands": ["ls"] * 60 + [REMOVE]})

    assert any(f"/repo/{PLAN}" in reason.words for reason in found.opaque)


def test_a_patch_given_as_the_programs_argument_is_read():
    patch = f"*** Begin Patch\n*** Delete File: {PLAN}\n*** End Patch"

    assert touched(extraction("shell", {"command": ["apply_patch", patch]})) == [f"delete {PLAN}"]


HEREDOC = "apply_patch <<'P'\n*** Begin Patch\n*** Delete File: 02-to-be-plan.md\n*** End Patch\nP"


@pytest.mark.parametrize(
    "args",
    [
        {"command": f"cd {RUN} && {HEREDOC}"},
        {"command": HEREDOC, "workdir": RUN},
        {"command": f"cd alias; {HEREDOC}\nls"},
    ],
)
def test_a_patch_in_a_heredoc_is_read_where_it_is_applied(args):
    found = extraction("Bash", args)

    assert touched(found) == [f"delete {PLAN}"]
    assert found.opaque == ()


def test_a_document_that_shows_a_patch_applies_none():
    text = f"cat > docs/x.md <<'E'\napply_patch\n*** Begin Patch\n*** Delete File: {PLAN}\n*** End Patch\nE"

    assert touched(extraction("Bash", {"command": text})) == ["write docs/x.md"]
