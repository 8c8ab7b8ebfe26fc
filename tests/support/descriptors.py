"""Counting what a process holds open."""

from __future__ import annotations

import gc
from pathlib import Path


def open_descriptors() -> int:
    """How many descriptors this process has open; what earlier tests left to the collector is gone first."""
    gc.collect()
    return len(list(Path("/dev/fd").iterdir()))
