"""Reading files that somebody made to hurt."""

import itertools
import os
import socket
import threading
import time

import pytest

from phasegate.files import read
from phasegate.files.read import (
    ABSENT,
    KIB,
    MIB,
    Content,
    Refused,
    file_signature,
    read_file,
    read_linked,
    watch_opens,
)
from support.descriptors import open_descriptors


def test_gives_the_bytes_and_the_signature_of_one_state(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"text")

    outcome = read_file(str(path), KIB)

    status = path.stat()
    assert outcome == Content(
        b"text", (status.st_dev, status.st_ino, 4, status.st_mtime_ns, status.st_ctime_ns)
    )


def test_reads_relative_to_an_open_directory(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        assert read_file("a", KIB, dir_fd=fd).data == b"x"
        assert read_file("b", KIB, dir_fd=fd) is ABSENT
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    "name", ["nothing", "x" * 300, "a\0b", "\ud800", "file/below", "", "/".join(["d"] * 5000)]
)
def test_a_name_that_nothing_can_have_is_absent_and_never_raises(tmp_path, name):
    (tmp_path / "file").write_text("")

    assert read_file(f"{tmp_path}/{name}" if name else "", KIB) is ABSENT


def test_a_fifo_is_refused_at_once(tmp_path):
    """Opening one for reading would wait for a writer that never comes."""
    os.mkfifo(tmp_path / "pipe")
    started = time.monotonic()

    assert read_file(str(tmp_path / "pipe"), KIB) == Refused("not a regular file")
    assert time.monotonic() - started < 5


def test_directories_sockets_and_devices_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        assert read_file("socket", KIB) == Refused("not a regular file")
    assert read_file(str(tmp_path), KIB) == Refused("a directory")
    assert read_file("/dev/zero", KIB) == Refused("not a regular file")


def test_a_link_is_refused_whatever_it_leads_to(tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")

    for name in ("zero", "loop", "link"):
        assert read_file(str(tmp_path / name), KIB) == Refused("a link")
    assert read_file(str(tmp_path / "loop" / "x"), KIB) == Refused("a link")


def test_a_file_over_the_cap_is_refused_unopened(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(50 * MIB)

    with watch_opens() as opened:
        assert read_file(str(path), 4 * MIB) == Refused("over 4 MiB")
        assert read_file(str(path), 64 * KIB) == Refused("over 64 KiB")
    assert opened == []


def test_a_file_of_exactly_the_cap_is_read(tmp_path):
    path = tmp_path / "full"
    path.write_bytes(b"x" * KIB)

    assert len(read_file(str(path), KIB).data) == KIB


def test_the_disks_refusal_is_told_from_absence(tmp_path, monkeypatch):
    """Nobody knows what the file holds, so it must not pass for missing."""
    path = tmp_path / "secret"
    path.write_text("x")
    monkeypatch.setattr(read.os, "open", _denied)

    assert read_file(str(path), KIB) == Refused("unreadable (permission denied)", system=True)


def test_a_read_during_a_change_is_repeated(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    real, calls = os.read, []

    def changing(fd, count):
        calls.append(fd)
        if len(calls) == 1:
            path.write_bytes(b"newer")
        return real(fd, count)

    monkeypatch.setattr(read.os, "read", changing)

    assert read_file(str(path), KIB).data == b"newer"


def test_a_file_that_never_holds_still_is_unreadable(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"")
    real, numbers = os.read, itertools.count(1)

    def changing(fd, count):
        os.utime(path, ns=(0, next(numbers)))
        return real(fd, count)

    monkeypatch.setattr(read.os, "read", changing)

    assert read_file(str(path), KIB) == Refused("changing while it is read", system=True)


def test_no_descriptor_is_left_open(tmp_path):
    (tmp_path / "a").write_text("x")
    before = open_descriptors()

    for _ in range(20):
        read_file(str(tmp_path / "a"), KIB)
        read_file(str(tmp_path), KIB)
        read_file(str(tmp_path / "none"), KIB)

    assert open_descriptors() == before


class TestLinked:
    def test_a_link_that_stays_inside_is_followed(self, tmp_path):
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "real").write_bytes(b"x")
        (tmp_path / "link").symlink_to("docs/real")

        assert read_linked(str(tmp_path / "link"), (str(tmp_path.resolve()),), KIB).data == b"x"

    def test_a_link_that_leaves_is_refused(self, tmp_path):
        outside = tmp_path / "outside"
        outside.write_text("x")
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "link").symlink_to("../outside")

        assert read_linked(
            str(tmp_path / "in" / "link"), (str((tmp_path / "in").resolve()),), KIB
        ) == Refused("a link that leaves the workspace")

    def test_a_neighbour_with_the_same_beginning_is_outside(self, tmp_path):
        (tmp_path / "ws-other").mkdir()
        (tmp_path / "ws-other" / "f").write_text("x")
        (tmp_path / "ws").mkdir()
        (tmp_path / "ws" / "link").symlink_to("../ws-other/f")

        assert isinstance(
            read_linked(str(tmp_path / "ws" / "link"), (str((tmp_path / "ws").resolve()),), KIB), Refused
        )

    def test_dangling_and_circular_links_are_refused(self, tmp_path):
        (tmp_path / "dangling").symlink_to("nowhere")
        (tmp_path / "loop").symlink_to("loop")

        assert read_linked(str(tmp_path / "dangling"), (str(tmp_path),), KIB) == Refused(
            "a link that leads nowhere"
        )
        assert read_linked(str(tmp_path / "loop"), (str(tmp_path),), KIB) == Refused("a link")

    def test_a_link_to_a_device_is_refused(self, tmp_path):
        (tmp_path / "zero").symlink_to("/dev/zero")

        assert read_linked(str(tmp_path / "zero"), (str(tmp_path), "/dev"), KIB) == Refused(
            "not a regular file"
        )


def test_signatures_of_files_follow_links(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to("a")

    assert file_signature(str(tmp_path / "link")) == file_signature(str(tmp_path / "a"))
    assert file_signature(str(tmp_path)) == Refused("a directory")
    assert file_signature(str(tmp_path / "none")) is ABSENT
    assert file_signature("a\0") is ABSENT


def test_a_mixture_that_its_signature_does_not_show_is_read_again(tmp_path, monkeypatch):
    """Two changes inside one tick of the file clock leave the same times and size behind."""
    path = tmp_path / "a"
    path.write_bytes(b"aaaa")
    real, first = os.read, iter([b"aabb"])

    def mixed(fd, count):
        found = real(fd, count)
        return next(first, found) if found else found

    monkeypatch.setattr(read.os, "read", mixed)
    monkeypatch.setattr(read.time, "time_ns", lambda: path.stat().st_ctime_ns)

    assert read_file(str(path), KIB).data == b"aaaa"


def test_an_old_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x")
    monkeypatch.setattr(read.time, "time_ns", lambda: path.stat().st_ctime_ns + read.TICK_NS + 1)

    with watch_opens() as opened:
        read_file(str(path), KIB)

    assert opened == [str(path)]


def test_concurrent_reads_see_whole_states_of_a_file_that_is_replaced(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"a" * 5000)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for letter in (b"a", b"b"):
                (tmp_path / "new").write_bytes(letter * 5000)
                (tmp_path / "new").replace(path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        outcomes = [read_file(str(path), MIB) for _ in range(300)]
    finally:
        stop.set()
        writer.join()

    read_states = {outcome.data for outcome in outcomes if isinstance(outcome, Content)}
    assert read_states <= {b"a" * 5000, b"b" * 5000}
    assert all(isinstance(outcome, Content) or outcome.system for outcome in outcomes)


def _denied(*_args, **_kwargs):
    raise PermissionError(13, "Permission denied", "/secret/path")
