"""Whatever goes beyond a bound is opaque, soon, and never an exception."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.limits import MAX_COMMAND, MAX_FIELDS, MAX_PART, Effort, TooMuch
from support.shell_calls import extracted, extracted_argv, touched

PLAN = ".recursive/run/r1/02-to-be-plan.md"


@pytest.mark.parametrize(
    "text",
    [
        "echo " + "$(echo " * 200 + "x" + ")" * 200,
        "{ " * 1000 + "rm a.txt; " + "} ;" * 1000,
        "if true; then " * 200 + "rm a.txt; " + "fi; " * 200,
        "! " * 1000 + "rm a.txt" + "\nif",
        "echo " + "${a:-" * 200 + "x" + "}" * 200,
        "bash -c " + "'" + "eval " * 1000 + "rm a.txt'",
        "rm " + "x " * MAX_FIELDS,
        "rm {1..2000}",
        "".join(f"touch f{n}; " for n in range(600)),
        "".join(f"frob{n} x; " for n in range(100)),
        "x=" + "a" * (1 << 19) + "; touch $x$x$x",
        "#" + "a" * MAX_COMMAND,
        "rm '" + "a" * MAX_COMMAND + "'",
        "sudo " * 1000 + "rm a.txt",
        "awk '{" + "(" * 1000 + 'print > "q"' + ")" * 1000 + "}'",
        "python3 -c '" + "(" * 1000 + ")" * 1000 + "'",
        "node -e '" + "(" * 5000 + ")" * 5000 + "; frob()'",
        "find . " + "\\( " * 500 + "-true" + " \\)" * 500 + " -delete",
        "f() { f; f; }; f",
        "while c; do while c; do while c; do " * 8 + "n=$n$n; touch $n; " + "done; done; done; " * 8,
        "echo {{a,b},{c,d}}{1..9}{1..9}{1..9}{1..9}",
        "case x in " + "x) rm a.txt;; " * 1000 + "esac; frob",
    ],
    ids=range(22),
)
def test_it_is_opaque(text):
    assert extracted(text).opaque


@pytest.mark.parametrize(
    "text", ["a && " * 200 + "rm a.txt", "true | " * 200 + "rm a.txt", "true; " * 1000 + "rm a.txt"]
)
def test_long_is_not_deep(text):
    assert "delete a.txt" in touched(text)


@pytest.mark.parametrize("wrap", ["{}", "({})", "eval '{}'", "bash -c '{}'"])
def test_what_was_found_before_the_bound_stands(wrap):
    found = extracted(wrap.format("rm a.txt; rm {1..5000}"))

    assert "/repo/a.txt" in {target.path for target in found.targets}
    assert found.opaque


def test_the_part_is_quoted_within_bounds():
    for reason in extracted("frob " + "x" * 5000 + "; rm {1..5000}").opaque:
        assert 0 < len(reason.part) <= MAX_PART
        assert reason.remedy
        assert "\n" not in reason.why


@pytest.mark.parametrize(
    "argv", [["rm", "a" * (MAX_COMMAND + 1)], ["rm", "a\0b"], ["sudo"] * 200 + ["rm", "x"]]
)
def test_programs_without_a_shell_have_the_same_bounds(argv):
    assert extracted_argv(argv).opaque


def test_matching_costs_effort():
    effort = Effort(3)
    effort.spend(3)

    with pytest.raises(TooMuch):
        effort.spend(1)
