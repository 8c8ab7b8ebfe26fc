"""Work that a run has handed to others: a folder each, with what was handed over and what came back."""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.errors import FileRefused
from phasegate.files.directory import Directory, Entry
from phasegate.files.read import MIB
from phasegate.workspace.templates import DelegationNames

FOLDER_LIMIT = 1_000
REPLY_LIMIT = 1 * MIB


@dataclass(frozen=True, slots=True)
class Delegation:
    """`answered`: at least one reply that is not blank."""

    name: str
    answered: bool


def read_delegations(run: Directory, names: DelegationNames) -> tuple[Delegation, ...]:
    """The delegations of the locked *run*; a folder without a handoff is none."""
    try:
        with run.below(names.folder) as place:
            folders, _ = place.entries(FOLDER_LIMIT)
            found = [_delegation(place, names, entry) for entry in folders if entry.kind == "dir"]
    except FileNotFoundError:
        return ()
    return tuple(delegation for delegation in found if delegation is not None)


def _delegation(place: Directory, names: DelegationNames, folder: Entry) -> Delegation | None:
    with place.below(folder.name) as directory:
        files, _ = directory.entries(FOLDER_LIMIT)
        if not any(_is(file, names.handoff) for file in files):
            return None
        replies = [file for file in files if _is(file, names.reply)]
        return Delegation(folder.name, any(_says_something(directory, file.name) for file in replies))


def _is(file: Entry, word: str) -> bool:
    """Whether the file's name begins with *word*."""
    return file.kind == "file" and file.name.casefold().startswith(word)


def _says_something(directory: Directory, name: str) -> bool:
    try:
        return bool((directory.read(name, REPLY_LIMIT) or b"").strip())
    except FileRefused:
        return True  # too long to read is not blank
