"""Run ids."""

import pytest

from phasegate.core.runid import run_id_problem
from support.cases import load

CASES = [case for case in load("guard.json") if case["call"]["tool"] == "#run_id_valid"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_run_id_is_accepted_or_refused_as_documented(case):
    assert (run_id_problem(case["call"]["args"]["run_id"]) is None) is case["expect"]["value"]


@pytest.mark.parametrize(
    ("run_id", "problem"),
    [("", "empty"), ("x" * 101, "longer"), ("C:x/y", "drive"), ("a/b:c", "separator"), ("ab:c..", "colon"),
     ("a..b.", "two dots"), (".a", "begins with a dot"), ("a.", "ends with a dot"), ("a b", "only ASCII")],
)  # fmt: skip
def test_first_problem_in_the_fixed_order_is_reported(run_id, problem):
    assert problem in (run_id_problem(run_id) or "")
