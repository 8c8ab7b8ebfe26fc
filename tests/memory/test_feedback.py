"""Counters: counted once, never at the cost of somebody's data."""

import json
import multiprocessing

import pytest

from phasegate.errors import FileRefused, RunBusy
from phasegate.files.directory import Directory
from phasegate.files.runlock import locked
from phasegate.memory.feedback import Counters, bonuses, parse_book, read_book, settle
from phasegate.memory.folders import load_folders
from support.disk import killed_everywhere, names
from support.plane import place_of, write

PHASE, LATER = "04-test-summary.md", "05-manual-qa.md"
BOOK = ".recursive/memory/.feedback.json"
KNOWN = ("domains/a.md", "domains/b.md")


def count(root, *shown, run_id="r1", known=KNOWN):
    (root / ".recursive").mkdir(exist_ok=True)
    return settle(place_of(root), run_id, shown, known=known)


def book(root):
    return json.loads((root / BOOK).read_text())


def counters(root):
    return read_book(place_of(root)).counters


def test_a_document_that_was_shown_counts_as_applied(tmp_path):
    count(tmp_path, (PHASE, "domains/a.md"))

    assert book(tmp_path) == {"domains/a.md": {"applied": 1, "contradicted": 0, "settled": [f"r1/{PHASE}"]}}
    assert (tmp_path / BOOK).read_bytes().endswith(b"}\n")
    assert not (tmp_path / "memory").exists()


def test_settling_again_changes_nothing(tmp_path):
    for _ in range(5):
        count(tmp_path, (PHASE, "domains/a.md"))
    before = (tmp_path / BOOK).read_bytes()

    assert count(tmp_path, (PHASE, "domains/a.md")).counted == ()
    assert (tmp_path / BOOK).read_bytes() == before
    assert counters(tmp_path)["domains/a.md"] == Counters(1, 0)


def test_each_run_and_phase_counts_once(tmp_path):
    count(tmp_path, (PHASE, "domains/a.md"), (LATER, "domains/a.md"))
    count(tmp_path, (PHASE, "domains/a.md"), run_id="r2")

    assert counters(tmp_path)["domains/a.md"].applied == 3


@pytest.mark.parametrize("source", ["memory-read:attempt", "__proto__", "domains/gone.md", "../x.md", ""])
def test_only_documents_of_the_plane_are_counted(tmp_path, source):
    assert count(tmp_path, (PHASE, source)).counted == ()
    assert not (tmp_path / BOOK).exists()


def test_a_peers_absolute_path_means_the_same_document(tmp_path):
    """Counters that were committed elsewhere count here."""
    count(tmp_path, (PHASE, "/srv/repo/.recursive/memory/domains/a.md"))

    assert counters(tmp_path)["domains/a.md"].applied == 1
    text = json.dumps({"C:\\r\\.recursive\\memory\\domains\\b.md": {"applied": 2, "contradicted": 0}})
    assert parse_book(text.encode(), load_folders()).counters == {"domains/b.md": Counters(2, 0)}


def test_unknown_entries_and_keys_are_carried_through(tmp_path):
    write(
        tmp_path,
        ".feedback.json",
        json.dumps(
            {
                "/x/y.md": {"applied": 3, "contradicted": 1},
                "domains/a.md": {"applied": 4, "note": "n"},
                "v": 7,
            }
        ),
    )

    count(tmp_path, (PHASE, "domains/a.md"))

    after = book(tmp_path)
    assert after["/x/y.md"] == {"applied": 3, "contradicted": 1}
    assert after["v"] == 7
    assert after["domains/a.md"]["applied"] == 5
    assert after["domains/a.md"]["note"] == "n"
    assert list(after) == sorted(after)


def test_values_of_another_shape_are_zero_or_skipped():
    text = '{"a": {"applied": "3", "contradicted": null}, "b": 7, "c": {"applied": 1e99}, "d": {"applied": true}}'

    assert parse_book(text.encode(), load_folders()).counters == dict.fromkeys("acd", Counters(0, 0))


@pytest.mark.parametrize("text", ["{ not json", "[]", "\ufeff{}", "[" * 100_000, "{" * 100_000])
def test_a_damaged_book_is_empty_and_set_aside_before_it_is_written(tmp_path, text):
    write(tmp_path, ".feedback.json", text)
    write(tmp_path, ".feedback.json", '{"domains/a.md": {"applied": 9}}', base="memory")
    assert counters(tmp_path) == {}
    assert read_book(place_of(tmp_path)).defect

    settled = count(tmp_path, (PHASE, "domains/a.md"))

    assert (tmp_path / settled.set_aside).read_text() == text
    assert counters(tmp_path)["domains/a.md"].applied == 1


@pytest.mark.parametrize("text", [None, "  \n"])
def test_the_older_book_counts_while_the_current_one_is_missing_or_blank(tmp_path, text):
    if text is not None:
        write(tmp_path, ".feedback.json", text)
    write(tmp_path, ".feedback.json", '{"domains/a.md": {"applied": 9, "contradicted": 0}}', base="memory")

    assert counters(tmp_path)["domains/a.md"].applied == 9
    count(tmp_path, (PHASE, "domains/a.md"))
    assert counters(tmp_path)["domains/a.md"].applied == 10


def test_both_books_are_never_merged(tmp_path):
    write(tmp_path, ".feedback.json", '{"domains/a.md": {"applied": 1}}')
    write(
        tmp_path,
        ".feedback.json",
        '{"domains/a.md": {"applied": 9}, "domains/b.md": {"applied": 9}}',
        base="memory",
    )

    assert counters(tmp_path) == {"domains/a.md": Counters(1, 0)}


def test_a_linked_book_is_neither_read_nor_written(tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text('{"domains/a.md": {"applied": 9}}')
    (tmp_path / ".recursive/memory").mkdir(parents=True)
    (tmp_path / BOOK).symlink_to(outside)
    assert counters(tmp_path) == {}

    settled = count(tmp_path, (PHASE, "domains/a.md"))

    assert settled.set_aside is not None
    assert outside.read_text() == '{"domains/a.md": {"applied": 9}}'
    assert book(tmp_path)["domains/a.md"]["applied"] == 1


def test_a_linked_plane_is_refused(tmp_path):
    (tmp_path / ".recursive").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / ".recursive/memory").symlink_to(tmp_path / "outside")

    with pytest.raises(FileRefused):
        count(tmp_path, (PHASE, "domains/a.md"))
    assert names(tmp_path / "outside") == []


def test_the_bonus_is_a_sign():
    found = bonuses({"up": Counters(9, 0), "down": Counters(0, 4), "even": Counters(2, 2)})

    assert found == {"up": 1, "down": -1, "even": 0}
    assert found.get("unknown", 0) == 0


def _settle(args):
    root, run_id = args
    return len(settle(place_of(root), run_id, [(PHASE, "domains/a.md")], known=KNOWN).counted)


def test_sessions_that_close_together_are_all_counted(tmp_path):
    (tmp_path / ".recursive").mkdir()
    jobs = [(tmp_path, f"r{number % 10}") for number in range(40)]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert sum(pool.map(_settle, jobs)) == 10

    assert counters(tmp_path)["domains/a.md"].applied == 10


def test_a_busy_workspace_is_said_to_be_busy(tmp_path):
    (tmp_path / ".recursive").mkdir()
    with Directory.open_root(str(tmp_path)) as root, locked(root, ".recursive"), pytest.raises(RunBusy):
        settle(place_of(tmp_path), "r1", [(PHASE, "domains/a.md")], known=KNOWN, timeout=0.05)


def test_a_killed_settlement_is_whole_or_absent(tmp_path):
    write(tmp_path, ".feedback.json", '{"domains/b.md": {"applied": 1}}')
    before = (tmp_path / BOOK).read_bytes()
    for _ in killed_everywhere(lambda: count(tmp_path, (PHASE, "domains/a.md"))):
        found = counters(tmp_path)
        assert found["domains/b.md"] == Counters(1, 0)
        assert found.get("domains/a.md") in (None, Counters(1, 0))
        (tmp_path / BOOK).write_bytes(before)
    count(tmp_path, (PHASE, "domains/a.md"))
    assert names(tmp_path / ".recursive/memory") == [".feedback.json"]
