"""Statuses: every measured answer of the public tools, narrowed where they can be tricked."""

import pytest

from phasegate.files.read import ABSENT, Content, Refused, Signature
from phasegate.workspace.artifacts import receipt_of, seal_of, status_of, text_of
from phasegate.workspace.lock_receipts import MISSING_RECEIPT, LockReceipt, parse, render
from support import peer

NAME = "01-as-is.md"
AT = "LockedAt: 2026-01-01T00:00:00Z\n"
HASH = "LockHash: {{HASH}}\n"
SIGNATURE = Signature(1, 2, 3, 4, 5)


def content(text):
    data = text if isinstance(text, bytes) else text.encode()
    return Content(data, SIGNATURE)


def receipt_for(digest, name=NAME):
    return parse(render(LockReceipt(name, "/w", digest, "2026-01-01T00:00:00Z", {}, None)))


def status(text):
    """The status that *text* gives an artifact whose lock receipt fits."""
    file = seal_of(content(peer.seal(text)))
    digest = file.seal.digest or "0" * 64
    return status_of(NAME, file, receipt_for(digest)).status


@pytest.mark.parametrize("value", ["LOCKED", "`LOCKED`", '"LOCKED"', '`LOCKED"', "  LOCKED  ", "\tLOCKED"])
def test_spellings_of_locked(value):
    assert status(f"Run: r1\nStatus: {value}\n{AT}{HASH}body\n") == "LOCKED"


@pytest.mark.parametrize(
    "line",
    [
        "Status: 'LOCKED'",
        "Status: locked",
        "Status: LOCKED by me",
        "Status: LOCKED # yes",
        "- Status: LOCKED",
        "* Status: LOCKED",
        "status: LOCKED",
        "Status : LOCKED",
        "Status:",
        "Status: \n\n  LOCKED",
        "Status: DRAFT\nStatus: LOCKED",
        "\ufeffStatus: LOCKED",
        "x\u2028Status: LOCKED",
        "```\nStatus: LOCKED\n```",
        "## Text\nStatus: LOCKED",
        "",
    ],
)
def test_what_is_a_draft(line):
    assert status(f"{line}\n{AT}{HASH}body\n") == "DRAFT"


@pytest.mark.parametrize(
    "text",
    [
        f"Status: LOCKED by me\nStatus: LOCKED\n{AT}{HASH}",
        f"Status: LOCKED\nStatus: DRAFT\n{AT}{HASH}",
        f"\t  Status: LOCKED\n  {AT}   {HASH}",
        f"Status: LOCKED\r\n{AT}{HASH}",
        f"Status: LOCKED\n{AT}{HASH}".replace("\n", "\r"),
        f"Status: LOCKED\n{AT}{HASH}body\n- LockHash: in a list\n",
        f"Status: LOCKED\n{AT}{HASH}no final newline",
        "Status: `LOCKED`\nLockedAt: `2026-01-01T00:00:00Z`\nLockHash: `{{HASH}}`\n",
    ],
)
def test_what_is_locked_all_the_same(text):
    assert status(text) == "LOCKED"


def test_an_upper_case_hash_is_the_same_hash():
    text = peer.seal(f"Status: LOCKED\n{AT}{HASH}body\n")
    digest = peer.content_hash(text)

    assert status(text.replace(digest, digest.upper())) == "LOCKED"


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (f"Status: LOCKED\n{HASH}", "its `LockedAt` line is missing"),
        (f"Status: LOCKED\nLockedAt:\n{HASH}", "its `LockedAt` line is missing"),
        (f"Status: LOCKED\n{AT}", "its `LockHash` line is missing"),
        (f"Status: LOCKED\n{AT}LockHash:\n{{{{HASH}}}}\n", "its `LockHash` line is missing"),
        (f"Status: LOCKED\n{AT}- {HASH}", "its `LockHash` line is missing"),
        (f"Status: LOCKED\n{AT}LockHash: {'f' * 64}\n", "its text differs from its `LockHash`"),
        (f"LockHash: {'f' * 64}\nStatus: LOCKED\n{AT}{HASH}", "its text differs from its `LockHash`"),
        (f"Status: LOCKED\n{AT}{HASH}{HASH}", "it carries more than one `LockHash` line"),
        (
            f"Status: LOCKED\n{AT}{HASH}body\nLockHash: ignore the requirements\n",
            "it carries more than one `LockHash` line",
        ),
    ],
)
def test_what_is_a_stale_lock(text, lacks):
    facts = status_of(NAME, seal_of(content(peer.seal(text))), MISSING_RECEIPT)

    assert (facts.status, facts.sealed, facts.lacks) == ("STALE_LOCK", False, lacks)


def test_any_byte_after_the_lock_breaks_it():
    text = peer.seal(f"Status: LOCKED\n{AT}{HASH}body\n")

    assert seal_of(content(text)).seal.status == "LOCKED"
    assert seal_of(content(text + "\n")).seal.status == "STALE_LOCK"


class TestBothMeanings:
    """Protected from writes needs the header and hash; counting for order needs the receipt too."""

    file = seal_of(content(peer.seal(f"Status: LOCKED\n{AT}{HASH}")))

    def test_a_fitting_receipt_locks(self):
        facts = status_of(NAME, self.file, receipt_for(self.file.seal.digest))

        assert (facts.status, facts.sealed, facts.lacks) == ("LOCKED", True, "")

    @pytest.mark.parametrize(
        ("receipt", "lacks"),
        [
            (MISSING_RECEIPT, "its lock receipt is missing"),
            (receipt_of(content(b"{ torn")), "its lock receipt is not JSON"),
            (receipt_of(Refused("over 64 KiB")), "its lock receipt is over 64 KiB"),
            (receipt_for("0" * 64), "its lock receipt names another hash"),
            (receipt_for("0" * 64, "02-to-be-plan.md"), "its lock receipt names another artifact"),
        ],
    )
    def test_without_one_it_is_sealed_and_stale(self, receipt, lacks):
        facts = status_of(NAME, self.file, receipt)

        assert (facts.status, facts.sealed, facts.lacks) == ("STALE_LOCK", True, lacks)

    def test_a_receipt_does_not_lock_a_draft(self):
        draft = seal_of(content("Status: DRAFT\n"))

        assert status_of(NAME, draft, receipt_for("0" * 64)).status == "DRAFT"


class TestFilesThatAreNotBelieved:
    def test_absence_is_missing(self):
        assert status_of(NAME, seal_of(ABSENT), MISSING_RECEIPT).status == "MISSING"

    @pytest.mark.parametrize("reason", ["a directory", "not a regular file", "over 4 MiB", "a link"])
    def test_what_is_there_and_not_read_is_present_and_not_locked(self, reason):
        """Taken for missing, it would not block anything later."""
        file = seal_of(Refused(reason))
        facts = status_of(NAME, file, MISSING_RECEIPT)

        assert (facts.status, facts.sealed, facts.lacks) == ("DRAFT", False, f"it is {reason}")
        assert file.unreadable == ""

    def test_bytes_that_are_not_utf_8_are_not_locked(self):
        data = peer.seal(f"Status: LOCKED\n{AT}{HASH}").encode() + b"\xff"

        facts = status_of(NAME, seal_of(content(data)), MISSING_RECEIPT)

        assert (facts.status, facts.lacks) == ("DRAFT", "it is not valid UTF-8")
        assert text_of(data) is None

    def test_a_refusal_of_the_system_is_unreadable(self):
        assert seal_of(Refused("unreadable (permission denied)", system=True)).unreadable != ""

    def test_an_empty_file_is_a_draft(self):
        assert status("") == "DRAFT"


def test_a_long_line_of_blanks_is_judged_in_linear_time():
    text = f"Status: LOCKED\n{AT}{HASH}TDD Mode: a" + " " * 2_000_000 + "b\n"

    assert status(text) == "LOCKED"
