"""What every store does. A new store is added to `STORES` and has to pass."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from phasegate.decision_log.chain import GENESIS, Head
from phasegate.decision_log.query import Query, parse_query
from phasegate.decision_log.record import LifecycleEvent, TamperEvent, lifecycle_record, tamper_record
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import export, verify_store
from phasegate.errors import LogUnavailable
from support.memory_store import MemoryStore
from support.records import context, identifier, moment, product_write, with_fields

STORES = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda path: SqliteStore(path / "log" / "decisions.db"),
}


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    with closing(STORES[request.param](tmp_path)) as made:
        yield made


def denied(number, rule="phase-order", **fields):
    return with_fields(
        product_write(number),
        kind="deny",
        verdict="deny",
        rule=rule,
        reason=f"`{number}` is not allowed",
        **fields,
    )


def seqs(page):
    return [item["seq"] for item in page.items]


def found(store, **params):
    return seqs(store.query(parse_query({name: str(value) for name, value in params.items()})))


class TestAppend:
    def test_the_first_record_follows_the_genesis(self, store):
        (entry,) = store.append_many([product_write()])

        assert (entry.seq, entry.prev_hash) == (1, GENESIS)
        assert store.head() == Head(1, entry.hash)

    def test_records_are_chained_in_order_across_appends(self, store):
        first = store.append_many([product_write(0), product_write(1)])
        second = store.append_many([product_write(2)])

        entries = [*first, *second]
        assert [entry.seq for entry in entries] == [1, 2, 3]
        assert [entry.prev_hash for entry in entries[1:]] == [entry.hash for entry in entries[:-1]]
        assert verify_store(store).ok

    def test_nothing_appended_is_nothing_changed(self, store):
        assert store.append_many([]) == []
        assert store.head() == Head()

    def test_a_record_comes_back_exactly_as_it_was_logged(self, store):
        records = [
            product_write(0),
            denied(
                1, run_id="r1", active_artifact="01-as-is.md", facts={"runs": [{"run_id": "r1"}], "bound": 0}
            ),
            lifecycle_record(LifecycleEvent("lock", "lock x", run_id="r1", details={"n": 1}), context(2)),
            tamper_record(TamperEvent("deleted", ".recursive/x", "gone"), context(3)),
            product_write(4, rel="grün\x00\x7f \udc80😀.py", session_id="ses'sion\n", call_id="é" * 300),
            with_fields(
                product_write(5), decision_id="no uuid", at="yesterday", args_digest="sha256:zz", tool=None
            ),
            with_fields(product_write(6), kind="perhaps", verdict=7, rule=["x"], run_id={"a": 1}, call_id=3),
        ]

        entries = store.append_many(records)

        assert list(store.scan()) == [
            record.logged(entry) for record, entry in zip(records, entries, strict=True)
        ]
        assert verify_store(store).ok

    def test_threads_that_append_at_once_make_one_chain(self, store):
        def work(base):
            for number in range(25):
                store.append_many([product_write(base + number)])

        threads = [threading.Thread(target=work, args=(base,)) for base in range(0, 200, 25)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        report = verify_store(store)
        assert (report.ok, report.checked, report.last_seq) == (True, 200, 200)


class TestLookUp:
    def test_a_record_of_any_type_is_found_by_its_id(self, store):
        store.append_many([product_write(0), lifecycle_record(LifecycleEvent("lock", "x"), context(1))])

        assert store.get(identifier(0))["type"] == "decision"
        assert store.get(identifier(1))["type"] == "lifecycle"

    @pytest.mark.parametrize(
        "absent", ["", "no such id", identifier(99), identifier(0).upper(), "\udc80", "x" * 5000]
    )
    def test_an_unknown_id_gives_none(self, store, absent):
        store.append_many([product_write(0)])

        assert store.get(absent) is None


class TestFilters:
    @pytest.fixture(autouse=True)
    def _fill(self, store):
        store.append_many(
            [
                product_write(0, rel="src/app.py", session_id="s-1", run_id="r1"),
                denied(1, run_id="r1", active_artifact="x"),
                product_write(
                    2, tool="Bash", rel="docs/a.md", session_id="s-2", agent_id="a-1", runtime="codex"
                ),
                lifecycle_record(LifecycleEvent("lock", "lock it", run_id="r1"), context(3)),
                tamper_record(TamperEvent("deleted", "src/lost.py", "gone"), context(4)),
                with_fields(product_write(5), verdict="ask", mode="advisory", workspace="other", warned=True),
                denied(6, rule="locked-write"),
            ]
        )

    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ({}, [7, 6, 3, 2, 1]),
            ({"type": "any"}, [7, 6, 5, 4, 3, 2, 1]),
            ({"type": "lifecycle"}, [4]),
            ({"type": "tamper"}, [5]),
            ({"type": "label"}, []),
            ({"run_id": "r1"}, [2]),
            ({"run_id": "r1", "type": "any"}, [4, 2]),
            ({"run_id": "nope"}, []),
            ({"workspace": "other"}, [6]),
            ({"workspace": "w"}, [7, 3, 2, 1]),
            ({"rule": "phase-order"}, [2]),
            ({"rule": "none"}, [6, 3, 1]),
            ({"rule": "none", "type": "any"}, [6, 3, 1]),
            ({"kind": "deny"}, [7, 2]),
            ({"kind": "allow"}, [6, 3, 1]),
            ({"verdict": "ask"}, [6]),
            ({"verdict": "deny"}, [7, 2]),
            ({"verdict": "allow"}, [3, 1]),
            ({"mode": "advisory"}, [6]),
            ({"mode": "strict"}, [7, 3, 2, 1]),
            ({"tool": "Bash"}, [3]),
            ({"tool": "bash"}, []),
            ({"runtime": "codex"}, [3]),
            ({"session_id": "s-2"}, [3]),
            ({"agent_id": "a-1"}, [3]),
            ({"call_id": "toolu_00000002"}, [3]),
            ({"call_id": "00000002"}, []),
            ({"call_id": "xxxxx_00000002"}, []),
            ({"target": "src/"}, [7, 6, 2, 1]),
            ({"target": "src/", "type": "any"}, [7, 6, 5, 2, 1]),
            ({"target": "docs/a.md"}, [3]),
            ({"target": "a.md"}, []),
            ({"target": ""}, [7, 6, 3, 2, 1]),
            ({"target": "src%"}, []),
            ({"since": moment(5)}, [7, 6]),
            ({"until": moment(2)}, [2, 1]),
            ({"since": moment(2), "until": moment(5), "type": "any"}, [5, 4, 3]),
            ({"q": "PHASE-ORDER"}, [2]),
            ({"q": "Not Allowed"}, [7, 2]),
            ({"q": "bash"}, [3]),
            ({"q": "docs/"}, [3]),
            ({"q": "none"}, [6, 3, 1]),
            ({"q": "lock it", "type": "any"}, [4]),
            ({"q": "100%_"}, []),
            ({"kind": "deny", "rule": "locked-write", "q": "6", "target": "src"}, [7]),
            ({"kind": "deny", "session_id": "s-2"}, []),
            ({"tool": "\udc80"}, []),
            ({"q": "\udc80"}, []),
            ({"target": "\udc80"}, []),
            ({"call_id": "a\0b"}, []),
        ],
    )
    def test_filters_narrow_and_combine(self, store, params, expected):
        assert found(store, **params) == expected

    def test_letter_case_is_ignored_beyond_ascii_too(self, store):
        store.append_many([with_fields(product_write(9), summary="Write ÜBER.py", reason="straße")])

        assert found(store, q="über") == [8]
        assert found(store, q="STRASSE") == [8]


class TestPages:
    def test_pages_join_without_loss_or_repetition(self, store):
        store.append_many([product_write(n) for n in range(25)])
        collected, cursor = [], None
        while True:
            page = store.query(parse_query({"limit": "10", **({"cursor": cursor} if cursor else {})}))
            collected += seqs(page)
            cursor = page.next_cursor
            if cursor is None:
                break

        assert collected == list(range(25, 0, -1))

    def test_a_page_that_ends_with_the_log_has_no_successor(self, store):
        store.append_many([product_write(n) for n in range(10)])

        assert store.query(Query(limit=10)).next_cursor is None
        assert store.query(Query(limit=9)).next_cursor is not None

    def test_records_added_meanwhile_do_not_move_a_cursor(self, store):
        store.append_many([product_write(n) for n in range(6)])
        first = store.query(parse_query({"limit": "3"}))
        store.append_many([product_write(n) for n in range(6, 20)])

        assert found(store, limit=3, cursor=first.next_cursor) == [3, 2, 1]

    def test_a_cursor_goes_with_filters(self, store):
        store.append_many([denied(n) if n % 2 else product_write(n) for n in range(10)])
        first = store.query(parse_query({"kind": "deny", "limit": "2"}))

        assert seqs(first) == [10, 8]
        assert found(store, kind="deny", limit=2, cursor=first.next_cursor) == [6, 4]


class TestScan:
    def test_goes_from_old_to_new_after_a_record(self, store):
        store.append_many([product_write(n) for n in range(1200)])

        assert [record["seq"] for record in store.scan()] == list(range(1, 1201))
        assert [record["seq"] for record in store.scan(after=1195)] == [1196, 1197, 1198, 1199, 1200]

    def test_an_export_ends_with_the_head_of_its_beginning(self, store):
        store.append_many([product_write(n) for n in range(3)])
        lines = export(store)
        first = next(lines)
        store.append_many([product_write(n) for n in range(3, 9)])

        assert len([first, *lines]) == 4


class TestClose:
    def test_a_closed_store_says_so(self, store):
        store.append_many([product_write()])
        store.close()
        store.close()

        for use in (
            lambda: store.append_many([product_write(1)]),
            lambda: store.query(Query()),
            lambda: store.get(identifier(0)),
            lambda: list(store.scan()),
            store.head,
        ):
            with pytest.raises(LogUnavailable, match="closed"):
                use()
