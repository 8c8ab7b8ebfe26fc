"""The service's own directory, as its administrator named it."""

from __future__ import annotations

import os

from phasegate.files.directory import Directory

_PRIVATE_DIRECTORY = 0o700


def open_data(path: str, *, create: bool = False) -> Directory:
    """Open the data directory; *create* makes it, for its owner only.

    It may be reached through links that the administrator set; what lies in it may not.
    Raises `FileNotFoundError` when it is not there.
    """
    if create:
        os.makedirs(path, mode=_PRIVATE_DIRECTORY, exist_ok=True)  # noqa: PTH103 (texts in)
    return Directory.open_root(os.path.realpath(path))
