"""How long reading memory takes with 2,000 documents. Run it: `python tests/bench/memory_plane.py`.

Goal: under a second with nothing remembered, under 100 ms when nothing has changed.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from phasegate.core.reading import MemoryRequest
from phasegate.memory.folders import memory_place
from phasegate.memory.reader import MemoryReader
from phasegate.workspace.workflow_file import load_workflow

DOCUMENTS = 2_000
WORDS = 400
FOLDERS = ("domains", "patterns", "incidents", "episodes", "training", "skills/patterns")
HEADER = (
    "Type: `domain`\nStatus: `CURRENT`\nScope: bench\nOwns-Paths:\n- src/{name}/**\nWatch-Paths:\n"
    "Source-Runs:\n- r0\nValidated-At-Commit: abc\nLast-Validated: 2026-11-30T12:00:00Z\nTags:\n- bench\n\n"
)


def make_plane(root: Path) -> int:
    """Write the documents; returns their size in bytes."""
    source = random.Random(1)  # noqa: S311 (a bench, not a secret)
    vocabulary = ["".join(source.choices("abcdefghijklmnopqrst", k=7)) for _ in range(5_000)]
    size = 0
    for number in range(DOCUMENTS):
        name = source.choice(vocabulary)
        sections = "".join(
            f"## {name} {part}\n\n{' '.join(source.choices(vocabulary, k=WORDS // 4))}\n\n"
            for part in range(4)
        )
        path = root / ".recursive/memory" / FOLDERS[number % len(FOLDERS)] / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        size += path.write_text(HEADER.format(name=name) + f"# {name}\n\n{sections}")
    return size


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        size = make_plane(root)
        words = (root / ".recursive/memory/domains/00000.md").read_text().split()[-60:]
        request = MemoryRequest(
            "r1", "00-requirements.md", " ".join(words), False, tuple(f"src/x{n}/a.py" for n in range(500))
        )
        reader = MemoryReader(memory_place(str(root), load_workflow().layout))
        print(f"{DOCUMENTS} documents, {size / 1e6:.1f} MB")
        for label in ("cold", "warm", "warm"):
            start, processor = time.perf_counter(), time.process_time()
            reading = reader(request)
            wall, spent = time.perf_counter() - start, time.process_time() - processor
            print(f"{label}: {1000 * wall:.0f} ms, {1000 * spent:.0f} ms of processor  ({reading.reason})")
        start = time.perf_counter()
        reader.plane_digest()
        print(f"digest alone, warm: {1000 * (time.perf_counter() - start):.0f} ms")


if __name__ == "__main__":
    main()
