"""Which texts may name a run directory."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_LENGTH = 100
_DRIVE = re.compile(r"[A-Za-z]:")
_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def run_id_problem(run_id: str) -> str | None:
    """Why *run_id* can't name a run, or None. The first problem of a fixed order is reported."""
    if len(run_id) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH} characters"
    return _problem(run_id)


@lru_cache(maxsize=1024)
def _problem(run_id: str) -> str | None:
    checks = (
        (not run_id, "it is empty"),
        (bool(_DRIVE.match(run_id)), "it begins with a drive letter"),
        ("/" in run_id or "\\" in run_id, "it contains a path separator"),
        (":" in run_id, "it contains a colon"),
        (".." in run_id, "it contains two dots in a row"),
        (run_id.startswith("."), "it begins with a dot"),
        (run_id.endswith("."), "it ends with a dot"),
        (not _ALLOWED.issuperset(run_id), "only ASCII letters, digits, `.`, `_` and `-` are allowed"),
    )
    return next((problem for failed, problem in checks if failed), None)
