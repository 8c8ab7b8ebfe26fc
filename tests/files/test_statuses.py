"""Statuses of the names of one directory, by the C library and by `os.stat`."""

import ctypes
import os

import pytest

from phasegate.files import statuses
from phasegate.files.statuses import REFUSED_SIGNATURE, PlainStatuses, raw_signatures

NAMES = (b"a", b"link", b"none", b"sub", b"a/below")


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "sub").mkdir()
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


@pytest.fixture(params=["raw", "plain"])
def ask(request, directory, monkeypatch):
    """The statuses of names in the directory, in both ways; the raw one only where this machine has it."""
    if request.param == "plain":
        monkeypatch.setattr(statuses, "_FSTATAT", None)
    return lambda names=NAMES: statuses.statuses(directory, names)


def test_signatures_are_those_of_the_names_themselves(ask, tmp_path):
    status, link = (tmp_path / "a").stat(), (tmp_path / "link").lstat()
    asked = ask()

    asked.unchanged()
    found = asked.signatures()

    assert found[0] == (status.st_dev, status.st_ino, 1, status.st_mtime_ns, status.st_ctime_ns)
    assert found[1][1] == link.st_ino
    assert found[2] is None
    assert found[3][1] == (tmp_path / "sub").stat().st_ino
    assert found[4] is None


def test_both_ways_agree_on_every_kind_of_file(directory, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.truncate(os.open(tmp_path / "huge", os.O_CREAT | os.O_WRONLY), 5 << 32)
    os.utime(tmp_path / "a", ns=(1, -1_500_000_000))
    names = (*NAMES, b"pipe", b"huge", b".", b"..", b"x" * 300)
    raw, plain = statuses.statuses(directory, names), PlainStatuses(directory, names)

    raw.unchanged()
    plain.unchanged()

    assert raw.signatures() == plain.signatures() == raw_signatures(directory, names)


def test_the_first_look_is_a_change_and_an_equal_one_is_none(ask):
    asked = ask()

    assert [asked.unchanged() for _ in range(3)] == [False, True, True]


def test_statuses_of_no_names_are_none(ask):
    asked = ask(())

    asked.unchanged()

    assert asked.signatures() == []


CHANGES = {
    "written": lambda top: (top / "a").write_text("y"),
    "touched": lambda top: os.utime(top / "a", ns=(1, 1)),
    "permissions": lambda top: (top / "a").chmod(0o600),
    "gone": lambda top: (top / "a").unlink(),
    "come": lambda top: (top / "none").write_text(""),
    "link exchanged": lambda top: ((top / "link").unlink(), (top / "link").symlink_to("b")),
    "directory exchanged": lambda top: ((top / "sub").rename(top / "old"), (top / "sub").mkdir()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_seen_once(ask, tmp_path, change):
    os.utime(tmp_path / "a", ns=(0, 0))
    asked = ask()
    asked.unchanged()
    before = asked.signatures()

    change(tmp_path)

    assert not asked.unchanged()
    assert asked.signatures() != before
    assert asked.unchanged()


def test_a_name_that_went_and_came_back_as_it_was_is_not_taken_for_gone(ask, tmp_path):
    asked = ask()
    asked.unchanged()
    before = asked.signatures()
    (tmp_path / "a").rename(tmp_path / "aside")
    asked.unchanged()
    assert asked.signatures()[0] is None

    (tmp_path / "aside").rename(tmp_path / "a")

    assert not asked.unchanged()
    assert asked.signatures()[0][:4] == before[0][:4]


def test_a_name_the_system_refuses_has_a_signature_that_is_never_kept(directory, monkeypatch):
    def denied(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(statuses.os, "stat", denied)

    assert raw_signatures(directory, ("a",)) == [REFUSED_SIGNATURE]


def test_a_refusal_of_the_library_is_told_from_absence(directory):
    def refuses(*_args):
        ctypes.set_errno(13)
        return -1

    asked = statuses.RawStatuses(refuses, directory, (b"a",))

    assert not asked.unchanged()
    assert asked.signatures() == [REFUSED_SIGNATURE]


def test_a_name_that_no_name_can_be_is_absent(directory):
    assert raw_signatures(directory, ("nul\0", "\ud800")) == [None, None]


class TestWhereTheLibraryIsNotUnderstood:
    def test_another_system_is_asked_by_stat(self, monkeypatch):
        monkeypatch.setattr(statuses.sys, "platform", "darwin")

        assert statuses._library() is None

    def test_a_library_without_the_function_is_not_used(self, monkeypatch):
        monkeypatch.setattr(statuses.ctypes, "CDLL", lambda *_args, **_more: object())

        assert statuses._library() is None

    def test_a_library_that_answers_otherwise_is_not_used(self, monkeypatch):
        class Odd:
            @staticmethod
            def fstatat(*_args):
                return 0

        monkeypatch.setattr(statuses.ctypes, "CDLL", lambda *_args, **_more: Odd)

        assert statuses._library() is None
