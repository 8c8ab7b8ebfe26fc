"""What the spawned hook does: standard input to the service, its answer to the runtime.

    hook.py RUNTIME [--event E] [--uds PATH | --url URL] [--mode strict|advisory] [--timeout S]
        [--run ID] [--cwd DIR] [--token-file F] [--autostart [SERVE ARGV ...]]

Imports next to nothing and never looks into the JSON: the service reads the payload, and
its reply headers say where to print the body (`Phasegate-Stream`) and how to exit
(`Phasegate-Exit`). No answer means the failure mode: `strict` blocks by the runtime's own
means, `advisory` passes with a message.

Variables: PHASEGATE_UDS, PHASEGATE_URL, PHASEGATE_TOKEN, PHASEGATE_RUN_ID,
PHASEGATE_FAILURE_MODE, PHASEGATE_TIMEOUT (seconds). Flags win.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the built-in half of `signal`, already loaded
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os as posix
    from _socket import socket
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn
else:
    try:
        import posix
    except ImportError:  # the same functions under Windows' name
        import nt as posix

DEFAULT_URL = b"http://127.0.0.1:8787"
DEFAULT_TIMEOUT = b"8"
MAX_REPLY = 1 << 24
CHUNK = 1 << 16
SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
ARRIVAL = 0.25

# Where exit 2 is no denial: by runtime and, for the event that stands in for the person's
# prompt, its name. `%s` is the text.
CANCEL = '{"cancel":true,"errorMessage":"%s"}'
REFUSE = (
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"%s"'
)
REFUSE_AND_GO_ON = REFUSE + ',"interrupt":false}}}'
BODIES = {
    "cline": CANCEL,
    "cline-vscode": CANCEL,
    "cline-cli": CANCEL,
    "cline-sdk": CANCEL,
    "claude PermissionRequest": REFUSE_AND_GO_ON,
    "claude-code PermissionRequest": REFUSE_AND_GO_ON,
    "qwen PermissionRequest": REFUSE_AND_GO_ON,
    "qwen-code PermissionRequest": REFUSE_AND_GO_ON,
    "codex PermissionRequest": REFUSE + "}}}",
    "copilot permissionRequest": '{"behavior":"deny","message":"%s","interrupt":false}',
    "copilot-cli permissionRequest": '{"behavior":"deny","message":"%s","interrupt":false}',
}


class HookError(Exception):
    """The service gave no answer; the text says why."""


class Options:
    """The command line over the environment. Texts are bytes, as the system gives them."""

    def __init__(self, environ: Mapping[bytes, bytes]) -> None:
        self.runtime = ""
        self.uds = environ.get(b"PHASEGATE_UDS", b"")
        self.url = environ.get(b"PHASEGATE_URL") or DEFAULT_URL
        self.run = environ.get(b"PHASEGATE_RUN_ID", b"")
        self.token = environ.get(b"PHASEGATE_TOKEN", b"")
        self.failure = environ.get(b"PHASEGATE_FAILURE_MODE") or b"strict"
        self.timeout = environ.get(b"PHASEGATE_TIMEOUT") or DEFAULT_TIMEOUT
        self.event = b""
        self.mode = b""
        self.cwd = b""
        self.serve: list[str] | None = None

    @property
    def address(self) -> str:
        return (self.uds or self.url).decode("utf-8", "replace")

    @property
    def seconds(self) -> float:
        return float(self.timeout)

    def read(self, argv: Sequence[str]) -> None:
        """Take the command line; raises `HookError` on what is no option."""
        words = list(argv)
        self.runtime = words.pop(0) if words else ""
        while words:
            name = words.pop(0)
            if name == "--autostart":
                self.serve, words = words, []
            elif words:
                self._take(name, words.pop(0).encode("utf-8", "surrogateescape"))
            else:
                raise HookError(f"`{name}` needs a value")

    def _take(self, name: str, value: bytes) -> None:
        if name == "--token-file":
            self.token = read_file(value)
        elif name in {"--event", "--uds", "--mode", "--timeout", "--run", "--cwd"}:
            setattr(self, name[2:], value)
        elif name == "--url":
            self.url, self.uds = value, b""
        else:
            raise HookError(f"`{name}` is no option of this hook")


def run(argv: Sequence[str]) -> NoReturn:
    """Run one hook and end the process, without the interpreter's own slow shutdown."""
    posix._exit(main(argv))  # noqa: SLF001 (the only name for it in a module this small)


def main(argv: Sequence[str]) -> int:
    """Run one hook and return its exit code."""
    options = Options(posix.environ)  # type: ignore[arg-type]  # bytes here, where `os` has texts
    try:
        options.read(argv)
        arm(options.seconds)
        status, head, reply = exchange(request(options, read_all(0)), options)
        code = field(head, b"phasegate-exit")
        if status != b"200" or not code:
            raise_error(f"the service answered {status.decode('latin-1')}")
        write_all(2 if field(head, b"phasegate-stream") == b"stderr" else 1, reply)
        return int(code)
    except BaseException as error:  # noqa: BLE001 (a timer and an interrupt end in the failure mode too)
        return fail(options, error)


def raise_error(text: str) -> NoReturn:
    raise HookError(text)


def arm(seconds: float) -> None:
    """End everything after *seconds*, also a standard input that is never closed."""

    def expire(*_: Any) -> None:
        raise HookError(f"no answer within {seconds:g} s")

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, expire)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def request(options: Options, body: bytes) -> bytes:
    """The HTTP request, head and body."""
    pairs = (b"event", options.event), (b"mode", options.mode), (b"run", options.run), (b"cwd", options.cwd)
    query = b"&".join(name + b"=" + quoted(value) for name, value in pairs if value)
    path = b"/v1/hooks/" + quoted(options.runtime.encode()) + (b"?" + query if query else b"")
    host = b"localhost" if options.uds else options.url.partition(b"://")[2].partition(b"/")[0]
    lines = [
        b"POST " + path + b" HTTP/1.1",
        b"Host: " + host,
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        b"Phasegate-Transport: command",
        b"Connection: close",
    ]
    if options.token and b"\r" not in options.token and b"\n" not in options.token:
        lines.append(b"Authorization: Bearer " + options.token)
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def quoted(text: bytes) -> bytes:
    """Percent-encoded for a path or a query."""
    return b"".join(b"%c" % byte if byte in SAFE else b"%%%02X" % byte for byte in text)


def exchange(message: bytes, options: Options) -> tuple[bytes, bytes, bytes]:
    """Send *message*; status, lower-case head and body of the answer."""
    connection = connect(options)
    if connection is None and options.serve is not None and options.uds:
        connection = start_and_connect(options, options.serve)
    if connection is None:
        raise HookError(f"no service at `{options.address}`")
    connection.sendall(message)
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection, len(data))
    head, _, reply = data.partition(b"\r\n\r\n")
    head = head.lower()
    length = int(field(head, b"content-length"))
    while len(reply) < length:
        reply += receive(connection, len(reply))
    return head[9:12], head, reply[:length]


def receive(connection: socket, so_far: int) -> bytes:
    chunk = connection.recv(CHUNK)
    if not chunk or so_far > MAX_REPLY:
        raise HookError("the service broke off its answer")
    return chunk


def field(head: bytes, name: bytes) -> bytes:
    """The value of a header, empty when absent. *head* and *name* in lower case."""
    return head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()


def connect(options: Options) -> socket | None:
    """A connection, or None when nobody listens."""
    import _socket  # noqa: PLC0415 (a library of its own: not before it is needed)

    address: Any = options.uds
    if options.uds:
        family = _socket.AF_UNIX
    else:
        host, port = host_and_port(options.url.decode("utf-8", "replace"))
        family, _, _, _, address = _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM)[0]
    connection = _socket.socket(family, _socket.SOCK_STREAM)
    connection.settimeout(options.seconds)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        return None
    return connection


def host_and_port(url: str) -> tuple[str, int]:
    scheme, _, rest = url.partition("://")
    host, _, port = rest.partition("/")[0].rpartition(":")
    if scheme != "http" or not host or not port.isdigit():
        raise HookError(f"`{url}` is not http://HOST:PORT")
    return host.strip("[]"), int(port)


def start_and_connect(options: Options, serve: Sequence[str]) -> socket:
    """Start the service once, however many hooks want it, and connect.

    INVARIANT: the lock on `<socket>.lock` passes to the service and is held as long as it
    lives. Whoever holds it and still can't connect is alone, and the one to start it.
    """
    import fcntl  # noqa: PLC0415 (only where there is no service)

    lock = open_lock(options)
    pause = 0.02
    while True:
        connection = connect(options)
        if connection is not None:
            return connection
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(pause)
            pause = min(pause * 1.5, ARRIVAL)
            continue
        connection = connect(options)
        if connection is not None:
            return connection
        spawn(options, serve, lock)
        posix.close(lock)
        lock = open_lock(options)


def open_lock(options: Options) -> int:
    return posix.open(options.uds + b".lock", posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)


def spawn(options: Options, serve: Sequence[str], lock: int) -> None:
    """Start the service in its own session, with the lock and a log beside its socket."""
    uds = options.uds.decode("utf-8", "surrogateescape")
    command = list(serve) or [sys.executable, "-m", "phasegate", "serve", "--uds", uds]
    posix.set_inheritable(lock, True)
    log = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND
    actions: Any = [
        (posix.POSIX_SPAWN_OPEN, 0, b"/dev/null", posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, options.uds + b".log", log, 0o600),
        (posix.POSIX_SPAWN_DUP2, 1, 2),
    ]
    posix.posix_spawn(command[0], command, posix.environ, file_actions=actions, setsid=True)


def read_file(path: bytes) -> bytes:
    handle = posix.open(path, posix.O_RDONLY)
    try:
        return posix.read(handle, CHUNK).strip()
    finally:
        posix.close(handle)


def read_all(handle: int) -> bytes:
    chunks = []
    while chunk := posix.read(handle, CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[posix.write(handle, data) :]


def fail(options: Options, error: BaseException) -> int:
    """Do what the failure mode says, by the runtime's own means."""
    event = (options.event or b"").decode("ascii", "replace")
    advisory = (options.mode or options.failure) == b"advisory"
    why = str(error) if isinstance(error, HookError) else f"the hook failed ({type(error).__name__})"
    then = (
        "the call was not checked" if advisory else "nothing runs unchecked; start it with `phasegate serve`"
    )
    text = " ".join(f"phasegate: {why}; {then}".split())
    try:
        # A tool that has run can't be blocked any more.
        if advisory or event.lower().startswith(("post", "after")):
            write_all(2, text.encode())
            return 0
        body = BODIES.get(options.runtime) or BODIES.get(f"{options.runtime} {event}")
        if body:
            write_all(1, (body % text.replace("\\", "/").replace('"', "'")).encode())
            return 0
        write_all(2, text.encode())
    except BaseException:  # noqa: BLE001 (nobody reads us any more: the exit code is all that is left)
        return 2
    return 2
