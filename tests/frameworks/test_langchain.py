"""The middleware in a real LangChain agent with a scripted chat model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain", reason="pip install phasegate[langchain]")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from phasegate.frameworks.langchain import PhasegateMiddleware

pytestmark = pytest.mark.filterwarnings("default")


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        del tools
        return self


def model(path):
    call = {"name": "write_file", "args": {"file_path": str(path), "content": "x"}, "id": "c1"}
    return Scripted(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage(content="done")]))


@pytest.fixture(params=["sync", "async"])
def played(request, project, tool):
    """Run the agent on one write; the message that its model got."""

    def play(path, uds=None):
        middleware = PhasegateMiddleware(project.sync_client(uds=uds), project.client(uds=uds))
        agent = create_agent(model(path), tools=[tool], middleware=[middleware])
        given = {"messages": [{"role": "user", "content": "go"}]}
        state = agent.invoke(given) if request.param == "sync" else asyncio.run(agent.ainvoke(given))
        return next(message for message in state["messages"] if isinstance(message, ToolMessage))

    return play


def test_a_refused_call_does_not_run_and_the_model_is_told(played, project):
    message = played(project.ahead)

    assert not project.ahead.exists()
    assert message.status == "error"
    assert "lock" in message.content
    assert message.tool_call_id == "c1"


def test_an_allowed_call_runs(played, project):
    assert played(project.free).content == "written"
    assert project.free.read_text() == "x"


def test_without_a_service_nothing_runs(played, project):
    assert "no service answers" in played(project.free, uds=project.lost()).content
    assert not project.free.exists()


def test_a_missing_client_is_an_error_and_no_pass(project, tool):
    agent = create_agent(model(project.free), tools=[tool], middleware=[PhasegateMiddleware()])
    with pytest.raises(TypeError, match="PhasegateClient"):
        agent.invoke({"messages": [{"role": "user", "content": "go"}]})

    assert not project.free.exists()
