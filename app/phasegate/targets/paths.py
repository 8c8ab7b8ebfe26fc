"""Spelled paths: from what an agent typed to a `/`-separated operand, and comparisons.

Nothing here looks at a disk. A path is in Windows style when its base directory is
(`C:/w`), so that a Windows workspace can be judged on any machine
and `C:/x` below a POSIX workspace stays the relative name that it is there.
"""

from __future__ import annotations

from urllib.parse import unquote

MAX_PATH = 4096
"""Longest path that is looked up; the kernel refuses longer ones."""

_DRIVES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOCAL_HOSTS = frozenset({"", "localhost", "127.0.0.1"})
_DEVICE_PREFIXES = ("//?/", "//./", "/??/")


def has_drive(path: str) -> bool:
    """Whether *path* begins with a drive letter and a colon."""
    return path[1:2] == ":" and path[0] in _DRIVES


def is_windows(base: str) -> bool:
    """Whether the absolute directory *base* follows the rules of Windows.

    `//server/share` does not: for a POSIX kernel it is `/server/share`, and reading it
    otherwise would let `//repo/x` pass for a place outside `/repo`.
    """
    return not base.startswith("/") and (has_drive(base) or base.startswith("\\\\"))


def slashed(path: str) -> str:
    """*path* with `/` as its only separator."""
    return path.replace("\\", "/") if "\\" in path else path


def split_root(path: str, *, windows: bool) -> tuple[str, str]:
    """Split an absolute, `/`-separated path into its root and the rest.

    The root ends with a slash (`/`, `C:/`, `//server/share/`); it is empty for a
    relative path.
    """
    if not windows:
        return ("/", path.lstrip("/")) if path.startswith("/") else ("", path)
    path = _without_device_prefix(path)
    if has_drive(path):
        return f"{path[0].upper()}:/", path[2:].lstrip("/")
    if path.startswith("//"):
        server, _, rest = path[2:].partition("/")
        share, _, rest = rest.partition("/")
        return f"//{server}/{share}/", rest
    return "", path


def absolute(base: str, operand: str) -> str:
    """*operand* joined to the absolute directory *base*, `..` and `.` kept.

    Below a Windows base, `/x` is on the base's drive, and `/c/x` is the spelling that
    Git for Windows gives to `C:/x` if that is the base's drive.
    """
    if not is_windows(base):
        return operand if operand.startswith("/") else f"{base}/{operand}"
    base, operand = slashed(base), slashed(operand)
    if split_root(operand, windows=True)[0]:
        return operand
    if operand.startswith("/"):
        drive = split_root(base, windows=True)[0]
        if operand[2:3] in ("", "/") and operand[1:2].upper() == drive[:1]:
            operand = operand[2:]
        return drive + operand.lstrip("/")
    return f"{base}/{operand}"


def components(path: str, *, windows: bool) -> tuple[str, list[str]]:
    """Root and names of an absolute path; `..` is kept, empty names and `.` are dropped.

    Windows drops trailing dots and blanks of a name and takes `name:stream` as the
    file `name`.
    """
    if not windows:
        return "/", [name for name in path.split("/") if name and name != "."]
    root, rest = split_root(path, windows=True)
    names = [_windows_name(name) for name in rest.split("/") if name and name != "."]
    return root or "/", [name for name in names if name]


def lexical(path: str, *, windows: bool) -> str:
    """An absolute path with `..`, `.` and doubled slashes removed, no link followed."""
    root, names = components(path, windows=windows)
    kept: list[str] = []
    for name in names:
        if name != "..":
            kept.append(name)
        elif kept:
            kept.pop()
    return root + "/".join(kept)


def normalise(typed: str, *, base: str, home: str | None) -> str:
    """The operand that the argument *typed* of a tool stands for, or "" when it names no file.

    Blanks around it are trimmed, a `file:` URL is decoded, backslashes become slashes
    and a leading `~` becomes *home*. The result may be relative to *base*.
    """
    text = typed.strip()
    if not text:
        return ""
    if ":" in text[:8]:
        scheme = text.partition(":")[0].lower()
        if scheme == "file":
            text = _file_url_path(text, windows=is_windows(base))
        elif scheme in ("http", "https", "data"):
            return ""
    text = slashed(text)
    return _expand_home(text, home) if text.startswith("~") else text


def same_path(one: str, other: str, *, fold: bool) -> bool:
    """Whether two normal absolute paths are equal; *fold* ignores letter case."""
    if fold:
        one, other = one.casefold(), other.casefold()
    return one.rstrip("/") == other.rstrip("/")


def relative_to(path: str, directory: str, *, fold: bool) -> str | None:
    """*path* relative to *directory* ("" for the directory itself), or None when it lies elsewhere.

    Both are normal absolute paths; *fold* ignores letter case. The result keeps the
    spelling of *path*.
    """
    names, above = path.rstrip("/").split("/"), directory.rstrip("/").split("/")
    if len(names) < len(above):
        return None
    head = names[: len(above)]
    if fold:
        head, above = [name.casefold() for name in head], [name.casefold() for name in above]
    return "/".join(names[len(above) :]) if head == above else None


def _without_device_prefix(path: str) -> str:
    if not path.startswith(_DEVICE_PREFIXES):
        return path
    rest = path[4:]
    if rest[:4].upper() == "UNC/":
        return "//" + rest[4:]
    return rest if has_drive(rest) else path


def _windows_name(name: str) -> str:
    if name == "..":
        return name
    return name.partition(":")[0].rstrip(". ")


def _file_url_path(url: str, *, windows: bool) -> str:
    rest = unquote(url[5:].partition("#")[0].partition("?")[0], errors="surrogateescape")
    if not rest.startswith("//"):
        path = rest
    else:
        host, slash, tail = rest[2:].partition("/")
        if host.lower() in _LOCAL_HOSTS:
            path = slash + tail
        elif windows and not has_drive(host):
            return f"//{host}/{tail}"
        else:
            # Not a URL by the book; a tool that only cuts the scheme off reads a relative path.
            path = host + slash + tail
    return path[1:] if windows and path.startswith("/") and has_drive(path[1:]) else path


def _expand_home(text: str, home: str | None) -> str:
    user, slash, rest = text[1:].partition("/")
    if not home:
        return text
    home = slashed(home)
    if user and user != home.rstrip("/").rpartition("/")[2]:
        return text
    return home + slash + rest
