"""How much of a command is looked at before the answer is "can't be known"."""

from __future__ import annotations

MAX_COMMAND = 1 << 20
"""Characters of shell text; longer commands are opaque as a whole."""

MAX_STEPS = 20_000
"""Commands, words and loop rounds visited in one extraction."""

MAX_DEPTH = 40
"""Nesting of compounds, substitutions and nested shells that is followed."""

MAX_STATES = 8
"""Ways of how the command could have gone so far that are kept apart."""

MAX_TEXT = 1 << 18
"""Characters of a value (variable, output, standard input) that is kept literally."""

MAX_FIELDS = 1024
"""Words that one word may expand to."""

MAX_ROUNDS = 64
"""Rounds of a loop that are followed one by one."""

MAX_TARGETS = 512
MAX_OPAQUE = 64
MAX_WORDS = 64
MAX_PART = 200
MAX_CHANGE = 4096
MAX_LISTED = 2500
"""Names looked at by all patterns and searches of one extraction."""


MAX_MATCHING = 300_000
"""Positions looked at by all pattern matching of one extraction."""


class TooMuch(Exception):
    """A bound was hit: what was found so far stands, and the rest is opaque."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Effort:
    """Work that may still be spent on matching; shared by all matches of one extraction."""

    def __init__(self, limit: int = MAX_MATCHING) -> None:
        self._left = limit

    def spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise TooMuch("a pattern takes too long to match")
