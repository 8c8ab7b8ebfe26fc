"""Values that are made by the dozen for each call.

A frozen dataclass fills its fields through `object.__setattr__`, which takes three times
as long as plain assignment: a tenth of the time of a decision. These are frozen to the
type checker, which all of this package has to pass, and nowhere assigned to; at run time
they are ordinary dataclasses with the equality and the hash of frozen ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:

    def value(*, frozen: bool, slots: bool) -> Callable[[type], type]:
        """As `dataclass`; *frozen* gives the hash and leaves the rest to the type checker."""
        return dataclass(slots=slots, unsafe_hash=frozen)


__all__ = ["value"]
