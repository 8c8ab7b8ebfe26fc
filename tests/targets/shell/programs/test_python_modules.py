"""`python -m MODULE`: modules that are programs of their own."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("python -m json.tool data.json q", ["write q"]),
        ("python -mjson.tool data.json q", ["write q"]),
        ("python -W ignore -m json.tool --indent 2 data.json q", ["write q"]),
        ("python -m zipfile -c q.zip docs", ["write q.zip"]),
        ("python -m zipfile -e q.zip out", ["write* out"]),
        ("python -m tarfile -c q.tar docs", ["write q.tar"]),
        ("python -m tarfile -e q.tar out", ["write* out"]),
        ("python -m gzip a.txt", ["write a.txt.gz"]),
        ("python -m gzip -d q.gz", ["write q"]),
        ("python -m timeit -s 'import os' -n 1 \"open('q','w')\"", ["write q"]),
        ("python -m venv .venv", ["write* .venv"]),
        ("python -m venv --prompt x out/v", ["write* out/v"]),
        ("python3 -m black a.py", ["write a.py"]),
        ("python3 -m isort a.py", ["write a.py"]),
    ],
)
def test_what_modules_write(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["python -m json.tool data.json", "python -m json.tool < data.json", "python -m json.tool data.json -", "python -m zipfile -l q.zip", "python -m tarfile -t q.tar",
     "python -m http.server 8000", "python -m timeit -n 5 '1 + 1'", "python -m calendar", "python -m pip list", "python -m black --check a.py", "python -m mypy src",
     "python -m base64 -d x", "python -m this"],
)  # fmt: skip
def test_modules_that_read(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    ["python -m mine", "python -m timeit -s 'import mine' 'mine.f()'", "python -m $X", "python -m zipfile -e q.zip", "python -m gzip $X", "python -m compileall src", "python -m pytest", "python -m pip install x",
     "python -m zipfile -x", "python -m mine.json.tool"],
)  # fmt: skip
def test_what_is_not_known(text):
    assert is_opaque(text)
