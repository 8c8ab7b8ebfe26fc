"""Recording a read: nothing of anybody's is lost, whatever the file held."""

import json
import multiprocessing

import pytest

from phasegate.core.reading import MemoryReading, ShownEntry
from phasegate.core.sealing import SealKey
from phasegate.files.directory import Directory
from phasegate.workspace.read_receipts import is_receipt, parse_sidecar
from phasegate.workspace.receipt_book import Reader, drop_receipts, record_read, render_rows
from support import cases
from support.disk import names
from support.peer import READ_SOURCE, read_rows

NAME = "memory-injections.json"
FIRST = "00-requirements.md"
LATER = "01-as-is.md"
EMPTY = MemoryReading("the memory plane is empty", "sha256:plane", "sha256:query")
PLAIN = Reader("r1")
SEALED = Reader("r1", "s-1", SealKey(b"k" * 32))
VECTORS = [case for case in cases.load("guard.json") if case["call"]["tool"].startswith("#memory_record")]


@pytest.fixture
def run(tmp_path):
    with Directory.open_root(str(tmp_path)) as directory:
        yield directory


def rows(tmp_path):
    return json.loads((tmp_path / NAME).read_text())


def shard(title="t", phase=FIRST, **more):
    return {"source": "domains/a.md", "title": title, "phase": phase, "score": 5, **more}


def shown(*titles, score=5):
    return MemoryReading(
        f"injected {len(titles)} of {len(titles)}",
        "sha256:plane",
        "sha256:query",
        "text",
        tuple(ShownEntry("domains/a.md", title, "sha256:e", score) for title in titles),
    )


def test_all_vectors_of_recording_are_here():
    assert [case["id"] for case in VECTORS] == ["K01", "K02", "K03", "K04", "K05"]


@pytest.mark.parametrize("reader", [PLAIN, SEALED], ids=["version 1", "sealed"])
@pytest.mark.parametrize(
    "case",
    [case for case in VECTORS if case["call"]["tool"] == "#memory_record"],
    ids=lambda case: case["id"],
)
def test_vectors_of_recording(run, tmp_path, case, reader):
    args, expected = case["call"]["args"], dict(case["expect"]["value"])
    before = args.get("existing")
    if "existing_receipts" in args:
        before = read_rows(args["existing_receipts"])
    if "existing_shards" in args:
        before = json.dumps([shard(f"t{number}") for number in range(args["existing_shards"])])
    (tmp_path / NAME).write_text(before)

    recorded = record_read(run, NAME, args["phase"], EMPTY, reader=reader)

    assert expected.pop("ok")
    found = parse_sidecar((tmp_path / NAME).read_bytes())
    told = {
        "receipts": len(found.receipts),
        "shards": len(found.shards),
        "old_text_kept_aside": recorded.set_aside is not None
        and (tmp_path / recorded.set_aside).read_text() == before,
    }
    assert {name: told[name] for name in expected} == expected


def test_an_entry_on_an_empty_plane_leaves_one_row_in_the_peers_layout(run, tmp_path):
    record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)

    expected = [
        {
            "source": READ_SOURCE,
            "title": FIRST,
            "phase": FIRST,
            "score": 0,
            "injected": False,
            "shards": 0,
            "reason": "the memory plane is empty",
        }
    ]
    assert (tmp_path / NAME).read_text() == json.dumps(expected, indent=2) + "\n"


def test_a_sealed_receipt_begins_with_the_peers_fields(run, tmp_path):
    record_read(run, NAME, FIRST, EMPTY, reader=SEALED)

    (row,) = rows(tmp_path)
    assert list(row) == ["source", "title", "phase", "score", "injected", "shards", "reason", "phasegate"]
    assert row["phasegate"]["sequence"] == 1
    assert row["phasegate"]["previous"] is None


@pytest.mark.parametrize("reader", [PLAIN, SEALED])
def test_a_junk_row_does_not_stop_a_receipt(run, tmp_path, reader):
    (tmp_path / NAME).write_text("[null]")

    recorded = record_read(run, NAME, FIRST, EMPTY, reader=reader)

    assert sum(map(is_receipt, rows(tmp_path))) == 1
    assert "1 damaged rows" in recorded.warnings[0]
    assert (tmp_path / recorded.set_aside).read_text() == "[null]"


def test_odd_elements_are_reported_and_objects_carried_through(run, tmp_path):
    (tmp_path / NAME).write_text('[null, 42, "x", {}]')

    recorded = record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)

    assert {} in rows(tmp_path)
    assert "3 damaged rows" in recorded.warnings[0]


@pytest.mark.parametrize(
    "text", ["{ torn", "\ufeff[]", '{"a": 1}', "[NaN]", "[1e999]", "[" * 5000, '["\xff"'], ids=range(7)
)
def test_a_damaged_file_is_set_aside_and_not_lost(run, tmp_path, text):
    data = text.encode("latin-1", "ignore") if "\xff" in text else text.encode()
    (tmp_path / NAME).write_bytes(data)

    recorded = record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)

    assert len(rows(tmp_path)) == 1
    assert (tmp_path / recorded.set_aside).read_bytes() == data
    assert recorded.set_aside in recorded.warnings[0]


def test_a_linked_or_huge_file_is_moved_aside(run, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-secret"
    outside.write_text("[]")
    (tmp_path / NAME).symlink_to(outside)
    recorded = record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)
    assert (tmp_path / recorded.set_aside).is_symlink()
    assert outside.read_text() == "[]"

    (tmp_path / NAME).write_bytes(b" " * (1 << 20) + b"[]")
    assert record_read(run, NAME, FIRST, EMPTY, reader=PLAIN).set_aside
    assert len(rows(tmp_path)) == 1


def _record(path, phase, times):
    with Directory.open_root(path) as root:
        from phasegate.files.runlock import locked

        for _ in range(times):
            with locked(root, "run") as run:
                record_read(run, NAME, phase, EMPTY, reader=PLAIN)


def test_two_writers_at_once_keep_each_others_receipt(tmp_path):
    (tmp_path / "run").mkdir()
    context = multiprocessing.get_context("spawn")
    vector = next(case for case in VECTORS if case["call"]["tool"] == "#memory_record_concurrent")
    phases = [writer["phase"] for writer in vector["call"]["args"]["writers"]]
    writers = [context.Process(target=_record, args=(str(tmp_path), phase, 50)) for phase in phases]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    found = json.loads((tmp_path / "run" / NAME).read_text())
    assert [row["phase"] for row in found if is_receipt(row)] == phases
    assert len(phases) == vector["expect"]["value"]["receipts"]


@pytest.mark.parametrize("reader", [PLAIN, SEALED])
def test_the_newest_receipt_of_a_phase_replaces_the_older(run, tmp_path, reader):
    (tmp_path / NAME).write_text(read_rows([FIRST]))

    for reason in ("one", "two", "three"):
        record_read(run, NAME, FIRST, MemoryReading(reason, "p", "q"), reader=reader)

    (row,) = rows(tmp_path)
    assert row["reason"] == "three"


def test_shard_rows_are_carried_through(run, tmp_path):
    (tmp_path / NAME).write_text(json.dumps([shard("b", LATER), shard("a", LATER), shard("c")]))

    record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)

    assert [row["title"] for row in rows(tmp_path)] == ["c", FIRST, "a", "b"]


@pytest.mark.parametrize("reader", [PLAIN, SEALED])
def test_recording_the_same_read_again_leaves_the_bytes_alone(run, tmp_path, reader):
    record_read(run, NAME, FIRST, shown("a"), reader=reader)
    before = (tmp_path / NAME).read_bytes()

    recorded = record_read(run, NAME, FIRST, shown("a"), reader=reader)

    assert not recorded.changed
    assert (tmp_path / NAME).read_bytes() == before


def test_an_entry_that_shows_something_replaces_what_its_phase_showed_before(run, tmp_path):
    (tmp_path / NAME).write_text(json.dumps([shard("old"), shard("kept", note="n"), shard("other", LATER)]))

    record_read(run, NAME, FIRST, shown("kept", "new"), reader=PLAIN)

    found = {row["title"]: row for row in rows(tmp_path) if not is_receipt(row)}
    assert set(found) == {"kept", "new", "other"}
    assert found["kept"] == shard("kept", note="n")


def test_receipts_are_chained_by_sequence_and_seal(run, tmp_path):
    for phase in (FIRST, LATER):
        record_read(run, NAME, phase, EMPTY, reader=SEALED)

    first, second = rows(tmp_path)
    assert second["phasegate"]["sequence"] == 2
    assert second["phasegate"]["previous"] == first["phasegate"]["mac"]


def test_unknown_keys_and_odd_texts_survive_a_round_trip(run, tmp_path):
    """`__proto__` is a key like any other, a lone surrogate keeps its escape."""
    text = '[{"source": "domains/a.md", "title": "\\ud800", "phase": "x", "__proto__": {"a": 1}, "big": 1.5}]'
    (tmp_path / NAME).write_text(text)

    record_read(run, NAME, FIRST, EMPTY, reader=PLAIN)

    kept = next(row for row in rows(tmp_path) if row["phase"] == "x")
    assert kept == json.loads(text)[0]


def test_order_does_not_depend_on_history():
    titles = ["é", "e\u0301", "Z", "a", "A\u200b", "A"]
    one = render_rows([shard(title) for title in titles])
    other = render_rows([shard(title) for title in reversed(titles)])

    assert one == other
    assert [row["title"] for row in json.loads(one)] == ["A", "A\u200b", "Z", "a", "e\u0301", "é"]


def test_a_shard_row_of_a_peer_precedes_the_receipt():
    data = render_rows([*json.loads(read_rows([FIRST])), {**shard(), "source": "/srv/m/a.md"}])

    assert [row["source"] for row in json.loads(data)] == ["/srv/m/a.md", READ_SOURCE]


def test_dropping_receipts_keeps_everything_else():
    data = render_rows([*json.loads(read_rows([FIRST, LATER])), shard()])

    kept = parse_sidecar(drop_receipts(data, [LATER]))
    assert [row["title"] for row in kept.rows] == ["t", FIRST]
    assert drop_receipts(data, ["05-manual-qa.md"]) is None
    assert drop_receipts(None, [LATER]) is None


def test_no_temporary_is_left(run, tmp_path):
    record_read(run, NAME, FIRST, EMPTY, reader=SEALED)

    assert names(tmp_path) == [NAME]
