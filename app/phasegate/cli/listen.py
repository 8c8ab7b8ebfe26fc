"""The sockets that `serve` listens on."""

from __future__ import annotations

import grp
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

from phasegate.errors import SettingsError
from phasegate.settings import Settings

_GROUP_TOO = 0o660
_PROBE_SECONDS = 1.0


def listening_sockets(settings: Settings) -> list[socket.socket]:
    """Bind what the settings ask for: TCP, a Unix socket, or both.

    Raises `SettingsError` when an address is taken.
    """
    sockets = []
    if settings.port is not None:
        sockets.append(_tcp(settings.host, settings.port))
    if settings.uds is not None:
        try:
            sockets.append(_unix(settings.uds, settings.uds_group))
        except SettingsError:
            for bound in sockets:
                bound.close()
            raise
    return sockets


def remove_socket(path: Path, inode: int) -> None:
    """Remove our socket file, unless another service has put its own there meanwhile."""
    with suppress(FileNotFoundError):
        if path.lstat().st_ino == inode:
            path.unlink()


def _tcp(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit it: a reply must not wait for the client's acknowledgement.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        bound.bind(address)
    except OSError as error:
        raise SettingsError(f"can't listen on `{host}:{port}`: {error.strerror or error}") from error
    return bound


def _unix(path: Path, group: str | None) -> socket.socket:
    _clear_stale(path)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Nobody else may connect in the moment between bind and chmod.
    mask = os.umask(0o177)
    try:
        bound.bind(str(path))
    except OSError as error:
        bound.close()
        raise SettingsError(f"can't listen on `{path}`: {error.strerror or error}") from error
    finally:
        os.umask(mask)
    if group is not None:
        try:
            _give_to_group(path, group)
        except SettingsError:
            bound.close()
            path.unlink()
            raise
    return bound


def _clear_stale(path: Path) -> None:
    """Remove the socket of a service that is gone; refuse to touch a living one or another kind of file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise SettingsError(f"`uds` `{path}` exists and is not a socket; choose another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        except OSError as error:
            raise SettingsError(f"`uds` `{path}` can't be used: {error.strerror or error}") from error
        else:
            raise SettingsError(f"another service listens on `{path}`; stop it or choose another path")


def _give_to_group(path: Path, group: str) -> None:
    try:
        gid = int(group) if group.isdigit() else grp.getgrnam(group).gr_gid
        os.chown(path, -1, gid)
        path.chmod(_GROUP_TOO)
    except (KeyError, OSError) as error:
        raise SettingsError(f"`uds_group` `{group}` can't be given the socket: {error}") from error
