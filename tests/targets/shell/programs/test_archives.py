"""Programs that pack, unpack and compress."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched

DIFF = "--- a/docs/x.md\n+++ b/docs/x.md\n@@ -1 +1 @@\n-a\n+b"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("tar -cf q.tar docs", ["write q.tar"]),
        ("tar czf q.tgz docs", ["write q.tgz"]),
        ("tar -czvf q.tgz -C docs x.md", ["write q.tgz"]),
        ("tar --create --file=q.tar docs", ["write q.tar"]),
        ("tar rf q.tar a.txt", ["write q.tar"]),
        ("tar -cf q.tar --remove-files a.txt docs", ["write q.tar", "delete a.txt", "delete* docs"]),
        ("tar xf q.tar -C out", ["write* out"]),
        ("tar xzf q.tgz a.txt docs/x.md", ["write* a.txt", "write* docs/x.md"]),
        ("tar -x -f q.tar -C out a.txt", ["write* out/a.txt"]),
        ("tar -xf q.tar --one-top-level=new", ["write* new"]),
        ("tar -cf - docs | tar xf - -C out", ["write* out"]),
        ("tar -cf q.tar -g snap docs", ["write snap", "write q.tar"]),
        ("zip -r q.zip docs", ["write q.zip"]),
        ("zip q a.txt", ["write q.zip"]),
        ("zip -m q.zip a.txt", ["write q.zip", "delete a.txt"]),
        ("zip -d q.zip a.txt", ["write q.zip"]),
        ("unzip q.zip -d out", ["write* out"]),
        ("unzip -o q.zip a.txt -d out", ["write out/a.txt"]),
        ("unzip q.zip b.md", ["write b.md"]),
        ("gzip a.txt", ["delete a.txt", "write a.txt.gz"]),
        ("gzip -k a.txt", ["write a.txt.gz"]),
        ("gunzip q.gz", ["delete q.gz", "write q"]),
        ("gzip -d q.tgz", ["delete q.tgz", "write q.tar"]),
        ("gzip -S .z a.txt", ["delete a.txt", "write a.txt.z"]),
        ("gzip -r docs", ["write* docs"]),
        ("bzip2 a.txt b.md", ["delete a.txt", "write a.txt.bz2", "delete b.md", "write b.md.bz2"]),
        ("xz -dk q.xz", ["write q"]),
        ("unxz q.xz", ["delete q.xz", "write q"]),
        ("zstd a.txt", ["write a.txt.zst"]),
        ("zstd --rm a.txt", ["delete a.txt", "write a.txt.zst"]),
        ("zstd -d q.zst -o r", ["write r"]),
        ("lz4 a.txt q", ["write q"]),
        ("cpio -pd out < a.txt", ["write* out"]),
        ("cpio -o -F q < a.txt", ["write q"]),
        ("cpio -i -D out < a.txt", ["write* out"]),
        ("7z a q.7z docs", ["write q.7z"]),
        ("7z a -sdel q.7z a.txt", ["write q.7z", "delete a.txt"]),
        ("7z x q.7z -oout", ["write* out"]),
        ("ar rcs q.a x.o", ["write q.a"]),
        ("ar x q.a x.o", ["write x.o"]),
        ("patch a.txt p.diff", ["write a.txt"]),
        ("patch -o q a.txt p.diff", ["write q"]),
        ("patch -d docs x.md p.diff", ["write docs/x.md"]),
        (f"patch -p1 <<'E'\n{DIFF}\nE", ["write docs/x.md"]),
    ],
)
def test_what_is_packed_and_unpacked(text, targets):
    assert touched(text) == targets
    assert not is_opaque(text)


@pytest.mark.parametrize(
    "text",
    [
        "tar tf q.tar", "tar -tzvf q.tgz", "tar -xOf q.tar a.txt", "tar cf - docs", "tar cf host:q.tar docs", "tar --help", "unzip -l q.zip",
        "unzip -p q.zip a.txt", "zip -r - docs", "gzip -c a.txt", "zcat q.gz", "gzip -l q.gz", "gzip -t q.gz", "gunzip -c q.gz", "xz -l q.xz",
        "cpio -t < q", "7z l q.7z", "7z x -so q.7z", "ar t q.a", "patch --dry-run -p1 < p", "unrar l q.rar", "gzip", "gzip < a.txt",
    ],
)  # fmt: skip
def test_looking_changes_nothing(text):
    assert is_clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "tar xf q.tar", "tar xzf q.tgz --strip-components=1", "tar xf q.tar $X", "tar -xf q.tar --to-command=sh -C out", "tar -cf q.tar -I ./x docs",
        "tar cf q --checkpoint=1 --checkpoint-action=exec=sh a.txt", "unzip q.zip", "unzip q.zip '*.md'", "gzip $X", "cpio -i < q", "7z x q.7z",
        "unrar x q.rar", "ar x q.a", "patch -p1 < p.diff", "patch -i p.diff", "tar cf $X docs",
    ],
)  # fmt: skip
def test_names_that_are_elsewhere(text):
    assert is_opaque(text)
