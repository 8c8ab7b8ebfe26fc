"""The check after a call: does everything that was locked still stand?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from phasegate.core.call import ToolCall
from phasegate.decision_log.record import Origin, TamperEvent
from phasegate.errors import FactsUnreadable, PhasegateError
from phasegate.workspace.locate import Workspace
from phasegate.workspace.observer import Observation, Observer
from phasegate.workspace.site import checked_run_id
from phasegate.workspace.tamper import Tamper

if TYPE_CHECKING:
    from phasegate.service.runs import RunParts
    from phasegate.service.stories import Service

SHOWN = 20


class ObservationStories:
    """Looks at runs after a tool has run, and records what was tampered with."""

    def __init__(self, service: Service, parts: RunParts) -> None:
        self._service = service
        self._site = parts.site
        self._observer = Observer(parts.looks)

    async def refresh(self, place: Workspace, run_id: str) -> None:
        """Take a run as it is now: the guard itself has just changed it."""
        await asyncio.to_thread(self._observer.refresh, self._site(place), run_id)

    async def observe(
        self, place: Workspace, run_id: str | None, paths: Sequence[str], origin: Origin
    ) -> dict[str, Any]:
        """Check a run, or the runs that own *paths*, else the newest one. New findings are recorded."""
        run = None if run_id is None else checked_run_id(run_id)
        found = await asyncio.to_thread(self._observer.observe, self._site(place), run, paths)
        await self._record(place, found, origin)
        return {
            "workspace": place.name,
            "runs": list(found.runs),
            "checked": found.checked,
            "tampered": [asdict(tamper) for tamper in found.tampers],
            "fresh": [asdict(tamper) for tamper in found.fresh],
        }

    async def after(self, call: ToolCall) -> list[str]:
        """What a finished *call* may have damaged, as lines for the agent; empty when all stands.

        Never raises: the tool has run, and a check that can't be made is one line too.
        """
        try:
            place, paths = await asyncio.to_thread(self._service.judge.reach, call)
            if place is None:
                return []
            origin = Origin(call.runtime, call.session_id, call.agent_id, call.call_id, call.run_id)
            found = await self.observe(place, call.run_id, paths, origin)
        except FactsUnreadable as error:
            return [f"the call's effects could not be checked: {error.detail}"]
        except PhasegateError:
            # Not served, or a run that somebody is changing right now: the next look sees it.
            return []
        return [f"`{tamper['path']}`: {tamper['detail']}" for tamper in found["fresh"][:SHOWN]]

    async def _record(self, place: Workspace, found: Observation, origin: Origin) -> None:
        for tamper in found.fresh:
            await self._service.note(_event(tamper, origin), place)


def _event(tamper: Tamper, origin: Origin) -> TamperEvent:
    return TamperEvent(tamper.kind, tamper.path, tamper.detail, tamper.run_id, origin=origin)
