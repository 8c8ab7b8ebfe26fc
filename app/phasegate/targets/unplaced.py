"""A file tool's call in whose arguments no path was found: which of their texts could be one.

A server may call its path `location` or `resource`, key a mapping by paths, or take a list
of edits as JSON text. What such a call writes can't be known; what it names can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from phasegate.core.call import OpaqueReason
from phasegate.targets.arguments import MAX_NODES
from phasegate.targets.keys import holds_prose
from phasegate.targets.paths import MAX_PATH
from phasegate.targets.site import Site, mentioned

_MAX_JSON = 1 << 20
_FILES = (".md", ".json", ".jsonl")


def unplaced(tool: str, args: Mapping[str, Any], site: Site) -> OpaqueReason | None:
    """What *args* name in the control directory, as a part that can't be judged; None if nothing."""
    control = site.workflow.layout.control.casefold()
    texts = dict.fromkeys(_texts(args))
    near = control in site.cwd.casefold()
    hints = [text for text in texts if control in text.casefold() or (near and text.endswith(_FILES))]
    words = tuple(path for path in mentioned(site, hints) if control in path.casefold())
    if not words:
        return None
    return OpaqueReason(
        part=tool,
        why="no argument that is known to be a path names a file",
        remedy="name the file in `path`, or declare the tool under `tools` in the policy",
        words=words,
    )


def _texts(args: Mapping[str, Any]) -> Iterator[str]:
    """Keys and values on one line that could be paths, at any depth, in JSON texts too."""
    pending: list[tuple[str, Any]] = [("", args)]
    left = MAX_NODES
    while pending and left > 0:
        left -= 1
        key, value = pending.pop()
        if isinstance(value, str):
            decoded = _decoded(value)
            if decoded is not None:
                pending.append((key, decoded))
            elif not holds_prose(key) and len(value) <= MAX_PATH and "\n" not in value:
                yield value
        elif isinstance(value, Mapping):
            yield from (name for name in value if len(name) <= MAX_PATH)
            pending.extend(value.items())
        elif isinstance(value, list | tuple):
            pending.extend((key, item) for item in value[:MAX_NODES])


def _decoded(text: str) -> Any:
    """The object or list that *text* is in JSON, or None."""
    if len(text) > _MAX_JSON or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
