"""What programs print feeds pipes, substitutions and files."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo a", "a"), ("echo a b", "a b"), ("echo -n a", "a"), ("echo -e 'a\\tb'", "a\tb"), ("echo 'a\\tb'", "a\\tb"), ("echo -E -e 'a\\x41'", "aA"),
        ("echo -x a", "-x a"), ("echo -", "-"), ("printf a", "a"), ("printf '%s_%s' a b", "a_b"), ("printf -- -a", "-a"), ("printf '%03d' 7", "007"),
        ("echo a | cat", "a"), ("cat <<< a", "a"), ("cat - <<< a", "a"), ("cat <(echo a)", "a"), ("pwd", "/repo"), ("cd docs; pwd", "/repo/docs"),
        ("cd linked; pwd", "/repo/linked"), ("cd linked; pwd -P", "/repo/docs"), ("dirname a/b/c", "a/b"), ("dirname c", "."), ("dirname /c", "/"),
        ("dirname a/b/", "a"), ("basename a/b.md", "b.md"), ("basename a/b.md .md", "b"), ("basename a/b/", "b"), ("basename .md .md", ".md"),
        ("realpath linked/x.md", "/repo/docs/x.md"), ("readlink -f link.md", "/repo/docs/x.md"), ("ls a.txt", "a.txt"), ("ls docs/x.md a.txt", "a.txt\ndocs/x.md"),
        ("seq 3", "1\n2\n3"), ("seq 2 3", "2\n3"), ("seq 5 -2 1", "5\n3\n1"), ("which git", "/usr/bin/git"), (":", ""), ("true", ""), ("false", ""),
        ("echo a; echo b", "a\nb"), ("true && echo a", "a"), ("false || echo a", "a"), ("printf '%s\\n' a | tee /dev/null", "a"),
    ],
)  # fmt: skip
def test_what_is_known(command, printed):
    assert written(f'touch "<$({command})>"') == [f"<{printed}>"]


@pytest.mark.parametrize(
    "command",
    [
        "cat a.txt", "cat -n <<< a", "echo $X", "printf '%x' 3", "ls", "ls docs", "ls -l a.txt", "ls missing", "date", "head -1 a.txt", "realpath -s a.txt",
        "readlink link.md", "basename -s .md b.md", "which ./x", "seq 100000", "seq a", "seq 1 0 2", "frob", "echo a | sort -c", "echo a | frob", "< a.txt",
        "cd $X; pwd", "printf '%s' \"$X\"", "if c; then echo a; else echo b; fi",
    ],
)  # fmt: skip
def test_what_is_not(command):
    assert is_opaque(f'touch "<$({command})>"')


def test_printing_changes_nothing():
    assert is_clean("echo 'rm a.txt > b'; printf '%s' 'x > y'; cat a.txt; ls -la docs; pwd; which git")


def test_printf_into_a_variable():
    assert touched("printf -v F 'n%s' 1; touch $F") == ["write n1"]
    assert touched("printf -vF x; touch $F") == ["write x"]
    assert is_opaque("printf -v F '%x' 1; touch $F")
