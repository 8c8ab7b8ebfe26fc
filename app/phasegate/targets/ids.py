"""Tool ids: their words, the server's prefix in front of them, and what a name says about an effect.

Ids of one tool differ between runtimes in letter case, in `-`, `_` or camel case, and in
what stands before them (`mcp__fs__write_file`, `mcp_fs_write_file`, `fs/write_file`,
`fs.write_file`, `@fs/write_file`, `MCP:write_file`). `compact` makes them comparable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

MAX_ID = 256
"""Characters of an id that are looked at."""

_HARD = "\0"
_SEPARATORS = str.maketrans(dict.fromkeys("./:@", _HARD) | dict.fromkeys("- \t\r\n", "_"))


def vocabulary(text: str) -> frozenset[str]:
    """The words of a list in a constant."""
    return frozenset(text.split())


_READING = vocabulary(
    """
    read reads get list ls view show find search grep rg ripgrep glob open stat stats diff hover describe
    lookup inspect fetch query peek tree info metadata status history blame head tail cat exists outline
    overview summary summarize explain analyze analyse preview count compare browse definition definitions
    reference references symbol symbols diagnostics diagnostic signature completions locate retrieve load
    goto navigate reader viewer
    """
)
_CHANGING = vocabulary(
    """
    write writer edit editor create make new add insert append update set put post patch apply replace modify
    change delete deleting remove rm rmdir unlink destroy drop purge clear clean empty reset truncate move mv
    rename copy cp save store export import upload download install uninstall generate scaffold init format
    fix refactor rewrite overwrite transform convert compile build run exec execute eval evaluate start launch
    spawn invoke call sync merge commit checkout revert restore undo redo push pull stash rebase lock unlock
    enter extract unzip render record capture take screenshot send submit publish deploy chmod chown touch
    link symlink mount sed tee dump emit output archive compress backup swap reformat toggle enable disable
    upsert ingest mkdir kill writing saving editing into
    """
)
_SHELLS = vocabulary(
    "bash shell sh zsh terminal cmd exec execute command commands powershell pwsh process subprocess cli"
)
_POWERSHELLS = frozenset(("powershell", "pwsh"))
_CODES = vocabulary(
    "python python3 ipython jupyter node nodejs js javascript typescript code repl interpreter notebook"
)


@lru_cache(maxsize=4096)
def compact(name: str) -> str:
    """*name* in lower case without its separators: `fs_write`, `fs-write` and `fsWrite` are one."""
    return "".join(filter(str.isalnum, name)).lower()


def words(name: str) -> tuple[str, ...]:
    """The words of a name, split at separators and where lower case turns into upper case."""
    spaced: list[str] = []
    before = ""
    for char in name:
        if char.isupper() and before.islower():
            spaced.append(" ")
        spaced.append(char if char.isalnum() else " ")
        before = char
    return tuple("".join(spaced).lower().split())


@lru_cache(maxsize=1024)
def parts(tool: str) -> tuple[str, ...]:
    """The pieces of an id between the separators that only ever part a server from a tool."""
    marked = tool.strip()[:MAX_ID].translate(_SEPARATORS).replace("__", _HARD)
    return tuple(piece for piece in marked.split(_HARD) if piece.strip("_"))


def bare_name(tool: str) -> str:
    """The id in lower case, without the prefix that marks an MCP server's tool."""
    return spelled_name(tool).lower()


def spelled_name(tool: str) -> str:
    """The same with its capitals, which part the words of many ids."""
    pieces = parts(tool)
    if not pieces:
        return tool.strip()[:MAX_ID]
    lowered = pieces[0].lower()
    if lowered == "mcp" and len(pieces) > 1:
        return "_".join(pieces[2:] or pieces[1:])
    if tool.strip().startswith("@") and len(pieces) > 1:
        return "_".join(pieces[1:])
    if lowered.startswith("mcp_") and len(pieces) == 1:
        server, _, name = pieces[0][len("mcp_") :].partition("_")
        return name or server
    return tool.strip()[:MAX_ID]


def reads_by_name(name: str) -> bool:
    """Whether an unknown tool only reads, going by the words of its name."""
    found = words(name)
    return any(word in _READING for word in found) and not any(word in _CHANGING for word in found)


def changes_by_name(found: tuple[str, ...]) -> bool:
    """Whether one of the words is a verb of change."""
    return any(word in _CHANGING for word in found)


def program_of(name: str) -> Literal["", "shell", "powershell", "code"]:
    """Which kind of text an unknown tool runs, going by its name; "" if none."""
    found = words(name)
    if any(word in _POWERSHELLS for word in found):
        return "powershell"
    if any(word in _CODES for word in found):
        return "code"
    return "shell" if any(word in _SHELLS for word in found) else ""
