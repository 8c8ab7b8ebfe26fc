"""Programs that read are clean whatever they mention; their output options are not."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched


@pytest.mark.parametrize(
    "text",
    [
        "cat a.txt", "head -n 5 a.txt", "tail -f out/old.txt", "grep -rn 'rm -rf' docs", "rg 'a > b'", "wc -l docs/*.md", "ls -la docs",
        "stat a.txt", "diff a.txt b.md", "diff <(sort a.txt) <(sort b.md)", "cmp a.txt b.md", "sort a.txt | uniq -c | sort -rn", "cut -d'>' -f1 a.txt",
        "sort -t'>' -k1 a.txt", "tr a-z A-Z < a.txt", "jq '.a > 1' data.json", "column -t a.txt", "xxd a.txt | head", "od -c a.txt", "file a.txt",
        "sha256sum docs/*.md", "du -sh docs", "df -h", "ps aux | grep 'sed -i'", "which tee", "type rm", "man rm", "env | sort", "date +%F", "id -u",
        "test -f a.txt && echo y", "[ 5 \\> 3 ]", "expr 5 \\> 3", "bc <<< '5 > 3'", "echo 'rm -rf /'", "printf '%s > %s\\n' a b", "basename 'a > b'",
        "true", "false", ": 'x > y'", "seq 3", "sleep 1", "kill 123", "xmllint --xpath //a x.xml", "base64 -d x", "openssl dgst -sha256 a.txt",
        "openssl rand -hex 8", "gpg --verify x.sig", "sqlite3 :memory: 'select 3 > 2'", "sqlite3 x.db .tables", "psql -c 'select a > b from t'",
        "dd if=a.txt bs=1 count=1", "tree -L 2", "less a.txt", "history | tail", "alias ll='ls -l'", "set -euo pipefail", "export A='a > b'", "ulimit -n",
        "umask", "jobs", "hash -r", "shopt -s globstar", "unset X", "x=1", "x='a > b'; echo $x", "read -r l < a.txt", "mapfile -t L < a.txt",
        "trap 'echo bye' EXIT", "wait", "tput cols", "hostname", "nproc", "whoami", "uptime", "lsof -i :80", "ping -c1 h", "pandoc a.txt",
        "mypy src", "flake8", "shellcheck x.sh", "pylint -f json src", "namei -l docs", "pv a.txt | wc -c", "mlr --icsv filter '$x > 1' a.csv",
        "gpg -d x.gpg", "iconv -f l1 -t u8 a.txt", "uniq -c a.txt", "xxd -p a.txt", "split --help", "vim --version", "ctags -x a.c",
    ],
)  # fmt: skip
def test_clean(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("sort -o a.txt a.txt", ["write a.txt"]),
        ("sort a.txt -oq", ["write q"]),
        ("sort --outp=q a.txt", ["write q"]),
        ("shuf -o q a.txt", ["write q"]),
        ("tree -o q", ["write q"]),
        ("xmllint --format a.xml --output q", ["write q"]),
        ("pandoc a.txt -o q.html", ["write q.html"]),
        ("dot -Tpng a.dot -o q.png", ["write q.png"]),
        ("flake8 --output-file=q src", ["write q"]),
        ("mypy --junit-xml q src", ["write q"]),
        ("sdiff -o q a.txt b.md", ["write q"]),
        ("bandit -r src -o q", ["write q"]),
    ],
)
def test_files_of_output_options(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["sort --compress-program=x a.txt", "rg --pre x y", "man -P x ls", "tidy -m a.html", "dot -O -Tpng a.dot", "jsonlint -i a.json", "rubocop -a",
     "bat --pager=x a.txt", "mlr -I --csv cat a.csv"],
)  # fmt: skip
def test_options_that_run_or_rewrite(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text", ["frobnicate --version", "frobnicate --help", "rm --version", "node --version", "gcc --version"]
)
def test_asking_a_program_for_its_version(text):
    assert is_clean(text)


def test_a_program_of_the_project_is_not_asked():
    assert is_opaque("./gradlew --version")
