"""Compilers, databases, keys, filters and editors: the files that they write."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched, written


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("gcc a.c", ["a.out"]),
        ("gcc -o q a.c", ["q"]),
        ("gcc -oq a.c", ["q"]),
        ("gcc -c docs/a.c", ["a.o"]),
        ("gcc -S a.c", ["a.s"]),
        ("g++ -MMD -MF q.d -c a.cc -o q.o", ["q.d", "q.o"]),
        ("gcc-13 a.c -o q", ["q"]),
        ("rustc -o q a.rs", ["q"]),
        ("javac -d out A.java", ["out"]),
        ("ffmpeg -i a.mp4 q.mp3", ["q.mp3"]),
        ("convert a.png q.jpg", ["q.jpg"]),
        ("esbuild a.ts --outfile=q.js", ["q.js"]),
        ("nasm -f elf64 a.asm -o q.o", ["q.o"]),
        ("sqlite3 q.db 'create table t(a)'", ["q.db"]),
        ("sqlite3 q.db <<< 'insert into t values (1);'", ["q.db"]),
        ("sqlite3 :memory: '.output q' 'select 1;'", ["q"]),
        ("sqlite3 x.db '.backup q'", ["q"]),
        ("sqlite3 :memory: '.shell touch q'", ["q"]),
        ("psql -o q -c 'select 1'", ["q"]),
        ("psql -c '\\copy t to q'", ["q"]),
        ("pg_dump db -f q", ["q"]),
        ("mysqldump db > q", ["q"]),
        ("openssl rand -out q 8", ["q"]),
        ("openssl req -newkey rsa:2048 -nodes -keyout q -out r", ["q", "r"]),
        ("ssh-keygen -t ed25519 -N '' -f q", ["q", "q.pub"]),
        ("gpg -o q -c a.txt", ["q"]),
        ("gpg -c a.txt", ["a.txt.gpg"]),
        ("gpg --armor --detach-sign a.txt", ["a.txt.asc"]),
        ("uniq a.txt q", ["q"]),
        ("xxd -r hex q", ["q"]),
        ("history -w q", ["q"]),
        ("history -a q", ["q"]),
        ("ctags -R", ["tags"]),
        ("ctags -f q a.c", ["q"]),
        ("recode l1..u8 a.txt", ["a.txt"]),
        ("ed -s a.txt <<< $'1d\\nw\\nq'", ["a.txt"]),
        ("ed a.txt <<< 'w q'", ["q"]),
        ("ex -sc 'wq' a.txt", ["a.txt"]),
        ("vim -es -c '%s/a/b/' -c wq a.txt", ["a.txt"]),
        ("vim -c 'w! q' -c 'q!' a.txt", ["q"]),
        ("vi +':x' a.txt", ["a.txt"]),
    ],
)
def test_files(text, paths):
    assert written(text) == paths


@pytest.mark.parametrize(
    "text",
    ["gcc -save-temps a.c", "gcc @args", "javac A.java", "ffmpeg -i a.mp4 $X", "split a.txt q", "csplit a.txt 2", "rename s/a/b/ a.txt", "mmv '*.a' '#1.b'",
     "sqlite3 q.db < x.sql", "sqlite3 q.db \"attach 'r' as r\"", "psql -f x.sql", "psql -c '\\o q'", "ssh-keygen -t rsa", "openssl ca -in x", "gpg --import x",
     "vim a.txt", "nano a.txt", "emacs --batch -l x.el", "ed a.txt", "vim -S x.vim a.txt", "vim -es -c '!rm a.txt' -c q", "mktemp docs/XXXX"],
)  # fmt: skip
def test_what_can_not_be_told(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    ["gcc -E a.c", "gcc -fsyntax-only a.c", "gcc -M a.c", "sqlite3 q.db 'select 1'", "sqlite3 -header q.db .schema", "psql -l", "openssl x509 -in a -noout -text",
     "ssh-keygen -lf a", "gpg --list-keys", "uniq a.txt", "mktemp", "mktemp -d", "rename -n s/a/b/ a.txt", "vim -R --version", "ed -s a.txt <<< '1p'",
     "view -R -c q a.txt"],
)  # fmt: skip
def test_looking_only(text):
    assert is_clean(text)


def test_an_editor_that_writes_is_told_with_its_file():
    assert touched("vim -c wq a.txt b.md") == ["write a.txt", "write b.md"]
