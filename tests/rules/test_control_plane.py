"""The guard's own files, and locks made by hand."""

import pytest

from phasegate.core.call import ContentChange
from phasegate.core.verdict import Deny
from phasegate.rules.control_plane import RULE
from support.facts import BUILTIN, call, facts, in_run, run, target

LOCKED = "Status: LOCKED\nLockedAt: x\nLockHash: y\n"
DRAFT = "Status: DRAFT\n"


def objection(item, **more):
    verdicts = list(RULE.judge(call(), facts(item, **more), BUILTIN))
    return next((verdict for verdict in verdicts if isinstance(verdict, Deny)), None)


@pytest.mark.parametrize(
    "rel",
    [
        ".recursive/config/recursive-permissions.json",
        ".recursive/config/guard-decisions.jsonl",
        ".recursive/config/observed-tampers.jsonl",
        ".recursive/config/phasegate.toml",
        ".recursive/memory/.feedback.json",
        ".recursive/run/r1/memory-injections.json",
        ".recursive/run/r1/locks",
        ".recursive/run/r1/locks/00-requirements.receipt.json",
        ".recursive/run/r1/locks/deep/er",
        ".Recursive/Config/Recursive-Permissions.JSON",
    ],
)
@pytest.mark.parametrize("op", ["write", "delete", "move_from", "move_to", "chmod"])
def test_denies_any_operation_on_a_guard_owned_file(rel, op):
    assert objection(target(rel, op=op)) is not None


@pytest.mark.parametrize(
    "rel",
    [
        "src/a.py",
        ".recursive/config/recursive-router.json",
        ".recursive/memory/domains/x.md",
        ".recursive/run/r1/evidence/locks/x",
        ".recursive/run/r1/operations/operations.jsonl",
        ".recursive/run/r1/sub/memory-injections.json",
        ".recursive/run/r1",
        "config/recursive-permissions.json",
        ".recursive-old/config/recursive-permissions.json",
        None,
    ],
)
def test_leaves_every_other_file_alone(rel):
    assert objection(target(rel)) is None


def test_sees_through_a_link_that_stands_at_the_policys_place():
    """A link there makes the write land elsewhere, yet it is the policy that changes."""
    item = target(None, lexical="/w/.recursive/config/recursive-permissions.json")
    assert objection(item) is not None


@pytest.mark.parametrize("path", ["/var/lib/phasegate", "/var/lib/phasegate/log.db"])
def test_denies_the_services_own_files(path):
    item = target(None, lexical=path)
    deny = objection(item, guard_paths=(("/var/lib/phasegate", "the service's data directory"),))
    assert deny is not None
    assert "data directory" in deny.reason


def test_a_neighbour_of_the_services_own_files_is_left_alone():
    item = target(None, lexical="/var/lib/phasegate-notes")
    assert objection(item, guard_paths=(("/var/lib/phasegate", "the service's data directory"),)) is None


def test_denies_a_recursive_operation_around_a_guard_owned_file():
    deny = objection(
        target(".recursive", op="delete", recursive=True, covers_guarded=(".recursive/config/p",))
    )
    assert deny is not None
    assert ".recursive/config/p" in deny.reason


@pytest.mark.parametrize(
    ("text", "change", "forged"),
    [
        (None, ContentChange("replace", LOCKED), True),
        (DRAFT, ContentChange("replace", LOCKED), True),
        (DRAFT, ContentChange("replace", DRAFT), False),
        (DRAFT, ContentChange("edit", edits=(("DRAFT", "LOCKED", False),)), True),
        (DRAFT, ContentChange("edit", edits=(("DRAFT", "LOCKED", True),)), True),
        (DRAFT, ContentChange("edit", edits=(("", "Status: LOCKED\n", False),)), True),
        (DRAFT, ContentChange("edit", edits=(("absent", "LOCKED", False),)), False),
        (DRAFT, ContentChange("edit", edits=(("Status:  draft", "Status: LOCKED", False),)), True),
        ("Run: x\n", ContentChange("append", "Status: LOCKED\n"), True),
        (DRAFT, ContentChange("append", "## Body\nStatus: LOCKED\n"), False),
        (DRAFT, ContentChange("unknown", "sed -i s/DRAFT/LOCKED/"), True),
        (DRAFT, ContentChange("unknown", "sed -i s/a/b/"), False),
        (LOCKED, ContentChange("unknown", "sed -i s/LOCKED/DRAFT/"), False),
        (LOCKED + "body", ContentChange("replace", LOCKED + "other body"), False),
        (LOCKED, ContentChange("replace", LOCKED.replace("y", "z")), True),
        (DRAFT, None, False),
        (DRAFT, ContentChange("edit", edits=(("D", "DD", True),) * 1_000), True),
    ],
)
def test_only_the_lock_operation_may_make_a_header_say_locked(text, change, forged):
    deny = objection(in_run("01-as-is.md", run("LLd"), change=change, text=text))
    assert (deny is not None) is forged
    if deny is not None:
        assert "LOCKED" in deny.reason
        assert deny.remedy.action == "lock"


def test_a_lock_is_not_forged_by_deleting_or_in_a_plain_note():
    change = ContentChange("replace", LOCKED)
    of = run("LLd")
    assert objection(in_run("01-as-is.md", of, "delete", change=change)) is None
    assert objection(in_run("notes.md", of, change=change)) is None
    assert objection(target("docs/quote.md", change=change)) is None


def test_an_addendum_is_guarded_like_an_artifact():
    deny = objection(in_run("addenda/a.md", run("LLd"), change=ContentChange("replace", LOCKED)))
    assert deny is not None


def test_a_lock_in_a_run_that_is_not_there_yet_is_forged_all_the_same():
    item = target(
        ".recursive/run/x/01-as-is.md", change=ContentChange("replace", LOCKED), artifact="01-as-is.md"
    )
    deny = objection(item)
    assert deny is not None
    assert "RUN" in deny.remedy.text


@pytest.mark.parametrize(
    ("op", "change", "denied"),
    [
        ("write", ContentChange("replace", "{}"), True),
        ("write", ContentChange("replace", '{"hook": "phasegate hook x"}'), False),
        ("write", ContentChange("edit", edits=(("other", "thing", False),)), False),
        ("write", ContentChange("edit", edits=(("phasegate", "", False),)), True),
        ("write", ContentChange("unknown", "jq ..."), True),
        ("write", None, True),
        ("delete", None, True),
    ],
)
def test_a_runtimes_configuration_keeps_its_hook_entry(op, change, denied):
    text = '{"hook": "phasegate hook x", "other": 1}'
    item = target(".claude/settings.json", op=op, change=change, text=text, carries_hook=True)
    assert (objection(item) is not None) is denied


def test_unpacking_around_the_guards_files_passes():
    assert objection(target("", recursive=True, covers_guarded=(".recursive/config/p",))) is None
