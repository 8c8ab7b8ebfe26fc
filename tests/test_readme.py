"""Every command of the README is run, and what it lists is what there is."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import yaml

from phasegate.cli import cli
from phasegate.cli.demo_story import RUN_ID, make_workspace
from phasegate.cli.install.plan import supported
from phasegate.rules import discover
from phasegate.settings import _Model
from phasegate.workspace.workflow_file import load_workflow
from support.readme import Block, blocks, first_column, readme_text, section
from support.source_tree import ROOT

BIN = Path(sys.executable).parent
PORT = "8787"
SETUP_FORM = "python3 -m venv .venv && .venv/bin/pip install -q -e "
RUN_LANGUAGES = ("sh", "python")
# Programs that no test may really start; their stand-ins record the call and check its files.
STAND_INS = ("docker", "kubectl", "systemctl", "sudo", "useradd", "groupadd", "usermod")
STAND_IN = """#!/bin/sh
# Every operand that names a file of the repository has to be one.
for word in "$@"; do
  case "$word" in docker/*) [ -e "$word" ] || { echo "no such file: $word" >&2; exit 9; } ;; esac
done
"""


@dataclass
class Outcome:
    """How one block ended."""

    code: int
    out: str
    err: str = ""


@dataclass
class Walk:
    """A reader who tries every block in order, in one sandbox."""

    home: Path
    workspace: Path
    port: int
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    services: list[subprocess.Popen[str]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.home / "bin"), str(BIN), "/usr/local/bin", "/usr/bin", "/bin"])
        return {
            "PATH": path,
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PHASEGATE_URL": f"http://127.0.0.1:{self.port}",
            "PHASEGATE_PORT": str(self.port),
            "COLUMNS": "120",
        }

    def adapted(self, text: str) -> str:
        """The README's example names as the sandbox's real ones."""
        text = text.replace("/tmp/", f"{self.home}/")  # noqa: S108 (a text of the README)
        return text.replace("/srv/repo", str(self.workspace)).replace(PORT, str(self.port))

    def try_out(self, block: Block) -> Outcome:
        text = self.adapted(block.text)
        where = ROOT if block.note == "host" else self.workspace
        if block.note == "serve":
            return self._serve(text)
        command = ["bash", "-euo", "pipefail", "-c", text]
        if block.language == "python":
            command = [sys.executable, "-c", text]
        run = subprocess.run(
            command,
            cwd=where,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(run.returncode, run.stdout, run.stderr)

    def _serve(self, text: str) -> Outcome:
        log = self.home / f"service-{len(self.services)}.log"
        with log.open("w") as stream:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", f"exec {text}"],
                cwd=self.workspace,
                env=self.environment(),
                stdout=stream,
                stderr=stream,
                text=True,
            )
        self.services.append(process)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/readyz").is_success:
                    return Outcome(0, "")
            except httpx.TransportError:
                time.sleep(0.1)
        return Outcome(process.poll() or 1, "", log.read_text())

    def close(self) -> None:
        for process in self.services:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def runnable() -> list[Block]:
    return [
        block
        for block in blocks()
        if block.language in RUN_LANGUAGES and block.note not in ("setup", "shown", "reply", "policy")
    ]


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def walk():
    # Short: a socket's path may have 107 bytes, and pytest's own directories are long.
    home = Path(tempfile.mkdtemp(prefix="readme-"))
    tools = home / "bin"
    tools.mkdir()
    for name in STAND_INS:
        (tools / name).write_text(STAND_IN)
        (tools / name).chmod(0o755)
    workspace = home / "repo"
    make_workspace(workspace, load_workflow())
    (workspace.parent / "repo" / ".recursive" / "run" / RUN_ID).rename(
        workspace / ".recursive" / "run" / "r1"
    )
    reader = Walk(home, workspace, free_port())
    try:
        for block in runnable():
            reader.outcomes[block.line] = reader.try_out(block)
        yield reader
    finally:
        reader.close()
        shutil.rmtree(home)


@pytest.mark.slow
@pytest.mark.parametrize("block", runnable(), ids=lambda block: block.name)
def test_a_block_does_what_the_readme_says(walk, block):
    wanted = int(block.note.removeprefix("exit ")) if block.note.startswith("exit ") else 0
    outcome = walk.outcomes[block.line]

    assert outcome.code == wanted, f"{block.text}\n{outcome.out[-3000:]}\n{outcome.err[-3000:]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "block", [block for block in blocks() if block.note == "reply"], ids=lambda block: block.name
)
def test_a_shown_reply_has_the_keys_of_the_real_one(walk, block):
    before = max(line for line in walk.outcomes if line < block.line)

    assert list(json.loads(walk.outcomes[before].out)) == list(json.loads(block.text))


@pytest.mark.parametrize(
    "block",
    [block for block in blocks() if block.language in ("json", "toml", "yaml")],
    ids=lambda block: block.name,
)
def test_data_blocks_parse(block):
    {"json": json.loads, "toml": tomllib.loads, "yaml": lambda text: list(yaml.safe_load_all(text))}[
        block.language
    ](block.text)


@pytest.mark.parametrize(
    "block", [block for block in blocks() if block.note == "policy"], ids=lambda block: block.name
)
def test_a_shown_policy_can_be_believed(tmp_path, block):
    path = tmp_path / "policy.json"
    path.write_text(block.text)

    run = subprocess.run(
        [BIN / "phasegate", "policy", "check", path], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout + run.stderr


def setup_commands() -> list[str]:
    return [block.text.strip() for block in blocks() if block.note == "setup"]


def test_two_one_line_commands_come_first():
    """The first sets everything up and runs the main job, the second sets everything up and tests."""
    shell_blocks = [block for block in blocks() if block.language == "sh"]
    main_job, tests = setup_commands()

    assert [block.note for block in shell_blocks[:2]] == ["setup", "setup"]
    assert main_job.startswith(SETUP_FORM)
    assert main_job.endswith(".venv/bin/phasegate demo")
    assert tests.startswith(SETUP_FORM)
    assert tests.endswith(".venv/bin/python -m pytest")
    assert "\n" not in main_job + tests


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CI"), reason="downloads everything again; set CI=true to run it")
def test_the_first_command_works_in_a_fresh_clone(tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    command = setup_commands()[0]
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV", "PHASEGATE"))
    }

    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{command} --once"],
        cwd=clone,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert "locked-write" in run.stdout


def test_the_rules_table_lists_the_built_in_rules_in_order():
    assert first_column(section("The rules")) == [rule.label for rule in discover()]


def test_every_command_of_the_command_line_is_listed():
    told = section("Command line")
    context = cli.make_context("phasegate", [], resilient_parsing=True)

    assert [name for name in cli.list_commands(context) if f"phasegate {name}" not in told] == []


@pytest.mark.slow
def test_every_route_is_listed(walk):
    document = httpx.get(f"http://127.0.0.1:{walk.port}/openapi.json").json()
    routes = [f"`{method.upper()} {path}`" for path, item in document["paths"].items() for method in item]

    assert [route for route in routes if route not in section("API")] == []


def test_every_runtime_that_can_be_installed_is_listed():
    assert [name for name in supported() if f"`{name}`" not in section("Hook it up")] == []


def test_every_extra_is_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = set(project["optional-dependencies"]) - {"dev"}

    assert [name for name in extras if f"| `{name}` |" not in section("Hook it up")] == []


def test_every_setting_is_listed_and_the_shown_file_is_believed():
    shown = section("Settings")
    file = next(block for block in blocks(shown) if block.language == "toml")

    assert [name for name in _Model.model_fields if name not in shown] == []
    assert _Model.model_validate(tomllib.loads(file.text)).mode == "strict"


def test_every_local_link_leads_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", readme_text())

    assert [link for link in links if not (ROOT / link).exists()] == []
