"""Real agent programs under the guard, driven by a scripted model.

Each program plays the same story. What is asserted: the disk, the decision log, and what
the agent told its model after a denial. Skipped without the programs: install them with
npm and point `REAL_AGENTS` at the directory.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from phasegate import hook, runtimes
from phasegate.cli import cli
from support import cases, servers
from support.agents import AGENTS, CLAUDE, Agent, find, run
from support.peer import SEQUENCE
from support.scripted_model import playing

REQUIREMENTS, AS_IS = SEQUENCE[0], SEQUENCE[2]
TO_BE = next(name for name in SEQUENCE if name.startswith("02-to"))
RUN = ".recursive/run/r1"
DONE = "\n## Coverage Gate\n\nCoverage: PASS\n\n## Approval Gate\n\nApproval: PASS\n"
TRANSCRIPTS = Path(__file__).parent / "transcripts"

# Where the hook's parts are on this machine, and how a transcript calls them.
PROGRAMS = (
    (str(Path(sys.executable).resolve()), "python3"),
    (str(Path(hook.__file__).resolve()), "/opt/phasegate/hook.py"),
)

pytestmark = pytest.mark.slow

SETUPS = [*((agent, "command") for agent in AGENTS), (CLAUDE, "http"), (CLAUDE, "sh")]


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "repo"
    files = {
        REQUIREMENTS: {"kind": "locked", "body": DONE},
        SEQUENCE[1]: {"kind": "locked", "body": DONE},
        AS_IS: {"kind": "draft", "body": DONE},
        "memory-injections.json": {"kind": "reads", "phases": [REQUIREMENTS, SEQUENCE[1], AS_IS]},
    }
    cases.build({"setup": {"runs": {"r1": {"files": files}}}}, root)
    (root / "src").mkdir()
    return root


class Scene:
    """An installed agent, its home, and the service."""

    def __init__(self, agent: Agent, transport: str, root: Path, home: Path) -> None:
        self.agent, self.transport, self.root, self.home = agent, transport, root, home
        self.heard = ""
        home.mkdir(exist_ok=True)

    def install(self, monkeypatch, *, mode: str | None = None, **where: str) -> None:
        monkeypatch.setenv("HOME", str(self.home))
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
            monkeypatch.delenv(name, raising=False)
        scope = ["--dir", str(self.root)] if self.agent is CLAUDE else ["--user"]
        argv = ["install", self.agent.runtime, *scope, "--transport", self.transport]
        argv += [word for key, value in where.items() for word in (f"--{key}", value)]
        argv += ["--mode", mode] if mode else []
        done = CliRunner().invoke(cli, argv)
        assert done.exit_code == 0, done.output

    def play(self, *calls: dict[str, object], name: str = "", **env: str) -> list[str]:
        """Play *calls*; what the agent told its model, one text for each call."""
        with playing(self.agent.protocol, calls) as model:
            output = run(self.agent, self.root, self.home, model, **env)
        self.heard = model.heard
        answers = [text for text in model.told if answers_a_call(text)]
        assert len(answers) >= len(calls), (output, model.told)
        keep_transcript(f"{self.agent.runtime}-{self.transport}-{name}", calls, answers, self.root)
        return answers


def answers_a_call(text: str) -> bool:
    return any(mark in text for mark in ("tool_result", "function_call_output", "functionResponse"))


def keep_transcript(name: str, calls: tuple, answers: list[str], root: Path) -> None:
    """The run as it was, kept beside the tests when asked for."""
    if not os.environ.get("KEEP_TRANSCRIPTS"):
        return
    TRANSCRIPTS.mkdir(exist_ok=True)
    rows = [{"model": call, "told": json.loads(told)} for call, told in zip(calls, answers, strict=False)]
    text = json.dumps(rows, indent=2, ensure_ascii=False)
    for mine, general in (
        (str(root), "/repo"),
        (str(root.parent), "/scratch"),
        (sys.executable, "python"),
        *PROGRAMS,
    ):
        text = text.replace(mine, general)
    (TRANSCRIPTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


@pytest.fixture(params=SETUPS, ids=lambda setup: f"{setup[0].runtime}-{setup[1]}")
def scene(request, workspace, tmp_path):
    agent, transport = request.param
    if find(agent.program) is None:
        pytest.skip(f"`{agent.program}` is not here: npm install it and set REAL_AGENTS")
    return Scene(agent, transport, workspace, tmp_path / "home")


def address(service: servers.Running, transport: str) -> dict[str, str]:
    return {"url": str(service.url)} if transport == "http" else {"uds": str(service.uds)}


def lock_command(artifact: str) -> str:
    return f"{sys.executable} -m phasegate run lock r1 {artifact}"


def records(service: servers.Running) -> list[dict[str, object]]:
    with service.client() as client:
        return list(reversed(client.get("/v1/decisions", params={"limit": 100}).json()["items"]))


def test_the_story_of_a_run(scene, tmp_path, monkeypatch):
    agent, root = scene.agent, scene.root
    ahead, product = root / RUN / TO_BE, root / "src" / "app.py"
    with servers.service([root], tmp_path / "data", uds=tmp_path / "s") as service:
        scene.install(monkeypatch, **address(service, scene.transport))
        told = scene.play(
            agent.write_call(ahead, "too early"),
            agent.shell_call(f"echo early > {RUN}/{TO_BE}"),
            agent.write_call(product, "print(1)"),
            agent.shell_call(lock_command(AS_IS)),
            agent.write_call(ahead, "in time"),
            agent.shell_call(f"echo more >> {RUN}/{AS_IS}"),
            name="story",
            PHASEGATE_URL=str(service.url),
        )
        log = records(service)

    for text in told[:2]:
        assert TO_BE in text
        assert AS_IS in text
        assert "lock" in text
    assert product.read_text(encoding="utf-8") == "print(1)"
    assert "LOCKED" in (root / RUN / AS_IS).read_text(encoding="utf-8")
    assert ahead.read_text(encoding="utf-8") == "in time"
    assert AS_IS in told[5]
    assert "more" not in (root / RUN / AS_IS).read_text(encoding="utf-8")
    judged = [
        (item["kind"], item["rule"])
        for item in log
        if item["type"] == "decision" and item["runtime"] == agent.runtime
    ]
    assert judged.count(("deny", "phase-order")) == 2
    assert judged.count(("deny", "locked-write")) == 1
    assert judged.count(("allow", "none")) >= 2


def test_without_a_service_strict_blocks(scene, tmp_path, monkeypatch):
    if scene.transport == "http":
        pytest.skip(
            "an HTTP hook without a service is the runtime's `onFailure`, from Claude Code 2.1.295 on"
        )
    product = scene.root / "src" / "app.py"
    scene.install(monkeypatch, uds=str(tmp_path / "nobody"))
    told = scene.play(scene.agent.write_call(product, "print(1)"), name="no-service-strict")

    assert not product.exists()
    assert "phasegate serve" in told[0]


def test_without_a_service_advisory_passes(scene, tmp_path, monkeypatch):
    product = scene.root / "src" / "app.py"
    scene.install(monkeypatch, mode="advisory", uds=str(tmp_path / "nobody"), url="http://127.0.0.1:9")
    scene.play(scene.agent.write_call(product, "print(1)"), name="no-service-advisory")

    assert product.read_text(encoding="utf-8") == "print(1)"


def test_an_advisory_service_warns_and_lets_it_land(scene, tmp_path, monkeypatch):
    ahead = scene.root / RUN / TO_BE
    with servers.service(
        [scene.root], tmp_path / "data", "--mode", "advisory", uds=tmp_path / "s"
    ) as service:
        scene.install(monkeypatch, **address(service, scene.transport))
        scene.play(scene.agent.write_call(ahead, "too early"), name="advisory-service")
        log = records(service)

    assert ahead.read_text(encoding="utf-8") == "too early"
    assert any(item["warning"] for item in log if item["type"] == "decision")
    adapter = runtimes.find(scene.agent.runtime)
    before = next(can for can in adapter.events.values() if can.phase == "before")
    assert ("phasegate (advisory)" in scene.heard) == (before.warn == "context")


def test_after_a_call_the_agent_is_told_what_it_damaged(scene, tmp_path, monkeypatch):
    """A program on disk can't be read before it runs; what it did to a locked file is found afterwards."""
    root = scene.root
    locked = root / RUN / REQUIREMENTS
    (root / "tidy.py").write_text(
        f"from pathlib import Path\np = Path({str(locked)!r})\np.write_text(p.read_text() + 'tidied')\n",
        encoding="utf-8",
    )
    with servers.service([root], tmp_path / "data", uds=tmp_path / "s") as service:
        scene.install(monkeypatch, **address(service, scene.transport))
        told = scene.play(
            scene.agent.shell_call(f"{sys.executable} tidy.py"),
            scene.agent.write_call(root / "src" / "app.py", "print(1)"),
            name="tamper",
        )
        with service.client() as client:
            found = client.get("/v1/decisions", params={"type": "tamper"}).json()["items"]

    assert locked.read_text(encoding="utf-8").endswith("tidied")
    assert REQUIREMENTS in " ".join(told)
    assert "behind the guard" in " ".join(told)
    assert found
