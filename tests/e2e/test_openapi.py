"""The OpenAPI document against the server: whatever it allows is answered, and never with an unexpected 5xx."""

from __future__ import annotations

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from support import inprocess, servers

EXAMPLES = 20
CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance, content_type_conformance]
# What the framework itself answers to a request that is no operation of the document.
FRAMEWORK = {400, 405, 411}


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    base = tmp_path_factory.mktemp("openapi")
    inprocess.make_run(base / "repo")
    with servers.service([base / "repo"], base / "d" / "data") as running:
        yield schemathesis.openapi.from_url(f"{running.url}/openapi.json")
        assert "Traceback" not in running.output.read_text()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_operation_answers_what_it_declares(schema, mode):
    """Valid requests and invalid ones, generated from the document."""
    tried = [probe(result.ok(), mode) for result in schema.get_all_operations()]

    assert len(tried) > 15


def probe(operation, mode) -> str:
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def answer(case):
        response = case.call(timeout=30)
        if response.status_code not in FRAMEWORK:
            case.validate_response(response, checks=CHECKS)

    # An operation without parameters has no invalid request.
    with suppress(Unsatisfiable):
        answer()
    return operation.label
