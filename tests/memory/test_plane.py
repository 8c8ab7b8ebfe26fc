"""What is loaded from the plane, what is left out and said so, and the digest of its exact state."""

import hashlib
import os

import pytest

from phasegate.files.read import watch_opens
from phasegate.memory.plane import ABSENT_DIGEST, DOCUMENT_BYTES, MAX_DOCUMENTS, Plane
from support.plane import canonical, place_of, write


def load(root):
    return Plane(place_of(root)).read()


def sources(root):
    return [document.source for document in load(root).documents]


def test_no_plane_holds_nothing(tmp_path):
    state = load(tmp_path)

    assert (state.documents, state.digest, state.skipped) == ((), ABSENT_DIGEST, ())


@pytest.mark.parametrize(
    "folder", ["domains", "patterns", "incidents", "episodes", "training", "skills", "skills/patterns"]
)
def test_every_folder_that_is_written_is_read(tmp_path, folder):
    write(tmp_path, f"{folder}/a.md", "# A\nb")

    assert sources(tmp_path) == [f"{folder}/a.md"]


def test_the_archive_and_unknown_folders_are_not(tmp_path):
    write(tmp_path, "archive/a.md", "# A\nb")
    write(tmp_path, "domains/deeper/a.md", "# A\nb")
    write(tmp_path, "other/a.md", "# A\nb")

    state = load(tmp_path)

    assert state.documents == ()
    assert state.skipped == ("other: not a folder of the plane",)


def test_only_plain_markdown_files_are_documents(tmp_path):
    write(tmp_path, "domains/a.md", "# A\nb")
    for name in ("b.MD", "c.markdown", ".feedback.json", ".hidden.md"):
        write(tmp_path, f"domains/{name}", "# X\ny")
    (tmp_path / ".recursive/memory/domains/d.md").mkdir()

    state = load(tmp_path)

    assert [document.source for document in state.documents] == ["domains/a.md"]
    assert state.skipped == (
        "domains/b.MD: its name does not end in `.md`",
        "domains/c.markdown: its name does not end in `.md`",
        "domains/d.md: it is a directory",
    )


def test_routers_are_never_documents(tmp_path):
    write(tmp_path, "MEMORY.md", "# Index\nhints")
    write(tmp_path, "skills/SKILLS.md", "# Skills\nhints")

    assert load(tmp_path).documents == ()


def test_order_is_folder_then_bytes_of_the_name(tmp_path):
    for source in ("patterns/a.md", "domains/b.md", "domains/Z.md", "domains/é.md"):
        write(tmp_path, source, "# A\nb")

    assert sources(tmp_path) == ["domains/Z.md", "domains/b.md", "domains/é.md", "patterns/a.md"]


def test_the_older_place_is_read_only_where_it_says_that_it_is_one(tmp_path):
    """A product may have a folder called memory."""
    write(tmp_path, "domains/readme.md", "# Product\ncode", base="memory")
    assert load(tmp_path).digest == ABSENT_DIGEST

    write(tmp_path, "MEMORY.md", "# Index", base="memory")
    (tmp_path / ".recursive/memory/domains").mkdir(parents=True)
    assert sources(tmp_path) == ["domains/readme.md"]

    write(tmp_path, "domains/new.md", "# New\nb")
    write(tmp_path, "patterns/old.md", "# Old\nb", base="memory")
    assert sources(tmp_path) == ["domains/new.md", "patterns/old.md"]


def test_nothing_is_read_through_a_link(tmp_path):
    outside = tmp_path / "outside"
    write(outside, "secret.md", "# Secret\ntoken", base=".")
    write(tmp_path, "domains/a.md", "# A\nb")
    (tmp_path / ".recursive/memory/domains/x.md").symlink_to(outside / "secret.md")
    (tmp_path / ".recursive/memory/patterns").symlink_to(outside)

    with watch_opens() as opened:
        state = load(tmp_path)

    assert [document.source for document in state.documents] == ["domains/a.md"]
    assert "domains/x.md: it is a link" in state.skipped
    assert any(line.startswith("patterns: ") for line in state.skipped)
    assert "secret.md" not in opened


def test_a_linked_plane_is_not_read(tmp_path):
    outside = tmp_path / "outside"
    write(outside, "domains/a.md", "# A\nb", base=".")
    (tmp_path / ".recursive").mkdir()
    (tmp_path / ".recursive/memory").symlink_to(outside)

    state = load(tmp_path)

    assert state.documents == ()
    assert "memory" in state.skipped[0]


def test_odd_files_are_left_out_with_their_cause(tmp_path):
    write(tmp_path, "domains/big.md", "x" * (DOCUMENT_BYTES + 1))
    write(tmp_path, "domains/bad.md", "").write_bytes(b"# A\n\xff\xfe")
    os.mkfifo(tmp_path / ".recursive/memory/domains/pipe.md")
    write(tmp_path, "domains/line\nbreak.md", "# A\nb")

    state = load(tmp_path)

    assert state.documents == ()
    assert state.skipped == (
        "domains/bad.md: it is not valid UTF-8",
        "domains/big.md: it is over 256 KiB",
        "domains/line?break.md: its name is not plain text, or taken",
        "domains/pipe.md: it is not a regular file",
    )


def test_a_huge_section_is_refused_unread(tmp_path):
    path = write(tmp_path, "domains/huge.md", "")
    with path.open("wb") as file:
        file.truncate(50 << 20)

    assert load(tmp_path).skipped == ("domains/huge.md: it is over 256 KiB",)


def test_documents_over_the_limit_are_counted(tmp_path):
    folder = write(tmp_path, "domains/0.md", "").parent
    for number in range(MAX_DOCUMENTS + 5):
        (folder / f"{number:05}.md").write_text("# A\nb")

    state = load(tmp_path)

    assert len(state.documents) == MAX_DOCUMENTS
    assert state.skipped == (f"domains: 6 documents over the limit of {MAX_DOCUMENTS}",)


def test_the_digest_is_the_documented_one(tmp_path):
    files = {"domains/b.md": b"# B\n", "domains/a.md": b"# A\n", "patterns/é.md": b"# E\n"}
    for source, data in files.items():
        write(tmp_path, source, data.decode())

    total = hashlib.sha256(b"phasegate plane 1\n")
    for name in sorted(name.encode() for name in files):
        data = files[name.decode()]
        total.update(len(name).to_bytes(8, "big") + name)
        total.update(len(data).to_bytes(8, "big") + hashlib.sha256(data).digest())
    assert load(tmp_path).digest == "sha256:" + total.hexdigest()


def test_an_empty_plane_is_not_an_absent_one(tmp_path):
    (tmp_path / ".recursive/memory").mkdir(parents=True)

    assert load(tmp_path).digest == "sha256:" + hashlib.sha256(b"phasegate plane 1\n").hexdigest()


def test_machine_files_and_routers_do_not_change_the_digest(tmp_path):
    write(tmp_path, "domains/a.md", "# A")
    before = load(tmp_path).digest
    write(tmp_path, ".feedback.json", "{}")
    write(tmp_path, "MEMORY.md", "# Index")

    assert load(tmp_path).digest == before


def test_every_change_of_a_document_changes_the_digest_at_once(tmp_path):
    path = write(tmp_path, "domains/a.md", "# A\none")
    plane = Plane(place_of(tmp_path))
    seen = {plane.read().digest}
    status = path.stat()

    path.write_text("# A\ntwo")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    seen.add(plane.read().digest)
    path.rename(path.with_name("b.md"))
    seen.add(plane.read().digest)
    path.with_name("b.md").unlink()
    seen.add(plane.read().digest)

    assert len(seen) == 4


def test_unchanged_documents_are_not_opened_again(tmp_path):
    write(tmp_path, "domains/a.md", canonical("# A\nb"))
    plane = Plane(place_of(tmp_path))
    first = plane.read()

    with watch_opens() as opened:
        second = plane.read()

    assert "a.md" not in opened
    assert second.documents[0] is first.documents[0]


def test_the_same_repository_at_two_places_has_the_same_digest(tmp_path):
    for clone in ("one", "two"):
        write(tmp_path / clone, "domains/a.md", "# A\nb")

    assert load(tmp_path / "one").digest == load(tmp_path / "two").digest
