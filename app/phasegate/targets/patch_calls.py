"""Targets of tools that take a patch, whichever argument its text is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from phasegate.core.call import Effect, OpaqueReason
from phasegate.targets.file_calls import Found, file_call
from phasegate.targets.ids import compact, vocabulary
from phasegate.targets.keys import MAX_KEY
from phasegate.targets.patch import patch_targets
from phasegate.targets.patch_forms import BEGIN
from phasegate.targets.site import Site, bases
from phasegate.targets.tools import Tool

MAX_TEXTS = 20
_TEXT_KEYS = vocabulary("input patch command patchtext diff text content raw body arguments code arg1 value")
_EDITOR = Tool(Effect.WRITE, text="unknown")
_DELETER = Tool(Effect.DELETE)


def patch_call(args: Mapping[str, Any], site: Site) -> Found:
    """The files that the patches in *args* name, and those that path arguments beside them name."""
    found = Found()
    texts = list(_texts(args))
    without_header: list[OpaqueReason] = []
    for base in bases(args, site, frozenset(("workdir",))):
        for text in texts[:MAX_TEXTS]:
            result = patch_targets(text, base=base, view=site.view)
            found.add(result.targets)
            (found.opaque if BEGIN in text else without_header).extend(result.opaque)
    operations = list(_operations(args))
    named = [_one_file(operation, site) for operation in operations[:MAX_TEXTS]]
    for part in named:
        found.add(part.targets)
        found.unusable.extend(part.unusable)
    if not any(part.targets for part in named):
        # A bare hunk needs a path argument to say whose it is.
        found.opaque.extend(without_header)
    if len(texts) > MAX_TEXTS or len(operations) > MAX_TEXTS:
        found.unusable.append("args")
    return found


def _one_file(operation: Mapping[str, Any], site: Site) -> Found:
    kind = operation.get("type")
    deletes = isinstance(kind, str) and kind.lower().startswith("delete")
    return file_call(_DELETER if deletes else _EDITOR, operation, site)


def _operations(args: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Objects that name one file each, as the patch tool of an agent library sends them."""
    yield {key: value for key, value in args.items() if key not in ("operation", "operations")}
    for value in (args.get("operation"), args.get("operations")):
        if isinstance(value, Mapping):
            yield value
        elif isinstance(value, list | tuple):
            yield from (item for item in value if isinstance(item, Mapping))


def _texts(args: Mapping[str, Any]) -> Iterator[str]:
    for key, value in args.items():
        small = compact(key) if len(key) <= MAX_KEY else ""
        if isinstance(value, str):
            if BEGIN in value or (small in _TEXT_KEYS and value.strip()):
                yield value
        elif isinstance(value, list | tuple):
            yield from (item for item in value if isinstance(item, str) and BEGIN in item)
