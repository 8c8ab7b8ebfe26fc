"""What the repository promises about itself: layout, sizes, exemptions, and names that stand in one place."""

from __future__ import annotations

import ast
import io
import re
import statistics
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import phasegate.errors
from phasegate.errors import PhasegateError
from support.source_tree import APP, ROOT, app_modules, docstrings, module_from, python_files, tracked_files

TOP_LEVEL = {"pyproject.toml", "README.md", "policies", "docker", "tests", "app"}
FILE_LINES = 400
MEDIAN_LINES = 150
FUNCTION_LINES = 60
# A section of an artifact is called so too; it is quoted where it is meant.
MARKS = re.compile(r"(?<!`)\b(TODO|FIXME|XXX|HACK)\b(?!`)")
# A lint exemption names its code and says why: `noqa: S603 (fixed argv, no shell)`.
EXEMPTION = re.compile(r"#\s*(noqa|type:\s*ignore)(?P<rest>.*)", re.IGNORECASE)
NOQA = re.compile(r":\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*\s+\(.{5,}\)")
TYPE_IGNORE = re.compile(r"\[[a-z-]+(,\s*[a-z-]+)*\]\s*(#\s*)?\(?.{5,}")
ORGANISATION = re.compile(r"\bH-\d\d\b|\bspec/\w+\.md\b|\bdesign\.md\b|\bissue \d|\bcase file\b")


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments of a Python text with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def exemption_problems(text: str) -> Iterator[tuple[int, str]]:
    for line, comment in comments(text):
        found = EXEMPTION.search(comment)
        if found is None:
            continue
        wanted = NOQA if found[1].lower() == "noqa" else TYPE_IGNORE
        if not wanted.match(found["rest"]):
            yield line, comment


def long_functions(tree: ast.Module) -> Iterator[tuple[int, str, int]]:
    """Functions over the limit, their docstring not counted."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
        if length > FUNCTION_LINES:
            yield node.lineno, node.name, length


def reserved_names() -> set[str]:
    """Names of artifacts and of guard-owned files, from the one file that may spell them."""
    data = tomllib.loads((ROOT / "policies" / "recursive-mode.toml").read_text("utf-8"))
    layout = data["layout"]
    files = [layout["policy"], layout["read_receipts"], layout["feedback"], *layout["logs"]]
    return {phase["artifact"] for phase in data["phases"]} | {Path(name).name for name in files}


def spelled_names(tree: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    """Reserved names in the strings of a module; docstrings are prose and may give examples."""
    prose = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            for name in names:
                if name in node.value:
                    yield node.lineno, name


def report(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_the_top_level_is_six_names():
    seen = {name.split("/")[0] for name in tracked_files()}

    assert {name for name in seen if not name.startswith(".")} == TOP_LEVEL


def test_no_file_is_long():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in python_files()}
    problems = [
        f"{path.relative_to(ROOT)}: {length} lines, over {FILE_LINES}"
        for path, length in lengths.items()
        if length > FILE_LINES
    ]

    assert not problems, report(problems)


def test_the_middle_file_is_short():
    lengths = [len(module.text.splitlines()) for module in app_modules() if module.text]

    assert statistics.median(lengths) < MEDIAN_LINES


def test_no_function_is_long():
    problems = [
        f"{path.relative_to(ROOT)}:{line}: `{name}` has {length} lines, over {FUNCTION_LINES}"
        for path in python_files()
        for line, name, length in long_functions(ast.parse(path.read_text("utf-8")))
    ]

    assert not problems, report(problems)


def test_no_marks_of_unfinished_work():
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {comment}"
        for path in python_files()
        for line, comment in comments(path.read_text("utf-8"))
        if MARKS.search(comment)
    ]
    for name in tracked_files():
        if not name.startswith((".ci/", "docker/", "policies/", "pyproject.toml")):
            continue
        for number, text in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1):
            if "#" in text and MARKS.search(text.partition("#")[2]):
                problems.append(f"{name}:{number}: {text.strip()}")

    assert not problems, report(problems)


def test_no_text_speaks_of_how_the_work_is_organised():
    """A reader has the repository and nothing else."""
    here = Path(__file__)
    problems = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in python_files()
        if path != here
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if ORGANISATION.search(line)
    ]

    assert not problems, report(problems)


def test_every_exemption_names_its_code_and_reason():
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {comment}"
        for path in python_files()
        for line, comment in exemption_problems(path.read_text("utf-8"))
    ]

    assert not problems, report(problems)


def test_only_the_workflow_file_spells_artifact_names():
    """A second place would go on enforcing yesterday's workflow."""
    names = reserved_names()
    problems = [
        f"{module.where}:{line}: spells {name}"
        for module in app_modules()
        for line, name in spelled_names(module.tree, names)
    ]

    assert not problems, report(problems)


def test_the_package_says_that_it_is_typed():
    assert (APP / "phasegate" / "py.typed").exists()


def _subclasses(base: type[PhasegateError]) -> Iterator[type[PhasegateError]]:
    for child in base.__subclasses__():
        if child.__module__ == phasegate.errors.__name__:
            yield child
            yield from _subclasses(child)


def _drawn_tree() -> dict[str, tuple[str, str]]:
    """Class name to (parent, the text beside it), read off the drawing in the docstring."""
    drawn: dict[str, tuple[str, str]] = {"PhasegateError": ("", "")}
    chain = ["PhasegateError"]
    for line in (phasegate.errors.__doc__ or "").splitlines():
        found = re.match(r"([│ ]*)[├└]── (\w+)\s*(.*)", line)
        if found:
            depth = len(found[1]) // 4 + 1
            chain[depth:] = [found[2]]
            drawn[found[2]] = (chain[depth - 1], found[3])
    return drawn


def test_the_drawn_error_tree_is_the_real_one():
    real = {error.__name__: error.__bases__[0].__name__ for error in _subclasses(PhasegateError)}
    drawn = {name: parent for name, (parent, _) in _drawn_tree().items() if parent}

    assert drawn == real


def test_the_drawn_error_tree_tells_the_status_and_code_of_each_error():
    problems = []
    for error in _subclasses(PhasegateError):
        told = _drawn_tree()[error.__name__][1]
        found = re.match(r"(\d{3}) (\w+)", told)
        if found and (int(found[1]), found[2]) != (error.http_status, error.code):
            problems.append(f"{error.__name__}: drawn as `{told}`, is {error.http_status} {error.code}")

    assert not problems, report(problems)


def test_error_codes_are_unique_and_snake_case():
    """A program tells errors apart by `code`; two with the same one are one error."""
    owners: dict[str, str] = {}
    for error in [PhasegateError, *_subclasses(PhasegateError)]:
        code = error.__dict__.get("code")
        if code is not None:
            assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code), code
            assert code not in owners, f"`{code}` belongs to {owners[code]} and {error.__name__}"
            owners[code] = error.__name__


def test_every_error_has_a_docstring():
    assert [error.__name__ for error in _subclasses(PhasegateError) if not error.__doc__] == []


class TestTheChecks:
    """Planted faults are found, and their honest neighbours are not."""

    def test_exemptions_without_code_or_reason_are_found(self):
        bare = ["# noqa", "# noqa: S603", "# type: ignore", "# type: ignore[arg-type]"]
        good = ["# noqa: S603 (fixed argv, no shell)", "# type: ignore[arg-type]  # the stub is wrong"]

        assert [len(list(exemption_problems(f"x = 1  {text}"))) for text in bare] == [1, 1, 1, 1]
        assert [len(list(exemption_problems(f"x = 1  {text}"))) for text in good] == [0, 0]

    def test_a_long_function_is_found_and_a_long_docstring_is_not(self):
        long = "def f():\n" + "    x = 1\n" * (FUNCTION_LINES + 1)
        told = 'def f():\n    """' + "\n" * 80 + '"""\n    return 1\n'

        assert [name for _, name, _ in long_functions(ast.parse(long))] == ["f"]
        assert list(long_functions(ast.parse(told))) == []

    def test_a_spelled_artifact_is_found_in_code_and_not_in_prose(self):
        planted = module_from("x", '"""Like `a.md`."""\nname = f"{run}/a.md"')

        assert list(spelled_names(planted.tree, {"a.md"})) == [(2, "a.md")]
