"""The files that a unified difference names."""

from __future__ import annotations


def changed_files(text: str, strip: int) -> list[tuple[str, bool]]:
    """Names in the headers of *text*, *strip* leading parts removed; true when one is removed."""
    found: dict[str, bool] = {}
    before, after = 0, 0
    old = ""
    for line in text.split("\n"):
        # A removed line `-- x` looks like a header; counting the hunk tells them apart.
        if before > 0 or after > 0:
            before -= line[:1] in (" ", "-", "")
            after -= line[:1] in (" ", "+", "")
        elif line.startswith("@@ "):
            before, after = _length(line, "-"), _length(line, "+")
        elif line.startswith("--- "):
            old = _name(line[4:], strip)
        elif line.startswith("+++ "):
            _header(old, _name(line[4:], strip), found)
        else:
            _git_header(line, strip, found)
    return list(found.items())


def _header(old: str, new: str, found: dict[str, bool]) -> None:
    if new:
        found[new] = False
    if old and old != new:
        found[old] = not new


def _git_header(line: str, strip: int, found: dict[str, bool]) -> None:
    for start, gone in (("rename from ", True), ("rename to ", False), ("copy to ", False)):
        if line.startswith(start):
            found[line[len(start) :].strip()] = gone
    _, space, last = line.removeprefix("diff --git ").partition(" ")
    if line.startswith("diff --git ") and space and " " not in last:
        # Kept for changes without hunks: a mode, an empty or a binary file.
        name = _name(last, strip)
        if name:
            found.setdefault(name, False)


def _length(line: str, side: str) -> int:
    """Lines of one side of a hunk, from its header `@@ -1,3 +1,4 @@`."""
    numbers = line.partition(side)[2].partition(" ")[0].partition(",")
    count = numbers[2] or "1"
    return int(count) if count.isdigit() and not count[8:] else 0


def _name(text: str, strip: int) -> str:
    name = text.partition("\t")[0].strip()
    if name.startswith('"') and name.endswith('"'):
        name = name[1:-1]
    if name == "/dev/null":
        return ""
    parts = name.split("/")
    return "/".join(parts[strip:]) if strip < len(parts) else parts[-1]
