"""The parser against bash itself, and the reading of plain words against the parser."""

from __future__ import annotations

import itertools
import subprocess

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.targets.shell import extract_shell
from phasegate.targets.shell.fast import parse_plain
from support.shell_calls import ROOT, small_view
from support.target_calls import workflow
from support.target_scorer import corpus


@pytest.fixture(scope="module")
def parser():
    return ShfmtParser()


@pytest.fixture(scope="module")
def texts():
    return [case["args"]["command"] for case in corpus() if case["tool"] == "Bash"]


def bash_accepts(text: str) -> bool:
    done = subprocess.run(
        ["bash", "-O", "extglob", "-n"], input=text.encode(), capture_output=True, check=False
    )
    return done.returncode == 0 and b"warning" not in done.stderr


def test_no_command_is_parsed_that_bash_refuses(parser, texts):
    """A tree for something else than bash runs could hide a write."""
    wrong = [text for text in texts if parser.parse(text) is not None and not bash_accepts(text)]

    assert wrong == []


def test_almost_every_command_that_bash_accepts_is_parsed(parser, texts):
    refused = [text for text in texts if parser.parse(text) is None and bash_accepts(text)]

    assert len(refused) <= len(texts) * 0.005, refused


HEADS = ["cat", "tee q", "git commit -F -", "python3 -", "bash x.sh"]
DELIMITERS = ["EOF", "'EOF'", '"EOF"', "\\EOF", "-EOF"]
REDIRECTIONS = ["", "> out/f", "2>&1", ">> out/f 2>/dev/null", "> /dev/null", "2> out/e > out/f"]
CONTINUATIONS = [
    "",
    "; echo done",
    " && echo done",
    " || true",
    " | tail -3",
    " &",
    "; true",
    " | cat > out/g",
]


def test_documents_in_the_forms_that_agents_use(parser):
    """Each is one command with its body attached, and bash takes it too."""
    forms = itertools.product(HEADS, DELIMITERS, REDIRECTIONS, CONTINUATIONS)
    for number, (head, delimiter, redirection, continuation) in enumerate(forms):
        text = f"{head} <<{delimiter} {redirection}{continuation}\nrm not-run\nEOF\n"
        tree = parser.parse(text)
        assert tree is not None, text
        found = extract_shell(
            text, cwd=ROOT, root=ROOT, view=small_view(), parser=parser, workflow=workflow()
        )
        assert not any("not-run" in target.path for target in found.targets), text
        wanted = {f"/repo/{name}" for name in ("out/f", "out/e", "out/g") if f"> {name}" in text}
        assert wanted <= {target.path for target in found.targets}, text
        if number % 40 == 0:
            assert bash_accepts(text), text


class Watching:
    """Passes texts on to a parser and counts them."""

    def __init__(self, parser):
        self.parser = parser
        self.count = 0

    def parse(self, text):
        self.count += 1
        return self.parser.parse(text)


PLAIN = [
    "ls -la docs", "git status", "git commit -m 'a > b; c'", 'git commit -m "a b"', "rm -rf docs/*.md", "cp a.txt 'b c'", "touch {a,b}.txt ~/x",
    "rm docs/[xy].md", "grep -rn 'rm -rf' docs", "npm run build", "python3 -m pytest tests", "sed -i 's/a/b/' a.txt", "find docs -name '*.md' -delete",
    "cd docs", "[ -f a.txt ]", "test -f a.txt", "echo a=b", "chmod +x a.txt", "tar czf q.tgz docs", "mv a.txt b.md docs", "  ls  ", "ls\t-l", "a'b'\"c\" d",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_plain_words_need_no_parser_and_mean_the_same(parser, text):
    tree = parse_plain(text)
    assert tree is not None

    class Slow:
        """Hides the text from the own reading."""

        def parse(self, inner):
            return parser.parse(inner.removesuffix("\n"))

    def judge(command, by):
        return extract_shell(command, cwd=ROOT, root=ROOT, view=small_view(), parser=by, workflow=workflow())

    watching = Watching(parser)
    fast = judge(text, watching)
    slow = judge(text + "\n", Slow())
    assert watching.count == 0
    assert [target.path for target in fast.targets] == [target.path for target in slow.targets]
    assert [target.span for target in fast.targets] == [target.span for target in slow.targets]
    assert [reason.why for reason in fast.opaque] == [reason.why for reason in slow.opaque]


@pytest.mark.parametrize(
    "text",
    ["a; b", "a | b", "a && b", "a > b", "a < b", "a $b", 'a "$b"', "a `b`", "a \\b", "a\nb", "a # b", "(a)", "! a", "A=b", "A=b c", "if a", "a 'b", 'a "b',
     "{ a", "time a", "[[ a ]]", "a[1]=2", "export A=b", "a &", "function f", "", "   ", "a é"],
)  # fmt: skip
def test_anything_else_goes_to_the_parser(text):
    assert parse_plain(text) is None


def test_the_corpus_is_judged_alike_by_both_readings(parser, texts):
    """Where plain words are read without the parser, the answer does not change."""
    plain = [text for text in texts if parse_plain(text) is not None]
    assert len(plain) > 100
    for text in plain:
        fast = extract_shell(text, cwd=ROOT, root=ROOT, view=small_view(), parser=parser, workflow=workflow())
        slow = extract_shell(
            text + "\n", cwd=ROOT, root=ROOT, view=small_view(), parser=parser, workflow=workflow()
        )
        assert [target.path for target in fast.targets] == [target.path for target in slow.targets], text
        assert bool(fast.opaque) == bool(slow.opaque), text
