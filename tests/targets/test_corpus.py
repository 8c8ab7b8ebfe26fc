"""The corpus of labelled calls: how many are told right, by kind of call and tier."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.targets.extract import ExtractRequest, extract
from phasegate.targets.shell import FAILED
from support.target_calls import workflow
from support.target_scorer import Answer, Case, Score, Site, build_site, corpus, score


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    return build_site(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def answer(site) -> Callable[[Case], Answer]:
    parser = ShfmtParser()

    def ask(case: Case) -> Answer:
        request = ExtractRequest(case["tool"], case["args"], case["cwd"], site.root, workflow(), {})
        found = extract(request, DiskView(home=site.home), parser)
        assert not any(reason.why.startswith(FAILED) for reason in found.opaque), case["id"]
        result = Answer(opaque=bool(found.opaque))
        for target in found.targets:
            result.add(target.path, recursive=target.recursive)
        return result

    return ask


def cases_of(site: Site, wanted: Callable[[str], bool]) -> list[Case]:
    return [site.real(case) for case in corpus() if wanted(case["tool"])]


def worst(result: Score) -> str:
    return "\n".join(f"{outcome} {name} {args}" for name, outcome, args in result.wrong[:20])


@pytest.fixture(scope="module")
def bash(site, answer) -> Score:
    return score(cases_of(site, lambda tool: tool == "Bash"), answer)


def test_the_corpus_is_whole():
    assert len(corpus()) == 721


@pytest.mark.parametrize(
    ("tier", "missed", "hit"), [("core", 0.005, 0.95), ("extended", 0.03, 0.90), ("adversarial", 0.08, 0.90)]
)
def test_shell_writes_are_found(bash, tier, missed, hit):
    assert bash.share("exact", tier, "MISS") <= missed, worst(bash)
    assert bash.share("exact", tier, "HIT", "CLEAN") >= hit, worst(bash)


def test_shell_reads_are_not_taken_for_writes(bash):
    """The complaint that makes people switch a guard off."""
    assert bash.share("negative", "all", "CLEAN") >= 0.99, worst(bash)
    assert bash.share("negative", "all", "FALSE_TARGET") <= 0.003, worst(bash)


def test_what_can_not_be_known_is_said_to_be_so(bash):
    assert bash.share("unknown", "all", "SAFE") >= 0.98, worst(bash)


def test_exact_commands_are_opaque_only_where_that_is_tolerated(site, answer):
    """An opaque answer to a command that can be told in full is a loss."""
    cases = [case for case in cases_of(site, lambda tool: tool == "Bash") if not case.get("opaque_ok")]
    result = score([case for case in cases if case["certainty"] == "exact"], answer)

    assert result.share("exact", "all", "OPAQUE") <= 0.01, worst(result)


def test_tools_of_editors_and_mcp_servers_are_all_right(site, answer):
    cases = cases_of(site, lambda tool: tool not in ("Bash", "PowerShell"))
    # A tool that nobody knows and that names no path is left to the tool policy.
    nameless = {case["id"] for case in cases if case["tool"] == "mcp__acme__save_plan"}
    result = score(cases, answer)

    assert {name for name, _, _ in result.wrong} <= nameless, worst(result)


def test_powershell_writes_are_found_or_opaque(site, answer):
    result = score(cases_of(site, lambda tool: tool == "PowerShell"), answer)

    assert result.share("exact", "all", "HIT", "OPAQUE", "CLEAN") == 1.0, worst(result)
    assert result.share("negative", "all", "CLEAN") >= 0.9, worst(result)
