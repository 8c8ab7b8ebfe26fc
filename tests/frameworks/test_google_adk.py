"""The callback in a real Google ADK agent with a scripted model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("google.adk", reason="pip install phasegate[google-adk]")

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from phasegate.frameworks.google_adk import before_tool_callback

pytestmark = pytest.mark.filterwarnings("default")


class Scripted(BaseLlm):
    """Calls the tool once with *args*, then is done."""

    args: dict[str, str]
    told: list[dict] = []  # noqa: RUF012 (pydantic copies defaults)

    async def generate_content_async(self, llm_request, stream=False):
        del stream
        answers = [
            part.function_response.response
            for content in llm_request.contents
            for part in content.parts
            if part.function_response
        ]
        self.told.extend(answers)
        part = types.Part(text="done")
        if not answers:
            part = types.Part(function_call=types.FunctionCall(name="write_file", args=self.args, id="c1"))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


@pytest.fixture
def played(project, tool):
    """Run the agent on one write; the tool result that its model got."""

    def play(path, uds=None):
        model = Scripted(model="scripted", args={"file_path": str(path), "content": "x"})
        client = project.client(uds=uds)
        agent = LlmAgent(
            name="coder", model=model, tools=[tool], before_tool_callback=before_tool_callback(client)
        )

        async def go():
            runner = InMemoryRunner(agent=agent, app_name="app")
            session = await runner.session_service.create_session(app_name="app", user_id="u")
            message = types.Content(role="user", parts=[types.Part(text="go")])
            async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
                pass

        asyncio.run(go())
        return model.told[0]

    return play


def test_a_refused_call_does_not_run_and_the_model_is_told(played, project):
    assert "lock" in played(project.ahead)["error"]
    assert not project.ahead.exists()


def test_an_allowed_call_runs(played, project):
    assert played(project.free) == {"result": "written"}
    assert project.free.read_text() == "x"


def test_without_a_service_nothing_runs(played, project):
    assert "no service answers" in played(project.free, uds=project.lost())["error"]
    assert not project.free.exists()
