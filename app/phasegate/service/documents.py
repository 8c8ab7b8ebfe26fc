"""Values as the documents that people and programs read."""

from __future__ import annotations

from typing import Any

from phasegate.core.engine import rule_mode
from phasegate.core.policy import Policy


def policy_document(policy: Policy) -> dict[str, Any]:
    """A policy for people and programs."""
    return {
        "source": policy.source,
        "digest": policy.digest,
        "version": policy.version,
        "description": policy.description,
        "defect": policy.defect,
        "mode": policy.mode,
        "read_receipts": policy.read_receipts,
        "entry_every_phase": policy.entry_every_phase,
        "plane_freeze": policy.plane_freeze,
        "rules": [
            {
                "label": rule.label,
                "summary": rule.summary,
                "mode": rule_mode(rule, policy.mode, policy),
                "on": rule.label not in policy.rules_off,
                "off_reason": policy.rules_off.get(rule.label),
            }
            for rule in policy.rules
        ],
        "patterns": [
            {
                "pattern": entry.pattern,
                "verdict": entry.verdict,
                "label": entry.label,
                "reason": entry.reason,
                "tier": entry.tier,
            }
            for entry in policy.patterns
        ],
        "tools": {
            name: {"effect": tool.effect, "paths": list(tool.paths), "command": tool.command}
            for name, tool in policy.tools.items()
        },
    }
