"""Decision records: built from values, kept small, free of secrets and of absolute workspace paths."""

from __future__ import annotations

from phasegate.decision_log.record.build import (
    LifecycleEvent,
    TamperEvent,
    decision_record,
    lifecycle_record,
    root_marks,
    tamper_record,
)
from phasegate.decision_log.record.model import (
    OWN_FIELDS,
    RECORD_TYPES,
    DecisionRecord,
    Entry,
    Origin,
    RecordContext,
    RecordStem,
    RecordType,
)
from phasegate.decision_log.record.restore import Restored, restored
from phasegate.decision_log.record.stems import record_again, reply_bytes, reply_to, stem_of
from phasegate.decision_log.record.view import REPLY_KEYS, expanded, reply_of

__all__ = [
    "OWN_FIELDS",
    "RECORD_TYPES",
    "REPLY_KEYS",
    "DecisionRecord",
    "Entry",
    "LifecycleEvent",
    "Origin",
    "RecordContext",
    "RecordStem",
    "RecordType",
    "Restored",
    "TamperEvent",
    "decision_record",
    "expanded",
    "lifecycle_record",
    "record_again",
    "reply_bytes",
    "reply_of",
    "reply_to",
    "restored",
    "root_marks",
    "stem_of",
    "tamper_record",
]
