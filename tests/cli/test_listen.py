"""The sockets of `serve`, without a server behind them."""

from __future__ import annotations

import os
import socket
import stat

import pytest

from phasegate.cli.listen import listening_sockets, remove_socket
from phasegate.errors import SettingsError
from phasegate.settings import load_settings


@pytest.fixture
def settings(tmp_path):
    return lambda **flags: load_settings({"data": str(tmp_path / "data"), **flags}, {"HOME": str(tmp_path)})


def close(sockets):
    for bound in sockets:
        bound.close()


def test_a_group_may_use_the_socket_when_one_is_named(settings, tmp_path):
    path = tmp_path / "p.sock"

    close(listening_sockets(settings(uds=str(path), uds_group=str(os.getgid()))))

    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    assert path.stat().st_gid == os.getgid()


def test_an_unknown_group_is_refused(settings, tmp_path):
    with pytest.raises(SettingsError, match="uds_group"):
        listening_sockets(settings(uds=str(tmp_path / "p.sock"), uds_group="no-such-group"))


def test_replies_do_not_wait_for_acknowledgements(settings):
    bound = listening_sockets(settings(port=0))[0]

    assert bound.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    bound.close()


def test_the_socket_file_is_never_open_to_others_between_bind_and_chmod(settings, tmp_path):
    mask = os.umask(0)
    try:
        close(listening_sockets(settings(uds=str(tmp_path / "p.sock"))))
    finally:
        os.umask(mask)

    assert stat.S_IMODE((tmp_path / "p.sock").stat().st_mode) == 0o600


def test_another_services_socket_file_is_not_removed(tmp_path):
    """A successor may have bound the same path before this one has ended."""
    path = tmp_path / "p.sock"
    path.touch()

    remove_socket(path, path.stat().st_ino + 1)
    assert path.exists()
    remove_socket(path, path.stat().st_ino)
    assert not path.exists()
    remove_socket(path, 1)
