"""Writing replies for runtimes that know nothing but exit codes."""

from __future__ import annotations

from phasegate.runtimes.model import Answer, HookReply, HookRequest, Transport
from phasegate.runtimes.replies import SILENCE, exit_block, on_stderr


def write(request: HookRequest, said: Answer, transport: Transport) -> HookReply:
    """Exit 2 with the text on standard error; after a tool only the text, nothing can be blocked."""
    del transport
    if said.kind == "pass":
        return on_stderr(said.warning) if said.warning else SILENCE
    if request.phase == "after":
        return on_stderr(said.text)
    return exit_block(said.text)
