# ruff: noqa: INP001 (one file that the image copies, no package)
"""Exit 0 when the service of this container answers `GET /healthz` with 200, else 1.

Reads the address as clients do: `PHASEGATE_UDS`, else `PHASEGATE_PORT` on loopback.
"""

from __future__ import annotations

import os
import socket
import sys

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
TIMEOUT_SECONDS = 2


def connect() -> socket.socket:
    path = os.environ.get("PHASEGATE_UDS")
    if not path:
        port = int(os.environ.get("PHASEGATE_PORT") or 8787)
        return socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(TIMEOUT_SECONDS)
    connection.connect(path)
    return connection


def main() -> int:
    try:
        with connect() as connection:
            connection.sendall(REQUEST)
            status = connection.recv(64).split(b" ", 2)
    except OSError as error:
        sys.stderr.write(f"no answer: {error}\n")
        return 1
    return 0 if status[1:2] == [b"200"] else 1


if __name__ == "__main__":
    sys.exit(main())
