"""Reading memory for a phase, end to end: reasons, bounds, and what stays out of the payload."""

import json

import pytest

from phasegate.core.reading import MemoryRequest
from phasegate.errors import InvalidRequest
from phasegate.memory.rendering import SECTION_BYTES
from phasegate.workspace.phase_entry import EntryRequest, enter_phase
from phasegate.workspace.read_receipts import receipt_facts
from support.lifecycle import make_run, site_of
from support.peer import SEQUENCE
from support.plane import canonical, reader_of, write

FIRST = SEQUENCE[0]


def read(root, query="lock", **fields):
    return reader_of(root)(MemoryRequest("r1", FIRST, query, **fields))


def enter(root, query="lock"):
    site = site_of(root, read_memory=reader_of(root))
    return enter_phase(site, EntryRequest("r1", query=query))


def gate(root):
    data = (root / ".recursive/run/r1/memory-injections.json").read_bytes()
    found, _ = receipt_facts(
        data,
        run_id="r1",
        artifacts=SEQUENCE,
        key=site_of(root).key,
        plane_digest=reader_of(root).plane_digest,
    )
    return found[FIRST].state


def test_an_empty_plane_is_an_answer(tmp_path):
    reading = read(tmp_path)

    assert (reading.injected, reading.section, reading.shown) == (False, "", ())
    assert "the memory plane is empty, so nothing is injected" in reading.reason


def test_no_match_is_an_answer(tmp_path):
    write(tmp_path, "domains/a.md", "# A\ntext")

    reading = read(tmp_path, "elsewhere")

    assert not reading.injected
    assert "rather than fabricating memory" in reading.reason


def test_a_match_is_shown(tmp_path):
    write(tmp_path, "domains/a.md", "# Lock\ntext")
    write(tmp_path, "patterns/b.md", "# Other\ntext")

    reading = read(tmp_path)

    assert reading.injected
    assert "injected 1 of 1" in reading.reason
    assert "capped at maxDocs 3" in reading.reason
    assert "### [domains] Lock" in reading.section


def test_memory_that_comes_after_the_entry_makes_it_stale(tmp_path):
    make_run(tmp_path, a00="draft", a00w="draft")
    enter(tmp_path)
    assert gate(tmp_path) == "valid"

    write(tmp_path, "domains/x.md", "# Lock\ntext")
    assert gate(tmp_path) == "stale"

    enter(tmp_path)
    assert gate(tmp_path) == "valid"


def test_entering_twice_without_a_change_leaves_the_bytes(tmp_path):
    make_run(tmp_path, a00="draft", a00w="draft")
    write(tmp_path, "domains/x.md", "# Lock\ntext")
    path = tmp_path / ".recursive/run/r1/memory-injections.json"
    enter(tmp_path)
    before = path.read_bytes()

    enter(tmp_path)

    assert path.read_bytes() == before


def test_an_unfilled_form_is_said_to_be_one(tmp_path):
    for number in range(3):
        write(tmp_path, f"domains/{number}.md", canonical(f"# Requirements {number}\nscope constraints"))
    write(tmp_path, "skills/SKILLS.md", "# Requirements\nhints")

    reading = read(tmp_path, "", template_query=True)

    assert reading.shown == ()
    assert "the query was a template" in reading.reason


def test_a_suspect_document_is_labelled(tmp_path):
    write(tmp_path, "domains/a.md", canonical("# Lock\ntext", status="SUSPECT"))

    assert "unverified" in read(tmp_path).section


def test_no_absolute_path_is_shown_or_recorded(tmp_path):
    make_run(tmp_path, a00="draft", a00w="draft")
    write(tmp_path, "domains/a.md", "just lock text\n")

    payload = enter(tmp_path).payload()

    sidecar = (tmp_path / ".recursive/run/r1/memory-injections.json").read_text()
    assert str(tmp_path) not in json.dumps(payload) + sidecar
    assert '"source": "domains/a.md"' in sidecar


def test_two_clones_select_the_same(tmp_path):
    for clone in ("one", "two"):
        write(tmp_path / clone, "domains/a.md", "# Lock\ntext")
        write(
            tmp_path / clone, ".feedback.json", '{"/srv/one/.recursive/memory/domains/a.md": {"applied": 2}}'
        )

    assert read(tmp_path / "one") == read(tmp_path / "two")
    assert read(tmp_path / "one").shown[0].score == 3


def test_everything_oversized_is_bounded_and_counted(tmp_path):
    with write(tmp_path, "domains/huge.md", "").open("wb") as file:
        file.truncate(50 << 20)
    folder = write(tmp_path, "patterns/x.md", "").parent
    for number in range(3_000):
        (folder / f"{number:05}.md").write_text(f"# Lock {number}\n" + f"{number} lock\n" * 20)

    reading = read(tmp_path, "lock 17", changed_paths=tuple(f"src/{n}.py" for n in range(100_000)))

    assert len(reading.section.encode()) <= SECTION_BYTES
    assert "items of the plane could not be read" in reading.reason
    assert "domains/huge.md: it is over 256 KiB" in reading.skipped


def test_many_skipped_items_are_listed_in_part(tmp_path):
    folder = write(tmp_path, "patterns/x.md", "").parent
    for number in range(150):
        (folder / f"{number}.MD").touch()

    assert read(tmp_path).skipped[-1] == "and 50 more"


def test_the_explanation_agrees_with_the_selection(tmp_path):
    write(tmp_path, "domains/a.md", "# Lock order\nlock\nApplies to: 00")
    write(tmp_path, "domains/b.md", canonical("# Retired lock\nlock", status="STALE"))
    write(tmp_path, "domains/c.md", "# Unrelated\ntext")
    write(tmp_path, "domains/d.md", "".join(f"# Lock {n}\nlock {n}x\n" for n in range(5)))
    write(tmp_path, ".feedback.json", '{"domains/d.md": {"applied": 3}}')

    shown = [(entry.source, entry.title, entry.score) for entry in read(tmp_path, "lock").shown]
    explanation = reader_of(tmp_path).explain("lock", FIRST)

    included = [row for row in explanation.rows if row["included"]]
    assert [(row["source"], row["title"], row["score"]) for row in included] == shown
    assert all(sum(row["components"].values()) == row["score"] for row in explanation.rows)
    assert set(included[0]["components"]) == {"query-match", "path-overlap", "phase-applicable", "feedback"}
    reasons = {row["title"]: row["reason"] for row in explanation.rows if not row["included"]}
    assert reasons["Retired lock"] == "status STALE"
    assert reasons["Unrelated"] == "no match"
    assert reasons["Lock 3"].startswith("below the cap")
    assert len(explanation.rows) == 8


def test_a_blank_query_is_no_question(tmp_path):
    with pytest.raises(InvalidRequest, match="empty"):
        reader_of(tmp_path).explain("  ")
