"""Whether a run has put what it learned into memory: by documents that exist, name it, and can be read later."""

import pytest

from phasegate.core.reading import PromotionRequest
from phasegate.memory.promotion import PromotionCheck
from support.plane import canonical, place_of, write

EPISODE = ".recursive/memory/episodes/r1.md"


def check(root, text, run_id="r1"):
    return PromotionCheck(place_of(root))(PromotionRequest(run_id, text))


def listing(*paths):
    return "# Memory Impact\n\n## Affected Memory Docs\n\n" + "".join(f"- `{path}`\n" for path in paths)


def lesson(root, source="episodes/r1.md", **fields):
    return write(
        root, source, canonical("# Lesson\nlock first\n", **{"runs": "r1", "kind": "episode", **fields})
    )


def test_a_listed_document_that_names_the_run_counts(tmp_path):
    lesson(tmp_path)

    reading = check(tmp_path, listing(EPISODE))

    assert reading.problem == ""
    assert [path for path, _ in reading.documents] == ["episodes/r1.md"]


@pytest.mark.parametrize("path", [f"/{EPISODE}", f"./{EPISODE}", "memory/episodes/r1.md"])
def test_the_path_may_be_written_in_other_ways(tmp_path, path):
    lesson(tmp_path)

    assert check(tmp_path, listing(path)).problem == ""


@pytest.mark.parametrize("runs", ["/.recursive/run/r1/", "r0, r1", "`r1`", "r0\n- r1"])
def test_the_run_may_be_named_as_the_peers_templates_do(tmp_path, runs):
    lesson(tmp_path, runs=runs)

    assert check(tmp_path, listing(EPISODE)).problem == ""


@pytest.mark.parametrize("runs", ["r10", "r0", "", "r1x"])
def test_another_run_is_another_run(tmp_path, runs):
    lesson(tmp_path, runs=runs)

    assert "does not name this run" in check(tmp_path, listing(EPISODE)).problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## Affected Memory Docs\n\nnone\n",
        f"did not touch `{EPISODE}`\n",
        f"## Affected Memory Docs\n\ndid not touch {EPISODE}\n",
        f"## Other\n\n- {EPISODE}\n",
    ],
    ids=["empty", "none", "elsewhere", "prose", "other section"],
)
def test_only_the_list_of_the_section_declares(tmp_path, text):
    lesson(tmp_path)

    assert "lists no document" in check(tmp_path, text).problem


def test_a_path_that_leaves_the_plane_does_not_count(tmp_path):
    """Else the artifact could name itself."""
    text = listing(".recursive/memory/../run/r1/08-memory-impact.md") + "Source-Runs: r1\n"
    write(tmp_path, "r1/08-memory-impact.md", text, base=".recursive/run")

    assert "outside the plane" in check(tmp_path, text).problem


@pytest.mark.parametrize(
    "source", ["MEMORY.md", "skills/SKILLS.md", "archive/a.md", "other/a.md", "domains/x/a.md"]
)
def test_a_place_that_is_never_read_does_not_count(tmp_path, source):
    lesson(tmp_path, source)

    assert "not in a folder" in check(tmp_path, listing(f".recursive/memory/{source}")).problem


def test_a_missing_document_does_not_count(tmp_path):
    assert "does not exist" in check(tmp_path, listing(EPISODE)).problem


def test_a_link_does_not_count(tmp_path):
    outside = write(tmp_path, "x.md", canonical("# A\nb", runs="r1"), base="outside")
    path = tmp_path / EPISODE
    path.parent.mkdir(parents=True)
    path.symlink_to(outside)

    assert "is a link" in check(tmp_path, listing(EPISODE)).problem


@pytest.mark.parametrize("status", ["STALE", "DEPRECATED", "SUSPECT", "DONE"])
def test_a_document_that_would_not_be_trusted_does_not_count(tmp_path, status):
    lesson(tmp_path, status=status)

    assert f"status {status}" in check(tmp_path, listing(EPISODE)).problem


def test_a_document_below_the_authoring_rules_does_not_count(tmp_path):
    write(tmp_path, "episodes/r1.md", "Source-Runs: r1\n")
    assert "lacks the fields type, status" in check(tmp_path, listing(EPISODE)).problem

    write(tmp_path, "episodes/r1.md", canonical("", runs="r1", kind="episode"))
    assert "says nothing" in check(tmp_path, listing(EPISODE)).problem

    write(tmp_path, "episodes/r1.md", canonical("# A\nb", runs="r1", kind="index"))
    assert "unknown type" in check(tmp_path, listing(EPISODE)).problem


def test_one_good_document_is_enough(tmp_path):
    lesson(tmp_path)

    reading = check(tmp_path, listing(".recursive/memory/domains/none.md", EPISODE))

    assert (reading.problem, len(reading.documents)) == ("", 1)


def test_the_digest_follows_the_bytes(tmp_path):
    path = lesson(tmp_path)
    before = check(tmp_path, listing(EPISODE)).documents
    path.write_text(path.read_text() + "more\n")

    assert check(tmp_path, listing(EPISODE)).documents != before
