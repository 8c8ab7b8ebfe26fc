"""How runs and control files stood when the guard last looked, kept across restarts.

One small file for each run, in the guard's data directory: what a comparison needs, and
what has been reported already. Several processes share it; each looks at a run under the
run's own lock. A file that can't be read counts as never having looked.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from phasegate.errors import FactsUnreadable, FileRefused
from phasegate.files.data_directory import open_data
from phasegate.files.read import MIB
from phasegate.files.write import PRIVATE_MODE, make_directories, remove, replace
from phasegate.workspace.tamper import Tamper

logger = logging.getLogger("phasegate")
LOOKS = "looks"
LIMIT = 4 * MIB
RUNS_KNOWN = 10_000
_ROOT_DIGITS = 32
_RUN, _SUFFIX = "run-", ".json"
_PRIVATE_DIRECTORY = 0o700


@dataclass(frozen=True, slots=True)
class Look:
    """`marks` maps what must stay as it is to a digest; `read_receipts`: a run had some.

    `reported` are the findings that have been told and still stand.
    """

    marks: Mapping[str, str] = field(default_factory=dict)
    read_receipts: bool = False
    reported: frozenset[Tamper] = frozenset()


class LookBook:
    """Looks by workspace and run; the run None stands for the control files. Thread-safe by its callers' locks.

    Without a *directory* looks last as long as this object.
    """

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory
        self._looks: dict[tuple[str, str | None], Look] = {}

    def last(self, root: str, run_id: str | None) -> Look | None:
        """The last look at a run of the workspace *root*, None when there was none."""
        if self._directory is None:
            return self._looks.get((root, run_id))
        try:
            with open_data(self._directory) as data:
                text = data.read(_path(root, run_id), LIMIT)
            return None if text is None else _parsed(text)
        except FileNotFoundError:
            return None
        except (
            FileRefused,
            FactsUnreadable,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ):
            logger.warning("a look that was kept can't be read: what changed meanwhile goes unseen")
            return None

    def keep(self, root: str, run_id: str | None, look: Look) -> None:
        """Remember *look*; a full or broken disk costs the memory, not the observation."""
        if self._directory is None:
            self._looks[root, run_id] = look
            return
        if look == self.last(root, run_id):
            return
        path = _path(root, run_id)
        try:
            with open_data(self._directory, create=True) as data:
                make_directories(data, path.rpartition("/")[0], mode=_PRIVATE_DIRECTORY)
                replace(data, path, _text(look), limit=LIMIT, mode=PRIVATE_MODE)
        except (OSError, FileRefused, FactsUnreadable) as problem:
            logger.warning("a look at a run can't be kept: %s", type(problem).__name__)

    def forget(self, root: str, run_id: str) -> None:
        """Drop what is known of a run."""
        self._looks.pop((root, run_id), None)
        if self._directory is None:
            return
        try:
            with open_data(self._directory) as data:
                remove(data, _path(root, run_id))
        except (OSError, FileRefused, FactsUnreadable) as problem:
            logger.warning("a look at a run can't be dropped: %s", type(problem).__name__)

    def runs(self, root: str) -> tuple[str, ...]:
        """Every run of the workspace *root* that was looked at, at most `RUNS_KNOWN`."""
        if self._directory is None:
            return tuple(sorted(run for place, run in self._looks if place == root and run is not None))
        try:
            with (
                open_data(self._directory) as data,
                data.below(_place(root)) as place,
            ):
                names = [entry.name for entry in place.entries(RUNS_KNOWN)[0]]
        except (OSError, FileRefused, FactsUnreadable):
            return ()
        return tuple(
            name.removeprefix(_RUN).removesuffix(_SUFFIX)
            for name in names
            if name.startswith(_RUN) and name.endswith(_SUFFIX)
        )


def _place(root: str) -> str:
    return f"{LOOKS}/{hashlib.sha256(os.fsencode(root)).hexdigest()[:_ROOT_DIGITS]}"


def _path(root: str, run_id: str | None) -> str:
    return f"{_place(root)}/" + ("control.json" if run_id is None else f"{_RUN}{run_id}{_SUFFIX}")


def _text(look: Look) -> bytes:
    reported = sorted((asdict(tamper) for tamper in look.reported), key=json.dumps)
    fields = {"marks": dict(look.marks), "read_receipts": look.read_receipts, "reported": reported}
    return json.dumps(fields, indent=1, sort_keys=True).encode("ascii") + b"\n"


def _parsed(text: bytes) -> Look:
    fields: Any = json.loads(text)
    return Look(
        {str(name): str(digest) for name, digest in fields["marks"].items()},
        bool(fields["read_receipts"]),
        frozenset(Tamper(**item) for item in fields["reported"]),
    )
