"""Every acceptance case against the real server, strict and advisory as the case says."""

from __future__ import annotations

import pytest

from support import cases, servers

CASES = [case for name in ("guard.json", "ordinary.json") for case in cases.decisions(name)]
MODES = ("strict", "advisory")


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The reply to each case: one workspace each, one server for each mode."""
    base = tmp_path_factory.mktemp("cases")
    replies = {}
    for mode in MODES:
        ours = [case for case in CASES if case["mode"] == mode]
        roots = {case["id"]: base / case["id"] for case in ours}
        for case in ours:
            cases.build(case, roots[case["id"]])
        with (
            servers.service(list(roots.values()), base / mode / "data", "--mode", mode) as guard,
            guard.client() as client,
        ):
            for case in ours:
                replies[case["id"]] = client.post(
                    "/v1/decisions", json=cases.request(case, roots[case["id"]])
                )
            assert client.get("/v1/decisions/verify").json()["checked"] == len(ours)
    return replies


@pytest.mark.parametrize("case", CASES, ids=cases.ids(CASES))
def test_the_server_answers_as_the_case_expects(case, answered):
    reply = answered[case["id"]]

    assert reply.status_code == 200, reply.text
    cases.check(case, reply.json())


def test_every_mode_has_cases():
    assert {case["mode"] for case in CASES} == set(MODES)
