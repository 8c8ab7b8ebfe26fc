"""The toolset wrapper in a real Pydantic AI agent with a function model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_ai", reason="pip install phasegate[pydantic-ai]")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from phasegate.frameworks.pydantic_ai import GuardedToolset

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def played(project, tool):
    """Run the agent on one write; what its model got back."""

    def play(path, uds=None):
        told = []

        def model(messages, info):
            del info
            if len(messages) == 1:
                return ModelResponse([ToolCallPart("write_file", {"file_path": str(path), "content": "x"})])
            told.append(str(messages[-1].parts[0].content))
            return ModelResponse([TextPart("done")])

        toolset = GuardedToolset(FunctionToolset([tool]), project.client(uds=uds))
        asyncio.run(Agent(FunctionModel(model), toolsets=[toolset]).run("go"))
        return told[0]

    return play


def test_a_refused_call_does_not_run_and_the_model_is_told(played, project):
    assert "lock" in played(project.ahead)
    assert not project.ahead.exists()


def test_an_allowed_call_runs(played, project):
    assert played(project.free) == "written"
    assert project.free.read_text() == "x"


def test_without_a_service_nothing_runs(played, project):
    assert "no service answers" in played(project.free, uds=project.lost())
    assert not project.free.exists()
