"""The shell parser gives a tree or None: on any text, with any binary, within its bounds."""

from __future__ import annotations

import threading

import pytest

from phasegate.files import shfmt
from phasegate.files.shfmt import ShfmtParser, find_binary


def program(tmp_path, script: str) -> str:
    """A stand-in for the binary."""
    path = tmp_path / "shfmt"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def first_word(tree) -> str:
    return tree["Stmts"][0]["Cmd"]["Args"][0]["Parts"][0]["Value"]


def test_gives_the_tree_of_a_command():
    tree = ShfmtParser().parse("rm a; rm b")

    assert [statement["Cmd"]["Type"] for statement in tree["Stmts"]] == ["CallExpr", "CallExpr"]
    assert first_word(tree) == "rm"


def test_operators_come_as_texts():
    """Older versions number them, each in its own way."""
    (statement,) = ShfmtParser().parse("a >> b")["Stmts"]

    assert statement["Redirs"][0]["Op"] == ">>"


@pytest.mark.parametrize("text", ["if", "echo 'x", "f(", "a <<E; ((", "rm a\0b", "rm \udc80"])
def test_a_text_that_does_not_parse_has_no_tree(text):
    assert ShfmtParser().parse(text) is None


def test_a_text_that_is_too_long_has_no_tree(monkeypatch):
    monkeypatch.setattr(shfmt, "MAX_TEXT", 10)

    assert ShfmtParser().parse("echo 34567") is not None
    assert ShfmtParser().parse("echo 345678") is None


def test_a_tree_that_is_too_long_is_dropped(monkeypatch):
    monkeypatch.setattr(shfmt, "MAX_OUTPUT", 100)

    assert ShfmtParser().parse("rm a") is None


def test_nesting_of_any_depth_ends_in_a_tree_or_none():
    assert ShfmtParser().parse("(" * 2000 + "rm x" + ")" * 2000) is None


def test_a_text_longer_than_a_pipe_holds_is_parsed():
    text = "echo " + " ".join(f"w{number}" for number in range(20_000))

    assert len(ShfmtParser().parse(text)["Stmts"][0]["Cmd"]["Args"]) == 20_001


@pytest.mark.parametrize("text", ["rm 'a\r'", "rm 'a\r' '\x01'"])
def test_a_carriage_return_is_kept(text):
    """The parser alone would drop it, and name another file."""
    tree = ShfmtParser().parse(text)

    assert tree["Stmts"][0]["Cmd"]["Args"][1]["Parts"][0]["Value"] == "a\r"


def test_a_carriage_return_that_can_not_be_stood_in_for_has_no_tree():
    every = "".join(shfmt._STAND_INS)

    assert ShfmtParser().parse(f"rm 'a\r' '{every}'") is None
    assert ShfmtParser().parse("rm 'a\r' '\\u0001'") is None


def test_positions_are_bytes_of_the_text():
    (statement,) = ShfmtParser().parse("echo 'ü' >f")["Stmts"]

    assert statement["Redirs"][0]["Pos"]["Offset"] == len("echo 'ü' ".encode())


@pytest.mark.parametrize("binary", ["/nonexistent/shfmt", ""])
def test_without_a_binary_nothing_parses(binary):
    assert ShfmtParser(binary).parse("rm a") is None


def test_no_binary_anywhere_is_hopeless_at_once(monkeypatch):
    monkeypatch.setattr(shfmt, "find_binary", lambda: None)
    parser = ShfmtParser()

    assert parser.binary is None
    assert parser.at_once("rm a")
    assert parser.parse("rm a") is None


@pytest.mark.parametrize("script", ["exit 1", "echo '[]'", "echo '{'", "echo '{}'; exit 2", "kill -9 $$"])
def test_a_binary_that_misbehaves_gives_no_tree(tmp_path, script):
    assert ShfmtParser(program(tmp_path, script)).parse("rm a") is None


def test_a_binary_that_hangs_is_stopped(tmp_path):
    parser = ShfmtParser(program(tmp_path, "exec sleep 60"), time_limit_s=0.05)

    assert parser.parse("rm a") is None


def test_a_failure_is_not_remembered(tmp_path):
    """It may have been the time limit on a busy machine."""
    binary = program(tmp_path, "exit 1")
    parser = ShfmtParser(binary)
    assert parser.parse("rm a") is None

    program(tmp_path, "cat >/dev/null; echo '{\"Stmts\":[]}'")

    assert parser.parse("rm a") == {"Stmts": []}


def test_a_tree_is_remembered(tmp_path):
    count = tmp_path / "count"
    parser = ShfmtParser(program(tmp_path, f"cat >/dev/null; echo x >> {count}; echo '{{}}'"))
    assert not parser.at_once("rm a")

    assert parser.parse("rm a") is parser.parse("rm a")

    assert parser.at_once("rm a")
    assert parser.remembered("rm b") is None
    assert count.read_text() == "x\n"


def test_what_is_remembered_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(shfmt, "CACHED", 2)
    monkeypatch.setattr(shfmt, "CACHED_TEXT", 8)
    parser = ShfmtParser(program(tmp_path, "cat >/dev/null; echo '{}'"))
    for text in ("rm a", "rm b", "rm a", "rm c", "rm longer"):
        parser.parse(text)

    known = [text for text in ("rm a", "rm b", "rm c", "rm longer") if parser.remembered(text) is not None]

    assert known == ["rm a", "rm c"]


def test_several_threads_may_use_one_parser():
    parser = ShfmtParser()
    seen: list[str] = []

    def work(number: int) -> None:
        seen.extend(first_word(parser.parse(f"p{number} a")) for _ in range(3))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(seen) == sorted(f"p{number}" for number in range(6) for _ in range(3))


def test_the_binary_beside_this_python_comes_first(tmp_path, monkeypatch):
    beside = program(tmp_path, "exit 0")
    monkeypatch.setattr(shfmt.sysconfig, "get_path", lambda _name: str(tmp_path))
    assert find_binary() == beside

    monkeypatch.setattr(shfmt.sysconfig, "get_path", lambda _name: str(tmp_path / "none"))
    monkeypatch.setattr(shfmt.shutil, "which", lambda name: f"/search/path/{name}")

    assert find_binary() == "/search/path/shfmt"
