"""The one-line summary of a call, and the digest of its arguments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import orjson

from phasegate.core.call import Extraction, ToolCall
from phasegate.decision_log.record.places import Places
from phasegate.decision_log.record.texts import Texts, one_line

SUMMARY_BYTES = 240
_TOOL_BYTES = 80
# More than any summary shows, so that a secret is whole when it is looked at.
_COMMAND_CHARS = 16 * 1024
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "target", "filename", "file", "uri", "url")
_COMMAND_KEYS = ("command", "cmd", "script")


def summary_of(call: ToolCall, extraction: Extraction, texts: Texts, places: Places) -> str:
    """The tool and its command line, or the first file it would change or names."""
    tool = texts.short(one_line(call.tool.strip()), _TOOL_BYTES) or "(no tool)"
    main = _main(call, extraction, places)
    return texts.short(f"{tool} {' '.join(main.split())}".rstrip(), SUMMARY_BYTES)


def args_digest(args: Mapping[str, Any]) -> str | None:
    """`sha256:` of the arguments as JSON with sorted keys; None when they are no JSON at all."""
    try:
        data = orjson.dumps(args, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONEncodeError, RecursionError):
        # Numbers over 64 bits and lone surrogates are JSON to Python and not to orjson.
        try:
            data = json.dumps(args, sort_keys=True, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError):
            return None
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _main(call: ToolCall, extraction: Extraction, places: Places) -> str:
    command = extraction.command or _first_text(call.args, _COMMAND_KEYS)
    if command:
        return one_line(command[:_COMMAND_CHARS])
    if extraction.targets:
        path = extraction.targets[0].path
        placed = places.place(path)
        shown = placed.rel if placed is not None and placed.workspace == places.own else places.hide(path)
        more = len(extraction.targets) - 1
        return one_line(shown or ".") + (f" (+{more})" if more else "")
    return one_line(places.hide(_first_text(call.args, _PATH_KEYS)[:_COMMAND_CHARS]))


def _first_text(args: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    found = (args.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str) and value.strip()), "")
