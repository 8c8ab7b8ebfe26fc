"""Whoever got at the file can write anything into it: it is found and shown, never an error."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress

import pytest

from phasegate.decision_log.query import Query
from phasegate.decision_log.record import expanded
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import export, verify_store
from phasegate.errors import LogUnavailable
from support.records import identifier, of_stem, product_write, stem_for, with_fields


@pytest.fixture
def store(sqlite_store):
    return sqlite_store


def problems(store):
    return [(problem.seq, problem.kind) for problem in verify_store(store).problems]


def tampered(path, *statements):
    """Run SQL as somebody would who got at the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def rows(statement, table):
    """*statement* about the table where the records of a test are."""
    return statement.replace("ROWS", table)


def settle(store):
    store._writer.settle(1000)


VALUES = (
    *("NULL", "x'00'", "'garbage'", "12345", "-9e300", "x'ff'", "'{}'", "x'5b5d'", "zeroblob(3000000)"),
    "9223372036854775807",
)


class TestBriefRows:
    """Records of a stem that is met often hold less themselves, and lean on a row that they share."""

    @pytest.fixture(autouse=True)
    def brief(self, store):
        stem = stem_for(with_fields(product_write(0, agent_id="a"), rule="odd"))
        digest = "sha256:" + "ab" * 32
        store.append_many([of_stem(stem, n, call_id=f"c-{n}", args_digest=digest) for n in range(12)])

    @pytest.mark.parametrize("column", ["at", "call_id", "shape", "hashes", "latency_us", "body", "kind"])
    @pytest.mark.parametrize("value", VALUES)
    def test_any_value_in_any_column_is_found_and_shown(self, store, path, column, value):
        tampered(path, f"UPDATE fresh SET {column} = {value} WHERE seq = 11")  # noqa: S608 (the table of values above)

        unchanged = value == "NULL" and column in ("body", "kind")
        assert verify_store(store).ok is unchanged
        page = store.query(Query(type="any"))
        assert [item["seq"] for item in page.items] == list(range(12, 0, -1))
        assert expanded(page.items[1])["seq"] == 11
        assert all(store.get(identifier(n)) is not None for n in (0, 8, 9, 11))
        assert len(list(export(store))) == 13

    @pytest.mark.parametrize("column", ["body", "rule", "labels", "facts", "tool", "type"])
    @pytest.mark.parametrize("value", VALUES)
    def test_a_change_of_what_they_share_shows_in_each(self, store, path, column, value):
        tampered(path, f"UPDATE shapes SET {column} = {value}")  # noqa: S608 (the table of values above)

        # Records with no facts at all stay as they were.
        unchanged = value == "NULL" and column == "facts" and "facts" not in next(store.scan())
        assert verify_store(store).ok is unchanged
        assert [item["seq"] for item in store.query(Query(type="any")).items] == list(range(12, 0, -1))

    def test_what_they_share_being_gone_is_damage(self, store, path):
        tampered(path, "DELETE FROM shapes")

        assert {kind for _, kind in problems(store)} == {"damaged"}
        assert [item["seq"] for item in store.query(Query(type="any")).items] == list(range(12, 0, -1))


class TestDamage:
    @pytest.fixture(params=["fresh", "records"], autouse=True)
    def table(self, request, store):
        """Five records, all where new ones are or all where settled ones are."""
        store.append_many([with_fields(product_write(n, agent_id="a"), rule="odd") for n in range(5)])
        if request.param == "records":
            settle(store)
        return request.param

    @pytest.mark.parametrize(
        "column",
        [
            "body",
            "hash",
            "prev_hash",
            "decision_id",
            "at",
            "type",
            "kind",
            "rule",
            "tool",
            "labels",
            "facts",
            "workspace",
            "call_id",
            "args_digest",
            "agent_id",
        ],
    )
    @pytest.mark.parametrize("value", VALUES)
    def test_any_value_in_any_column_is_found_and_shown(self, store, path, table, column, value):
        tampered(path, rows(f"UPDATE ROWS SET {column} = {value} WHERE seq = 3", table))  # noqa: S608 (the table of values above)

        found = verify_store(store)
        page = store.query(Query(type="any"))

        assert [problem.seq for problem in found.problems] == [3] or (4, "broken_link") in problems(store)
        assert [item["seq"] for item in page.items] == [5, 4, 3, 2, 1]
        assert expanded(page.items[2])["seq"] == 3
        assert all(store.get(identifier(n)) is not None for n in (0, 1, 3, 4))
        assert len(list(export(store))) == 6

    def test_a_damaged_row_says_what_is_wrong_with_it(self, store, path, table):
        tampered(path, rows("UPDATE ROWS SET body = x'7b' WHERE seq = 2", table))

        (item,) = [item for item in store.query(Query()).items if "damaged" in item]
        assert (item["seq"], item["damaged"], item["kind"]) == (2, "its body can't be read", "allow")
        assert problems(store) == [(2, "damaged")]

    def test_a_huge_row_is_shown_as_damaged(self, store, path, table):
        tampered(path, rows("UPDATE ROWS SET body = zeroblob(200000000) WHERE seq = 2", table))

        assert problems(store) == [(2, "damaged")]
        assert store.query(Query(q="write")).items != ()

    def test_filters_pass_over_damage(self, store, path, table):
        tampered(
            path,
            rows("UPDATE ROWS SET body = 'x' WHERE seq = 2", table),
            rows("UPDATE ROWS SET body = x'5b5d' WHERE seq = 3", table),
        )

        assert [item["seq"] for item in store.query(Query(q="app.py")).items] == [5, 4, 1]
        assert len(store.query(Query(agent_id="a")).items) == 5

    def test_an_edited_term_shows_in_every_record_that_uses_it(self, store, path):
        store.append_many([product_write(9, tool="Other")])
        tampered(path, "UPDATE terms SET text = 'Read' WHERE text = 'Write'")

        assert problems(store) == [(seq, "edited") for seq in range(1, 6)]

    def test_a_removed_or_huge_or_odd_term_is_damage(self, store, path):
        for change in ("zeroblob(3000000)", "x'ff'", "7"):
            tampered(path, f"UPDATE terms SET text = {change} WHERE field = 7")  # noqa: S608 (constants)
            assert {seq for seq, _ in problems(store)} == {1, 2, 3, 4, 5}
            assert len(store.query(Query()).items) == 5
            store.query(Query(q="x"))
        tampered(path, "DELETE FROM terms WHERE field = 7")
        assert problems(store) == [(seq, "damaged") for seq in range(1, 6)]

    def test_a_deleted_row_is_a_gap(self, store, path, table):
        tampered(path, rows("DELETE FROM ROWS WHERE seq = 3", table))

        assert problems(store) == [(4, "gap")]

    def test_deleted_last_rows_are_missed_and_the_chain_goes_on_behind_them(self, store, path, table):
        tampered(path, rows("DELETE FROM ROWS WHERE seq > 3", table))
        assert problems(store) == [(5, "truncated")]

        store.append_many([product_write(9)])
        assert problems(store) == [(6, "gap")]

    def test_a_lost_or_turned_back_head_is_found(self, store, path):
        tampered(path, "UPDATE head SET seq = 3")
        assert (5, "head_differs") in problems(store)

        tampered(path, "DELETE FROM head")
        assert problems(store) == [(5, "head_differs")]
        assert store.append_many([product_write(9)])[0].seq == 6

    @pytest.mark.parametrize("value", ["seq = 'x'", "hash = NULL", "hash = 'zz'", "hash = zeroblob(5)"])
    def test_a_garbled_head_does_not_stop_the_log(self, store, path, value):
        tampered(path, "CREATE TABLE copy AS SELECT * FROM head", "DROP TABLE head", "ALTER TABLE copy RENAME TO head",
                 f"UPDATE head SET {value}")  # fmt: skip  # noqa: S608 (constants)

        assert not verify_store(store).ok
        assert store.append_many([product_write(9)])[0].seq == 6

    def test_an_inserted_row_is_found(self, store, path, table):
        tampered(path, rows("INSERT INTO ROWS (seq, body, kind) VALUES (9, x'7b7d', 1)", table))

        assert {(9, "gap"), (9, "damaged")} <= set(problems(store))
        assert store.append_many([product_write(9)])[0].seq == 10

    @pytest.mark.parametrize("seed", range(12))
    def test_random_bytes_in_the_file_end_in_a_named_error_at_worst(self, store, path, seed):
        store.append_many([product_write(n) for n in range(200)])
        store.close()
        data = bytearray(path.read_bytes())
        chance = random.Random(seed)  # noqa: S311 (test data)
        for _ in range(200):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        path.write_bytes(data)

        for use in (verify_store, lambda log: log.query(Query(q="x")), lambda log: list(export(log))):
            with suppress(LogUnavailable), closing(SqliteStore(path)) as damaged:
                use(damaged)
