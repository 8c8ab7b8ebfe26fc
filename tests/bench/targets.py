"""Extraction of shell commands: milliseconds with and without the parser, and 200,000 in a row.

Run: `.venv/bin/python tests/bench/targets.py [COUNT]`
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.shell import extract_shell
from phasegate.targets.shell.fast import parse_plain
from support.target_calls import workflow
from support.target_scorer import Case, Site, build_site, corpus

MANY = 200_000


def judge(case: Case, site: Site, parser: ShfmtParser) -> None:
    extract_shell(
        case["args"]["command"],
        cwd=case["cwd"],
        root=site.root,
        view=DiskView(home=site.home),
        parser=parser,
        workflow=workflow(),
    )


def milliseconds(cases: list[Case], run: Callable[[Case], None]) -> list[float]:
    times = []
    for case in cases:
        start = time.perf_counter()
        run(case)
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)


def row(name: str, times: list[float]) -> str:
    percentile = times[int(len(times) * 0.95)]
    return f"{name:34}{len(times):8}{statistics.median(times):10.3f}{percentile:10.3f}{times[-1]:10.2f}"


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else MANY
    with tempfile.TemporaryDirectory() as top:
        site = build_site(Path(top))
        cases = [site.real(case) for case in corpus() if case["tool"] == "Bash"]
        plain = [case for case in cases if parse_plain(case["args"]["command"]) is not None]
        others = [case for case in cases if parse_plain(case["args"]["command"]) is None]
        warm = ShfmtParser()
        for case in cases:
            judge(case, site, warm)
        print(f"{'ms a command':34}{'number':>8}{'median':>10}{'p95':>10}{'worst':>10}   goal: 0.3, 4")
        print(row("plain words, no parser", milliseconds(plain, lambda case: judge(case, site, warm))))
        print(row("tree remembered", milliseconds(others, lambda case: judge(case, site, warm))))
        print(row("parser started", milliseconds(others, lambda case: judge(case, site, ShfmtParser()))))
        start = time.perf_counter()
        for number in range(count):
            judge(cases[number % len(cases)], site, warm)
        took = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{count} commands in {took:.1f} s, {took / count * 1e3:.3f} ms each, {memory:.0f} MiB at most")


if __name__ == "__main__":
    main()
