"""What an agent proposes to do, and what that would touch.

A `ToolCall` is the request as it came in, normalised but not believed. An
`Extraction` is the answer of the target extractor: which files the call would
change, and what about it could not be understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Literal

from phasegate.core.values import value

Mode = Literal["strict", "advisory"]

TargetOp = Literal["write", "append", "truncate", "delete", "move_from", "move_to", "chmod"]


class Effect(StrEnum):
    """What a tool does to the world, whatever its runtime calls it."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    MOVE = "move"
    EXECUTE = "execute"
    LOCK = "lock"
    ENTER = "enter"
    OTHER = "other"


@value(frozen=True, slots=True)
class ToolCall:
    """One proposed tool call.

    `tool` is the id as the runtime names it. `args` is always a mapping; when the
    caller sent something else, `defect` says what was wrong with it and `args` is
    empty. `workspace` and `cwd` are absolute paths on this machine or None.
    `run_id` is the run the session is bound to. `mode` may only tighten.
    The remaining fields are recorded, never trusted.
    """

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    workspace: str | None = None
    cwd: str | None = None
    run_id: str | None = None
    mode: Mode | None = None
    runtime: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    call_id: str | None = None
    defect: str | None = None


@value(frozen=True, slots=True)
class ContentChange:
    """How a target's text would change, as far as the call says.

    `replace`: the file becomes `text`. `append`: `text` is added at the end.
    `edit`: each (old, new, replace_all) of `edits` is applied in order.
    `unknown`: the result can't be computed; `text` is the literal source that
    causes it (a shell command, a patch hunk), for rules that look for a mention.
    """

    kind: Literal["replace", "append", "edit", "unknown"]
    text: str = ""
    edits: tuple[tuple[str, str, bool], ...] = ()


@value(frozen=True, slots=True)
class WriteTarget:
    """One file or directory that a call would change.

    `path` is absolute, `/`-separated, links of every parent component resolved, and
    of the last one too where the operation follows links. `lexical` is the same
    without following any link. `typed` is the operand as spelled. `via` names the
    cause: an argument (`args.file_path`) or a construct (`sed -i`, `>`). `span` is
    the (start, end) character range of the cause in the command text, if any.
    `recursive`: the operation covers everything below `path` too. `source` is the
    absolute path of the file or directory that is copied, moved or linked there, if any.
    """

    path: str
    lexical: str
    typed: str
    op: TargetOp
    recursive: bool = False
    via: str = ""
    span: tuple[int, int] | None = None
    change: ContentChange | None = None
    source: str | None = None


@value(frozen=True, slots=True)
class OpaqueReason:
    """A part of a call whose targets can't be known.

    `part` quotes the part (bounded); `why` says what was not understood; `remedy` how
    to write it so that it can be judged. `words` are its literal words resolved to
    absolute paths (links followed), as far as any could name a path; quoted data of a
    known command is left out. `cwds` are the directories it could run in.
    `destroys` holds absolute directories a known delete or move verb would work on
    (for instance the tree of `git clean -x`). `whole_tree_git`: it is a git command that
    rewrites or removes files of the whole tree, which is legitimate unless something
    locked lies below.
    """

    part: str
    why: str
    remedy: str = ""
    words: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    destroys: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    whole_tree_git: bool = False


@value(frozen=True, slots=True)
class LockRequest:
    """A lock or reopen of an artifact, by a tool of the host or a recognised command.

    `artifact` and `run_id` are as given (None: not given). `run_id_malformed` is set
    when a value was present but is not a text.
    """

    artifact: str | None
    run_id: str | None = None
    run_id_malformed: bool = False
    reopen: bool = False


@value(frozen=True, slots=True)
class EnterRequest:
    """A phase entry. Fields as in `LockRequest`; `phase` None means the next legal one."""

    phase: str | None = None
    run_id: str | None = None
    run_id_malformed: bool = False


@value(frozen=True, slots=True)
class Extraction:
    """What a call would touch.

    `canonical` is the tool's name in our table (`bash` for `Bash`), or the id in lower
    case without an MCP prefix. `known` is false for tools in no table.
    `unusable` names path-like arguments that were present but can't be read as a path.
    """

    effect: Effect
    canonical: str
    known: bool
    targets: tuple[WriteTarget, ...] = ()
    opaque: tuple[OpaqueReason, ...] = ()
    unusable: tuple[str, ...] = ()
    locks: tuple[LockRequest, ...] = ()
    enters: tuple[EnterRequest, ...] = ()
    command: str | None = None
