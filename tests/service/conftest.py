"""A workspace with one run, and guards of it."""

from __future__ import annotations

import pytest

from support import inprocess


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "repo"
    inprocess.make_run(path)
    return path


@pytest.fixture
def strict(root, tmp_path):
    with inprocess.guard({"repo": root}, tmp_path) as running:
        yield running
