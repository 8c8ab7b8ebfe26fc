"""Whole directories that appear at once: built under a hidden name, then renamed into place."""

from __future__ import annotations

import os
import shutil

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.directory import Directory, components
from phasegate.files.read import reason_of
from phasegate.files.steps import step

HIDDEN_SUFFIX = ".phasegate-new"
_SWEEP_LIMIT = 10_000


def publish(directory: Directory, hidden: str, rel: str) -> None:
    """Rename the directory *hidden* to *rel*, whose parent must exist and which must not.

    Raises `FileRefused` when something is there already.
    """
    *parents, name = components(rel)
    with directory.below("/".join(parents)) as parent:
        try:
            with step("rename"):
                os.rename(hidden, name, src_dir_fd=directory.descriptor, dst_dir_fd=parent.descriptor)
        except OSError as error:
            raise FileRefused(f"`{name}` can't be put in place ({reason_of(error)})") from error
        with step("fsync directory"):
            os.fsync(parent.descriptor)


def remove_tree(directory: Directory, name: str) -> None:
    """Delete a directory and all below it, links as links. Absence is no error."""
    try:
        with step("remove tree"):
            shutil.rmtree(name, dir_fd=directory.descriptor)
    except FileNotFoundError:
        return
    except OSError as error:
        raise FactsUnreadable(f"`{name}` can't be removed ({reason_of(error)})") from error


def sweep_trees(directory: Directory) -> int:
    """Remove half-built directories that a killed process left. Hold the lock of their builders."""
    removed = 0
    for entry in directory.entries(_SWEEP_LIMIT)[0]:
        if entry.kind == "dir" and entry.name.endswith(HIDDEN_SUFFIX):
            remove_tree(directory, entry.name)
            removed += 1
    return removed
