"""Where each runtime keeps the configuration that names its hooks: the vendors' documented paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """Candidate files relative to the project and to the home directory.

    The first one that exists is the one to change, else the first one is written. A runtime
    stops reading an older file as soon as the newer one beside it exists.
    """

    project: tuple[str, ...] = ()
    user: tuple[str, ...] = ()


PLACES: Final[Mapping[str, Place]] = {
    "claude-code": Place((".claude/settings.json",), (".claude/settings.json",)),
    "codex": Place((".codex/hooks.json",), (".codex/hooks.json",)),
    "gemini-cli": Place((".gemini/settings.json",), (".gemini/settings.json",)),
    "cursor": Place((".cursor/hooks.json",), (".cursor/hooks.json",)),
    "copilot-cli": Place((".github/hooks/phasegate.json",), (".copilot/hooks/phasegate.json",)),
    "vscode": Place((".github/hooks/phasegate-vscode.json",)),
    "opencode": Place((".opencode/plugins/phasegate.js",), (".config/opencode/plugins/phasegate.js",)),
    "amp": Place((".amp/plugins/phasegate.ts",), (".config/amp/plugins/phasegate.ts",)),
    "cline-vscode": Place((".clinerules/hooks",), ("Documents/Cline/Hooks",)),
    "cline-sdk": Place((".cline/hooks",), (".cline/hooks",)),
    "windsurf-cascade": Place(
        (".devin/hooks.json", ".windsurf/hooks.json"), (".codeium/windsurf/hooks.json", ".codeium/hooks.json")
    ),
    "qwen-code": Place((".qwen/settings.json",), (".qwen/settings.json",)),
    "kiro-cli-2": Place((".kiro/agents/phasegate.json",), (".kiro/agents/phasegate.json",)),
    "goose": Place(
        (".agents/plugins/phasegate/hooks/hooks.json",), (".agents/plugins/phasegate/hooks/hooks.json",)
    ),
    "openhands": Place((".openhands/hooks.json",), (".openhands/hooks.json",)),
    "factory-droid": Place(
        (".factory/hooks.json", ".factory/settings.json"), (".factory/hooks.json", ".factory/settings.json")
    ),
}

# Read by the runtimes too, though never written by us; the Cline entries are directories.
_ALSO: Final = (
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".copilot/settings.json",
    ".github/copilot/settings.json",
    ".clinerules/hooks/PreToolUse",
    ".clinerules/hooks/PostToolUse",
    "Documents/Cline/Hooks/PreToolUse",
    "Documents/Cline/Hooks/PostToolUse",
    ".cline/hooks/PreToolUse.sh",
    ".cline/hooks/PostToolUse.sh",
)

CONFIGURATION_FILES: Final[tuple[str, ...]] = tuple(
    sorted({path for place in PLACES.values() for path in (*place.project, *place.user)} | set(_ALSO))
)
"""Ends of the paths of all of them: an agent must not take the guard's entry out of one."""
