"""From a document's text to the entries that can be shown."""

import pytest

from phasegate.memory.document import parse_document
from support.plane import canonical, document


def titles(text):
    return [entry.title for entry in document(text).entries]


def test_each_heading_begins_an_entry():
    found = parse_document(
        "# Lock ordering\n\nlock first\n\n## Retries\nretry twice\n", "patterns/a.md", "patterns"
    )

    assert [(e.title, e.body, e.kind, e.source) for e in found.entries] == [
        ("Lock ordering", "lock first", "patterns", "patterns/a.md"),
        ("Retries", "retry twice", "patterns", "patterns/a.md"),
    ]


def test_text_without_a_heading_is_titled_by_its_source():
    (entry,) = document("one paragraph\n").entries

    assert (entry.title, entry.body) == ("domains/a.md", "one paragraph")


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_do_not_change_content(ending):
    text = "# A\nbody\n\n## B\nmore\n"

    assert document(text.replace("\n", ending)).entries == document(text).entries


def test_a_byte_order_mark_does_not_hide_the_first_heading():
    assert titles("\ufeff# A\nbody") == ["A"]


def test_the_metadata_block_is_no_entry():
    found = document(canonical("# Retry\nagain\n", status="CURRENT", owns="src/**"))

    assert [entry.title for entry in found.entries] == ["Retry"]
    assert found.metadata.status == "CURRENT"
    assert found.metadata.values("owns-paths") == ("src/**",)
    assert found.metadata.values("watch-paths") == ()
    assert found.metadata.values("source-runs") == ("r0",)


def test_metadata_below_the_title_belongs_to_the_document_too():
    found = document("# Retry\n\n" + canonical("again\n", status="STALE"))

    assert [(entry.title, entry.body) for entry in found.entries] == [("Retry", "again")]
    assert found.metadata.status == "STALE"


def test_metadata_between_rules_is_read():
    found = document("---\nStatus: STALE\n---\n# A\nb")

    assert found.metadata.status == "STALE"
    assert titles("---\nStatus: STALE\n---\n# A\nb") == ["A"]


@pytest.mark.parametrize(
    "line",
    [
        "**Status:** STALE",
        'Status: "STALE"',
        "Status: `STALE`",
        "- Status: STALE",
        "status: stale",
        "Status : STALE",
    ],
)
def test_a_status_is_read_in_any_dress(line):
    assert document(f"{line}\n\n# A\nb").metadata.status == "STALE"


def test_prose_that_begins_like_a_status_is_prose():
    found = document("Status: STALE_LOCK means the hash differs\n")

    assert found.metadata.status == ""
    assert found.entries[0].body.startswith("Status: STALE_LOCK")


def test_a_heading_in_a_code_fence_is_code():
    text = "# Setup\n\n```sh\n# install\nmake\n```\n\n~~~\n# other\n```\n~~~\n"
    (entry,) = document(text).entries

    assert entry.title == "Setup"
    assert "# install\nmake" in entry.body


def test_only_headings_at_the_first_column_count():
    assert titles("# A\n ### B\nSetext\n===\n#nospace\n####### seven\n") == ["A"]


def test_an_entry_without_text_is_kept():
    assert [(e.title, e.body) for e in document("# A\n## B\ntext").entries] == [("A", ""), ("B", "text")]


def test_an_empty_document_has_no_entries():
    assert document(" \n\n").entries == ()


@pytest.mark.parametrize(
    ("line", "phases"),
    [
        ("Applies to: 03, 03.5", ("03", "03.5")),
        ("> **Applies to:** phase 3", ("phase 3",)),
        ("applies to: 03-implementation-summary.md", ("03-implementation-summary.md",)),
        ("it applies to: 03", ()),
    ],
)
def test_applicability_is_read_from_its_line(line, phases):
    assert document(f"# A\n{line}\n").entries[0].applies_to == phases


def test_hostile_text_is_parsed_in_linear_time():
    text = "#" * 100_000 + "\n" + "`" * 100_000 + "\n" + "*_" * 50_000 + ":" + " " * 100_000

    assert document(text).source == "domains/a.md"
