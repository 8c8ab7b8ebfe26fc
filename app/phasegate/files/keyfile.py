"""The secret that seals receipts: one file in the service's data directory, readable by its owner only."""

from __future__ import annotations

import os
import secrets
import stat

from phasegate.core.sealing import KEY_BYTES, SealKey
from phasegate.errors import SettingsError
from phasegate.files.data_directory import open_data
from phasegate.files.write import PRIVATE_MODE, create

KEY_FILE = "receipts.key"
_LIMIT = 1024
_OTHERS = 0o077


def load_key(data_directory: str) -> SealKey:
    """The key of this service; made on first use, by whichever process comes first.

    Raises `SettingsError` when the file is damaged, a link, not ours, or open to others:
    a key that an agent can read proves nothing.
    """
    with open_data(data_directory, create=True) as directory:
        create(directory, KEY_FILE, secrets.token_hex(KEY_BYTES).encode() + b"\n", mode=PRIVATE_MODE)
        status = os.stat(KEY_FILE, dir_fd=directory.descriptor, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"`{KEY_FILE}` in the data directory is not a regular file")
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
            raise SettingsError(
                f"`{KEY_FILE}` in the data directory is open to others",
                remedy="make it yours alone (`chmod 600`), or remove it so that a new one is made",
            )
        data = directory.read(KEY_FILE, _LIMIT)
    return SealKey(_secret(data))


def _secret(data: bytes | None) -> bytes:
    try:
        secret = bytes.fromhex((data or b"").decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        raise SettingsError(
            f"`{KEY_FILE}` in the data directory holds no key",
            remedy="remove it so that a new one is made; receipts sealed with the old one then count as forged",
        )
    return secret
