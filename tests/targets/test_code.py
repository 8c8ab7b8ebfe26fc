"""Program text: known writes are targets, what is not understood mentions all its words."""

from __future__ import annotations

import pytest

from phasegate.targets.code import code_targets, language_of
from support.target_calls import PLAN, extraction, site, touched


@pytest.mark.parametrize(
    ("args", "tool", "language"),
    [
        ({"language": "JavaScript"}, "run_code", "javascript"),
        ({"lang": "ruby"}, "x", "ruby"),
        ({"language": "klingon"}, "python_repl", "python"),
        ({"language": 7}, "execute_code", ""),
        ({}, "js_repl", "js"),
    ],
)
def test_arguments_or_the_name_tell_the_language(args, tool, language):
    assert language_of(args, tool) == language


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("run_code", {"code": f"open('{PLAN}', 'w')"}),
        ("execute_python", {"code": [f"open('{PLAN}', 'w')", "print(1)"]}),
        ("python_repl", {"query": f"import os\nos.remove('{PLAN}')"}),
        ("mcp__ide__executeCode", {"code": f"import subprocess; subprocess.run(['rm', '{PLAN}'])"}),
        ("execute_code", {"code": f"%run script.py {PLAN}"}),
        ("execute_code", {"code": f"%%perl\nunlink '{PLAN}';"}),
        ("run_javascript", {"code": f"require('fs').rmSync('{PLAN}')"}),
        ("automation_script", {"language": "ruby", "script": f"File.delete('{PLAN}')"}),
        ("mcp__acme__eval_python", {"code": f"f('{PLAN}')"}),
    ],
)
def test_a_program_that_names_a_file_to_change_is_never_silent(tool, args):
    found = extraction(tool, args)
    named = {target.path for target in found.targets} | {
        word for reason in found.opaque for word in reason.words
    }

    assert f"/repo/{PLAN}" in named


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"!rm {PLAN}", [f"delete {PLAN}"]),
        (f"  !rm {PLAN}\n!echo x > b", [f"delete {PLAN}", "write b"]),
        (f"%%bash\nrm {PLAN}", [f"delete {PLAN}"]),
        (f"%%writefile {PLAN}\nbody", [f"write {PLAN}"]),
        (f"%%writefile -a {PLAN}\nbody", [f"append {PLAN}"]),
        (f"%sx rm {PLAN}", [f"delete {PLAN}"]),
        (f"%%capture\n!rm {PLAN}", [f"delete {PLAN}"]),
        ("%matplotlib inline", []),
    ],
)
def test_a_notebooks_own_lines_are_read(code, expected):
    found = extraction("execute_ipython_cell", {"code": code})

    assert touched(found) == expected
    assert found.opaque == ()


def test_a_written_cell_says_what_it_writes():
    target = code_targets(f"%%writefile {PLAN}\nbody", "", site()).targets[0]

    assert target.change is not None
    assert (target.change.kind, target.change.text) == ("replace", "body")


def test_powershell_as_a_language_is_read_as_such():
    found = extraction("automation_script", {"language": "powershell", "script": f"Set-Content {PLAN} x"})

    assert touched(found) == [f"write {PLAN}"]


def test_shell_as_a_language_is_read_as_such():
    assert touched(extraction("run_code", {"language": "bash", "code": f"rm {PLAN}"})) == [f"delete {PLAN}"]
