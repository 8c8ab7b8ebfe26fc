"""Calls that are there at the same time, decided in one round: one look at the disk, one commit.

While a round is at work the next one gathers, so rounds grow with the load and a lone
call never waits. All looks at the disk are made after the last call of the round has
come: whoever was told of a change before it asked is answered by what was changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter_ns
from typing import NamedTuple

from phasegate.core.call import ToolCall
from phasegate.decision_log.record import DecisionRecord, Entry
from phasegate.decision_log.writer import LogWriter
from phasegate.errors import LogUnavailable
from phasegate.service.answers import Answers
from phasegate.service.judge import Judge, Judged
from phasegate.workspace.shared import Moment

_ROUND_NS = 4_000_000
"""How long judging may go on before what is judged is recorded and answered, in ns."""

Reply = Callable[[bytes | Exception | None], None]
"""How an asker gets the reply, as JSON. None: it has to ask the service by itself; an
exception: the decision is recorded, and a defect of ours keeps it from being told."""


class Asked(NamedTuple):
    """A call that waits for its round. *started*: `perf_counter_ns` at its arrival."""

    call: ToolCall
    started: int
    reply: Reply


class Rounds:
    """Decides calls of one event loop, round by round."""

    def __init__(self, judge: Judge, answers: Answers, log: LogWriter) -> None:
        self._judge = judge
        self._answers = answers
        self._log = log
        self._asked: list[Asked] = []

    def ask(self, asked: Asked) -> None:
        """Let a call be decided with all others that come in this turn of the loop."""
        if not self._asked:
            asyncio.get_running_loop().call_soon(self._round)
        self._asked.append(asked)

    def _round(self) -> None:
        asked, self._asked = self._asked, []
        end = perf_counter_ns() + _ROUND_NS
        moment = self._judge.moment()
        judged: list[tuple[Asked, Judged, DecisionRecord]] = []
        done = 0
        for each in asked:
            done += 1
            found = self._judged(each, moment)
            if found is not None:
                judged.append((each, *found))
            if perf_counter_ns() > end:
                break
        if done < len(asked):
            # Before those that have come meanwhile, and with looks of their own.
            if not self._asked:
                asyncio.get_running_loop().call_soon(self._round)
            self._asked[:0] = asked[done:]
        if judged:
            self._record(judged)

    def _judged(self, asked: Asked, moment: Moment) -> tuple[Judged, DecisionRecord] | None:
        try:
            judged = self._judge.judge(asked.call, at_once=True, moment=moment)
            return judged, self._answers.record(judged, asked.started)
        except Exception:  # noqa: BLE001 (asked by itself it is raised again, where it is answered)
            asked.reply(None)
            return None

    def _record(self, judged: list[tuple[Asked, Judged, DecisionRecord]]) -> None:
        try:
            self._log.append_round(
                [(record, partial(self._reply, asked, found, record)) for asked, found, record in judged]
            )
        except Exception:  # noqa: BLE001 (nothing was queued: asked by itself each is told the same)
            for asked, _, _ in judged:
                asked.reply(None)

    def _reply(
        self, asked: Asked, judged: Judged, record: DecisionRecord, outcome: Entry | LogUnavailable
    ) -> None:
        try:
            answer = self._answers.given(judged, record, outcome, asked.started)
            reply: bytes | Exception = answer.reply_bytes()
        except Exception as error:  # noqa: BLE001 (the asker reports it)
            reply = error
        asked.reply(reply)
