"""Seals and texts of single files."""

import os
import time

import pytest

from phasegate.files import read
from phasegate.files.read import watch_opens
from phasegate.files.view import DiskView
from phasegate.workspace.seals import Seals, text_at
from support.peer import artifact_text


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "a.md"
    found.write_text(artifact_text("r1", "a.md", "locked"))
    return found


def seal(seals, path):
    return seals.at(str(path), DiskView()).seal.status


def test_a_change_is_seen_by_the_next_call_and_an_unchanged_file_is_not_read(path):
    seals = Seals()
    assert seal(seals, path) == "LOCKED"
    time.sleep(0.03)
    assert seal(seals, path) == "LOCKED"
    with watch_opens() as opened:
        assert seal(seals, path) == "LOCKED"
    assert opened == []

    before = path.stat()
    path.write_text(path.read_text().replace("done", "gone"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert seal(seals, path) == "STALE_LOCK"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_has_no_seal(tmp_path, make):
    make(tmp_path / "odd")

    assert not Seals().at(str(tmp_path / "odd"), DiskView()).present
    assert not Seals().at(str(tmp_path / "none"), DiskView()).present


def test_texts(tmp_path, path, monkeypatch):
    (tmp_path / "bytes").write_bytes(b"\xff")

    assert text_at(str(path)).text.startswith("Run:")
    assert text_at(str(tmp_path / "none")).text is None
    assert text_at(str(tmp_path / "bytes")).text is None
    assert text_at(str(tmp_path)).unreadable == ""

    def denied(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(read.os, "open", denied)
    assert text_at(str(path)).unreadable == "it is unreadable (permission denied)"
    assert "permission denied" in Seals().at(str(path), DiskView()).unreadable
