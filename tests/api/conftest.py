"""One guard of two workspaces for the tests of a module."""

from __future__ import annotations

import pytest

from support import inprocess


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
