"""Programs that create, cut, stamp and mark."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, touched


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("touch q", ["write q"]),
        ("touch link.md", ["write docs/x.md"]),
        ("touch -h link.md", ["write link.md"]),
        ("touch -r a.txt -d yesterday q", ["write q"]),
        ("touch -c missing", []),
        ("touch -c a.txt", ["write a.txt"]),
        ("truncate -s 0 a.txt", ["truncate a.txt"]),
        ("truncate --size=0 link.md", ["truncate docs/x.md"]),
        ("truncate -r b.md a.txt", ["truncate a.txt"]),
        ("truncate -cs0 missing", []),
        ("tee q r < a.txt", ["write q", "write r"]),
        ("tee -a q < a.txt", ["append q"]),
        ("tee -- -q < a.txt", ["write -q"]),
        ("mkfifo q", ["write q"]),
        ("mknod q p", ["write q"]),
        ("fallocate -l 1M q", ["write q"]),
        ("chmod 600 a.txt", ["chmod a.txt"]),
        ("chmod -x a.txt", ["chmod a.txt"]),
        ("chmod u+x,g-w a.txt b.md", ["chmod a.txt", "chmod b.md"]),
        ("chmod -R 700 docs", ["chmod* docs"]),
        ("chmod --reference=b.md a.txt", ["chmod a.txt"]),
        ("chmod 600 link.md", ["chmod docs/x.md"]),
        ("chown -h u link.md", ["chmod link.md"]),
        ("chown -R u:g docs", ["chmod* docs"]),
        ("chgrp g a.txt", ["chmod a.txt"]),
        ("chattr +i a.txt", ["chmod a.txt"]),
        ("chattr -R +i docs", ["chmod* docs"]),
        ("setfacl -m u:x:rw a.txt", ["chmod a.txt"]),
        ("setfattr -n user.a -v b a.txt", ["chmod a.txt"]),
        ("chcon -t x_t a.txt", ["chmod a.txt"]),
    ],
)
def test_what_is_marked(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text", ["mkdir -p q/r", "tee /dev/null < a.txt", "tee < a.txt", "chmod --help", "setfacl --test a.txt"]
)
def test_what_changes_no_file(text):
    assert is_clean(text)
