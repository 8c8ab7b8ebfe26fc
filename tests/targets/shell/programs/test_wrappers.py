"""Wrappers pass on their command; their own options and files are not taken for it."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "prefix",
    [
        "sudo", "sudo -n --", "sudo -u root -H", "sudo -E A=1", "sudo -s", "sudo -i", "doas", "doas -u root", "env", "env -i", "env A=1 B=2",
        "env -u X", "env - A=1", "nohup", "nice", "nice -n 5", "nice -19", "nice --adjustment=5", "timeout 5", "timeout -k 5 -s KILL 10s",
        "timeout --preserve-status 5", "stdbuf -oL", "stdbuf -i 0 -o L", "setsid", "setsid -f", "command", "command -p", "builtin command",
        "exec", "exec -a x", "time", "time -p", "/usr/bin/time -f %e", "ionice -c3", "ionice -c 2 -n 0", "chrt -o 0", "taskset 1",
        "taskset -c 0,1", "flock a.txt", "busybox", "toybox", "strace -o /dev/null -f", "unbuffer", "caffeinate -i", "A=1", "A=1 B='x y'",
        "sudo env A=1 nice -n 1 timeout 5", "xvfb-run -a", "systemd-run --user", "env -S", "fakeroot", "numactl -N 0", "runuser -u x",
        "script -q /dev/null", "chronic", "watch -x", "ssh-agent", "arch -x86_64", "arch -e A=1 -arm64", "eatmydata", "torsocks",
        "proxychains4 -q", "sshpass -e", "choom -n 5 --", "cpulimit -l 50 --", "faketime 2020-01-01", "winpty",
    ],
)  # fmt: skip
def test_the_command_behind_a_wrapper(prefix):
    command = "'rm a.txt'" if prefix == "env -S" else "rm a.txt"

    assert touched(f"{prefix} {command}") == ["delete a.txt"]
    assert is_clean(f"{prefix} cat a.txt") or prefix == "env -S"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("env -C docs rm x.md; rm a.txt", ["delete docs/x.md", "delete a.txt"]),
        ("env --chdir=docs rm x.md", ["delete docs/x.md"]),
        ("sudo -D docs rm x.md", ["delete docs/x.md"]),
        ("env -S'A=1 rm a.txt'", ["delete a.txt"]),
        ("env -S 'rm \"a b\"'", ["delete a b"]),
        ("sudo -e a.txt", ["write a.txt"]),
        ("strace -o q ls", ["write q"]),
        ("/usr/bin/time -o q ls", ["write q"]),
        ("/usr/bin/time -a -o q ls", ["append q"]),
        ("flock q rm a.txt", ["write q", "delete a.txt"]),
        ("flock a.txt -c 'rm b.md'", ["delete b.md"]),
        ("su root -c 'rm a.txt'", ["delete a.txt"]),
        ("su - x -c 'rm a.txt'", ["delete a.txt"]),
        ("script -qc 'rm a.txt' /dev/null", ["delete a.txt"]),
        ("script q", ["write q"]),
        ("watch rm a.txt", ["delete a.txt"]),
        ("hyperfine 'rm a.txt' --export-json q", ["delete a.txt"]),
        ("logsave q rm a.txt", ["write q", "delete a.txt"]),
        ("command -v rm", []),
        ("sudo -l", []),
        ("nohup rm a.txt > out/log 2>&1 &", ["write out/log", "delete a.txt"]),
    ],
)
def test_what_a_wrapper_adds(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize("text", ["env -S '$X'", "sudo -R docs rm x.md", "env $X", "timeout 5 $X"])
def test_what_a_wrapper_hides(text):
    assert is_opaque(text)


def test_a_program_of_the_project_behind_a_wrapper_is_opaque():
    assert is_opaque("sudo ./x.sh")
    assert is_opaque("env A=1 pytest")
