"""The stories of the service: evaluate, explain, enter a phase, look decisions up.

One decision travels straight down and back once: call -> workspace -> policy -> targets
-> facts (the only reads) -> decision (pure) -> record (the only write, durable) -> reply.

Failure modes, each named:
* the policy is broken: deny, in both modes (the policy itself says so);
* facts can't be read: deny in strict mode, warn in advisory mode;
* a rule raises: the same, and the record says which (the engine's part);
* the log can't be written: strict denies with the reason `decision log unavailable`,
  advisory allows with a warning; `phasegate_decisions_unrecorded_total` counts either.
"""

from phasegate.service.answers import Answer
from phasegate.service.compose import open_service
from phasegate.service.counters import LATENCY_BOUNDS, Counters
from phasegate.service.rounds import Asked, Rounds
from phasegate.service.runs import RunStories, Who
from phasegate.service.stories import Service

__all__ = [
    "LATENCY_BOUNDS",
    "Answer",
    "Asked",
    "Counters",
    "Rounds",
    "RunStories",
    "Service",
    "Who",
    "open_service",
]
