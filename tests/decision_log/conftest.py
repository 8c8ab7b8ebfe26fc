"""A SQLite store in a directory of its own."""

from __future__ import annotations

from contextlib import closing

import pytest

from phasegate.decision_log.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "decisions.db"


@pytest.fixture
def sqlite_store(path):
    with closing(SqliteStore(path)) as made:
        yield made
