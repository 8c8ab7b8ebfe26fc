"""The labelled corpus: what extraction finds, misses and cries wolf about, against fixed bars."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from phasegate.core.call import Extraction
from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.workspace.workflow_file import load_workflow
from support.target_scorer import Answer, build_site, corpus, score

SHELL = ("Bash",)
POWERSHELL = ("PowerShell", "pwsh", "powershell")
# An unknown MCP tool without any path argument is left to the tool policy, by decision.
LEFT_TO_POLICY = {"sw-0813"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def answer(site):
    parser, workflow = ShfmtParser(), load_workflow()

    def ask(call) -> Answer:
        request = ExtractRequest(call["tool"], call["args"], call["cwd"], site.root, workflow, {})
        return _answer(extract(request, DiskView(home=site.home), parser))

    return ask


@pytest.fixture(scope="module")
def shell(site, answer):
    return score([site.real(case) for case in corpus() if case["tool"] in SHELL], answer)


def _answer(found: Extraction) -> Answer:
    result = Answer(opaque=bool(found.opaque or found.unusable))
    for target in found.targets:
        for path in {target.path, target.lexical}:
            result.add(path, recursive=target.recursive)
    return result


@pytest.mark.parametrize(
    ("tier", "hit", "miss"), [("core", 0.95, 0.005), ("extended", 0.0, 0.03), ("adversarial", 0.0, 0.08)]
)
def test_shell_commands_hide_no_file(shell, tier, hit, miss):
    assert shell.share("exact", tier, "HIT") >= hit, shell.table()
    assert shell.share("exact", tier, "MISS") <= miss, shell.wrong


def test_what_cannot_be_known_is_said_to_be_unknown(shell):
    assert shell.share("unknown", "all", "SAFE") >= 0.98, shell.wrong


def test_harmless_commands_are_left_alone(shell):
    assert shell.share("negative", "all", "CLEAN") >= 0.99, shell.wrong
    assert shell.share("negative", "all", "FALSE_TARGET") <= 0.003, shell.wrong


def test_file_tools_are_understood_without_exception(site, answer):
    cases = [
        case
        for case in corpus()
        if case["tool"] not in (*SHELL, *POWERSHELL) and case["id"] not in LEFT_TO_POLICY
    ]
    found = score([site.real(case) for case in cases], answer)

    assert found.wrong == []


def test_powershell_is_found_or_said_to_be_unknown(site, answer):
    cases = [site.real(case) for case in corpus() if case["tool"] in POWERSHELL]
    found = score(cases, answer)

    assert found.share("exact", "all", "HIT", "OPAQUE") == 1.0, found.wrong
    assert found.share("negative", "all", "CLEAN") >= 0.9, found.wrong


def test_the_parser_agrees_with_bash_on_what_is_a_command():
    """No text that bash rejects may pass for understood, and none that it accepts may be lost in numbers."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash on this machine")
    parser = ShfmtParser()
    commands = [
        case["args"]["command"] for case in corpus() if case["tool"] in SHELL and "command" in case["args"]
    ]
    refused, lost = [], []
    for command in commands[::4]:
        accepted = (
            subprocess.run(
                [bash, "-O", "extglob", "-n"], input=command.encode(), capture_output=True, check=False
            ).returncode
            == 0
        )
        parsed = parser.parse(command) is not None
        if parsed and not accepted:
            refused.append(command)
        if accepted and not parsed:
            lost.append(command)

    assert refused == []
    assert len(lost) <= 2, lost
