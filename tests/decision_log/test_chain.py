"""The chain shows every change of a log, and anybody can check it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasegate.decision_log import chain
from phasegate.decision_log.chain import GENESIS, Head, canonical_again, canonical_bytes, link, verify
from phasegate.decision_log.record import OWN_FIELDS, DecisionRecord, RecordStem
from phasegate.decision_log.store import export, verify_store
from support.memory_store import MemoryStore
from support.records import product_write

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=3)
    ),
    max_leaves=10,
)
FIELDS = st.dictionaries(st.text("abcxyz_é\U0001f600", min_size=1, max_size=6), VALUES, max_size=6)


def log_of(*fields, count=0):
    store = MemoryStore()
    store.append_many([DecisionRecord(item) for item in fields] or [product_write(n) for n in range(count)])
    return list(store.scan()), store.head()


def kinds(records, head=None):
    return [(problem.seq, problem.kind) for problem in verify(records, head).problems]


OWN = st.fixed_dictionaries(
    {},
    optional={
        "args_digest": st.text(max_size=3),
        "at": st.text(max_size=3),
        "call_id": st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        "decision_id": st.text(max_size=3),
        "latency_us": st.integers(0, 2**53),
    },
)


@given(
    st.dictionaries(st.text("abcdlsxyz_%é\U0001f600", min_size=1, max_size=6), VALUES, max_size=8),
    OWN,
    st.integers(1, 2**53),
)
def test_canonical_bytes_made_from_a_stem_are_those_of_the_record(shared, own, seq):
    shared = {name: value for name, value in shared.items() if name not in (*OWN_FIELDS, "seq")}
    stem = RecordStem(shared)
    record = DecisionRecord({**shared, **own}, stem)

    for _ in range(2):
        assert canonical_again(record, stem, seq) == canonical_bytes({**record.fields, "seq": seq})


@given(st.lists(FIELDS, max_size=5))
def test_an_untouched_log_is_sound(fields):
    records, head = log_of(*fields) if fields else ([], Head())

    found = verify(records, head)

    assert found.ok
    assert (found.checked, found.head) == (len(fields), head)


@given(FIELDS)
def test_canonical_bytes_are_what_the_standard_library_writes(fields):
    """Or nobody could check an export without our libraries."""
    written = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    assert canonical_bytes(fields) == written


def test_the_hash_covers_the_previous_hash_in_its_hex_form():
    import hashlib

    assert link(GENESIS, b"{}") == hashlib.sha256(b"0" * 64 + b"{}").hexdigest()


@settings(max_examples=60)
@given(st.data())
def test_every_edit_of_every_field_is_found(data):
    records, head = log_of(count=4)
    index = data.draw(st.integers(0, 3))
    name = data.draw(st.sampled_from(sorted(set(records[index]) - {"hash", "prev_hash", "seq"})))
    before = records[index].get(name)
    records[index] = {
        **records[index],
        name: data.draw(VALUES.filter(lambda value: orjson.dumps(value) != orjson.dumps(before))),
    }

    assert kinds(records, head) == [(index + 1, "edited")]


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_a_removed_record_is_a_gap(gone):
    records, head = log_of(count=4)
    del records[gone - 1]

    assert kinds(records, head) == [(gone + 1, "gap")]


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_removed_last_records_are_missed_by_the_noted_head(kept):
    records, head = log_of(count=4)

    assert kinds(records[:kept], head) == [(4, "truncated")]
    assert kinds(records[:kept]) == [], "without a noted head nobody can tell"


def test_exchanged_records_are_out_of_order():
    records, head = log_of(count=4)
    records[1], records[2] = records[2], records[1]

    assert {kind for _, kind in kinds(records, head)} >= {"gap", "reordered"}


def test_renumbered_records_are_edited():
    records, head = log_of(count=4)
    records[1], records[2] = {**records[2], "seq": 2}, {**records[1], "seq": 3}

    assert {(2, "edited"), (3, "edited")} <= set(kinds(records, head))


def test_a_repeated_record_is_found():
    records, head = log_of(count=3)

    assert kinds([*records[:2], records[1], records[2]], head) == [(2, "reordered")]


def test_an_edit_with_its_hash_made_anew_breaks_the_link_behind_it():
    records, head = log_of(count=3)
    forged = {**records[1], "kind": "deny"}
    records[1] = {**forged, "hash": link(forged["prev_hash"], canonical_bytes(forged))}

    assert kinds(records, head) == [(3, "broken_link")]


def test_a_log_made_anew_as_a_whole_differs_from_a_head_noted_elsewhere():
    _, head = log_of(count=3)
    forged, _ = log_of(*({**product_write(n).fields, "kind": "deny"} for n in range(3)))

    assert kinds(forged) == []
    assert kinds(forged, head) == [(3, "head_differs")]


@pytest.mark.parametrize(
    "entry",
    [{}, {"seq": "2"}, {"seq": True}, {"seq": 2}, {"seq": 2, "hash": 7, "prev_hash": None},
     {"seq": 2, "hash": "x", "prev_hash": "é"}, {"seq": 2, "damaged": "its body can't be read"},
     {"seq": 2, "hash": "x", "prev_hash": "y", "big": 2**70}, {"seq": 2, "hash": "a", "prev_hash": "b", "s": "\udc80"}],
)  # fmt: skip
def test_an_odd_entry_is_a_problem_and_not_an_error(entry):
    records, head = log_of(count=3)
    records[1] = entry

    found = verify(records, head)

    assert not found.ok
    assert found.checked == 3


def test_a_log_that_begins_in_the_middle_is_checked_from_its_anchor():
    records, head = log_of(count=4)
    anchor = Head(2, records[1]["hash"])

    assert verify(records[2:], head, anchor).ok
    assert not verify(records[2:], head).ok


def test_the_report_stops_at_a_bound():
    records, _ = log_of(*({"n": n} for n in range(1500)))

    found = verify([{**record, "n": -1} for record in records])

    assert len(found.problems) == chain.MAX_PROBLEMS
    assert found.checked == 1500


def test_the_report_as_json():
    records, head = log_of(count=2)
    records[0] = {**records[0], "kind": "deny"}

    assert verify(records, head).as_json() == {
        "ok": False,
        "checked": 2,
        "first_seq": 1,
        "last_seq": 2,
        "head": {"seq": 2, "hash": head.hash},
        "problems": [{"seq": 1, "kind": "edited", "detail": "its content differs from its hash"}],
    }


def published_program() -> str:
    """The check as the module's documentation prints it."""
    text = chain.__doc__ or ""
    return textwrap.dedent(text[text.index("    import hashlib") : text.index("The chain makes")])


def check(tmp_path, lines) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines))
    program = [sys.executable, "-I", "-S", "-c", published_program(), str(path)]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_the_published_program_accepts_an_export(tmp_path):
    store = MemoryStore()
    store.append_many([product_write(n, rel=f"src/grün {n}\u2028\x7f\x1f😀.py") for n in range(20)])

    result = check(tmp_path, export(store))

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [*lines[:3], lines[3].replace(b"allow", b"deny"), *lines[4:]], "record 4 was edited"),
        (lambda lines: [*lines[:3], *lines[4:]], "no record 4"),
        (lambda lines: [*lines[:3], lines[-1]], "the end is missing"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "no record 1"),
    ],
    ids=["edit", "gap", "end", "order"],
)
def test_the_published_program_refuses_a_changed_export(tmp_path, change, said):
    store = MemoryStore()
    store.append_many([product_write(n) for n in range(6)])

    result = check(tmp_path, change(list(export(store))))

    assert result.returncode != 0
    assert said in result.stderr


def test_an_export_of_the_tail_starts_after_the_given_record():
    store = MemoryStore()
    store.append_many([product_write(n) for n in range(4)])

    seqs = [json.loads(line).get("seq") for line in export(store, after=2)]

    assert seqs == [3, 4, None]


def test_an_empty_store_is_sound_and_its_export_is_a_head():
    store = MemoryStore()

    assert verify_store(store).ok
    assert list(export(store)) == [b'{"head":{"seq":0,"hash":"' + b"0" * 64 + b'"}}\n']
