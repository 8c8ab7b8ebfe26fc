"""The data directory: private when we make it, and reachable through the administrator's own links."""

from __future__ import annotations

import stat

import pytest

from phasegate.files.data_directory import open_data


def test_makes_it_for_its_owner_only_when_asked_to(tmp_path):
    place = tmp_path / "state" / "phasegate"

    with open_data(str(place), create=True):
        pass

    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_absence_is_told_and_nothing_is_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_data(str(tmp_path / "none"))

    assert list(tmp_path.iterdir()) == []


def test_follows_a_link_to_it(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "note").write_bytes(b"x")
    (tmp_path / "data").symlink_to(tmp_path / "disk")

    with open_data(str(tmp_path / "data")) as data:
        assert data.read("note", 10) == b"x"
