"""Show a record: complete, for lists and look-ups, or as the reply that its decision was answered with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from phasegate.decision_log.record.texts import ROOT_MARK, root_mark

REPLY_KEYS = (
    *("decision_id", "at", "kind", "verdict", "mode", "rule", "reason", "warning", "warnings", "remedy"),
    *("run_id", "active_artifact", "effect", "targets", "opaque", "opaque_reasons", "findings", "blockers"),
    *("transition", "ask", "policy", "record"),
)
# What an absent field means. Fields that never are absent from a decision are not here.
_ABSENT: dict[str, Any] = {
    **dict.fromkeys(("kind", "verdict", "mode", "warning", "run_id", "active_artifact", "effect")),
    **dict.fromkeys(("transition", "ask", "runtime", "session_id", "agent_id", "call_id")),
    **dict.fromkeys(("session_run_id", "args_digest", "action", "facts", "details", "latency_us")),
    "reason": "",
    "summary": "",
}
_LISTS = ("warnings", "blockers", "rules_off", "masked")
_RECORD_KEYS = (
    *("v", "type", "seq", "prev_hash", "hash", "decision_id", "at", "kind", "verdict", "mode", "rule"),
    *("reason", "warning", "warnings", "remedy", "run_id", "active_artifact", "effect", "targets", "opaque"),
    *(
        "opaque_reasons",
        "findings",
        "blockers",
        "transition",
        "ask",
        "policy",
        "rules_off",
        "tool",
        "summary",
    ),
    *("args_digest", "action", "details", "runtime", "session_id", "agent_id", "call_id", "session_run_id"),
    *("workspace", "host", "service_version", "instance_id", "latency_us", "facts", "masked", "cut"),
)


def expanded(record: Mapping[str, Any]) -> dict[str, Any]:
    """*record* with every field spelled out, absent ones too. Its paths stay relative to the workspace.

    A damaged entry is shown as far as it could be read, with `damaged` saying what is wrong.
    """
    decided = record.get("type") == "decision"
    full = {
        **_ABSENT,
        **{name: list(record.get(name, ())) for name in _LISTS},
        **record,
        "rule": record.get("rule", "none" if decided else None),
        "tool": record.get("tool", "" if decided else None),
        "warning": record.get("reason") if record.get("warned") else record.get("warning"),
        "remedy": _remedy(record.get("remedy", {})),
        "targets": [_target(target, None) for target in record.get("targets", ())],
        "opaque": bool(record.get("opaque_reasons")),
        "opaque_reasons": [_opaque(part) for part in record.get("opaque_reasons", ())],
        "findings": [_finding(item, record.get("reason", "")) for item in record.get("findings", ())],
    }
    shown = {key: full.get(key) for key in _RECORD_KEYS}
    return {**shown, "damaged": record["damaged"]} if "damaged" in record else shown


def reply_of(record: Mapping[str, Any], root: str, others: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The reply to the call that *record* is about, keys in their documented order.

    *root* is the absolute root of the record's workspace, *others* maps the names of
    further served workspaces to theirs. `record` is null when the record is in no log.
    """
    roots = {ROOT_MARK: root.rstrip("/")}
    roots |= {root_mark(name): path.rstrip("/") for name, path in (others or {}).items()}
    hidden = b"{root" in orjson.dumps(record)
    shown = _restored(dict(record), roots) if hidden else record
    get = shown.get
    reason, parts = get("reason", ""), get("opaque_reasons", ())
    # Spelled out: every decision comes through here, and `expanded` costs twice as much.
    return {
        "decision_id": get("decision_id"),
        "at": get("at"),
        "kind": get("kind"),
        "verdict": get("verdict"),
        "mode": get("mode"),
        "rule": get("rule", "none"),
        "reason": reason,
        "warning": get("reason") if get("warned") else get("warning"),
        "warnings": list(get("warnings", ())),
        "remedy": _remedy(get("remedy", {})),
        "run_id": get("run_id"),
        "active_artifact": get("active_artifact"),
        "effect": get("effect"),
        "targets": [_target(target, roots) for target in record.get("targets", ())],
        "opaque": bool(parts),
        "opaque_reasons": [_opaque(part) for part in parts],
        "findings": [_finding(item, reason) for item in get("findings", ())],
        "blockers": list(get("blockers", ())),
        "transition": get("transition"),
        "ask": get("ask"),
        "policy": get("policy"),
        "record": {"seq": get("seq"), "hash": get("hash")} if get("seq") is not None else None,
    }


def _remedy(remedy: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "action": remedy.get("action", "none"),
        "artifact": remedy.get("artifact"),
        "text": remedy.get("text", ""),
        "retryable": remedy.get("retryable", False),
        "waiting_on": list(remedy.get("waiting_on", ())),
    }


def _target(target: Mapping[str, Any], roots: Mapping[str, str] | None) -> dict[str, Any]:
    """A target of the reply. Without *roots* `path` is null unless it lies outside every workspace."""
    rel, workspace = target.get("rel"), target.get("workspace")
    mark = root_mark(workspace)
    below = f"{mark}/{rel}" if rel not in (None, ".") else mark
    path = target.get("path") if rel is None else None
    typed = target.get("typed") or rel or path or ""
    if typed == ROOT_MARK:
        typed = below
    if roots is not None:
        typed = _unhide(typed, roots)
        path = _unhide(path or "", roots) if rel is None else _unhide(below, roots)
    return {
        "path": path,
        "rel": "" if rel == "." else rel,
        "typed": typed,
        "op": target.get("op"),
        "recursive": target.get("recursive", False),
        "via": target.get("via", ""),
        "span": target.get("span"),
    }


def _opaque(part: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "part": part.get("part", ""),
        "why": part.get("why", ""),
        "remedy": part.get("remedy", ""),
        "span": part.get("span"),
    }


def _finding(finding: Mapping[str, Any], headline: str) -> dict[str, Any]:
    return {
        "rule": finding.get("rule"),
        "verdict": finding.get("verdict"),
        "enforced": finding.get("enforced", False),
        "reason": finding.get("reason", headline),
        "target": finding.get("target"),
    }


def _unhide(text: str, roots: Mapping[str, str]) -> str:
    for mark, root in roots.items():
        if mark in text:
            text = text.replace(mark, root or "/" if text == mark else root)
    return text


def _restored(value: Any, roots: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _unhide(value, roots)
    if isinstance(value, dict):
        return {key: _restored(item, roots) for key, item in value.items()}
    return [_restored(item, roots) for item in value] if isinstance(value, list) else value
