"""A guarded project, the service, and a tool that writes: what every framework is tried on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from phasegate.client import AsyncPhasegateClient, PhasegateClient
from support import cases, servers
from support.peer import SEQUENCE

RUN = ".recursive/run/r1"
# Each test has an event loop of its own; a connection kept from one would outlive it.
NOT_KEPT = httpx.Limits(max_keepalive_connections=0)


@dataclass
class Project:
    """`ahead` may not be written yet, `free` may."""

    root: Path
    uds: str

    @property
    def ahead(self) -> Path:
        return self.root / RUN / next(name for name in SEQUENCE if name.startswith("02-to"))

    @property
    def free(self) -> Path:
        return self.root / "app.py"

    def client(self, *, uds: str | None = None) -> AsyncPhasegateClient:
        transport = httpx.AsyncHTTPTransport(uds=uds or self.uds, limits=NOT_KEPT)
        return AsyncPhasegateClient(uds=uds or self.uds, cwd=str(self.root), transport=transport)

    def sync_client(self, *, uds: str | None = None) -> PhasegateClient:
        transport = httpx.HTTPTransport(uds=uds or self.uds, limits=NOT_KEPT)
        return PhasegateClient(uds=uds or self.uds, cwd=str(self.root), transport=transport)

    def lost(self) -> str:
        """A socket that nobody listens on."""
        return str(self.root / "nobody")


def write_file(file_path: str, content: str) -> str:
    """Write a file."""
    Path(file_path).write_text(content, encoding="utf-8")
    return "written"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    base = tmp_path_factory.mktemp("frameworks")
    root = base / "repo"
    files = {
        SEQUENCE[0]: {"kind": "locked"},
        SEQUENCE[1]: {"kind": "locked"},
        SEQUENCE[2]: {"kind": "draft"},
        "memory-injections.json": {"kind": "reads", "phases": list(SEQUENCE[:3])},
    }
    cases.build({"setup": {"runs": {"r1": {"files": files}}}}, root)
    with servers.service([root], base / "data", tcp=False, uds=base / "s"):
        yield Project(root, str(base / "s"))


@pytest.fixture(autouse=True)
def _clean(project):
    yield
    project.ahead.unlink(missing_ok=True)
    project.free.unlink(missing_ok=True)


@pytest.fixture
def tool():
    return write_file
