"""The files of the log: private, never a link, noticed when exchanged."""

from __future__ import annotations

import stat
from contextlib import closing

import pytest

from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import verify_store
from phasegate.errors import LogUnavailable
from support.records import product_write


@pytest.fixture
def store(sqlite_store):
    return sqlite_store


class TestFiles:
    def test_directory_and_files_are_private(self, store, path):
        store.append_many([product_write()])

        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}

    def test_an_existing_file_is_made_private(self, path):
        SqliteStore(path).close()
        path.chmod(0o644)
        SqliteStore(path).close()

        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_an_existing_directory_keeps_its_mode(self, tmp_path):
        """It may be somebody's `/tmp`."""
        tmp_path.chmod(0o755)
        SqliteStore(tmp_path / "decisions.db").close()

        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755

    @pytest.mark.parametrize("name", ["decisions.db", "decisions.db-wal", "decisions.db-shm"])
    @pytest.mark.parametrize("target", ["elsewhere.db", "dangling"])
    def test_a_linked_file_is_refused(self, tmp_path, name, target):
        """Else the log could be led into a file that the agent reads, or over one that it wants gone."""
        (tmp_path / "elsewhere.db").write_bytes(b"")
        (tmp_path / name).symlink_to(tmp_path / target)

        with pytest.raises(LogUnavailable, match="is a link"):
            SqliteStore(tmp_path / "decisions.db")
        assert (tmp_path / "elsewhere.db").read_bytes() == b""
        assert not (tmp_path / "dangling").exists()

    def test_a_directory_in_its_place_is_refused(self, path):
        path.mkdir(parents=True)

        with pytest.raises(LogUnavailable, match="not a regular file"):
            SqliteStore(path)

    def test_a_file_of_another_kind_is_refused_and_kept(self, path):
        path.parent.mkdir()
        path.write_bytes(b"my thesis\n" * 500)

        with pytest.raises(LogUnavailable, match="no database"):
            SqliteStore(path)
        assert path.read_bytes() == b"my thesis\n" * 500

    def test_a_parent_that_is_a_file_is_named_without_its_path(self, tmp_path):
        (tmp_path / "state").write_text("x")

        with pytest.raises(LogUnavailable) as caught:
            SqliteStore(tmp_path / "state" / "decisions.db")
        assert str(tmp_path) not in str(caught.value)

    def test_odd_names_are_names(self, tmp_path):
        path = tmp_path / "a?mode=memory&b#c%20" / "d?e.db"
        with closing(SqliteStore(path)) as store:
            store.append_many([product_write()])

        assert path.stat().st_size > 0

    def test_a_removed_file_is_noticed_before_a_record_is_lost(self, store, path):
        """SQLite would go on writing into a file without a name, and acknowledge it."""
        store.append_many([product_write(0)])
        path.rename(path.with_suffix(".away"))

        with pytest.raises(LogUnavailable, match="removed or exchanged"):
            store.append_many([product_write(1)])
        path.with_suffix(".away").rename(path)
        assert store.append_many([product_write(1)])[0].seq == 2

    def test_a_record_survives_the_store(self, path):
        with closing(SqliteStore(path)) as store:
            entries = store.append_many([product_write(0)])
        with closing(SqliteStore(path)) as store:
            entries += store.append_many([product_write(1)])

            assert [record["hash"] for record in store.scan()] == [entry.hash for entry in entries]
            assert verify_store(store).ok

    def test_every_commit_is_synced(self, store):
        connection = store._writer.connection

        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    def test_a_reading_store_changes_nothing(self, path):
        with closing(SqliteStore(path)) as store:
            store.append_many([product_write()])
        before = path.read_bytes()
        with closing(SqliteStore(path, read_only=True)) as store:
            assert store.head().seq == 1
            assert verify_store(store).ok
            with pytest.raises(LogUnavailable, match="reading only"):
                store.append_many([product_write(1)])

        assert path.read_bytes() == before

    def test_a_reading_store_does_not_make_a_file(self, path):
        with pytest.raises(LogUnavailable):
            SqliteStore(path, read_only=True)

        assert not path.exists()
