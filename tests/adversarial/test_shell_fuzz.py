"""Mutated commands never raise and never take long; whatever is not understood is opaque."""

from __future__ import annotations

import random
import time

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.targets.shell import FAILED, ShellTargets, extract_argv, extract_shell
from support.shell_calls import ROOT, small_view
from support.shell_grammar import Grammar
from support.target_calls import workflow
from support.target_scorer import corpus

SLOWEST_S = 10.0
_NOISE = ["'", '"', "`", "$(", ")", "${", "}", "{", "<<EOF\n", ">", ">>", "<", "|", "&", ";", "\n", "\\", "#", "!", "[", "]", "((",
          "*", "?", "~", "=", "\0", "\r", "\udc80", "é", "𝄞", "-", "--", "$", "@", "%", " ", "\t", "/", "..", "$@", "<(", "EOF\n"]  # fmt: skip


class NoParser:
    """Stands for a parser that never answers, so that only the own reading is tried."""

    def parse(self, text):
        del text


def judge(text: str, parser) -> ShellTargets:
    started = time.perf_counter()
    found = extract_shell(text, cwd=ROOT, root=ROOT, view=small_view(), parser=parser, workflow=workflow())
    assert time.perf_counter() - started < SLOWEST_S, text
    for reason in found.opaque:
        assert not reason.why.startswith(FAILED), (reason.why, text)
        assert len(reason.part) <= 200
        assert len(reason.words) <= 200
    for target in found.targets:
        assert target.path.startswith("/"), text
        assert "/../" not in target.path + "/", text
        assert target.span is None or 0 <= target.span[0] <= target.span[1] <= len(text), text
    return found


def mutate(source: random.Random, text: str) -> str:
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text) + 1)
        match source.randrange(5):
            case 0:
                text = text[:at] + source.choice(_NOISE) + text[at:]
            case 1:
                text = text[:at] + text[at + source.randint(1, 5) :]
            case 2:
                text = text[:at] + text[at : at + 12] + text[at:]
            case 3:
                text = text[at:] + source.choice([" ", ";", "|", "\n", "&& "]) + text[:at]
            case _:
                text = text[:at]
    return text


def commands(source: random.Random) -> list[str]:
    grammar = Grammar(source.randrange(1 << 30))
    labelled = [case["args"]["command"] for case in corpus() if case["tool"] == "Bash"]
    return labelled + [grammar.command() for _ in range(300)]


@pytest.mark.slow
def test_mutated_commands_through_the_parser():
    source = random.Random(1)  # noqa: S311 (test data)
    parser = ShfmtParser()
    pool = commands(source)
    for _ in range(3000):
        judge(mutate(source, source.choice(pool)), parser)


@pytest.mark.slow
def test_mutated_commands_of_plain_words():
    """Without a parser everything but plain words is opaque, and plain words are told as ever."""
    source = random.Random(2)  # noqa: S311 (test data)
    pool = commands(source)
    words = sorted({word for text in pool for word in text.split()})
    for _ in range(17_000):
        text = " ".join(source.choices(words, k=source.randint(1, 6)))
        judge(mutate(source, text) if source.random() < 0.5 else text, NoParser())


def test_programs_without_a_shell():
    source = random.Random(3)  # noqa: S311 (test data)
    words = sorted({word for text in commands(source) for word in text.split()})
    for _ in range(2000):
        argv = source.choices(words, k=source.randint(1, 6))
        found = extract_argv(
            argv, cwd=ROOT, root=ROOT, view=small_view(), parser=NoParser(), workflow=workflow()
        )
        assert not any(reason.why.startswith(FAILED) for reason in found.opaque), argv


@pytest.mark.parametrize(
    "text",
    [
        "{ " * 1000 + "rm x;" + " }" * 1000,
        "echo " + "$(echo " * 500 + "x" + ")" * 500,
        "true" + " && true" * 3000,
        "cat x" + " | cat" * 2000,
        "; ".join(["echo x"] * 4000),
        "echo " + "a " * 500_000,
        "cat <<EOF > f\n" + "line of text\n" * 75_000 + "EOF",
        "x=aaaaaaaa;" + "x=$x$x;" * 60 + "echo $x > y",
        "".join(f"if a{i}; then v{i}=1; else v{i}=2; fi;" for i in range(200)) + "echo > $v1",
        "awk '" + '{print > "f"}' * 3000 + "'",
        'python3 -c "' + "x=1\n" * 20_000 + '"',
        "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); touch f$i; done",
        "seq 1 1000 | xargs -n1 touch",
        "rm " + "*/" * 50 + "*",
        "shopt -s globstar; rm **/**/**/**/x",
    ],
    ids=range(15),
)
def test_commands_made_to_take_long(text):
    judge(text, ShfmtParser())
