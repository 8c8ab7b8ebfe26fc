"""What the service answers, typed; and the errors that a refusal raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import httpx

from phasegate.core.call import Mode
from phasegate.core.verdict import NO_REMEDY, Remedy
from phasegate.errors import PhasegateError

_RETRIABLE: Final = frozenset({"overloaded", "log_unavailable", "run_busy"})
_UNAVAILABLE: Final = 503


@dataclass(frozen=True, slots=True)
class DecisionReply:
    """The service's answer to one call; `document` is the whole reply.

    `decision_id` is empty when nobody answered and the failure mode let it pass.
    """

    kind: Literal["allow", "deny"]
    verdict: Literal["allow", "deny", "ask"]
    mode: Mode
    rule: str
    reason: str
    decision_id: str = ""
    warning: str | None = None
    remedy: Remedy = NO_REMEDY
    run_id: str | None = None
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.kind == "allow"

    @property
    def text(self) -> str:
        """What a model is shown: the reason, then the way on."""
        return f"{self.reason}. {self.remedy.text}" if self.remedy.text else self.reason


@dataclass(frozen=True, slots=True)
class RunReply:
    """The answer of an operation on a run: its JSON document as it came."""

    run_id: str
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ObservationReply:
    """What the after-call check found. `tampered` is empty when all is as it was left."""

    tampered: tuple[Mapping[str, Any], ...]
    document: Mapping[str, Any]


class Denied(PhasegateError):
    """The guard refused a call. `decision` has everything it said."""

    code = "denied"
    http_status = 200
    exit_code = 3

    def __init__(self, decision: DecisionReply) -> None:
        super().__init__(decision.text, remedy=decision.remedy.text)
        self.decision = decision
        self.reason = decision.reason


class ServiceError(PhasegateError):
    """The service refused a request: `problem` is its code, `status` the HTTP status."""

    code = "service_error"

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = str(document.get("code") or "unknown")
        detail = str(document.get("detail") or document.get("title") or f"status {status}")
        errors = document.get("errors")
        super().__init__(
            detail,
            remedy=str(document.get("remedy") or ""),
            errors=list(errors) if isinstance(errors, list) else None,
        )


def document(response: httpx.Response) -> Mapping[str, Any]:
    """The JSON object of an answer; a refusal raises `ServiceError`."""
    try:
        document = response.json()
    except ValueError:
        document = {}
    if not isinstance(document, dict):
        document = {}
    if response.is_success and document:
        return document
    raise ServiceError(response.status_code, document or {"detail": "the answer is not a JSON object"})


def retriable(response: httpx.Response) -> bool:
    """Whether the service says that it did nothing and may be asked again."""
    if response.status_code not in {_UNAVAILABLE, httpx.codes.CONFLICT}:
        return False
    try:
        return response.json().get("code") in _RETRIABLE
    except (ValueError, AttributeError):
        return False


def decision(document: Mapping[str, Any]) -> DecisionReply:
    remedy = document.get("remedy") or {}
    return DecisionReply(
        kind="allow" if document.get("kind") == "allow" else "deny",
        verdict=document.get("verdict", "deny"),
        mode=document.get("mode", "strict"),
        rule=document.get("rule", "none"),
        reason=document.get("reason") or "",
        decision_id=document.get("decision_id", ""),
        warning=document.get("warning"),
        remedy=Remedy(
            remedy.get("action", "none"),
            remedy.get("text", ""),
            remedy.get("artifact"),
            bool(remedy.get("retryable")),
            tuple(remedy.get("waiting_on") or ()),
        ),
        run_id=document.get("run_id"),
        document=document,
    )


def observation(document: Mapping[str, Any]) -> ObservationReply:
    found: list[Any] = next(
        (document[key] for key in ("tampered", "items") if isinstance(document.get(key), list)), []
    )
    return ObservationReply(tuple(found), document)


def allowed(decision: DecisionReply) -> DecisionReply:
    if not decision.allowed:
        raise Denied(decision)
    return decision
