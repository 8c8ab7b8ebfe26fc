"""The public recursive-mode formats, written out again: tests must not check our code with itself."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

SEQUENCE = (
    "00-requirements.md",
    "00-worktree.md",
    "01-as-is.md",
    "01.5-root-cause.md",
    "02-to-be-plan.md",
    "03-implementation-summary.md",
    "03.5-code-review.md",
    "04-test-summary.md",
    "05-manual-qa.md",
    "06-decisions-update.md",
    "07-state-update.md",
    "08-memory-impact.md",
)
LOCKED_AT = "2026-01-01T00:00:00Z"
READ_SOURCE = "memory-read:attempt"


def content_hash(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = re.sub(r"(?m)^[ \t]*LockHash:[^\n]*(\n|\Z)", "", text)
    return hashlib.sha256(kept.encode()).hexdigest()


def status(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    word = re.search(r'(?m)^[ \t]*Status:\s*[`"]?(\w+)[`"]?\s*$', text)
    if word is None or word.group(1) != "LOCKED":
        return "DRAFT"
    stored = re.search(r'(?m)^[ \t]*LockHash:\s*[`"]?([0-9a-fA-F]{64})[`"]?\s*$', text)
    at = re.search(r'(?m)^[ \t]*LockedAt:\s*[`"]?([^`"\r\n]+)[`"]?\s*$', text)
    if stored is None or at is None:
        return "STALE_LOCK"
    return "LOCKED" if stored.group(1).lower() == content_hash(text) else "STALE_LOCK"


def seal(text: str) -> str:
    """*text* with `{{HASH}}` replaced by its content hash."""
    return text.replace("{{HASH}}", content_hash(text))


def artifact_text(run_id: str, name: str, state: str, body: str = "") -> str:
    lines = [f"Run: `{run_id}`", f"Phase: `{name.split('-', maxsplit=1)[0]}`"]
    if state == "draft":
        lines.append("Status: `DRAFT`")
    else:
        value = "f" * 64 if state == "stale" else "{{HASH}}"
        lines += ["Status: `LOCKED`", f"LockedAt: `{LOCKED_AT}`", f"LockHash: `{value}`"]
    return seal("\n".join([*lines, "", "## TODO", "- [x] done", ""]) + body)


def lock_receipt(run_dir: Path, name: str) -> str:
    """A correct lock receipt for the artifact, in the bytes of the public tool."""
    here = SEQUENCE.index(name)
    earlier = [other for other in SEQUENCE[:here] if (run_dir / other).is_file()]
    fields = {
        "artifact": name,
        "artifact_path": str(run_dir / name),
        "artifact_hash": content_hash(_text(run_dir / name)),
        "locked_at": LOCKED_AT,
        "prerequisite_hashes": {other: content_hash(_text(run_dir / other)) for other in earlier},
        "previous_receipt_hash": None,
    }
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    return json.dumps({**fields, "receipt_hash": digest}, sort_keys=True, indent=2)


def read_rows(phases: list[str]) -> str:
    rows = [
        {
            "source": READ_SOURCE,
            "title": phase,
            "phase": phase,
            "score": 0,
            "injected": False,
            "shards": 0,
            "reason": "the memory plane is empty",
        }
        for phase in phases
    ]
    return json.dumps(rows, indent=2) + "\n"


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
