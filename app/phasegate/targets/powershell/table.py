"""What PowerShell's own commands do to files, as data. Names are in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phasegate.core.call import TargetOp
from phasegate.targets.ids import vocabulary


@dataclass(frozen=True, slots=True)
class Cmdlet:
    """One command that changes files.

    `positional` are the parameters that unnamed arguments go to, in order; `ops` says
    which parameters name files, and what happens to them. `appends`: it has a switch
    -Append. `piped`: the files may come through the pipeline. `recursive`: it fills a
    directory. `removes`: what it works on is gone afterwards.
    """

    positional: tuple[str, ...]
    ops: Mapping[str, TargetOp]
    appends: bool = False
    piped: bool = False
    recursive: bool = False
    removes: bool = False
    also: tuple[str, ...] = field(default=())


def _paths(op: TargetOp) -> dict[str, TargetOp]:
    return {"path": op, "literalpath": op, "pspath": op, "lp": op}


def _files(op: TargetOp) -> dict[str, TargetOp]:
    return {"filepath": op, **_paths(op)}


CMDLETS: Mapping[str, Cmdlet] = {
    "set-content": Cmdlet(("path", "value"), _paths("write")),
    "add-content": Cmdlet(("path", "value"), _paths("append")),
    "clear-content": Cmdlet(("path",), _paths("truncate"), piped=True),
    "out-file": Cmdlet(("filepath", "encoding"), _files("write"), appends=True),
    "tee-object": Cmdlet(("filepath",), _files("write"), appends=True, also=("variable",)),
    "export-csv": Cmdlet(("path", "delimiter"), _paths("write"), appends=True),
    "export-clixml": Cmdlet(("path",), _paths("write")),
    "export-formatdata": Cmdlet((), _paths("write")),
    "export-alias": Cmdlet(("path", "name"), _paths("write"), appends=True),
    "remove-item": Cmdlet(("path",), _paths("delete"), piped=True, removes=True),
    "move-item": Cmdlet(
        ("path", "destination"), {**_paths("move_from"), "destination": "move_to"}, piped=True, removes=True
    ),
    "copy-item": Cmdlet(("path", "destination"), {"destination": "write"}),
    "rename-item": Cmdlet(
        ("path", "newname"), {**_paths("move_from"), "newname": "move_to"}, piped=True, removes=True
    ),
    "new-item": Cmdlet(("path",), {"path": "write"}, also=("name", "itemtype", "type", "value", "target")),
    "set-item": Cmdlet(("path", "value"), _paths("write"), piped=True),
    "clear-item": Cmdlet(("path",), _paths("truncate"), piped=True),
    "set-itemproperty": Cmdlet(("path", "name", "value"), _paths("write"), piped=True),
    "clear-itemproperty": Cmdlet(("path", "name"), _paths("write"), piped=True),
    "invoke-webrequest": Cmdlet(("uri",), {"outfile": "write"}),
    "invoke-restmethod": Cmdlet(("uri",), {"outfile": "write"}),
    "start-transcript": Cmdlet(("path",), _paths("write"), appends=True),
    "start-bitstransfer": Cmdlet(("source", "destination"), {"destination": "write"}),
    "expand-archive": Cmdlet(("path", "destinationpath"), {"destinationpath": "write"}, recursive=True),
    "compress-archive": Cmdlet(("path", "destinationpath"), {"destinationpath": "write"}),
    "set-acl": Cmdlet(("path", "aclobject"), _paths("chmod"), piped=True),
    "unblock-file": Cmdlet(("path",), _paths("write"), piped=True),
}

ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("sc",), "set-content"),
    **dict.fromkeys(("ac",), "add-content"),
    **dict.fromkeys(("clc",), "clear-content"),
    **dict.fromkeys(("tee",), "tee-object"),
    **dict.fromkeys(("epcsv",), "export-csv"),
    **dict.fromkeys(("epal",), "export-alias"),
    **dict.fromkeys(("ri", "rm", "del", "erase", "rd", "rmdir"), "remove-item"),
    **dict.fromkeys(("mi", "mv", "move"), "move-item"),
    **dict.fromkeys(("cpi", "cp", "copy", "ci"), "copy-item"),
    **dict.fromkeys(("rni", "ren"), "rename-item"),
    **dict.fromkeys(("ni",), "new-item"),
    **dict.fromkeys(("si",), "set-item"),
    **dict.fromkeys(("cli",), "clear-item"),
    **dict.fromkeys(("sp",), "set-itemproperty"),
    **dict.fromkeys(("clp",), "clear-itemproperty"),
    **dict.fromkeys(("iwr", "curl", "wget"), "invoke-webrequest"),
    **dict.fromkeys(("irm",), "invoke-restmethod"),
    **dict.fromkeys(("cd", "chdir", "sl"), "set-location"),
    **dict.fromkeys(("pushd",), "push-location"),
    **dict.fromkeys(("popd",), "pop-location"),
    **dict.fromkeys(("iex",), "invoke-expression"),
    **dict.fromkeys(("icm",), "invoke-command"),
    **dict.fromkeys(("saps", "start"), "start-process"),
    **dict.fromkeys(("sajb",), "start-job"),
    **dict.fromkeys(("foreach", "%"), "foreach-object"),
    **dict.fromkeys(("where", "?"), "where-object"),
}

# Aliases that are programs of their own where PowerShell runs on Linux and macOS.
NATIVE_TOO = vocabulary("rm rmdir mv cp tee curl wget")

# Commands that run the script blocks given to them, and nothing else.
RUNS_BLOCKS = vocabulary(
    "foreach-object where-object invoke-command start-job start-threadjob measure-command"
)

_READING_VERBS = vocabulary(
    """
    get test select measure format compare resolve join split find search show convertto convertfrom convert
    group sort where wait read receive trace assert limit confirm
    """
)
_READERS = vocabulary(
    """
    write-output write-host write-error write-warning write-verbose write-debug write-information
    write-progress out-null out-string out-host out-default out-gridview import-csv import-clixml
    import-powershelldatafile new-object new-timespan new-guid new-variable set-variable
    remove-variable clear-variable set-strictmode clear-host start-sleep stop-transcript
    push-location pop-location set-location add-member add-type new-alias set-alias
    stop-process new-event start-service stop-service import-localizeddata
    set-psdebug register-engineevent break continue
    gc cat type gci ls dir gi gp gcm sls select sort measure echo write ft fl fw group diff compare cls clear
    sleep ps gps gal gm gv history pwd gl ipcsv oh rvpa sal nal sv nv rv man help md mkdir
    where.exe whoami hostname ipconfig tasklist findstr more tree fc ver
    """
)
KEYWORDS = vocabulary(
    """
    if else elseif foreach for while do until switch try catch finally function filter param begin process
    end trap using class enum in data dynamicparam return throw exit
    """
)
SWITCHES = vocabulary(
    """
    force recurse whatif confirm passthru nonewline append noclobber asbytestream verbose debug wait
    usebasicparsing container notypeinformation includeinvocationheader file directory hidden readonly raw
    useculture update usetransaction noenumerate nti skipcertificatecheck resume asjob
    """
)
HARMLESS_METHODS = vocabulary(
    """
    tostring trim trimstart trimend split replace substring contains startswith endswith indexof lastindexof
    toupper tolower padleft padright insert remove add addrange count equals gettype format join
    adddays addhours addminutes tolowerinvariant toupperinvariant where foreach getenumerator containskey
    match matches ismatch clone toarray
    """
)
# Static methods of the file classes: the operations on their first and second argument.
STATIC_METHODS: Mapping[str, tuple[TargetOp | None, TargetOp | None]] = {
    **dict.fromkeys(
        vocabulary(
            """
            writealltext writealltextasync writealllines writealllinesasync writeallbytes writeallbytesasync
            create createtext openwrite setattributes setlastwritetime setcreationtime setlastaccesstime
            setlastwritetimeutc encrypt decrypt
            """
        ),
        ("write", None),
    ),
    **dict.fromkeys(
        vocabulary("appendalltext appendalltextasync appendalllines appendalllinesasync appendtext"),
        ("append", None),
    ),
    "createsymboliclink": ("write", None),
    "delete": ("delete", None),
    "move": ("move_from", "move_to"),
    "copy": (None, "write"),
    "replace": ("move_from", "move_to"),
    "open": ("write", None),
}
STATIC_READERS = vocabulary(
    """
    readalltext readalllines readallbytes readlines exists openread opentext getfiles getdirectories
    getattributes getlastwritetime enumeratefiles enumeratedirectories getcurrentdirectory getfullpath combine
    getfilename getdirectoryname getextension gettemppath getparent readalltextasync createdirectory
    """
)
FILE_TYPES = vocabulary("file directory fileinfo directoryinfo")
PURE_TYPES = vocabulary("math path string datetime guid convert regex environment int")
WRITING_TYPES = vocabulary("streamwriter filestream binarywriter xmltextwriter")


def reads_only(name: str) -> bool:
    """Whether the command *name* (lower case) changes no file."""
    return name in _READERS or ("-" in name and name.partition("-")[0] in _READING_VERBS)
