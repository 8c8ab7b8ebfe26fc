"""The guard inside Python agent frameworks, each an optional extra of the distribution.

| extra | module | what it gives |
| --- | --- | --- |
| `claude-agent-sdk` | `phasegate.frameworks.claude_agent_sdk` | `can_use_tool`, `hooks` |
| `openai-agents` | `phasegate.frameworks.openai_agents` | `guardrail`, `guarded` |
| `langchain` | `phasegate.frameworks.langchain` | `PhasegateMiddleware` |
| `pydantic-ai` | `phasegate.frameworks.pydantic_ai` | `GuardedToolset` |
| `google-adk` | `phasegate.frameworks.google_adk` | `before_tool_callback` |

All take a client of the running service. A call that the guard refuses never runs: the
model is told why and how to go on. The same holds when no service answers, unless the
client's `failure_mode` is `advisory`.
"""
