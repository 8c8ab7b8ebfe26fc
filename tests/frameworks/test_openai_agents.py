"""The guardrail in a real OpenAI Agents SDK run with a scripted model."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("agents", reason="pip install phasegate[openai-agents]")

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from phasegate.frameworks.openai_agents import guarded

pytestmark = pytest.mark.filterwarnings("default")


class Scripted(Model):
    """Calls the tool once with *arguments*, then is done. Keeps its inputs."""

    def __init__(self, arguments: str) -> None:
        self.outputs = [
            ResponseFunctionToolCall(
                type="function_call", name="write_file", arguments=arguments, call_id="c1", id="f1"
            ),
            ResponseOutputMessage(
                id="m1", type="message", role="assistant", status="completed",
                content=[ResponseOutputText(type="output_text", text="done", annotations=[])],
            ),
        ]  # fmt: skip
        self.inputs = []

    async def get_response(self, system_instructions, input, *args, **kwargs):  # noqa: A002 (the SDK's name)
        del system_instructions, args, kwargs
        self.inputs.append(input)
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


@pytest.fixture
def played(project, tool):
    """Run the agent on one write; the tool output that its model got."""
    set_tracing_disabled(disabled=True)

    def play(arguments, uds=None):
        model = Scripted(arguments)
        tools = guarded(project.client(uds=uds), [function_tool(tool)])
        asyncio.run(Runner.run(Agent(name="coder", model=model, tools=tools), "go"))
        outputs = [item["output"] for item in model.inputs[-1] if item.get("type") == "function_call_output"]
        return outputs[0]

    return play


def arguments(path):
    return json.dumps({"file_path": str(path), "content": "x"})


def test_a_refused_call_does_not_run_and_the_model_is_told(played, project):
    assert "lock" in played(arguments(project.ahead))
    assert not project.ahead.exists()


def test_an_allowed_call_runs(played, project):
    assert played(arguments(project.free)) == "written"
    assert project.free.read_text() == "x"


def test_without_a_service_nothing_runs(played, project):
    assert "no service answers" in played(arguments(project.free), uds=project.lost())
    assert not project.free.exists()


def test_arguments_that_are_no_object_are_refused(played):
    assert "not a JSON object" in played("[1]")
