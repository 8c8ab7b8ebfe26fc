"""A Dockerfile as data, and its steps carried out in a scratch directory.

No container engine is needed: `COPY` copies, `RUN` runs, with the image's own paths
moved below the scratch directory. What changes the system (packages, users) is left to
the engine; the tests read those steps instead.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

SYSTEM_PROGRAMS = ("apt-get", "groupadd", "useradd", "install")
IMAGE_DIRECTORIES = ("/opt/phasegate", "/var/lib/phasegate", "/run/phasegate", "/src")


@dataclass(frozen=True)
class Step:
    """One instruction with its argument, continuation lines joined."""

    instruction: str
    argument: str

    def json_argument(self) -> list[str]:
        """The argument of an instruction in exec form."""
        return [str(item) for item in json.loads(self.argument)]


@dataclass
class Stage:
    """What follows one `FROM`."""

    image: str
    name: str
    steps: list[Step] = field(default_factory=list)

    def all(self, instruction: str) -> list[Step]:
        return [step for step in self.steps if step.instruction == instruction]

    def last(self, instruction: str) -> Step:
        return self.all(instruction)[-1]


def parse(text: str) -> list[Stage]:
    """The stages of a Dockerfile."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    stages: list[Stage] = []
    for line in filter(str.strip, joined.splitlines()):
        instruction, _, argument = line.strip().partition(" ")
        if instruction == "FROM":
            image, _, name = argument.partition(" AS ")
            stages.append(Stage(image, name.strip()))
        else:
            stages[-1].steps.append(Step(instruction, argument.strip()))
    return stages


class Scratch:
    """A directory that stands for the root of the image."""

    def __init__(self, root: Path, context: Path) -> None:
        self.root = root
        self.context = context
        self.workdir = root
        for name in IMAGE_DIRECTORIES:
            (root / name.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def moved(self, text: str) -> str:
        """*text* with the image's own directories moved below the scratch root."""
        for name in IMAGE_DIRECTORIES:
            text = text.replace(name, str(self.root / name.lstrip("/")))
        return text

    def carry_out(self, stage: Stage) -> None:
        for step in stage.steps:
            if step.instruction == "WORKDIR":
                self.workdir = Path(self.moved(step.argument))
                self.workdir.mkdir(parents=True, exist_ok=True)
            elif step.instruction == "COPY" and not step.argument.startswith("--from"):
                self._copy(shlex.split(step.argument))
            elif step.instruction == "RUN" and not step.argument.startswith(SYSTEM_PROGRAMS):
                self._run(step.argument)

    def _copy(self, words: list[str]) -> None:
        *sources, target = words
        place = Path(self.moved(target))
        place = place if place.is_absolute() else self.workdir / place
        for source in sources:
            origin = self.context / source
            if origin.is_dir():
                shutil.copytree(origin, place, ignore=shutil.ignore_patterns("__pycache__"))
            elif target.endswith("/"):
                shutil.copy(origin, place / origin.name)
            else:
                shutil.copy(origin, place)

    def _run(self, command: str) -> None:
        # The interpreter of the test run stands for the image's.
        command = re.sub(r"^python3 ", f"{shlex.quote(sys.executable)} ", self.moved(command))
        subprocess.run(["sh", "-euc", command], cwd=self.workdir, check=True, timeout=280)

    def environment(self, stage: Stage) -> dict[str, str]:
        """What the stage's `ENV` steps set."""
        pairs = [word for step in stage.all("ENV") for word in shlex.split(step.argument)]
        return {name: self.moved(value) for name, _, value in (pair.partition("=") for pair in pairs)}
