"""Formatters write when they are told to, and only what is named is known."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("black a.py", ["a.py"]),
        ("black -l 100 a.py b.py", ["a.py", "b.py"]),
        ("isort a.py", ["a.py"]),
        ("autopep8 -i a.py", ["a.py"]),
        ("ruff format a.py", ["a.py"]),
        ("ruff check --fix a.py", ["a.py"]),
        ("prettier --write docs/*.md", ["docs/x.md", "docs/y.md"]),
        ("prettier -w a.txt", ["a.txt"]),
        ("eslint --fix a.js", ["a.js"]),
        ("gofmt -w a.go", ["a.go"]),
        ("rustfmt a.rs", ["a.rs"]),
        ("clang-format -i a.c", ["a.c"]),
        ("shfmt -w a.sh", ["a.sh"]),
        ("dos2unix a.txt", ["a.txt"]),
        ("sd a b a.txt", ["a.txt"]),
        ("yq -i '.a = 2' docs/x.md", ["docs/x.md"]),
        ("yq e -i '.a = 2' a.txt", ["a.txt"]),
        ("xq -i .a a.txt", ["a.txt"]),
        ("tomlq -ti '.a = 2' a.txt", ["a.txt"]),
        ("jaq -i .a a.txt", ["a.txt"]),
        ("astyle a.c", ["a.c", "a.c.orig"]),
        ("jq . data.json | sponge data.json", ["data.json"]),
        ("strip a.txt", ["a.txt"]),
        ("markdownlint --fix a.txt", ["a.txt"]),
    ],
)
def test_named_files(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "black docs",
        "black .",
        "prettier --write .",
        "ruff format",
        "eslint --fix src/**",
        "gofmt -w .",
        "isort $X",
    ],
)
def test_directories_and_patterns(text):
    assert is_opaque(text) or touched(text) == ["write src/**"]


@pytest.mark.parametrize(
    "text",
    ["black --check .", "black --diff a.py", "isort -c a.py", "autopep8 a.py", "ruff check .", "ruff format --check .", "prettier a.txt", "prettier -l docs",
     "eslint src", "gofmt -l .", "gofmt -d a.go", "rustfmt --check a.rs", "clang-format a.c", "shfmt -d a.sh", "yq '.a > 1' a.txt", "sd -p a b a.txt",
     "black -", "yq . < a.txt", "patchelf --print-rpath q"],
)  # fmt: skip
def test_looking_only(text):
    assert is_clean(text)
