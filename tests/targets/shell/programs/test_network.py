"""Downloads: the files of output options, and names taken from addresses."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written

URL = "http://h/dir/p.md"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (f"curl -o q {URL}", ["q"]),
        (f"curl -sSfLo q {URL}", ["q"]),
        (f"curl -oq {URL}", ["q"]),
        (f"curl --output q {URL}", ["q"]),
        (f"curl -O {URL}", ["p.md"]),
        (f"curl -sO {URL}?x=1", ["p.md"]),
        (f"curl --output-dir out -O {URL}", ["out/p.md"]),
        (f"curl --output-dir out -o q {URL}", ["out/q"]),
        (f"curl -D q -o /dev/null {URL}", ["q"]),
        (f"curl -c q {URL}", ["q"]),
        (f"curl --trace q {URL}", ["q"]),
        (f"curl -s {URL} > q", ["q"]),
        (f"wget {URL}", ["p.md"]),
        (f"wget -P out {URL}", ["out/p.md"]),
        (f"wget -O q {URL}", ["q"]),
        (f"wget -qO q {URL}", ["q"]),
        ("wget http://h/", ["index.html"]),
        (f"wget -o q --spider {URL}", ["q"]),
        (f"aria2c -d out -o q {URL}", ["out/q"]),
        (f"http -o q {URL}", ["q"]),
    ],
)
def test_names(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    [f"curl -JO {URL}", "curl -O $URL", f"curl -K conf {URL}", f"curl --unknown-option q {URL}", f"wget -r {URL}", "wget -i list",
     f"wget --content-disposition {URL}", f"aria2c {URL}", f"http --download {URL}", f"curl -o '#1.txt' {URL}"],
)  # fmt: skip
def test_names_that_are_chosen_elsewhere(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    [f"curl {URL}", f"curl -s {URL} | head", f"curl -o - {URL}", f"curl -so /dev/null -w '%{{http_code}}' {URL}", f"curl -X POST -d 'a>b' {URL}",
     f"curl -d @a.txt {URL}", f"curl -T a.txt {URL}", f"curl -F f=@a.txt {URL}", "curl --version", f"wget -qO- {URL}", f"wget --spider {URL}",
     f"http {URL}", f"curl -H 'X: > q' {URL}"],
)  # fmt: skip
def test_requests_that_keep_nothing(text):
    assert is_clean(text)


def test_a_directory_is_written_as_a_whole_where_names_are_unknown():
    assert touched(f"wget -r -P out {URL}") == ["write* out"]
