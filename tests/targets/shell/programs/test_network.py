"""Programs that fetch: the files of their options, and names taken from addresses."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.programs.network import name_in_address
from phasegate.targets.shell.text import UNKNOWN, Field, field
from support.shell_calls import extracted, is_clean, is_opaque, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("curl -o q http://h/x", ["write q"]),
        ("curl -sSLo q http://h/x", ["write q"]),
        ("curl --output=q http://h/x", ["write q"]),
        ("curl -oq http://h/x", ["write q"]),
        ("curl -O http://h/d/x.tgz", ["write x.tgz"]),
        ("curl -O 'http://h/d/x.tgz?y=/z'", ["write x.tgz"]),
        ("curl -O http://h/a -O http://h/b", ["write a", "write b"]),
        ("curl --output-dir out -O http://h/x", ["write out/x"]),
        ("curl --output-dir out -o q http://h/x", ["write out/q"]),
        ("curl -D h.txt -c jar http://h", ["write h.txt", "write jar"]),
        ("curl --trace t --stderr e http://h", ["write t", "write e"]),
        ("curl -o link.md http://h", ["write docs/x.md"]),
        ("curl http://h > q", ["write q"]),
        ("curl http://h | tee q", ["write q"]),
        ("wget http://h/d/x.tgz", ["write x.tgz"]),
        ("wget http://h", ["write index.html"]),
        ("wget http://h/x?y=1", ["write x?y=1"]),
        ("wget -O q http://h/x", ["write q"]),
        ("wget -qO q http://h/x", ["write q"]),
        ("wget -P out http://h/x", ["write out/x"]),
        ("wget -o log -O - http://h", ["write log"]),
        ("wget -a log --spider http://h", ["append log"]),
        ("wget -r -P out http://h", ["write* out"]),
        ("aria2c -d out -o q http://h/x", ["write out/q"]),
        ("aria2c -d out http://h/x", ["write* out"]),
        ("http -o q GET h", ["write q"]),
    ],
)
def test_what_is_saved(text, targets):
    assert touched(text) == targets
    assert not is_opaque(text)


@pytest.mark.parametrize(
    "text",
    [
        "curl http://h", "curl -sf -X POST -d '{\"a\": \">\"}' -H 'X: y' http://h", "curl -d @a.txt http://h", "curl -T a.txt http://h",
        "curl -o /dev/null -w '%{http_code}' http://h", "curl -o - http://h", "curl --version", "curl -I http://h", "curl -F f=@a.txt http://h",
        "wget -qO- http://h", "wget --spider http://h", "wget -O /dev/null http://h", "http GET h", "http h a=b",
    ],
)  # fmt: skip
def test_fetching_alone_changes_nothing(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "curl -K conf", "curl -OJ http://h/x", "curl -O $X", "curl -o $X http://h", "curl -o 'f#1' http://h/[1-3]", "curl -O 'http://h/{a,b}'",
        "curl --unknown-option http://h", "wget $X", "wget -i urls", "wget -r http://h", "wget -e x=y http://h", "wget --content-disposition http://h/x",
        "aria2c http://h/x", "http -d h/x", "http --session=s h",
    ],
)  # fmt: skip
def test_names_that_are_chosen_elsewhere(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (field("http://h/a/b.tgz?q=/c#d"), "b.tgz"), (field("h/a"), "a"), (field("http://h/a/"), "index"), (field("http://h"), "index"),
        (field("http://h/{a,b}"), None), (field("http://h/[1-3]"), None), (Field(UNKNOWN, "$x"), None),
    ],
)  # fmt: skip
def test_the_name_in_an_address(address, name):
    assert name_in_address(address, default="index") == name


def test_the_option_is_told_as_the_cause():
    assert [target.via for target in extracted("curl -o q -D h http://h").targets] == ["curl -o", "curl -D"]
