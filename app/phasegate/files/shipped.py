"""Files that come with the package: the workflow, policies, templates."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
# A wheel carries `policies/` inside the package; a source tree and an editable install
# have it at the top of the repository.
_PLACES = (_PACKAGE / "policies", _PACKAGE.parent.parent / "policies")


def shipped_text(name: str) -> str:
    """The text of a shipped file, by its path below `policies/`.

    Raises `FileNotFoundError` when the installation is incomplete.
    """
    for place in _PLACES:
        path = place / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"the installation lacks policies/{name}")
