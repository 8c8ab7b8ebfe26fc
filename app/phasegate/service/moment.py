"""What was found to be as it was, since a moment that several calls had come by."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Moment:
    """The evidence that was looked at again since then and had not changed. For one thread."""

    held: set[object] = field(default_factory=set)
