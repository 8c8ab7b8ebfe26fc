"""The shipped workflow, loaded once."""

from __future__ import annotations

import tomllib
from functools import cache

from phasegate.core.workflow import Workflow, workflow_from
from phasegate.files.shipped import shipped_text

WORKFLOW_FILE = "recursive-mode.toml"


@cache
def load_workflow() -> Workflow:
    """The workflow of `policies/recursive-mode.toml`."""
    return workflow_from(tomllib.loads(shipped_text(WORKFLOW_FILE)))
