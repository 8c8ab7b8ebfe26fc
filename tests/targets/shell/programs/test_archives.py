"""Archives and patches: what is written, and when the names are out of sight."""

from __future__ import annotations

import pytest

from support.shell_calls import is_clean, is_opaque, touched

DIFF = "--- a/docs/x.md\n+++ b/docs/x.md\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("tar czf q.tgz docs", ["write q.tgz"]),
        ("tar -cf q.tar -C docs .", ["write q.tar"]),
        ("tar --create --file=q.tar docs", ["write q.tar"]),
        ("tar rf q.tar a.txt", ["write q.tar"]),
        ("tar cf q.tar --remove-files a.txt", ["write q.tar", "delete a.txt"]),
        ("tar xf q.tar -C out", ["write* out"]),
        ("tar -xf q.tar a.txt", ["write* a.txt"]),
        ("tar xf q.tar --one-top-level=out", ["write* out"]),
        ("zip -r q docs", ["write q.zip"]),
        ("zip -m q.zip a.txt", ["write q.zip", "delete a.txt"]),
        ("unzip q.zip -d out", ["write* out"]),
        ("unzip q.zip a.txt", ["write a.txt"]),
        ("gzip a.txt", ["delete a.txt", "write a.txt.gz"]),
        ("gzip -k a.txt", ["write a.txt.gz"]),
        ("gunzip q.gz", ["delete q.gz", "write q"]),
        ("gzip -d q.tgz", ["delete q.tgz", "write q.tar"]),
        ("gzip -r docs", ["write* docs"]),
        ("xz a.txt", ["delete a.txt", "write a.txt.xz"]),
        ("bunzip2 -k q.bz2", ["write q"]),
        ("zstd a.txt", ["write a.txt.zst"]),
        ("zstd -d q.zst -o r", ["write r"]),
        ("7z a q.7z docs", ["write q.7z"]),
        ("7z x q.7z -oout", ["write* out"]),
        ("ar rcs q.a x.o", ["write q.a"]),
        ("cpio -pd out < list", ["write* out"]),
        ("patch a.txt p.diff", ["write a.txt"]),
        ("patch -o q a.txt p.diff", ["write q"]),
        (f"patch -p1 <<'E'\n{DIFF}E", ["write docs/x.md"]),
        (f"patch -d docs -p2 <<'E'\n{DIFF}E", ["write docs/x.md"]),
    ],
)
def test_what_is_written(text, targets):
    assert touched(text) == targets


@pytest.mark.parametrize(
    "text",
    ["tar xf q.tar", "unzip q.zip", "7z x q.7z", "cpio -id < q", "patch -p1 < p.diff", "patch -p1 -i p.diff", "unrar x q.rar",
     "tar xf q.tar --to-command=sh", "tar cf q -I 'sh -c x' a.txt", "tar xf $X", "jar xf q.jar", "ar x q.a"],
)  # fmt: skip
def test_names_out_of_sight(text):
    assert is_opaque(text)


@pytest.mark.parametrize(
    "text",
    ["tar tf q.tar", "tar -tvf q.tar | head", "tar xOf q.tar a.txt", "tar cf - docs | ssh h tar xf -", "tar czf /dev/null docs", "unzip -l q.zip",
     "unzip -p q.zip a.txt", "zcat q.gz", "gzip -c a.txt | wc -c", "gunzip -t q.gz", "xz -l q.xz", "7z l q.7z", "patch --dry-run -p1 < p.diff",
     "ar t q.a", "cpio -t < q", "tar --version"],
)  # fmt: skip
def test_looking_into_archives(text):
    assert is_clean(text)
