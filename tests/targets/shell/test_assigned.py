"""Which variables a piece of code may assign, wherever the assignment hides."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.assigned import assigned
from support.target_calls import parser


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("F=x", {"F"}), ("F+=x", {"F"}), ("F=x cmd", {"F"}), ("L=(a b)", {"L"}), ("L[1]=x", {"L"}), ("export F=x", {"F"}), ("local F", {"F"}),
        ("declare -i n=1 m", {"n", "m"}), ("((n++))", {"n"}), ("((n = m + 1))", {"n"}), ("((a[1]++))", {"a"}), ("echo $((n += 1))", {"n"}),
        ("echo ${F:=x}", {"F"}), ("read -r A B", {"A", "B"}), ("mapfile -t L", {"L"}), ("printf -v F x", {"F"}), ("unset F", {"F"}), ("getopts ab opt", {"opt"}),
        ("for i in a; do :; done", {"i"}), ("for ((i=0;;i++)); do :; done", {"i"}), ("if c; then F=x; fi", {"F"}), ("f() { F=x; }", {"F"}),
        ("(F=x)", {"F"}), ("{ F=x; } > q", {"F"}), ("case x in x) F=y;; esac", {"F"}), ("while read l; do N=$l; done", {"l", "N"}), ("c && F=x", {"F"}),
        ("echo $(F=x)", {"F"}), ("let n=1", {"n"}), ("select i in a; do :; done", {"i"}), ("echo F=x", set()), ("echo $F ${G}", set()), ("rm a", set()),
    ],
)  # fmt: skip
def test_names(text, names):
    found = set(assigned(parser().parse(text)["Stmts"]))

    assert names <= found
    assert found <= names or names
