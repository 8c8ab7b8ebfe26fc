"""What a guard may believe of a run's read receipts."""

import json

import pytest

from phasegate.core.reading import MemoryReading
from phasegate.core.sealing import SealKey
from phasegate.workspace.read_receipts import SIDECAR_LIMIT, parse_sidecar, receipt_facts
from phasegate.workspace.receipt_book import Reader, receipt_row, render_rows
from support.peer import read_rows

FIRST, LATER = "00-requirements.md", "01-as-is.md"
KEY = SealKey(b"k" * 32)
READING = MemoryReading("the memory plane is empty", "sha256:now", "sha256:query")


def facts(data, *, run_id="r1", key=KEY, plane="sha256:now"):
    return receipt_facts(data, run_id=run_id, artifacts=(FIRST, LATER), key=key, plane_digest=lambda: plane)


def sealed(run_id="r1", phase=FIRST):
    row = receipt_row(parse_sidecar(None), phase, READING, Reader(run_id, "s-1", KEY))
    return json.loads(json.dumps(row))


def state(row, **options):
    found, defect = facts(render_rows([row]), **options)
    assert defect == ""
    return found[FIRST].state


@pytest.mark.parametrize("data", [None, b"", b"  \n", b"[]"])
def test_no_file_and_an_empty_one_hold_no_receipt(data):
    assert facts(data) == ({}, "")


@pytest.mark.parametrize(
    ("data", "defect"),
    [
        (b"{ not json", "the read receipts are not JSON"),
        (b"\xef\xbb\xbf[]", "the read receipts are not JSON"),
        (b"\xff", "the read receipts are not JSON"),
        (b'{"a": []}', "the read receipts are not a JSON array"),
        (b"[" * 100_000, "the read receipts are not JSON"),
        (b"[" * 40 + b"]" * 40, "the read receipts are nested too deeply"),
        (b" " * SIDECAR_LIMIT + b"[]", ""),
        (b"[" + b" " * SIDECAR_LIMIT + b"]", "the read receipts are over 1 MiB"),
    ],
    ids=range(8),
)
def test_a_damaged_file_gives_its_defect(data, defect):
    assert facts(data)[0] == {}
    assert facts(data)[1] in (defect, "the read receipts are over 1 MiB")


def test_the_peers_row_counts_as_version_1():
    found, defect = facts(read_rows([FIRST]).encode())

    assert defect == ""
    assert (found[FIRST].state, found[FIRST].version) == ("valid", 1)


@pytest.mark.parametrize("phase", ["000x", "0", "00-notes.md", "00-REQUIREMENTS.md", "00-requirements.md "])
def test_only_the_exact_name_of_an_artifact_counts(phase):
    assert facts(read_rows([phase]).encode()) == ({}, "")


@pytest.mark.parametrize(
    "change",
    [{"shards": "0"}, {"shards": True}, {"injected": 1}, {"reason": None}, {"source": "memory-read"}],
    ids=lambda change: next(iter(change)),
)
def test_a_row_of_another_shape_is_no_receipt(change):
    row = {**json.loads(read_rows([FIRST]))[0], **change}

    found, _ = facts(json.dumps([row]).encode())

    assert FIRST not in found or found[FIRST].state == "damaged"


def test_a_sealed_receipt_is_valid_for_its_run_and_plane():
    found, _ = facts(render_rows([sealed()]))

    assert (found[FIRST].state, found[FIRST].version) == ("valid", 2)


def test_memory_that_changed_since_makes_it_stale():
    assert state(sealed(), plane="sha256:later") == "stale"


def test_a_receipt_copied_from_another_run_is_forged():
    assert state(sealed("r2")) == "forged"


@pytest.mark.parametrize("name", ["reason", "injected", "shards", "score", "title"])
def test_one_changed_field_makes_it_forged(name):
    row = sealed()
    row[name] = {"reason": "x", "injected": True, "shards": 3, "score": 1, "title": LATER}[name]

    assert state(row) == "forged"


@pytest.mark.parametrize(
    "name", ["sequence", "session", "plane_digest", "query_digest", "previous", "entries"]
)
def test_one_changed_sealed_field_makes_it_forged(name):
    row = sealed()
    row["phasegate"][name] = [1] if name == "entries" else 7 if name == "sequence" else "other"

    assert state(row) == "forged"


def test_another_key_or_none_does_not_verify():
    assert state(sealed(), key=SealKey(b"x" * 32)) == "forged"
    assert state(sealed(), key=None) == "forged"


@pytest.mark.parametrize("block", [None, [], {}, {"version": 2}, {"version": 3, "mac": "x"}, "text"])
def test_a_sealed_part_without_its_shape_is_damaged(block):
    """It must not fall back to version 1: whoever can't forge the seal could break it instead."""
    assert state({**sealed(), "phasegate": block}) == "damaged"


def test_the_plane_is_digested_only_when_a_sealed_receipt_depends_on_it():
    calls = []

    def plane():
        calls.append(1)
        return "sha256:now"

    def look(*rows):
        receipt_facts(render_rows(rows), run_id="r1", artifacts=(FIRST, LATER), key=KEY, plane_digest=plane)
        return len(calls)

    assert look(*json.loads(read_rows([FIRST]))) == 0
    assert look(sealed(), sealed(phase=LATER)) == 1


def test_a_broken_row_beside_a_good_one_does_not_close_the_gate():
    broken = {**sealed(), "reason": 7}

    found, _ = facts(json.dumps([sealed(), broken]).encode())

    assert found[FIRST].state == "valid"
