"""Records of a decision that is given again: built once, then only their own fields are new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from phasegate.core.call import ToolCall
from phasegate.decision_log.record.facts_form import NAME_BYTES
from phasegate.decision_log.record.model import OWN_FIELDS, DecisionRecord, Entry, RecordStem
from phasegate.decision_log.record.summary import args_digest
from phasegate.decision_log.record.texts import Texts
from phasegate.decision_log.record.view import reply_of

_OWN = frozenset(OWN_FIELDS)
_MAX_LATENCY = 2**53


def stem_of(record: DecisionRecord, call: ToolCall, marks: Mapping[str, str]) -> RecordStem | None:
    """What *record*, of a decision on *call*, shares with records of the same decision on equal calls.

    *marks* are those that its texts were treated with. None when a text of it was masked.
    """
    fields = record.fields
    if "masked" in fields or fields.get("call_id", "") != (call.call_id or ""):
        return None
    return RecordStem({name: value for name, value in fields.items() if name not in _OWN}, marks)


def record_again(
    stem: RecordStem, call: ToolCall, decision_id: str, at: str, latency_us: int
) -> DecisionRecord | None:
    """The record of the same decision on *call*; None when the call's own texts need treatment."""
    fields = {**stem.fields, "decision_id": decision_id, "at": at}
    fields["latency_us"] = min(max(latency_us, 0), _MAX_LATENCY)
    digest = args_digest(call.args)
    if digest is not None:
        fields["args_digest"] = digest
    if call.call_id:
        texts = Texts(stem.marks)
        if texts.short(call.call_id, NAME_BYTES) != call.call_id or not texts.untouched:
            return None
        fields["call_id"] = call.call_id
    return DecisionRecord(fields, stem)


def reply_bytes(record: DecisionRecord, entry: Entry, roots: Mapping[str, str]) -> bytes:
    """The reply to the call that *record* is about, as JSON. Arguments as for `reply_to`."""
    stem = record.stem
    if stem is None:
        return orjson.dumps(reply_to(record, entry, roots))
    middle: bytes | None = stem.derived.get(__name__)
    if middle is None:
        middle = stem.derived[__name__] = _shared_part(reply_to(record, entry, roots))
    own = orjson.dumps({"decision_id": record.fields["decision_id"], "at": record.fields["at"]})
    return b'%b%b"record":{"seq":%d,"hash":"%b"}}' % (own[:-1], middle, entry.seq, entry.hash.encode())


def reply_to(record: DecisionRecord, entry: Entry | None, roots: Mapping[str, str]) -> dict[str, Any]:
    """The same as plain values. *roots*: those of the served workspaces; *entry*: None when nothing was logged."""
    fields = record.logged(entry) if entry is not None else dict(record.fields)
    own = fields.get("workspace", "")
    return reply_of(fields, roots.get(own, ""), {name: root for name, root in roots.items() if name != own})


def _shared_part(reply: dict[str, Any]) -> bytes:
    """What lies between the first two keys of a reply and its last, commas included."""
    shared = {key: value for key, value in reply.items() if key not in ("decision_id", "at", "record")}
    return b"," + orjson.dumps(shared)[1:-1] + b","
