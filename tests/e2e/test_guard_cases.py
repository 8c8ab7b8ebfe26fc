"""Every acceptance case, twice: in process, and over HTTP against the real server."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack

import pytest

from phasegate.api.models import parse_call
from phasegate.service import open_service
from phasegate.settings import load_settings
from support import cases, servers

CASES = [*cases.decisions("guard.json"), *cases.decisions("ordinary.json")]
MODES = ("strict", "advisory")
# Machines are noisy: the bound is there to find a hang or a quadratic scan, not a slow disk.
BUDGET_FACTOR = 10


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    base = tmp_path_factory.mktemp("cases")
    places = {case["id"]: base / case["id"] for case in CASES}
    for case in CASES:
        cases.build(case, places[case["id"]])
    return places


@pytest.fixture(scope="module")
def in_process(roots, tmp_path_factory):
    """One service a mode, without a server."""
    home = tmp_path_factory.mktemp("in-process")
    guards = {mode: open_service(_settings(roots, home / mode, mode)) for mode in MODES}
    yield guards
    for guard in guards.values():
        guard.discard()


@pytest.fixture(scope="module")
def clients(roots, tmp_path_factory):
    """One real server a mode."""
    home = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        found = {}
        for mode in MODES:
            running = stack.enter_context(
                servers.service(_named(roots), home / mode / "data", "--mode", mode)
            )
            found[mode] = stack.enter_context(running.client())
        yield found


def _named(roots):
    return [f"{name}={path}" for name, path in roots.items()]


def _settings(roots, data, mode):
    flags = {"workspace": _named(roots), "mode": mode, "data": str(data)}
    return load_settings(flags, environ={"HOME": str(data.parent)})


@pytest.mark.parametrize("case", CASES, ids=cases.ids(CASES))
def test_case_in_process(case, roots, in_process):
    call = parse_call(json.dumps(cases.request(case, roots[case["id"]])).encode())

    started = time.monotonic()
    reply = in_process[case["mode"]].explain(call)
    elapsed = time.monotonic() - started

    cases.check(case, reply)
    assert elapsed * 1000 < case.get("budget_ms", 60_000) * BUDGET_FACTOR


@pytest.mark.parametrize("case", CASES, ids=cases.ids(CASES))
def test_case_over_http(case, roots, clients):
    response = clients[case["mode"]].post("/v1/decisions", json=cases.request(case, roots[case["id"]]))

    assert response.status_code == 200
    cases.check(case, response.json())


def test_every_decision_over_http_was_recorded_and_the_chain_holds(clients, roots):
    for case in CASES:
        clients[case["mode"]].post("/v1/decisions", json=cases.request(case, roots[case["id"]]))

    for client in clients.values():
        report = client.get("/v1/decisions/verify").json()

        assert report["ok"]
        assert report["checked"] > 0
