"""One guard of two workspaces for the tests of a module."""

from __future__ import annotations

import pytest

from support import inprocess
from support.live import live


@pytest.fixture(scope="module")
def spaces(tmp_path_factory):
    base = tmp_path_factory.mktemp("spaces")
    roots = {"one": base / "one", "two": base / "two"}
    for root in roots.values():
        inprocess.make_run(root)
    return roots


@pytest.fixture(scope="module")
def guard(spaces, tmp_path_factory):
    with inprocess.guard(spaces, tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def one(spaces):
    return str(spaces["one"])


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    root = tmp_path_factory.mktemp("express") / "one"
    inprocess.make_run(root)
    return {"one": root}


@pytest.fixture(scope="module")
def quick(roots, tmp_path_factory):
    with live(roots, tmp_path_factory.mktemp("quick")) as found:
        yield found


@pytest.fixture(scope="module")
def plain(roots, tmp_path_factory):
    """The same guard on a server that knows no short way."""
    with live(roots, tmp_path_factory.mktemp("plain"), express=False) as found:
        yield found


@pytest.fixture
def fresh(roots, tmp_path):
    with live(roots, tmp_path) as found:
        yield found
