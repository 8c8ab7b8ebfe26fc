"""Imports point downward, the core is pure, and only `files/` opens files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from support.source_tree import Module, app_modules, dotted, imports, module_from

# From the outside in. A module belongs to the unit with the longest matching name.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("frameworks", "mcp"),
    ("frameworks", "mcp"),
    ("api", "client", "hook", "hook_client"),
    ("service",),
    ("workspace", "memory", "notes", "decision_log"),
    ("files",),
    ("rules", "runtimes", "targets", "decision_log.record", "decision_log.chain"),
    ("core", "errors"),
)
DEPTH = {unit: depth for depth, units in enumerate(LAYERS) for unit in units}
# Read at the edge only: what lies below the service gets its settings as values.
SETTINGS_READERS = {"cli", "__main__", "api", "client", "service"}

PURE = ("core", "errors", "rules", "targets", "runtimes", "decision_log.record", "decision_log.chain")
PURE_STDLIB = {
    *(
        "__future__",
        "abc",
        "base64",
        "bisect",
        "binascii",
        "codecs",
        "collections",
        "contextlib",
        "dataclasses",
    ),
    *("enum", "functools", "hashlib", "hmac", "itertools", "json", "math", "ntpath", "operator", "posixpath"),
    *(
        "difflib",
        "fnmatch",
        "re",
        "string",
        "textwrap",
        "tomllib",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "heapq",
    ),
}
# What a pure unit may use beyond that, and why.
PURE_EXTRA = {
    "core": {"io"},  # its newline decoder, which works on texts
    "rules": {"importlib", "pkgutil"},  # discovery: one module, one rule
    "runtimes": {"importlib", "pkgutil", "orjson"},  # discovery; payloads in, reply bytes out
    "targets": {"ast", "warnings"},  # reads Python code without running it, and without its complaints
    "decision_log.record": {"orjson", "datetime"},  # canonical bytes; timestamps given as values
    "decision_log.chain": {"orjson"},  # canonical bytes
}
IMPURE_CALLS = {
    *("open", "print", "input", "eval", "exec", "__import__", "breakpoint", "globals"),
    *("posixpath.exists", "posixpath.lexists", "posixpath.isfile", "posixpath.isdir", "posixpath.islink"),
    *("posixpath.realpath", "posixpath.abspath", "posixpath.expanduser", "posixpath.getsize"),
    *("posixpath.getmtime", "posixpath.samefile", "posixpath.ismount", "posixpath.expandvars"),
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "datetime.datetime.now"),
}

# `hook` and the command line are programs of their own, the log stores own their databases,
# and the MCP proxy speaks over pipes.
FILE_OPENERS = ("files", "hook", "hook_client", "cli", "settings", "decision_log", "mcp")
FILE_MODULES = {"shutil", "tempfile", "glob", "mmap", "fileinput", "linecache", "sqlite3", "dbm", "zipfile"}
FILE_FUNCTIONS = {
    *("open", "io.open", "os.open", "os.fdopen", "os.read", "os.write", "os.pread", "os.pwrite", "os.stat"),
    *("os.lstat", "os.scandir", "os.listdir", "os.walk", "os.fwalk", "os.mkdir", "os.makedirs", "os.remove"),
    *("os.unlink", "os.rename", "os.replace", "os.link", "os.symlink", "os.readlink", "os.chmod", "os.chown"),
    *(
        "os.utime",
        "os.truncate",
        "os.rmdir",
        "os.removedirs",
        "os.mkfifo",
        "os.access",
        "os.fsync",
        "os.fstat",
    ),
    *("os.path.exists", "os.path.lexists", "os.path.isfile", "os.path.isdir", "os.path.islink"),
    *("os.path.realpath", "os.path.getsize", "os.path.getmtime", "os.path.samefile", "os.path.ismount"),
}
FILE_METHODS = {
    *("read_text", "write_text", "read_bytes", "write_bytes", "iterdir", "rglob", "is_file", "is_dir"),
    *("is_symlink", "symlink_to", "hardlink_to", "touch", "mkdir", "rmdir", "unlink", "samefile"),
}
ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.putenv"}


def unit_of(name: str) -> str | None:
    """The unit a dotted module name belongs to; "" for the package itself, None for no unit."""
    inner = name.removeprefix("phasegate").removeprefix(".")
    if not inner or inner == "settings":
        return inner
    matching = [unit for unit in DEPTH if inner == unit or inner.startswith(unit + ".")]
    return max(matching, key=len, default=None)


def inside(module: Module, units: tuple[str, ...]) -> bool:
    inner = module.name.removeprefix("phasegate.")
    return any(inner == unit or inner.startswith(unit + ".") for unit in units)


def layer_problems(module: Module, known: frozenset[str]) -> Iterator[str]:
    """Imports of *module* that do not point strictly downward."""
    here = unit_of(module.name)
    for item in imports(module, known):
        there = unit_of(item.name) if item.name.split(".")[0] == "phasegate" else ""
        why = "" if there == "" or here is None else objection(here, there)
        if why:
            yield f"{module.where}:{item.line}: imports {item.name}; {why}"


def objection(here: str, there: str | None) -> str:
    """Why unit *here* may not import unit *there*; "" when it may."""
    if there is None:
        return "it is in no layer"
    if here == "":
        return "the package itself must stay empty, the spawned hook pays for it"
    if here == "settings":
        return "" if there == "errors" else "settings may import errors alone"
    if there == "settings":
        return "" if here in SETTINGS_READERS else "what lies below the service gets its settings as values"
    return order_objection(here, there)


def order_objection(here: str, there: str) -> str:
    if DEPTH[here] > DEPTH[there]:
        return f"it lies above `{here}`"
    same_package = here.partition(".")[0] == there.partition(".")[0]
    if DEPTH[here] == DEPTH[there] and not same_package and there != "errors":
        return f"it is a sibling of `{here}`"
    return ""


def purity_problems(module: Module, known: frozenset[str]) -> Iterator[str]:
    """Imports and calls that reach for the world outside."""
    unit = unit_of(module.name) or ""
    allowed = PURE_STDLIB | PURE_EXTRA.get(unit, set())
    for item in imports(module, known):
        root = item.name.split(".")[0]
        if root != "phasegate" and item.name not in allowed and root not in allowed:
            yield f"{module.where}:{item.line}: imports {item.name}; `{unit}` is pure"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and dotted(node.func) in IMPURE_CALLS:
            yield f"{module.where}:{node.lineno}: calls {dotted(node.func)}; `{unit}` is pure"


def file_problems(module: Module, known: frozenset[str]) -> Iterator[str]:
    """Ways to reach the file system."""
    for item in imports(module, known):
        if item.name.split(".")[0] in FILE_MODULES:
            yield f"{module.where}:{item.line}: imports {item.name}; only files/ touches the disk"
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in FILE_FUNCTIONS or method in FILE_METHODS:
            yield f"{module.where}:{node.lineno}: calls {name or method}; only files/ touches the disk"


def environment_problems(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and dotted(node) in ENVIRONMENT:
            yield f"{module.where}:{node.lineno}: reads {dotted(node)}; only settings does"


def known_names() -> frozenset[str]:
    return frozenset(module.name for module in app_modules())


def test_every_module_belongs_to_a_layer():
    homeless = [module.where for module in app_modules() if unit_of(module.name) is None]

    assert homeless == [], "add them to LAYERS, at the place where design and imports agree"


def test_imports_point_downward_and_siblings_are_strangers():
    """What the core knows about nobody can break; a sibling import is a hidden layer."""
    known = known_names()
    problems = [text for module in app_modules() for text in layer_problems(module, known)]

    assert not problems, "\n" + "\n".join(problems)


def test_core_rules_targets_and_runtimes_are_pure():
    """A decision must depend on its arguments alone, or a record could not be decided again."""
    known = known_names()
    problems = [
        text for module in app_modules() if inside(module, PURE) for text in purity_problems(module, known)
    ]

    assert not problems, "\n" + "\n".join(problems)


def test_only_the_files_package_touches_the_disk():
    """One place knows about links, FIFOs and sizes; a second one would forget."""
    known = known_names()
    problems = [
        text
        for module in app_modules()
        if not inside(module, FILE_OPENERS)
        for text in file_problems(module, known)
    ]

    assert not problems, "\n" + "\n".join(problems)


def test_only_settings_reads_the_environment():
    """The hook is spawned alone and reads its own two variables; so may nobody else."""
    problems = [
        text
        for module in app_modules()
        if not inside(module, ("settings", "hook", "hook_client"))
        for text in environment_problems(module)
    ]

    assert not problems, "\n" + "\n".join(problems)


class TestTheChecks:
    """A check that finds nothing in planted faults would also find nothing in real ones."""

    def test_find_an_import_that_points_up(self):
        planted = module_from("phasegate.core.engine", "from phasegate.files import view")

        assert list(layer_problems(planted, frozenset({"phasegate.files.view"}))) == [
            "phasegate.core.engine.py:1: imports phasegate.files.view; it lies above `core`"
        ]

    def test_find_a_sibling_import_also_when_it_is_relative_or_only_for_types(self):
        relative = module_from("phasegate.rules.memory_read", "from ..targets import tools")
        typing_only = module_from(
            "phasegate.workspace.runs", "if TYPE_CHECKING:\n    from phasegate.memory import plane"
        )

        assert "sibling of `rules`" in next(layer_problems(relative, frozenset()))
        assert "sibling of `workspace`" in next(layer_problems(typing_only, frozenset()))

    def test_find_a_pure_half_that_leans_on_its_store(self):
        planted = module_from("phasegate.decision_log.chain", "from phasegate.decision_log import sqlite")

        assert "lies above" in next(layer_problems(planted, frozenset({"phasegate.decision_log.sqlite"})))

    def test_allow_what_points_down(self):
        fine = module_from(
            "phasegate.service", "from phasegate.workspace import runs\nimport phasegate.errors"
        )

        assert list(layer_problems(fine, frozenset())) == []

    def test_find_clocks_disks_and_prints_in_pure_code(self):
        planted = module_from("phasegate.core.engine", "import os, time\nprint(open('x'))")

        assert len(list(purity_problems(planted, frozenset()))) == 4

    def test_find_ways_to_the_disk(self):
        planted = module_from(
            "phasegate.workspace.runs", "import os, tempfile\nos.stat('x')\nPath('x').read_text()\nopen('y')"
        )

        assert len(list(file_problems(planted, frozenset()))) == 4

    def test_find_a_reader_of_the_environment(self):
        planted = module_from("phasegate.service", "import os\nhome = os.environ['HOME']")

        assert len(list(environment_problems(planted))) == 1
