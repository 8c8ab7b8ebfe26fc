"""Workspaces opened for writing, each with the reader of its own memory plane."""

from __future__ import annotations

from collections import OrderedDict

from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Workflow
from phasegate.memory.feedback import settle
from phasegate.memory.folders import memory_place
from phasegate.memory.promotion import PromotionCheck
from phasegate.memory.reader import MemoryReader
from phasegate.workspace.locate import Workspace
from phasegate.workspace.site import Site
from phasegate.workspace.templates import load_templates

_KEPT = 64


class Sites:
    """Sites by workspace. A reader keeps what it has parsed, so readers are kept too."""

    def __init__(
        self,
        workflow: Workflow,
        key: SealKey,
        *,
        entry_every_phase: bool = False,
        sealed_only: bool = False,
        seal_locks: bool = False,
    ) -> None:
        self._workflow = workflow
        self._key = key
        self._entry_every_phase = entry_every_phase
        self._sealed_only = sealed_only
        self._seal_locks = seal_locks
        self._readers: OrderedDict[str, MemoryReader] = OrderedDict()

    def of(self, place: Workspace) -> Site:
        """The site of one workspace."""
        memory = self.memory(place)
        plane = memory_place(place.root, self._workflow.layout)
        return Site(
            place.root,
            self._workflow,
            load_templates(),
            self._key,
            memory,
            PromotionCheck(plane),
            seal_locks=self._seal_locks,
            entry_every_phase=self._entry_every_phase,
            sealed_only=self._sealed_only,
            plane_digest=memory.plane_digest,
            settle=lambda run_id, shown: settle(plane, run_id, shown, known=memory.sources()).counted,
        )

    def memory(self, place: Workspace) -> MemoryReader:
        """The reader of the workspace's memory."""
        reader = self._readers.pop(place.root, None)
        if reader is None:
            reader = MemoryReader(memory_place(place.root, self._workflow.layout))
        self._readers[place.root] = reader
        while len(self._readers) > _KEPT:
            self._readers.popitem(last=False)
        return reader
