"""A second corpus of everyday commands, written without a look at the extractor.

Every row that writes has its files named or is said not to be understood; no harmless one
gets a target or is doubted. The tree is that of the first corpus.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.workspace.workflow_file import load_workflow
from support.target_scorer import CASES, Answer, build_site, judge

# The share of the commands whose files are all named in the corpus and by the extractor.
NAMED = 0.85


def rows(kind):
    lines = (CASES / "shell_extra.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [row for row in found if row["kind"] == kind]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    site = build_site(tmp_path_factory.mktemp("extra"))
    view, parser, workflow = DiskView(home=site.home), ShfmtParser(), load_workflow()

    def ask(row) -> str:
        request = ExtractRequest("Bash", {"command": row["command"]}, site.root, site.root, workflow, {})
        found = extract(request, view, parser)
        answer = Answer(opaque=bool(found.opaque or found.unusable))
        for target in found.targets:
            for path in {target.path, target.lexical}:
                answer.add(path, recursive=target.recursive)
        return judge(_case(row, site), answer)

    return ask


def _case(row, site):
    """The row in the form of the first corpus; a name that ends in a slash is a directory with all in it."""
    files = row.get("files", [])
    targets = [
        {
            "path": os.path.normpath(Path(site.root, name.replace("~", site.home, 1))),
            "recursive": name.endswith("/"),
        }
        for name in files
    ]
    return {
        "cwd": site.root,
        "certainty": "exact" if files or row["kind"] == "harmless" else "unknown",
        "negative": row["kind"] == "harmless",
        "expect_targets": targets,
    }


def test_no_written_file_is_overlooked(outcome):
    outcomes = {row["command"]: outcome(row) for row in rows("writes")}

    assert [command for command, judged in outcomes.items() if judged == "MISS"] == []


def test_most_files_are_named_and_not_only_doubted(outcome):
    exact = [outcome(row) for row in rows("writes") if row["files"]]

    assert exact.count("HIT") / len(exact) >= NAMED


def test_harmless_commands_are_left_alone(outcome):
    outcomes = {row["command"]: outcome(row) for row in rows("harmless")}

    assert {command: judged for command, judged in outcomes.items() if judged != "CLEAN"} == {}


def test_nothing_is_made_up_about_what_can_not_be_known(outcome):
    """Tests and builds are opaque, unless they are known to change nothing; a file is never guessed."""
    outcomes = [outcome({**row, "kind": "harmless"}) for row in rows("unknowable")]

    assert "FALSE_TARGET" not in outcomes
