"""What may be asked of the log: filters, limits, and the place to go on from."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from phasegate.decision_log.record import RECORD_TYPES
from phasegate.errors import InvalidRequest

MAX_LIMIT = 500
DEFAULT_LIMIT = 50
MAX_TEXT = 1024
ANY_TYPE = "any"
# Fields compared as they are. The others have a meaning of their own.
EXACT = (
    *("run_id", "workspace", "rule", "kind", "verdict", "mode", "tool", "runtime", "session_id", "agent_id"),
    *("call_id",),
)
CHOICES: dict[str, tuple[str, ...]] = {
    "kind": ("allow", "deny"),
    "verdict": ("allow", "deny", "ask"),
    "mode": ("strict", "advisory"),
    "type": (*RECORD_TYPES, ANY_TYPE),
}
_REMEDY = "correct it, or leave it out"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Newest records first that match every filter given.

    `type` defaults to decisions; `any` means all types. `target` is a prefix of a
    target's path relative to its workspace (absolute for one outside every workspace).
    `since` (inclusive) and `until` (exclusive) are microseconds since 1970. `q` is looked
    for in summary, reason, rule and tool, letter case ignored. `before`: only records
    with a lower sequence number.
    """

    run_id: str | None = None
    workspace: str | None = None
    rule: str | None = None
    kind: str | None = None
    verdict: str | None = None
    mode: str | None = None
    tool: str | None = None
    runtime: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    call_id: str | None = None
    target: str | None = None
    type: str = "decision"
    since: int | None = None
    until: int | None = None
    q: str | None = None
    limit: int = DEFAULT_LIMIT
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of records. `next_cursor` is None on the last one."""

    items: tuple[dict[str, Any], ...]
    next_cursor: str | None


FILTERS = frozenset(field.name for field in fields(Query)) - {"before"} | {"cursor"}


def parse_query(params: Mapping[str, str]) -> Query:
    """The query that request parameters ask for. Raises `InvalidRequest` naming each that is wrong."""
    values: dict[str, Any] = {}
    errors: list[dict[str, Any]] = []
    for name, text in params.items():
        try:
            key, value = _parsed(name, text)
        except ValueError as error:
            errors.append({"field": name[:MAX_TEXT], "problem": str(error), "remedy": _REMEDY})
        else:
            values[key] = value
    if errors:
        first = errors[0]
        raise InvalidRequest(f"`{first['field']}`: {first['problem']}", remedy=_REMEDY, errors=errors)
    return Query(**values)


def _parsed(name: str, text: str) -> tuple[str, Any]:
    if name not in FILTERS:
        raise ValueError(f"unknown filter; known are {', '.join(sorted(FILTERS))}")
    if len(text) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT} characters")
    if name in CHOICES and text not in CHOICES[name]:
        raise ValueError(f"not one of {', '.join(CHOICES[name])}")
    if name in ("since", "until"):
        return name, instant(text)
    if name == "limit":
        return name, _limit(text)
    if name == "cursor":
        return "before", position(text)
    return name, text


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= MAX_LIMIT:
        raise ValueError(f"not a number from 1 to {MAX_LIMIT}")
    return int(text)


def instant(text: str) -> int:
    """Microseconds since 1970 of an ISO 8601 time or date; without an offset it is UTC."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("not an ISO 8601 time such as 2026-11-30T12:00:00Z") from error
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - _EPOCH) // _MICROSECOND


def instant_text(micros: int) -> str:
    """The time of *micros* as records write it; raises `OverflowError` outside the years 1 to 9999."""
    return (_EPOCH + timedelta(microseconds=micros)).isoformat(timespec="microseconds")[:-6] + "Z"


def cursor(seq: int) -> str:
    """The cursor of the page that follows record *seq*. Records that are added do not move it."""
    return base64.urlsafe_b64encode(b"before:%d" % seq).decode().rstrip("=")


def position(text: str) -> int:
    """The sequence number inside a cursor. Raises `ValueError` for a text that is none."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        data = b""
    word, _, digits = data.partition(b":")
    if word != b"before" or not digits.isdigit() or len(digits) > 18:  # noqa: PLR2004 (below 2**63)
        raise ValueError("not a cursor of this service")
    return int(digits)


def page_of(items: list[dict[str, Any]], query: Query) -> Page:
    """The page made of *items*, of which there may be one more than was asked for."""
    kept = tuple(items[: query.limit])
    return Page(kept, cursor(kept[-1]["seq"]) if len(items) > query.limit else None)


def matches(record: Mapping[str, Any], query: Query) -> bool:
    """Whether *record* (as logged) passes every filter. The stores' own filters mean the same."""
    if query.type not in (ANY_TYPE, record.get("type")):
        return False
    for name in EXACT:
        wanted = getattr(query, name)
        if (
            wanted is not None
            and record.get(name, "none" if _is_decision_rule(record, name) else None) != wanted
        ):
            return False
    return all(test for test in _special(record, query))


def _is_decision_rule(record: Mapping[str, Any], name: str) -> bool:
    return name == "rule" and record.get("type") == "decision"


def _special(record: Mapping[str, Any], query: Query) -> Iterator[bool]:
    if query.before is not None:
        yield record["seq"] < query.before
    if query.since is not None or query.until is not None:
        at = instant(record["at"])
        yield query.since is None or at >= query.since
        yield query.until is None or at < query.until
    if query.target is not None:
        yield any(path.startswith(query.target) for path in target_paths(record))
    if query.q is not None:
        yield mentions(record, query.q)


def target_paths(record: Mapping[str, Any]) -> Iterator[str]:
    """The path of each target: relative to its workspace, absolute outside every one."""
    for target in record.get("targets", ()):
        path = target.get("rel", target.get("path"))
        if isinstance(path, str):
            yield path


def mentions(record: Mapping[str, Any], text: str) -> bool:
    """Whether summary, reason, rule or tool holds *text*, letter case ignored."""
    wanted = text.casefold()
    rule = record.get("rule", "none" if record.get("type") == "decision" else "")
    words = (record.get("summary", ""), record.get("reason", ""), rule, record.get("tool", ""))
    return any(wanted in word.casefold() for word in words)
