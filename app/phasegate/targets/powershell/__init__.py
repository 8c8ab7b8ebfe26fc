"""What PowerShell text would change: a small reader of its file commands, not an interpreter."""

from __future__ import annotations

from phasegate.targets.powershell.walk import Native, powershell_targets

__all__ = ["Native", "powershell_targets"]
