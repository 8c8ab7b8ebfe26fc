"""Which files a tool call would change: the entry of this package.

The tool's id selects a behaviour (the policy's declaration, the host's lock and phase
tools, the table, or what an unknown name says); the behaviour reads the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from phasegate.core.call import Effect, Extraction, OpaqueReason
from phasegate.core.values import value
from phasegate.targets.file_calls import Found, file_call
from phasegate.targets.ids import (
    MAX_ID,
    bare_name,
    compact,
    program_of,
    reads_by_name,
    spelled_name,
    vocabulary,
)
from phasegate.targets.own_calls import enter_requests, lock_requests, own_name
from phasegate.targets.patch_calls import patch_call
from phasegate.targets.patch_forms import BEGIN
from phasegate.targets.program_calls import Program, has_text
from phasegate.targets.site import Site, working_directory
from phasegate.targets.tools import Match, Tool, lookup
from phasegate.targets.unplaced import unplaced
from phasegate.targets.verbs import verb_tool
from phasegate.targets.wrapped_calls import MAX_CALLS, inner_calls

if TYPE_CHECKING:
    from phasegate.core.policy import ToolDeclaration
    from phasegate.core.ports import FileView, ShellParser
    from phasegate.core.workflow import Workflow

MAX_NESTING = 3

_REMOTE_HOSTS = vocabulary("github gitlab bitbucket gitea forgejo codeberg")
_SHELL_PATHS = vocabulary("filepath path target targetfile filename")
_OUTPUTS = vocabulary("outputpath outputfile outputfilename outfile outpath savepath saveas downloadpath")
_UNKNOWN = Tool(Effect.WRITE, text="unknown")
_DRY_RUN_KEYS = frozenset(("path", "edits", "dryRun"))


@value(frozen=True, slots=True)
class ExtractRequest:
    """A call to extract from.

    `cwd` is the absolute directory that the tool works in, `root` the workspace.
    `tools` are the policy's declarations by id in folded case; they win over the table.
    """

    tool: str
    args: Mapping[str, Any]
    cwd: str
    root: str
    workflow: Workflow
    tools: Mapping[str, ToolDeclaration] = field(default_factory=dict)


def extract(request: ExtractRequest, view: FileView, parser: ShellParser) -> Extraction:
    """What the call would touch.

    Any shape of arguments is answered, never raised on; what *view* raises
    (`FactsUnreadable`) passes through.
    """
    site = Site(view, parser, request.workflow, request.root, working_directory(request.cwd, request.root))
    return _extract(request.tool[: MAX_ID * 2], request.args, site, request.tools, 0)


def _extract(
    tool: str, args: Mapping[str, Any], site: Site, declared: Mapping[str, ToolDeclaration], depth: int
) -> Extraction:
    match = lookup(tool)
    if declared:
        declaration = (
            declared.get(tool.casefold()) or declared.get(match.name) or declared.get(bare_name(tool))
        )
        if declaration is not None:
            return _declared(declaration, match.name, args, site)
    lock = own_name(tool, site.workflow.lock_tools)
    if lock is not None:
        return Extraction(Effect.LOCK, lock, known=True, locks=lock_requests(args))
    enter = own_name(tool, site.workflow.enter_tools)
    if enter is not None:
        return Extraction(Effect.ENTER, enter, known=True, enters=enter_requests(args))
    if match.tool is None:
        return _unknown(tool, match, args, site)
    if match.tool.dialect == "wrapper":
        return _wrapped(match, args, site, declared, depth)
    return _known(match, match.tool, args, site)


def _known(match: Match, tool: Tool, args: Mapping[str, Any], site: Site) -> Extraction:
    if tool.verbs:
        tool = verb_tool(tool, args)
    if tool.effect is Effect.READ or (tool.dry_run and _is_dry_run(match, args)):
        return _reader(match, args, site, known=True)
    if tool.effect is Effect.OTHER or _is_remote(match, args):
        return Extraction(Effect.OTHER, match.name, known=True)
    if tool.dialect == "patch":
        return _files(match.name, Effect.WRITE, patch_call(args, site))
    if tool.dialect:
        return _program(match, tool, args, site)
    found = file_call(tool, args, site)
    if not found.targets and not found.unusable and not found.opaque:
        reason = unplaced(match.name, args, site)
        found.opaque.extend([] if reason is None else [reason])
    return _files(match.name, tool.effect, found)


def _files(name: str, effect: Effect, found: Found, *, known: bool = True) -> Extraction:
    """An extraction whose effect is the strongest of its operations."""
    for target in found.targets:
        if target.op == "delete":
            effect = Effect.DELETE
            break
        if target.op in ("move_from", "move_to"):
            effect = Effect.MOVE
    unusable = tuple(dict.fromkeys(found.unusable)) if found.unusable else ()
    return Extraction(effect, name, known, tuple(found.targets), tuple(found.opaque), unusable)


def _program(
    match: Match, tool: Tool, args: Mapping[str, Any], site: Site, *, known: bool = True
) -> Extraction:
    program = Program(tool, match.name, site)
    program.run(args)
    paths = {key: value for key, value in args.items() if len(key) < MAX_ID and compact(key) in _SHELL_PATHS}
    if paths:
        found = file_call(_UNKNOWN, paths, site, strict=False)
        program.found.add(found.targets)
        program.found.unusable.extend(found.unusable)
    own = not program.found.targets and not program.found.opaque
    effect = Effect.EXECUTE
    if own and program.locks:
        effect = Effect.LOCK
    elif own and program.enters:
        effect = Effect.ENTER
    elif program.text is None and not paths:
        effect = Effect.OTHER
    return Extraction(
        effect,
        match.name,
        known=known,
        targets=tuple(program.found.targets),
        opaque=tuple(program.found.opaque),
        unusable=tuple(dict.fromkeys(program.found.unusable)),
        locks=tuple(program.locks),
        enters=tuple(program.enters),
        command=program.text,
    )


def _unknown(tool: str, match: Match, args: Mapping[str, Any], site: Site) -> Extraction:
    """A tool in no table: it reads by name, runs a text, or writes whatever its paths name."""
    name = spelled_name(tool)
    if reads_by_name(name):
        return _reader(match, args, site, known=False)
    program = program_of(name)
    if program and has_text(args, program):
        return _program(match, Tool(Effect.EXECUTE, program), args, site, known=False)
    found = file_call(_UNKNOWN, args, site, strict=False)
    if any(isinstance(value, str) and BEGIN in value for value in args.values()):
        patched = patch_call(args, site)
        found.add(patched.targets)
        found.opaque.extend(patched.opaque)
    if not found.targets and not found.unusable and not found.opaque:
        return Extraction(Effect.OTHER, match.name, known=False)
    shown = tool.strip()[:MAX_ID]
    reason = OpaqueReason(
        part=shown,
        why="the tool is in no table and not declared",
        remedy=f"declare `{shown}` under `tools` in the policy",
        words=tuple(dict.fromkeys(target.path for target in found.targets)),
    )
    found.opaque.insert(0, reason)
    return _files(match.name, Effect.WRITE, found, known=False)


def _reader(match: Match, args: Mapping[str, Any], site: Site, *, known: bool) -> Extraction:
    """A reader changes nothing, unless an argument says where its result is to be saved."""
    saved = {key: value for key, value in args.items() if len(key) < MAX_ID and compact(key) in _OUTPUTS}
    found = file_call(_UNKNOWN, saved, site, strict=False) if saved else None
    if found is None or not found.targets:
        return Extraction(Effect.READ, match.name, known=known)
    return _files(match.name, Effect.WRITE, found, known=known)


def _declared(declaration: ToolDeclaration, name: str, args: Mapping[str, Any], site: Site) -> Extraction:
    """A tool that the policy describes: a person said what it does, so nothing about it is opaque."""
    effect = declaration.effect
    if effect in (Effect.READ, Effect.OTHER):
        return Extraction(effect, name, known=True)
    if effect is Effect.LOCK:
        return Extraction(effect, name, known=True, locks=lock_requests(args))
    if effect is Effect.ENTER:
        return Extraction(effect, name, known=True, enters=enter_requests(args))
    if declaration.paths:
        args_with_paths = {key: value for key, value in args.items() if key in declaration.paths}
    else:
        args_with_paths = dict(args)
    if effect is Effect.EXECUTE:
        text = args.get(declaration.command) if declaration.command is not None else None
        commands = {"command": text} if declaration.command is not None else args
        return _program(Match(name, None), Tool(effect, "shell"), commands, site)
    extra = frozenset(compact(key) for key in declaration.paths)
    tool = Tool(effect, extra=extra, text="unknown" if declaration.paths else "replace")
    return _files(name, effect, file_call(tool, args_with_paths, site))


def _is_dry_run(match: Match, args: Mapping[str, Any]) -> bool:
    """A dry run of the one editor that is known to have it, told by its exact arguments."""
    return match.name == "edit_file" and args.get("dryRun") is True and args.keys() <= _DRY_RUN_KEYS


def _is_remote(match: Match, args: Mapping[str, Any]) -> bool:
    """A file tool of a code host's server changes the repository there, not the working tree."""
    if not match.server or not _REMOTE_HOSTS.intersection(match.server):
        return False
    return ("owner" in args and "repo" in args) or "project_id" in args or "projectId" in args


def _wrapped(
    match: Match, args: Mapping[str, Any], site: Site, declared: Mapping[str, ToolDeclaration], depth: int
) -> Extraction:
    """A call that carries calls of other tools; each is judged as if it stood alone."""
    calls = inner_calls(args)
    if depth >= MAX_NESTING or len(calls) > MAX_CALLS:
        reason = OpaqueReason(
            match.name, "it carries more calls than are looked at", "make the calls one by one"
        )
        return Extraction(Effect.EXECUTE, match.name, known=True, opaque=(reason,), unusable=("args",))
    parts = [
        _unreadable(match.name)
        if inner is None
        else _extract(tool[: MAX_ID * 2], inner, site, declared, depth + 1)
        for tool, inner in calls
    ]
    if not parts:
        return Extraction(Effect.OTHER, match.name, known=True)
    strongest = min((part.effect for part in parts), key=_STRENGTH.index)
    return Extraction(
        strongest,
        parts[0].canonical if len(parts) == 1 else match.name,
        known=all(part.known for part in parts),
        targets=tuple(dict.fromkeys(target for part in parts for target in part.targets)),
        opaque=tuple(reason for part in parts for reason in part.opaque),
        unusable=tuple(name for part in parts for name in part.unusable),
        locks=tuple(lock for part in parts for lock in part.locks),
        enters=tuple(enter for part in parts for enter in part.enters),
        command=next((part.command for part in parts if part.command is not None), None),
    )


def _unreadable(name: str) -> Extraction:
    """A carried call whose arguments can't be read; the tool that gets them might be more lenient."""
    return Extraction(Effect.EXECUTE, name, known=True, unusable=("args.arguments",))


_STRENGTH = (
    Effect.DELETE, Effect.MOVE, Effect.WRITE, Effect.EXECUTE, Effect.LOCK, Effect.ENTER, Effect.OTHER, Effect.READ
)  # fmt: skip
