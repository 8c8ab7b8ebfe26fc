"""The hash chain: what ties each record to all before it, and how to check it without us.

A record's canonical bytes are its JSON object without `hash` and `prev_hash`, keys
sorted by code point at every level, no blanks, UTF-8, nothing escaped that JSON does
not require to be. Its hash is SHA-256 over the 64 hex digits of the previous record's
hash, followed by its canonical bytes; the first record follows 64 zeros. An export
(JSON Lines, oldest first, ending with the head) is checked by this program:

    import hashlib, json, sys
    prev, seq = "0" * 64, 0
    for line in open(sys.argv[1], "rb"):
        record = json.loads(line)
        if "head" in record:
            assert record["head"] == {"seq": seq, "hash": prev}, "the end is missing"
            break
        seq, stored = seq + 1, record.pop("hash")
        assert record["seq"] == seq and record.pop("prev_hash") == prev, f"no record {seq}"
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        prev = hashlib.sha256((prev + text).encode()).hexdigest()
        assert prev == stored, f"record {seq} was edited"

The chain makes tampering evident, not impossible: who can write the whole log can also
compute it anew. A head that was noted elsewhere shows that, too.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from phasegate.core.values import value
from phasegate.decision_log.record import OWN_FIELDS, DecisionRecord, RecordStem

GENESIS = "0" * 64
MAX_PROBLEMS = 1000
_SEQ = "seq"
# After every name of a field.
_LAST = "\U0010ffff"

ProblemKind = Literal["damaged", "edited", "gap", "reordered", "broken_link", "truncated", "head_differs"]


@value(frozen=True, slots=True)
class Head:
    """The last record of a log: its sequence number and hash. An empty log has 0 and `GENESIS`."""

    seq: int = 0
    hash: str = GENESIS


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a log, at `seq`."""

    seq: int
    kind: ProblemKind
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of a log found. `head` is the last record seen; `problems` stops at `MAX_PROBLEMS`."""

    checked: int
    first_seq: int | None
    last_seq: int | None
    head: Head
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "checked": self.checked,
            "first_seq": self.first_seq,
            "last_seq": self.last_seq,
            "head": {"seq": self.head.seq, "hash": self.head.hash},
            "problems": [{"seq": p.seq, "kind": p.kind, "detail": p.detail} for p in self.problems],
        }


def canonical_bytes(record: Mapping[str, Any]) -> bytes:
    """The bytes of *record* that its hash covers; `hash` and `prev_hash` are left out."""
    if "hash" in record or "prev_hash" in record:
        record = {key: value for key, value in record.items() if key not in ("hash", "prev_hash")}
    return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)


def canonical_again(record: DecisionRecord, stem: RecordStem, seq: int) -> bytes:
    """The canonical bytes of *record* at *seq*, of which most are those of its *stem*."""
    fields = record.fields
    own: tuple[str, ...] = OWN_FIELDS
    if len(fields) - len(stem.fields) != len(own):
        own = tuple(name for name in OWN_FIELDS if name in fields)
    templates: dict[tuple[str, ...], bytes] | None = stem.derived.get(__name__)
    if templates is None:
        templates = stem.derived[__name__] = {}
    template = templates.get(own)
    if template is None:
        template = templates[own] = _template(stem.fields, own)
    return template % (*map(orjson.dumps, map(fields.__getitem__, own)), orjson.dumps(seq))


def _template(fields: Mapping[str, Any], own: tuple[str, ...]) -> bytes:
    """Canonical bytes of *fields* with a `%b` for each value of *own*, which are in order, and for `seq`."""
    members: list[bytes] = []
    for low, name in itertools.pairwise(("", *own, _SEQ, _LAST)):
        between = {key: value for key, value in fields.items() if low < key < name}
        members.append(orjson.dumps(between, option=orjson.OPT_SORT_KEYS)[1:-1].replace(b"%", b"%%"))
        if name is not _LAST:
            members.append(b'"%b":%%b' % name.encode())
    return b"{%b}" % b",".join(filter(None, members))


def link(prev_hash: str, canonical: bytes) -> str:
    """The hash of a record that follows the one with *prev_hash*."""
    return hashlib.sha256(prev_hash.encode("ascii") + canonical).hexdigest()


def verify(
    records: Iterable[Mapping[str, Any]], head: Head | None = None, anchor: Head | None = None
) -> Verification:
    """
    Check *records*, oldest first.

    *head* is a head noted elsewhere (or stored with the log): the log must reach it and
    agree with it. *anchor* is the record before the first one, for a log that begins in
    the middle. An entry that could not be read carries `damaged` instead of its fields.
    """
    check = _Check(last=anchor or Head(), noted=head)
    for record in records:
        for problem in check.take(record):
            check.report(problem)
    for problem in check.finish():
        check.report(problem)
    return Verification(check.checked, check.first_seq, check.last_seq, check.last, tuple(check.problems))


@dataclass(slots=True)
class _Check:
    """The state of one pass. After a problem it goes on from what is stored, so one edit is one problem."""

    last: Head
    noted: Head | None
    checked: int = 0
    first_seq: int | None = None
    last_seq: int | None = None
    met_noted: bool = False
    problems: list[Problem] = field(default_factory=list)

    def report(self, problem: Problem) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def take(self, record: Mapping[str, Any]) -> Iterator[Problem]:
        self.checked += 1
        seq = record.get("seq")
        if type(seq) is not int:
            yield Problem(self.last.seq, "damaged", "an entry after this one has no sequence number")
            return
        self.first_seq = seq if self.first_seq is None else self.first_seq
        self.last_seq = seq
        stored, linked = record.get("hash"), record.get("prev_hash")
        yield from self._order(seq, linked)
        if "damaged" in record:
            yield Problem(seq, "damaged", str(record["damaged"]))
        elif not isinstance(stored, str) or not isinstance(linked, str) or not linked.isascii():
            yield Problem(seq, "damaged", "its hashes are missing")
        elif not _holds(record, linked, stored):
            yield Problem(seq, "edited", "its content differs from its hash")
        if self.noted is not None and seq == self.noted.seq:
            self.met_noted = True
            if stored != self.noted.hash:
                yield Problem(seq, "head_differs", "its hash is not the one noted for the head")
        self.last = Head(seq, stored if isinstance(stored, str) else "")

    def _order(self, seq: int, linked: object) -> Iterator[Problem]:
        expected = self.last.seq + 1
        if seq > expected:
            missing = (
                f"record {expected} is" if seq == expected + 1 else f"records {expected} to {seq - 1} are"
            )
            yield Problem(seq, "gap", f"{missing} missing before it")
        elif seq < expected:
            yield Problem(seq, "reordered", f"it stands after record {self.last.seq}")
        elif self.last.hash and isinstance(linked, str) and linked != self.last.hash:
            yield Problem(seq, "broken_link", "it does not follow the record before it")

    def finish(self) -> Iterator[Problem]:
        if self.noted is None or self.met_noted or self.noted.seq == 0:
            return
        if self.last.seq < self.noted.seq:
            reach = f"the log ends at record {self.last.seq} but reached {self.noted.seq}"
            yield Problem(self.noted.seq, "truncated", reach)
        else:
            yield Problem(self.noted.seq, "head_differs", "the record noted as the head is missing")


def _holds(record: Mapping[str, Any], linked: str, stored: str) -> bool:
    try:
        return link(linked, canonical_bytes(record)) == stored
    except orjson.JSONEncodeError:  # no writer of ours could have stored such a value
        return False
