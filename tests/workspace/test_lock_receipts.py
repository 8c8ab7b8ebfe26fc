"""The lock receipt's format, byte for byte, and what it proves."""

import json
from dataclasses import replace

import pytest

from phasegate.core.header import lock_hash
from phasegate.workspace import lock_receipts
from phasegate.workspace.lock_receipts import (
    FIELDS,
    MISSING_RECEIPT,
    LockReceipt,
    ReceiptReading,
    fields_of,
    lack_of,
    parse,
    receipt_hash,
    render,
    verify_chain,
)
from support.cases import CASES, load

# A receipt of the public Python tool, as it lies on disk.
SAMPLE = (CASES / "lock-receipt.json").read_bytes()
SAMPLE_HASHED = (
    '{"artifact": "02-to-be-plan.md", '
    '"artifact_hash": "88961c31a7ac3e69f65fe574c9b95b10d1d88aeaf8152cc9f11e7b242dae96d7", '
    '"artifact_path": "/srv/repo/.recursive/run/2026-11-30-tiny-tasks-smoke-205024/02-to-be-plan.md", '
    '"locked_at": "2026-11-30T20:50:27Z", "prerequisite_hashes": {'
    '"00-requirements.md": "9f3b78058cee4e62e2d406ad7e22bab97bc5889b2b3f60a69f2301e1990daf44", '
    '"00-worktree.md": "24ca2279d170da9934bd0f23fd0404485f4329b715bacbb2a32ea80ff4e480e0", '
    '"01-as-is.md": "48da2729aeff0c0c558cd94a5b201988edc5d46c70062404bcc5c6b85a83bfb7"}, '
    '"previous_receipt_hash": null}'
)


def vectors(tool):
    return [case for case in load("guard.json") if case["call"]["tool"] == tool]


@pytest.mark.parametrize("case", vectors("#lock_hash"), ids=lambda case: case["id"])
def test_lock_hash_vectors(case):
    assert lock_hash(case["call"]["args"]["text"]) == case["expect"]["value"]


@pytest.mark.parametrize("case", vectors("#receipt_hash"), ids=lambda case: case["id"])
def test_receipt_hash_vectors(case):
    assert receipt_hash(case["call"]["args"]["receipt_without_hash"]) == case["expect"]["value"]


@pytest.mark.parametrize("case", vectors("#receipt_keys"), ids=lambda case: case["id"])
def test_receipt_keys_vector(case):
    assert list(FIELDS) == case["expect"]["value"]
    assert list(json.loads(render(sample()))) == case["expect"]["value"]


def sample(**changes):
    reading = parse(SAMPLE)
    assert reading.problem == ""
    return replace(reading.receipt, **changes)


def test_a_real_receipt_is_read_and_written_byte_for_byte():
    assert render(sample()) == SAMPLE


def test_the_hashed_text_is_the_public_tools_own():
    assert json.dumps(fields_of(sample()), sort_keys=True) == SAMPLE_HASHED
    assert receipt_hash(json.loads(SAMPLE)) == sample().receipt_hash


def test_characters_beyond_ascii_are_escaped_with_surrogate_pairs():
    rendered = render(sample(artifact_path="/srv/caf\u00e9/\U0001f512"))

    assert b"caf\\u00e9/\\ud83d\\udd12" in rendered
    assert parse(rendered).problem == ""


def test_the_unescaped_hash_of_the_other_implementation_is_accepted():
    path = "/srv/caf\u00e9/00-worktree.md"
    case = next(case for case in vectors("#receipt_hash") if "upstream" in case)
    fields = case["call"]["args"]["receipt_without_hash"]
    assert fields["artifact_path"] == path
    stored = {**fields, "receipt_hash": case["upstream"]["value"]}

    assert parse(json.dumps(stored, ensure_ascii=False).encode()).problem == ""
    assert parse(json.dumps(stored).encode()).problem == ""


def changed(**changes):
    return json.dumps({**json.loads(SAMPLE), **changes}).encode()


@pytest.mark.parametrize("field", [name for name in FIELDS if name != "prerequisite_hashes"])
def test_a_changed_field_breaks_the_hash(field):
    reading = parse(changed(**{field: "x"}))

    assert reading.problem == "does not match its own hash"
    assert reading.receipt is not None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is not JSON"),
        (b"{ torn", "is not JSON"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b"\xff\xfe", "is not valid UTF-8"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"a": NaN}', "is not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "is not JSON"),
        (b"null", "is not a JSON object"),
        (b"[]", "is not a JSON object"),
        (b"{}", "lacks `artifact`"),
        (b'{"artifact": "a", "artifact": "b"}', "repeats a key"),
        (changed(artifact=7), "holds a `artifact` that is not a text"),
        (changed(receipt_hash=None), "holds a `receipt_hash` that is not a text"),
        (changed(prerequisite_hashes=[]), "holds `prerequisite_hashes` that are not texts by name"),
        (changed(prerequisite_hashes={"a": 1}), "holds `prerequisite_hashes` that are not texts by name"),
        (changed(extra=1), "holds a field that no lock receipt has"),
    ],
)
def test_a_damaged_receipt_says_what_is_wrong(data, problem):
    assert parse(data) == ReceiptReading(None, problem)


def test_a_duplicate_key_deep_inside_is_refused():
    text = SAMPLE.replace(b'"00-worktree.md"', b'"00-requirements.md"', 1)

    assert parse(text).problem == "repeats a key"


class TestWhatItProves:
    def test_the_lock_of_the_artifact_with_that_hash(self):
        reading = parse(SAMPLE)

        assert lack_of(reading, "02-to-be-plan.md", reading.receipt.artifact_hash) == ""

    def test_the_path_is_not_compared_because_clones_move(self):
        moved = parse(render(sample(artifact_path="/elsewhere")))

        assert lack_of(moved, "02-to-be-plan.md", moved.receipt.artifact_hash) == ""

    @pytest.mark.parametrize(
        ("reading", "artifact", "digest", "lack"),
        [
            (MISSING_RECEIPT, "02-to-be-plan.md", "0" * 64, "its lock receipt is missing"),
            (parse(SAMPLE), "02-to-be-plan.md", "0" * 64, "its lock receipt names another hash"),
            (parse(SAMPLE), "01-as-is.md", "0" * 64, "its lock receipt names another artifact"),
            (parse(b"{"), "01-as-is.md", "0" * 64, "its lock receipt is not JSON"),
            (
                parse(changed(locked_at="2027")),
                "02-to-be-plan.md",
                sample().artifact_hash,
                "its lock receipt does not match its own hash",
            ),
        ],
    )
    def test_nothing_else(self, reading, artifact, digest, lack):
        assert lack_of(reading, artifact, digest) == lack


SEQUENCE = ("a.md", "b.md", "c.md")


def receipt(name, digest, previous=None, **prerequisites):
    named = {f"{key}.md": value for key, value in prerequisites.items()}
    return parse(render(LockReceipt(name, f"/w/{name}", digest, "2026-01-01T00:00:00Z", named, previous)))


A, B, C = "a" * 64, "b" * 64, "c" * 64
GOOD = {
    "a.md": receipt("a.md", A),
    "b.md": receipt("b.md", B, a=A),
    "c.md": receipt("c.md", C, previous=A, a=A, b=B),
}
HASHES = {"a.md": A, "b.md": B, "c.md": C}


def problems(receipts, hashes):
    report = verify_chain(SEQUENCE, receipts, hashes)
    assert report.ok == (not report.problems)
    return [(problem.phase, problem.kind) for problem in report.problems]


class TestChain:
    def test_a_run_without_receipts_is_in_order(self):
        report = verify_chain(SEQUENCE, {}, {})

        assert (report.ok, report.checked) == (True, 0)

    def test_a_whole_run_is_in_order(self):
        report = verify_chain(SEQUENCE, GOOD, HASHES)

        assert (report.ok, report.checked, report.problems) == (True, 3, ())

    def test_a_changed_artifact_and_a_changed_receipt_are_told_apart(self):
        forged = parse(render(sample()).replace(b'"2026-11-30T20:50:27Z"', b'"2027-11-30T20:50:27Z"'))
        artifact = verify_chain(("c.md",), {"c.md": GOOD["c.md"]}, {"c.md": A})
        changed_receipt = verify_chain(("02-to-be-plan.md",), {"02-to-be-plan.md": forged}, {})

        assert artifact.problems[0].kind == "receipt-hash-mismatch"
        assert "the artifact `c.md` was changed" in artifact.problems[0].detail
        assert changed_receipt.problems[0].kind == "receipt-hash-mismatch"
        assert "the lock receipt of `02-to-be-plan.md` was changed" in changed_receipt.problems[0].detail

    def test_a_deleted_artifact_is_a_mismatch(self):
        assert problems({"a.md": GOOD["a.md"]}, {"a.md": None}) == [("a.md", "receipt-hash-mismatch")]

    def test_a_receipt_in_anothers_place_is_a_mismatch(self):
        assert problems({"b.md": GOOD["a.md"]}, {"b.md": A}) == [("b.md", "receipt-hash-mismatch")]

    @pytest.mark.parametrize("previous", ["x", "g" * 64, "a" * 63, ""])
    def test_a_previous_hash_must_be_a_hash(self, previous):
        odd = {"a.md": receipt("a.md", A, previous=previous)}

        assert problems(odd, HASHES) == [("a.md", "malformed-previous-hash")]

    def test_a_previous_hash_that_is_no_text_is_malformed_too(self):
        fields = {**fields_of(GOOD["a.md"].receipt), "previous_receipt_hash": 7}
        data = json.dumps({**fields, "receipt_hash": receipt_hash(fields)}).encode()

        assert problems({"a.md": parse(data)}, HASHES) == [("a.md", "malformed-previous-hash")]

    def test_a_cited_artifact_without_receipt_is_missing(self):
        without = {name: reading for name, reading in GOOD.items() if name != "a.md"}

        assert problems(without, HASHES) == [
            ("b.md", "missing-prerequisite-receipt"),
            ("c.md", "missing-prerequisite-receipt"),
        ]

    def test_a_cited_artifact_that_changed_shows_at_each_who_cites_it(self):
        relocked = {**GOOD, "a.md": receipt("a.md", C)}

        assert problems(relocked, {**HASHES, "a.md": C}) == [
            ("b.md", "prerequisite-hash-mismatch"),
            ("c.md", "prerequisite-hash-mismatch"),
        ]

    def test_a_cited_artifact_that_is_gone_is_a_mismatch(self):
        found = problems(GOOD, {**HASHES, "a.md": None})

        assert ("b.md", "prerequisite-hash-mismatch") in found

    def test_an_unreadable_receipt_is_reported_and_not_counted(self):
        report = verify_chain(SEQUENCE, {**GOOD, "c.md": parse(b"{")}, HASHES)

        assert [(p.phase, p.kind) for p in report.problems] == [("c.md", "unreadable-receipt")]
        assert report.checked == 2


def test_nothing_of_a_receipt_is_read_from_disk_here():
    assert not hasattr(lock_receipts, "read_file")
