"""Every error phasegate raises on purpose.

PhasegateError
├── BadRequest
│   ├── InvalidRequest          422 invalid_request
│   ├── WorkspaceRequired       422 workspace_required
│   ├── WorkspaceNotServed      403 workspace_not_served
│   ├── TokenRequired           401 token_required
│   ├── HostRefused             421 host_refused
│   ├── BodyTooLarge            413 body_too_large
│   ├── DecisionNotFound        404 decision_not_found
│   └── RunNotFound             404 run_not_found
├── Conflict
│   ├── RunBusy                 409 run_busy
│   ├── LockRefused             409 lock_refused
│   ├── PhaseRefused            409 phase_refused
│   ├── RunComplete             409 run_complete
│   └── ClosureRefused          409 closure_refused
├── Unavailable
│   ├── Overloaded              503 overloaded
│   ├── LogUnavailable          503 log_unavailable
│   └── ServiceUnreachable      503 service_unreachable
├── SettingsError               exit 2
├── PolicyDefect                a policy text that must not be believed
├── FactsUnreadable             503 facts_unreadable: the disk refused for another reason than absence
│   └── ViewExhausted           a look-up budget is spent
└── FileRefused                 409 file_refused: a file that must not be read or written (link, type, size)

`code` is stable and snake_case, `http_status` what the API answers, `exit_code` what
the command line exits with. Messages: lower case, no full stop, user input in backticks.
"""

from __future__ import annotations

from typing import Any, ClassVar


class PhasegateError(Exception):
    """Base of the tree. `detail` is one line; `remedy` says how to go on."""

    code: ClassVar[str] = "internal_error"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, detail: str, *, remedy: str = "", errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.remedy = remedy
        self.errors = errors or []


class BadRequest(PhasegateError):
    """The caller must change the request."""

    code = "invalid_request"
    http_status = 422
    exit_code = 2


class InvalidRequest(BadRequest):
    """A field is missing, unknown or of the wrong shape; `errors` names each."""


class WorkspaceRequired(BadRequest):
    """Several workspaces are served and the request names none."""

    code = "workspace_required"


class WorkspaceNotServed(BadRequest):
    """The named workspace is outside every served one."""

    code = "workspace_not_served"
    http_status = 403


class TokenRequired(BadRequest):
    """The bearer token is missing or wrong."""

    code = "token_required"
    http_status = 401


class HostRefused(BadRequest):
    """The Host header names neither this machine nor an allowed name."""

    code = "host_refused"
    http_status = 421


class BodyTooLarge(BadRequest):
    """The request body is over its limit."""

    code = "body_too_large"
    http_status = 413


class DecisionNotFound(BadRequest):
    """No record has this id."""

    code = "decision_not_found"
    http_status = 404


class RunNotFound(BadRequest):
    """The workspace has no such run."""

    code = "run_not_found"
    http_status = 404


class Conflict(PhasegateError):
    """The request is well formed, the state of the run forbids it."""

    http_status = 409
    exit_code = 3


class RunBusy(Conflict):
    """Another process holds the run's lock; it is safe to retry."""

    code = "run_busy"


class LockRefused(Conflict):
    """A gate of the lock refused."""

    code = "lock_refused"


class PhaseRefused(Conflict):
    """The phase can't be entered now: it is locked, or earlier ones are not."""

    code = "phase_refused"


class RunComplete(Conflict):
    """Every phase of the run is locked."""

    code = "run_complete"


class ClosureRefused(Conflict):
    """The run may not be closed yet."""

    code = "closure_refused"


class Unavailable(PhasegateError):
    """The service can't answer now."""

    http_status = 503
    exit_code = 4


class Overloaded(Unavailable):
    """The concurrency limit is reached; it is safe to retry."""

    code = "overloaded"


class LogUnavailable(Unavailable):
    """The decision log could not be written or read; nothing was written."""

    code = "log_unavailable"


class ServiceUnreachable(Unavailable):
    """No service answers at the configured address."""

    code = "service_unreachable"


class SettingsError(PhasegateError):
    """A setting is unknown, malformed or unsafe; the message names it and its source."""

    code = "settings_error"
    exit_code = 2


class PolicyDefect(PhasegateError):
    """A policy text that must not be believed; the message names the key."""

    code = "policy_defect"
    exit_code = 2


class FactsUnreadable(PhasegateError):
    """Evidence exists but can't be read. Strict mode denies on it."""

    code = "facts_unreadable"
    http_status = 503
    exit_code = 4


class ViewExhausted(FactsUnreadable):
    """A call would need more look-ups than the budget allows."""

    code = "view_exhausted"


class FileRefused(PhasegateError):
    """A file is a link, not regular, or over its size bound."""

    code = "file_refused"
    http_status = 409
    exit_code = 3
