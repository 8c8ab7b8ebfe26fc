"""A seam around every changing file operation.

Each operation on the disk announces itself before and after it happens. Tests count
these moments, raise at one of them or kill the process there; production pays one
comparison with None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Observer = Callable[[str], None]

_observers: list[Observer] = []


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Call *observer* with `before NAME` and `after NAME` of each operation while the block runs."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Mark the body as one file operation called *name*."""
    for observer in _observers:
        observer(f"before {name}")
    yield
    for observer in _observers:
        observer(f"after {name}")
