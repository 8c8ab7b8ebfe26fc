"""The real agent programs: where they are, and how to run one against a scripted model.

They are looked for below `$REAL_AGENTS` (a directory where `npm install
@anthropic-ai/claude-code @openai/codex @google/gemini-cli` was run) and on the path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.scripted_model import ScriptedModel

SECONDS = 120


@dataclass(frozen=True)
class Agent:
    """One program: its runtime id, the model's protocol, and how it is started."""

    runtime: str
    program: str
    protocol: str
    write: str
    shell: str
    start: Callable[[Path, Path, ScriptedModel], tuple[list[str], dict[str, str]]]

    def write_call(self, path: Path | str, text: str) -> dict[str, object]:
        if self.runtime == "codex":  # without the patch tool its only way to write
            return {"name": self.shell, "input": {"cmd": f"printf '%s' '{text}' > '{path}'"}}
        return {"name": self.write, "input": {"file_path": str(path), "content": text}}

    def shell_call(self, command: str) -> dict[str, object]:
        key = "cmd" if self.runtime == "codex" else "command"
        return {"name": self.shell, "input": {key: command}}


def find(program: str) -> str | None:
    """The program's path, or None."""
    place = os.environ.get("REAL_AGENTS")
    local = Path(place) / "node_modules" / ".bin" / program if place else None
    return str(local) if local is not None and local.exists() else shutil.which(program)


def run(agent: Agent, workspace: Path, home: Path, model: ScriptedModel, **env: str) -> str:
    """Play the model's calls; the program's output."""
    argv, environment = agent.start(workspace, home, model)
    executable = find(agent.program)
    assert executable is not None
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PHASEGATE_", "CLAUDE"))}
    done = subprocess.run(
        [executable, *argv],
        cwd=workspace, env={**kept, "HOME": str(home), **environment, **env}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return done.stdout


def _claude(workspace: Path, home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    del workspace, home
    argv = ["-p", "go", "--output-format", "json", "--allowedTools", "Write Edit Bash Read"]
    return argv, {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(workspace: Path, home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    place = home / ".codex"
    place.mkdir(exist_ok=True)
    (place / "config.toml").write_text(
        f"""model = "gpt-5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "{model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[features]
hooks = true
[projects."{workspace}"]
trust_level = "trusted"
""",
        encoding="utf-8",
    )
    argv = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"]
    return argv, {"CODEX_HOME": str(place), "SCRIPTED_KEY": "x"}


def _gemini(workspace: Path, home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    del workspace
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    path.write_text(json.dumps(settings), encoding="utf-8")
    return ["--yolo", "-p", "go"], {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


CLAUDE = Agent("claude-code", "claude", "anthropic", "Write", "Bash", _claude)
CODEX = Agent("codex", "codex", "openai", "", "exec_command", _codex)
GEMINI = Agent("gemini-cli", "gemini", "gemini", "write_file", "run_shell_command", _gemini)
AGENTS = (CLAUDE, CODEX, GEMINI)
