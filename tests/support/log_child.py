"""A program that appends under load until it is killed, and tells each record that it was promised.

Usage: `log_child.py FILE FIRST_NUMBER`. Each line on standard output is `NUMBER SEQ`,
written after the append returned. Needs `tests/` and `app/` on its path.
"""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.writer import LogWriter
from support.records import product_write

CALLERS = 32


async def main() -> None:
    writer = LogWriter(SqliteStore(Path(sys.argv[1])))
    numbers = count(int(sys.argv[2]))

    async def caller() -> None:
        for number in numbers:
            entry = await writer.append(product_write(number, rel=f"src/{number % 97}.py"))
            os.write(1, b"%d %d\n" % (number, entry.seq))

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


if __name__ == "__main__":
    asyncio.run(main())
