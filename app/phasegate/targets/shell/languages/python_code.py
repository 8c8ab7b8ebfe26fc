"""What a Python program does to files, told from its syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.languages.code import LINKERS, CodeEffects, CodeWrite
from phasegate.targets.shell.languages.python_calls import argument_of, is_move, only_reads, text_of
from phasegate.targets.shell.languages.python_names import (
    BUILTINS,
    DEFAULT_MODES,
    EXECS,
    METHODS,
    OPENERS,
    PATH_CHANGES,
    PROGRAMS,
    SAFE_METHODS,
    SAVERS,
    SHELLS,
    WRITES,
    Changes,
)
from phasegate.targets.shell.languages.python_scope import bindings, definitions, imports
from phasegate.targets.shell.languages.python_values import Scope, Values, dotted, evaluate
from phasegate.targets.shell.mentions import tokens
from phasegate.targets.shell.text import STAND_IN

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp

MAX_PROGRAM = 1 << 17
MAX_NODES = 20_000
MAX_BRACKETS = 60
_ROUNDS = 3
_LONG_LINE = 4096


def analyse(
    text: str, argv: Sequence[str | None] = (), modules: Mapping[str, str] | None = None
) -> CodeEffects:
    """The effects of the program *text*, whose `sys.argv` is *argv*; *modules* are imported already."""
    effects = CodeEffects()
    tree = _parse(text)
    if tree is None:
        effects.strings = tokens(text)
        effects.doubt("the program can't be parsed")
        return effects
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        effects.strings = tokens(text)
        effects.doubt("the program is too long")
        return effects
    effects.bare_stand_in = any(
        isinstance(n, ast.Expr) and isinstance(n.value, ast.Name) and STAND_IN in n.value.id for n in nodes
    )
    effects.strings = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    scope = Scope(argv=argv, modules=dict(modules or {}))
    imports(nodes, scope, effects)
    definitions(nodes, scope)
    for _ in range(_ROUNDS):
        before = dict(scope.values)
        bindings(nodes, scope)
        if scope.values == before:
            break
    _Visitor(scope, effects, only_queries=_only_queries(nodes)).visit(tree)
    return effects


def _only_queries(nodes: list[ast.AST]) -> bool:
    """Whether every statement given to a database is a literal one that reads."""
    statements = [
        node.args[0] if node.args else None
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.startswith("execute")
    ]
    return all(
        isinstance(statement, ast.Constant)
        and str(statement.value).strip().lower().startswith(("select", "pragma table", "explain"))
        for statement in statements
    ) and bool(statements)


def _is_memory(values: Values) -> bool:
    return values is not None and all(value.text == ":memory:" for value in values)


def _parse(text: str) -> ast.Module | None:
    if len(text) > MAX_PROGRAM or _nesting(text) > MAX_BRACKETS:
        return None
    try:
        with warnings.catch_warnings():
            # An odd escape in the judged program is none of this program's business.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nesting(text: str) -> int:
    """The deepest nesting of brackets or runs of prefix operators, strings not told apart."""
    depth = deepest = 0
    for char in text:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth = max(0, depth - 1)
    longest = max((len(run) for run in text.replace("not ", "~").replace(" ", "").split("\n")), default=0)
    return deepest if longest < _LONG_LINE or "-" * 50 not in text else MAX_BRACKETS + 1


class _Visitor(ast.NodeVisitor):
    """Looks at every call, and at dangerous names that are not called."""

    def __init__(self, scope: Scope, effects: CodeEffects, *, only_queries: bool) -> None:
        self._only_queries = only_queries
        self._scope = scope
        self._effects = effects

    def visit_Call(self, node: ast.Call) -> None:
        name = dotted(node.func, self._scope)
        if name is not None:
            self._function(name, node)
        elif isinstance(node.func, ast.Attribute):
            self._method(node.func, node)
            self.visit(node.func.value)
        elif not self._local(node.func):
            self._effects.doubt("a call of a computed function")
            self.visit(node.func)
        for arg in node.args:
            self.visit(arg)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def visit_Name(self, node: ast.Name) -> None:
        self._loaded(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if dotted(node, self._scope) is None:
            self.visit(node.value)
            if node.attr in METHODS or node.attr.startswith("__"):
                self._effects.doubt(f"`{node.attr}` is used as a value")
            return
        self._loaded(node)

    def _loaded(self, node: ast.Name | ast.Attribute) -> None:
        """A name used as a value: a function that writes must not be passed around."""
        if not isinstance(node.ctx, ast.Load):
            return
        name = dotted(node, self._scope)
        if name is None or name in BUILTINS or only_reads(name) or name.isupper():
            return
        root = name.partition(".")[0]
        by_class = name.startswith("pathlib.") and name.rpartition(".")[2] in PATH_CHANGES
        if (
            by_class
            or root in self._scope.modules.values()
            or name in self._scope.modules.values()
            or name in OPENERS
        ):
            self._effects.doubt(f"`{name}` is used as a value")

    def _local(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Name):
            known = func.id in self._scope.functions or func.id in self._scope.classes
            return known and self._scope.values.get(func.id) is None
        return isinstance(func, ast.Lambda)

    def _function(self, name: str, node: ast.Call) -> None:
        if name in WRITES:
            for change in WRITES[name]:
                self._change(change, node, name)
        elif name in OPENERS:
            self._open(name, node, argument_of(node, 0, "file", "name", "filename"), OPENERS[name])
        elif name in SHELLS:
            self._texts(node, name)
        elif name in PROGRAMS or name in EXECS:
            self._program(node, name)
        elif name in ("exec", "eval", "compile"):
            self._nested(node, name)
        elif not self._reading(name, node):
            self._effects.doubt(f"`{name}`")

    def _reading(self, name: str, node: ast.Call) -> bool:
        if name in BUILTINS or only_reads(name):
            return True
        if name == "os.open":
            return self._os_open(node)
        if name == "logging.basicConfig":
            filename = argument_of(node, 99, "filename")
            if filename is not None:
                self._report(evaluate(filename, self._scope), "append", name)
            return True
        method = name.rpartition(".")[2]
        # A function imported under the name of a class: `Path.write_text(p, ...)`.
        return name.startswith("pathlib.Path.") and method in SAFE_METHODS

    def _change(self, change: Changes, node: ast.Call, name: str) -> None:
        argument = argument_of(node, change.position, change.keyword)
        values = evaluate(argument, self._scope)
        if name == "sqlite3.connect" and (self._only_queries or _is_memory(values)):
            return
        if argument is None and name in ("urllib.request.urlretrieve", "shutil.unpack_archive"):
            self._effects.doubt(f"`{name}` without a destination")
            return
        inside = ""
        if change.into is not None:
            source = evaluate(argument_of(node, change.into, "src"), self._scope)
            inside = next(iter(source)).text if source and len(source) == 1 else "?"
        before = len(self._effects.writes)
        self._report(values, change.op, name, recursive=change.recursive, follow=change.follow, inside=inside)
        self._link(before, argument_of(node, 0, "src"))

    def _link(self, at: int, leads_to: ast.expr | None) -> None:
        """Note where the links lead that are written from index *at* on."""
        for index, write in enumerate(self._effects.writes[at:], at):
            if write.via.rpartition(".")[2] in LINKERS:
                text = text_of(evaluate(leads_to, self._scope)) or ""
                self._effects.writes[index] = replace(write, leads_to=text)

    def _report(
        self,
        values: Values,
        op: TargetOp,
        via: str,
        *,
        recursive: bool = False,
        follow: bool = True,
        inside: str = "",
    ) -> None:
        if values is None:
            self._effects.doubt(f"`{via}` of a file whose name is computed")
            return
        for value in sorted(values, key=lambda known: known.text):
            self._effects.writes.append(CodeWrite(value.text, op, via, recursive, follow, inside))

    def _open(self, name: str, node: ast.Call, path: ast.expr | None, position: int) -> None:
        mode_node = argument_of(node, position, "mode")
        mode = (
            DEFAULT_MODES.get(name, "r") if mode_node is None else text_of(evaluate(mode_node, self._scope))
        )
        if argument_of(node, 99, "opener") is not None or any(
            isinstance(arg, ast.Starred) for arg in node.args
        ):
            self._effects.doubt(f"`{name}` with unusual arguments")
        if mode is None:
            self._effects.doubt(f"`{name}` with a computed mode")
            return
        if not set(mode) & set("wax+"):
            return
        if isinstance(path, ast.Constant) and isinstance(path.value, int):
            return
        self._report(evaluate(path, self._scope), "append" if "a" in mode else "write", name)

    def _os_open(self, node: ast.Call) -> bool:
        flags = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
        if flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}:
            self._report(evaluate(argument_of(node, 0, "path"), self._scope), "write", "os.open")
            return True
        return "O_RDONLY" in flags

    def _texts(self, node: ast.Call, name: str) -> None:
        values = evaluate(argument_of(node, 0, "command", "cmd"), self._scope)
        if values is None:
            self._effects.doubt(f"`{name}` of a computed command")
        else:
            self._effects.shells.extend(sorted(value.text for value in values))

    def _program(self, node: ast.Call, name: str) -> None:
        keywords = {keyword.arg for keyword in node.keywords}
        if keywords & {"cwd", "executable", "preexec_fn", "env", None}:
            self._effects.doubt(f"`{name}` with its own directory or environment")
        argument = argument_of(node, 1 if name in EXECS else 0, "args")
        shell = argument_of(node, 99, "shell")
        if shell is not None and not (isinstance(shell, ast.Constant) and not shell.value):
            self._texts(node, name)
            return
        if isinstance(argument, ast.List | ast.Tuple):
            words = [text_of(evaluate(item, self._scope)) for item in argument.elts]
            known = [word for word in words if word is not None]
            if len(known) == len(words):
                self._effects.programs.append(known)
                return
        text = text_of(evaluate(argument, self._scope))
        if text is not None and " " not in text:
            self._effects.programs.append([text])
            return
        if self._shlex_split(argument):
            return
        self._effects.doubt(f"`{name}` of a computed program")

    def _shlex_split(self, argument: ast.expr | None) -> bool:
        if not isinstance(argument, ast.Call):
            return False
        text = text_of(evaluate(argument.args[0], self._scope)) if argument.args else None
        name = dotted(argument.func, self._scope)
        plain = name == "shlex.split" or (
            isinstance(argument.func, ast.Attribute) and argument.func.attr == "split"
        )
        if text is None and plain and isinstance(argument.func, ast.Attribute):
            text = text_of(evaluate(argument.func.value, self._scope))
        if text is None or not plain or set(text) & set("'\"\\"):
            return False
        self._effects.programs.append(text.split())
        return True

    def _nested(self, node: ast.Call, name: str) -> None:
        text = text_of(evaluate(argument_of(node, 0, "source"), self._scope))
        if text is None:
            self._effects.doubt(f"`{name}` of a computed program")
            return
        if "import" in text:
            self._effects.doubt(f"`{name}` of a program that imports something")
        inner = analyse(text, self._scope.argv, self._scope.modules)
        self._effects.writes.extend(inner.writes)
        self._effects.shells.extend(inner.shells)
        self._effects.programs.extend(inner.programs)
        self._effects.strings.extend(inner.strings)
        if inner.unknown:
            self._effects.doubt(inner.unknown)

    def _method(self, func: ast.Attribute, node: ast.Call) -> None:
        name = func.attr
        base = evaluate(func.value, self._scope)
        if name in METHODS:
            op, follow = METHODS[name]
            before = len(self._effects.writes)
            self._report(base, op, name, follow=follow)
            self._link(before, argument_of(node, 0, "target"))
        elif name in ("rename", "replace") and is_move(name, base, node):
            self._report(base, "move_from", name, follow=False)
            self._report(evaluate(argument_of(node, 0, "target"), self._scope), "move_to", name, follow=False)
        elif name == "open":
            mode = argument_of(node, 0, "mode")
            text = "r" if mode is None else text_of(evaluate(mode, self._scope))
            if text is None or set(text) & set("wax+"):
                self._report(base, "append" if text and "a" in text else "write", "open")
        elif name in SAVERS:
            argument = argument_of(node, 0, "path", "path_or_buf", "fname", "fp")
            if argument is not None or name in ("extractall", "extract"):
                recursive = name.startswith("extract")
                self._report(evaluate(argument, self._scope), "write", name, recursive=recursive)
        elif name == "write" and self._is_tree(func.value):
            self._report(
                evaluate(argument_of(node, 0, "file_or_filename"), self._scope), "write", "ElementTree.write"
            )
        elif (
            name not in SAFE_METHODS
            and name not in ("replace", "truncate", "execute", "run", "group")
            and not self._own(name)
        ):
            self._effects.doubt(f"the method `{name}`")

    def _own(self, name: str) -> bool:
        """Whether the method is defined in the program itself."""
        return name in self._scope.functions

    def _is_tree(self, node: ast.expr) -> bool:
        """Whether *node* may be parsed XML, whose `write` takes a file name."""
        imported = any(name.startswith(("xml.", "lxml")) for name in self._scope.modules.values())
        called = isinstance(node, ast.Call) and dotted(node.func, self._scope) == "open"
        return (
            imported
            and not called
            and not (isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"))
        )
