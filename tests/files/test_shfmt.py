"""The shell parser is started safely, its answers are bounded, remembered and the same for everybody."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from phasegate.files import shfmt
from phasegate.files.shfmt import ShfmtParser, find_binary


@pytest.fixture(scope="module")
def parser() -> ShfmtParser:
    return ShfmtParser()


def program(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def literals(tree):
    """Texts of the literal parts, in order."""
    found = []
    if isinstance(tree, dict):
        if tree.get("Type") in ("Lit", "SglQuoted") and "Value" in tree:
            found.append(tree["Value"])
        for value in tree.values():
            found.extend(literals(value))
    elif isinstance(tree, list):
        for value in tree:
            found.extend(literals(value))
    return found


def test_finds_the_binary_beside_this_python():
    assert find_binary()


def test_parses_a_command_into_a_tree(parser):
    tree = parser.parse("echo 'a b' > f")

    assert tree is not None
    assert tree["Type"] == "File"
    assert literals(tree) == ["echo", "a b", "f"]


@pytest.mark.parametrize("text", ["if true; then x", "echo 'a", "cat <<EOF\nx", "( a", "a | | b"])
def test_text_that_is_no_command_has_no_tree(parser, text):
    assert parser.parse(text) is None


def test_operators_are_spelled_out(parser):
    """Old versions number them; a walker could not read those."""
    tree = parser.parse("a > b && c")

    assert tree["Stmts"][0]["Cmd"]["Op"] == "&&"


def test_a_carriage_return_is_kept(parser):
    """The parser drops it before a line feed, bash makes it part of the word."""
    assert literals(parser.parse("echo x > f\r\necho 'a\rb'\r\n")) == [
        "echo",
        "x",
        "f\r",
        "echo",
        "a\rb",
        "\r",
    ]


def test_a_carriage_return_among_every_stand_in_is_refused(parser):
    assert parser.parse("echo \r" + "".join(map(chr, [*range(1, 7), *range(14, 24)]))) is None
    assert parser.parse("echo \r '\\u0001'") is None


def test_text_that_can_not_be_given_to_a_program_is_refused(parser):
    assert parser.parse("echo \0") is None
    assert parser.parse("echo \udc80") is None


def test_positions_are_bytes_of_the_text(parser):
    tree = parser.parse("echo é x")

    assert tree["Stmts"][0]["End"]["Offset"] == len("echo é x".encode())


def test_long_text_is_refused_and_long_documents_are_not(parser):
    assert parser.parse("echo " + "a" * shfmt.MAX_TEXT) is None
    assert parser.parse("cat <<EOF\n" + "line\n" * 20_000 + "EOF\n") is not None


def test_too_much_output_is_refused(monkeypatch, parser):
    monkeypatch.setattr(shfmt, "MAX_OUTPUT", 1000)

    assert ShfmtParser().parse("echo a b c d e f") is None


def test_nesting_beyond_the_json_reader_is_refused(parser):
    assert parser.parse("echo $((" + "(" * 1200 + "1" + ")" * 1200 + "))") is None


def test_a_program_that_hangs_is_ended(tmp_path):
    slow = ShfmtParser(program(tmp_path / "slow", "#!/bin/sh\nexec sleep 60\n"), time_limit_s=0.2)

    assert slow.parse("echo x") is None


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho nonsense\n", "#!/bin/sh\necho '[1]'\n"]
)
def test_a_program_that_answers_nonsense_gives_no_tree(tmp_path, text):
    assert ShfmtParser(program(tmp_path / "odd", text)).parse("echo x") is None


def test_a_missing_program_gives_no_tree(tmp_path):
    assert ShfmtParser(str(tmp_path / "none")).parse("echo x") is None


def test_without_any_binary_nothing_parses(monkeypatch):
    monkeypatch.setattr(shfmt, "find_binary", lambda: None)
    parser = ShfmtParser()

    assert parser.binary is None
    assert parser.parse("echo x") is None


def test_the_search_path_is_used_where_no_binary_lies_beside_python(monkeypatch, tmp_path):
    monkeypatch.setattr(shfmt.sysconfig, "get_path", lambda _name: str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PATH", str(tmp_path))
    expected = program(tmp_path / "shfmt", "#!/bin/sh\n")

    assert find_binary() == expected


def counting(tmp_path):
    """A parser whose program notes each start, and a function that tells how often."""
    log = tmp_path / "log"
    script = f'#!/bin/sh\necho x >> {log}\nexec {find_binary()} "$@"\n'
    return ShfmtParser(
        program(tmp_path / "counting", script)
    ), lambda: len(log.read_text().split()) if log.exists() else 0


def test_a_tree_is_remembered(tmp_path):
    parser, starts = counting(tmp_path)
    first = parser.parse("echo x")

    assert parser.parse("echo x") is first
    assert starts() == 1


def test_a_failure_is_not_remembered(tmp_path):
    """It may have been the time limit on a busy machine."""
    parser, starts = counting(tmp_path)
    parser.parse("echo '")
    parser.parse("echo '")

    assert starts() == 2


def test_only_so_many_trees_are_remembered(monkeypatch, tmp_path):
    monkeypatch.setattr(shfmt, "CACHED", 2)
    parser, starts = counting(tmp_path)
    for text in ("a", "b", "a", "c", "a", "b"):
        parser.parse(text)

    assert starts() == 4


def test_a_long_text_is_not_remembered(monkeypatch, tmp_path):
    monkeypatch.setattr(shfmt, "CACHED_TEXT", 10)
    parser, starts = counting(tmp_path)
    parser.parse("echo " + "x" * 20)
    parser.parse("echo " + "x" * 20)

    assert starts() == 2


def test_many_threads_get_the_same_answers(parser):
    texts = [f"echo {number} > f{number % 7}" for number in range(40)] * 3
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: literals(parser.parse(text)), texts))

    assert answers == [text.replace(" >", "").split() for text in texts]
