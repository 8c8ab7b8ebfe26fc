"""The sample workspace of `phasegate demo` and the agent session that is played in it.

Every name of the control plane comes from the shipped workflow, so that the story stays
true when the workflow changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from phasegate.core.workflow import Phase, Workflow

RUN_ID = "add-greeting"
SESSION = {"runtime": "demo", "session_id": "demo-session", "agent_id": "demo-agent"}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the agent wants.

    `call`: a proposed tool call, put to `POST /v1/decisions`. `enter` and `lock` are the
    operations of the same name. `expect` is what the guard has to answer; `then` says
    what an allowed step has led to.
    """

    asks: str
    expect: Literal["allow", "deny"]
    kind: Literal["call", "enter", "lock"] = "call"
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    then: str = ""


def artifact_text(phase: Phase, body: str) -> str:
    """A draft artifact with the header that the workflow's tools write."""
    header = f"Run: `/{RUN_ID}/`\nPhase: `{phase.number} {phase.title}`\nStatus: `DRAFT`\n"
    return (
        f"{header}\n## TODO\n\n- [x] {body}\n\n"
        f"## Coverage Gate\n\n- [x] {body}\n\nCoverage: PASS\n\n"
        f"## Approval Gate\n\n- [x] agreed\n\nApproval: PASS\n"
    )


def make_workspace(root: Path, workflow: Workflow) -> None:
    """Write a small project with a control plane and one run that has just begun."""
    layout = workflow.layout
    control = root / layout.control
    files = {
        root / "README.md": "# greeter\n\nSays hello.\n",
        root / "src" / "greeter.py": 'def greet() -> str:\n    return "hello"\n',
        root / "tests" / "test_greeter.py": 'def test_greets():\n    assert "hello"\n',
        control / layout.planes["decisions"]: "# Decisions\n",
        control / layout.planes["state"]: "# State\n\nThe greeter greets nobody in particular.\n",
        control / layout.planes["memory"] / "domains" / "greeter.md": (
            "# Greeter\n\nType: `domain`\nStatus: `CURRENT`\nScope: how the greeter greets\n\n"
            "The greeter greets by name. Names are never logged.\n"
        ),
    }
    for phase in workflow.first_phase:
        place = run_directory(root, workflow) / phase.artifact
        files[place] = artifact_text(phase, "the greeter greets by name")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def run_directory(root: Path, workflow: Workflow) -> Path:
    return root / workflow.runs_path / RUN_ID


def story(workflow: Workflow) -> Iterator[Step]:
    """The session, in order. Later steps depend on what earlier ones left on disk."""
    yield from _requirements(workflow)
    yield from _around_the_lock(workflow)
    yield from _ordinary_work()


def _requirements(workflow: Workflow) -> Iterator[Step]:
    first, second = workflow.first_phase[:2]
    numbers = sorted({phase.number for phase in workflow.phases})
    ahead = next(phase for phase in workflow.phases if phase.number == numbers[2])
    requirements = _write(workflow, first, "the greeter greets everybody by name")
    yield Step("write the requirements, memory not yet read", "deny", tool="write", args=requirements)
    yield Step("read memory: enter the phase", "allow", kind="enter", then="read receipt written")
    yield Step("write the requirements", "allow", tool="write", args=requirements, then="written")
    yield Step("skip ahead: write the plan", "deny", tool="write", args=_write(workflow, ahead, "just do it"))
    yield Step("lock out of order", "deny", kind="lock", args={"artifact": second.artifact})
    first_lock = {"artifact": first.artifact}
    yield Step("lock the requirements", "allow", kind="lock", args=first_lock, then="lock receipt written")


def _around_the_lock(workflow: Workflow) -> Iterator[Step]:
    first, second = workflow.first_phase[:2]
    locked = f"{workflow.runs_path}/{RUN_ID}/{first.artifact}"
    forged = _write(workflow, second, "done")
    forged["content"] = forged["content"].replace("DRAFT", "LOCKED")
    commands = (
        ("edit the locked requirements by shell", f"sed -i 's/greet by name/greet/' {locked}"),
        ("the same, in a line of Python", f"python3 -c \"open('{locked}', 'a').write('x')\""),
        ("leave it to a script that nobody can read", f"./tidy.sh {locked}"),
        ("loosen the policy", f"echo '{{}}' > {workflow.policy_path}"),
    )
    for asks, command in commands:
        yield Step(asks, "deny", tool="bash", args={"command": command})
    yield Step("forge a lock by writing its header", "deny", tool="write", args=forged)


def _ordinary_work() -> Iterator[Step]:
    code = 'def greet(name: str) -> str:\n    return f"hello {name}"\n'
    args = {"file_path": "src/greeter.py", "content": code}
    yield Step("write product code", "allow", tool="write", args=args, then="written")
    command = {"command": "pytest -q"}
    yield Step(
        "run the tests",
        "allow",
        tool="bash",
        args=command,
        then="what it writes can't be known; the record says so",
    )


def _write(workflow: Workflow, phase: Phase, body: str) -> dict[str, Any]:
    path = f"{workflow.runs_path}/{RUN_ID}/{phase.artifact}"
    return {"file_path": path, "content": artifact_text(phase, body)}
