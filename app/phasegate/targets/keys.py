"""What the arguments of tools hold, going by their names.

Keys are compared without separators and letter case: `file_path`, `filePath` and
`FilePath` are one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from phasegate.targets.ids import compact, vocabulary, words

MAX_KEY = 64
"""Characters of a key that are looked at; a longer one names nothing."""

Role = Literal[
    "",
    "path",
    "loose",
    "source",
    "dest",
    "name",
    "folder",
    "base",
    "content",
    "old",
    "new",
    "patch",
    "every",
    "vague",
]
"""What a key holds. `loose`: a path going by the end of its name only. `base`: a
directory that the tool works in. `folder`: one that a bare file name is joined to.
`vague`: a switch after which the texts beside it say less about the result."""

PATH_ROLES = frozenset(("path", "loose", "source", "dest"))
TEXT_ROLES = frozenset(("content", "old", "new", "patch", "every", "vague"))

_ROLE_KEYS: tuple[tuple[Role, str], ...] = (
    (
        "path",
        """
        filepath path paths file files filename filenames targetfile targetfiles uri uris notebookpath dirpath
        relativepath absolutepath pathinproject filepaths fileuri documenturi fullpath localpath notebookuri
        targetnotebook outputpath outputfile outputfilename outfile outpath savepath saveas textdocument
        symlink linkpath
        """,
    ),
    (
        "source",
        """
        source sources sourcepath sourcefile sourceuri src srcpath from frompath oldpath oldfilepath olduri
        originalpath originalfilepath
        """,
    ),
    (
        "dest",
        """
        dest destination destinations destinationpath destpath destinationfile destfile destinationuri dst
        dstpath to topath target targets targetpath targeturi newpath newfilepath newuri destinationdirectory
        targetdirectory destdir targetdir movepath moveto
        """,
    ),
    ("name", "name newname basename"),
    ("folder", "directory dir folder directorypath folderpath outputdirectory outputdir savedir"),
    (
        "base",
        """
        cwd workdir workingdirectory workingdir currentdirectory projectpath projectroot workspaceroot
        workspacepath workspacefolder rootdir rootpath basedir basepath basedirectory repopath execdir cd
        """,
    ),
    (
        "content",
        """
        content contents filetext text newcontent newcontents filecontent filecontents codecontent code codeedit
        body data newsource newcode newfilecontents textcontent changes lines
        """,
    ),
    (
        "old",
        """
        oldstring oldstr oldtext old before search find targetcontent searchtext searchstring oldcontent needle
        """,
    ),
    (
        "new",
        """
        newstring newstr newtext inserttext new after replace replacement replacementcontent replacewith repl
        replacementtext
        """,
    ),
    ("patch", "diff patch patchtext"),
    ("every", "replaceall allowmultiple all global expectedreplacements"),
    ("vague", "append mode regex regexp useregex isregex ignorecase caseinsensitive fuzzy insertline"),
)
_ROLES: dict[str, Role] = {key: role for role, keys in _ROLE_KEYS for key in keys.split()}

# Keys that never hold a path, whatever their name ends with.
_NEVER = vocabulary(
    """
    prompt plan pattern patterns query queries url urls command cmd commands script description explanation
    instruction instructions namepath xpath jsonpath keypath classpath urlpath apipath routepath propertypath
    objectpath includepattern excludepattern globpattern ignore filter filetype message title todos input
    """
)
# Objects that describe work to come, not this call's files.
UNWALKED = vocabulary("todos ignore filter")
PLAIN_MODES = vocabulary("write w wb overwrite rewrite create replace edit literal false")
# Movers alone use these short words for paths; elsewhere they are languages, dates and the like.
MOVERS_ONLY = vocabulary("from to src dst")
_PATH_ENDS = ("path", "paths", "filepath", "filename", "file", "filenames", "uri")


def holds_prose(key: str) -> bool:
    """Whether a text under the argument *key* is data or prose, whatever it looks like."""
    if len(key) > MAX_KEY:
        return True
    return role_of(key) in TEXT_ROLES or compact(key) in _NEVER


@lru_cache(maxsize=4096)
def role_of(key: str) -> Role:
    """What the argument *key*, of at most `MAX_KEY` characters, holds."""
    small = compact(key)
    role = _ROLES.get(small)
    if role is not None or small in _NEVER:
        return role or ""
    if not small.endswith(_PATH_ENDS):
        return ""
    found = words(key)
    return "loose" if found[-1] in _PATH_ENDS and len(found) > 1 else ""
