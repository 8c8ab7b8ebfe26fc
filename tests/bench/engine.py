"""`decide()` with the facts in hand: microseconds for the built-in rules with 20 and 100 patterns.

Run: `.venv/bin/python tests/bench/engine.py`
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from phasegate.core.engine import decide
from phasegate.core.policy import allow_all, by_precedence, pattern_entry
from support.facts import BUILTIN, call, facts, in_run, run, target

ROUNDS, EACH = 7, 5_000


def policy_with(patterns: int):
    shapes = ("tool_{}", "family_{}_*", "*_suffix_{}", "a*b{}*")
    entries = [
        pattern_entry(shapes[n % len(shapes)].format(n), "deny", "no", None, conditional=False)
        for n in range(patterns - 1)
    ]
    return replace(BUILTIN, patterns=by_precedence([*entries, allow_all()]))


def microseconds(world, policy) -> float:
    request = call("Write", run_id="r1")
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(EACH):
            decide(request, world, policy)
        times.append((time.process_time() - start) / EACH * 1e6)
    return statistics.median(times)


def main() -> None:
    of = run("LLLLLddddddd", read=("00-requirements.md",))
    worlds = {
        "product write, bound run": facts(target("src/a.py"), bound=of),
        "artifact write, allowed": facts(in_run("03-implementation-summary.md", of), bound=of),
        "artifact write, denied": facts(in_run("08-memory-impact.md", of), bound=of),
    }
    print(f"{'decide()':32}{'20 patterns':>14}{'100 patterns':>14}   goal: 20 us, 60 us")
    for name, world in worlds.items():
        few, many = (microseconds(world, policy_with(count)) for count in (20, 100))
        print(f"{name:32}{few:11.1f} us{many:11.1f} us")


if __name__ == "__main__":
    main()
