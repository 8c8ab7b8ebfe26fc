"""The corpus of labelled calls: its file tree, and how an answer is judged.

A case says which files a call would change (`expect_targets`). An answer is a set of
paths, some of them recursive, and whether a part stays unknown (opaque).

* exact cases: `HIT` (all covered), `OPAQUE` (not all, but it says so), `MISS` (dangerous)
* negatives, which change nothing: `CLEAN`, `FALSE_TARGET`, `FALSE_OPAQUE`
* unknown cases: `SAFE` (opaque, or every file seen to change is covered), `MISS`
"""

from __future__ import annotations

import base64
import collections
import json
import os
import posixpath
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parent.parent / "cases"
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")

Case = dict[str, Any]


@dataclass
class Answer:
    """What an extractor said about one case; `paths` maps a path to whether it is recursive."""

    paths: dict[str, bool] = field(default_factory=dict)
    opaque: bool = False

    def add(self, path: str, *, recursive: bool) -> None:
        self.paths[path] = self.paths.get(path, False) or recursive


@dataclass
class Site:
    """The invented tree, built below a real directory."""

    top: Path

    @property
    def root(self) -> str:
        return f"{self.top}/repo"

    @property
    def home(self) -> str:
        return f"{self.top}/home/dev"

    def real(self, value: Any) -> Any:
        """*value* with the invented prefixes replaced by the real ones, in every string."""
        if isinstance(value, str):
            return value.replace("/repo", "\0").replace("/home/dev", self.home).replace("\0", self.root)
        if isinstance(value, list):
            return [self.real(item) for item in value]
        if isinstance(value, dict):
            return {key: self.real(item) for key, item in value.items()}
        return value


def corpus() -> list[Case]:
    lines = (CASES / "shell.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def build_site(top: Path) -> Site:
    """Create the corpus's file tree below *top*."""
    site = Site(top.resolve())
    tree = json.loads((CASES / "shell-fixture.json").read_text(encoding="utf-8"))
    for directory in (tree["root"], tree["home"], *tree["dirs"]):
        Path(site.real(directory)).mkdir(parents=True, exist_ok=True)
    for name, content in tree["files"].items():
        path = Path(site.real(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        data = base64.b64decode(content["base64"]) if isinstance(content, dict) else content.encode()
        path.write_bytes(data)
    for name, target in tree["symlinks"].items():
        Path(site.real(name)).symlink_to(target)
    for name, mode in tree["modes"].items():
        Path(site.real(name)).chmod(int(mode, 8))
    Path(site.root, ".git", "hooks").mkdir(parents=True, exist_ok=True)
    return site


def judge(case: Case, answer: Answer) -> str:
    """The outcome of *case*; its paths are the real ones of a site."""
    found = {
        _normal(path, case["cwd"]): recursive
        for path, recursive in answer.paths.items()
        if _normal(path, case["cwd"]) not in _SINKS and not path.startswith("/dev/fd/")
    }
    wanted = case["expect_targets"]
    all_found = all(_covers(found, target) for target in wanted)
    if case["certainty"] == "unknown":
        return _judge_unknown(case, found, opaque=answer.opaque, all_found=all_found)
    if case["negative"] or not wanted:
        if _extra(case, found):
            return "FALSE_TARGET"
        tolerated = bool(case.get("opaque_ok")) and not case["negative"] and not found
        return "FALSE_OPAQUE" if answer.opaque and not tolerated else "CLEAN"
    if all_found:
        return "HIT"
    return "OPAQUE" if answer.opaque else "MISS"


def _judge_unknown(case: Case, found: dict[str, bool], *, opaque: bool, all_found: bool) -> str:
    seen = case.get("actual_targets")
    if all_found and (opaque or case.get("noop")):
        return "SAFE"
    if seen and all_found and all(_covers(found, target) for target in seen):
        return "SAFE"
    return "SAFE" if seen == [] and not opaque else "MISS"


def group_of(case: Case) -> str:
    return "negative" if case["negative"] else str(case["certainty"])


def _extra(case: Case, found: dict[str, bool]) -> list[str]:
    allowed = [target["path"] for target in case["expect_targets"]] + list(case.get("may_targets") or [])
    return [
        path
        for path, recursive in found.items()
        if not any(_under(path, other) or (recursive and _under(other, path)) for other in allowed)
    ]


def _covers(found: dict[str, bool], target: dict[str, Any]) -> bool:
    path = target["path"].rstrip("/")
    return any(
        name == path or (target.get("recursive") and _under(name, path)) or (recursive and _under(path, name))
        for name, recursive in found.items()
    )


def _under(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _normal(path: str, cwd: str) -> str:
    path = path.rstrip() if path.endswith("\n") else path
    return os.path.normpath(posixpath.join(cwd, path))


@dataclass
class Score:
    """Outcomes by group and tier, and the cases that went wrong."""

    outcomes: dict[tuple[str, str], collections.Counter[str]] = field(default_factory=dict)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    def count(self, group: str, tier: str, outcome: str) -> int:
        return self.outcomes.get((group, tier), collections.Counter())[outcome]

    def share(self, group: str, tier: str, *outcomes: str) -> float:
        counter = self.outcomes.get((group, tier), collections.Counter())
        return sum(counter[outcome] for outcome in outcomes) / max(1, counter.total())

    def table(self) -> str:
        rows = [
            f"{group:9} {tier:12} {dict(counter)}" for (group, tier), counter in sorted(self.outcomes.items())
        ]
        return "\n".join(rows)


def score(cases: Iterable[Case], answer: Callable[[Case], Answer]) -> Score:
    """Judge the answers to *cases* (with real paths)."""
    result = Score()
    for case in cases:
        outcome = judge(case, answer(case))
        for tier in (case["tier"], "all"):
            result.outcomes.setdefault((group_of(case), tier), collections.Counter())[outcome] += 1
        if outcome not in ("HIT", "CLEAN", "SAFE"):
            result.wrong.append((case["id"], outcome, json.dumps(case["args"], ensure_ascii=False)))
    return result
