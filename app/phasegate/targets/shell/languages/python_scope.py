"""The names of a Python program: what they are imported as, and what they may hold."""

from __future__ import annotations

import ast

from phasegate.targets.shell.languages.code import CodeEffects
from phasegate.targets.shell.languages.python_names import IMPORTABLE, PURE_MODULES
from phasegate.targets.shell.languages.python_values import Scope, elements, evaluate


def imports(nodes: list[ast.AST], scope: Scope, effects: CodeEffects) -> None:
    """Note what each local name is imported as, and doubt modules that are not known."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                _import(alias.name, effects)
                local = alias.asname or alias.name.partition(".")[0]
                scope.modules[local] = alias.name if alias.asname else local
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            _import(module if node.level == 0 else ".", effects)
            for alias in node.names:
                if alias.name == "*" and module not in PURE_MODULES:
                    effects.doubt(f"everything of `{module}` is imported")
                scope.modules[alias.asname or alias.name] = f"{module}.{alias.name}"


def _import(name: str, effects: CodeEffects) -> None:
    if name not in IMPORTABLE and name.partition(".")[0] not in IMPORTABLE:
        effects.doubt(f"the module `{name}` is not known")


def definitions(nodes: list[ast.AST], scope: Scope) -> None:
    """Note the functions and classes that the program defines."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scope.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            scope.classes.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    scope.functions[target.id] = node.value


def bindings(nodes: list[ast.AST], scope: Scope) -> None:
    """One round of finding what variables may be; unknown until assigned."""
    fresh = Scope(scope.argv, scope.modules, {}, scope.functions, scope.classes)
    for node in nodes:
        _bind(node, scope, fresh)
    for function in scope.functions.values():
        for arg in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]:
            fresh.values.setdefault(arg.arg, None)
    scope.values = fresh.values


def _bind(node: ast.AST, scope: Scope, fresh: Scope) -> None:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _assign(target, value, scope, fresh)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            _assign(target, value, scope, fresh)
        case ast.AugAssign(target=ast.Name(id=name)) | ast.ExceptHandler(name=str() as name):
            fresh.bind(name, None)
        case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
            _loop(target, source, scope, fresh)
        case ast.comprehension(target=target, iter=source):
            _loop(target, source, scope, fresh)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                _forget(item.optional_vars, fresh)
        case ast.Call():
            _bind_parameters(node, scope, fresh)


def _assign(target: ast.expr, value: ast.expr, scope: Scope, fresh: Scope) -> None:
    if isinstance(target, ast.Name):
        fresh.bind(target.id, evaluate(value, scope))
        if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Call):
            fresh.bind(f"{target.id}[]", elements(value, scope))
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        if len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                _assign(one, other, scope, fresh)
        else:
            _forget(target, fresh)
    else:
        _forget(target, fresh)


def _loop(target: ast.expr, source: ast.expr, scope: Scope, fresh: Scope) -> None:
    if isinstance(target, ast.Name):
        fresh.bind(target.id, elements(source, scope))
        return
    if isinstance(target, ast.Tuple) and isinstance(source, ast.List | ast.Tuple):
        for item in source.elts:
            _assign(target, item, scope, fresh)
        return
    _forget(target, fresh)


def _forget(target: ast.expr | None, fresh: Scope) -> None:
    for node in ast.walk(target) if target is not None else ():
        if isinstance(node, ast.Name):
            fresh.bind(node.id, None)


def _bind_parameters(node: ast.Call, scope: Scope, fresh: Scope) -> None:
    function = scope.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if function is None:
        return
    names = [arg.arg for arg in [*function.args.posonlyargs, *function.args.args]]
    for name, value in zip(names, node.args, strict=False):
        fresh.bind(name, evaluate(value, scope))
    for keyword in node.keywords:
        if keyword.arg is not None:
            fresh.bind(keyword.arg, evaluate(keyword.value, scope))
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        for name in names:
            fresh.bind(name, None)
