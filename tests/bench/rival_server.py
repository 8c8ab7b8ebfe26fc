"""A rival policy service for comparison: `python rival_server.py toolkit|cedar RULES PORT`.

`toolkit` is the HTTP server of microsoft's agent-governance-toolkit (PyPI agent-os-kernel)
with one more route that asks its own policy evaluator; `cedar` is FastAPI in front of
cedarpy. Neither reads files per call nor keeps a record. Runs in its own environment.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI, Request

BLOCKED = "blocked_tool_{}"


def toolkit(rules: int) -> FastAPI:
    from agent_os.policies import PolicyEvaluator
    from agent_os.policies.schema import PolicyCondition, PolicyDocument, PolicyRule
    from agent_os.server.app import GovServer

    entries = [
        PolicyRule(
            name=f"rule-{number}",
            condition=PolicyCondition(field="tool_name", operator="eq", value=BLOCKED.format(number)),
            action="deny",
            priority=number,
        )
        for number in range(rules)
    ]
    evaluator = PolicyEvaluator([PolicyDocument(name="bench", rules=entries)])
    app: FastAPI = GovServer(allow_unauthenticated_execute=True).app

    @app.post("/decide")
    async def decide(request: Request) -> dict[str, Any]:
        call = await request.json()
        decision = evaluator.evaluate({"tool_name": call["tool"], **call["args"]})
        return {"allowed": decision.allowed, "reason": decision.reason}

    return app


def cedar(rules: int) -> FastAPI:
    import cedarpy

    denials = "\n".join(
        f'forbid(principal, action == Action::"{BLOCKED.format(number)}", resource);'
        for number in range(rules)
    )
    policies = f"permit(principal, action, resource);\n{denials}"
    app = FastAPI()

    @app.post("/decide")
    async def decide(request: Request) -> dict[str, Any]:
        call = await request.json()
        query = {
            "principal": 'Agent::"a"',
            "action": f"Action::{json.dumps(call['tool'])}",
            "resource": f"File::{json.dumps(call['args']['file_path'])}",
            "context": {},
        }
        answer = cedarpy.is_authorized(query, policies, [])
        return {"allowed": answer.decision == cedarpy.Decision.Allow}

    return app


def main() -> None:
    name, rules, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.disable(logging.WARNING)
    app = {"toolkit": toolkit, "cedar": cedar}[name](rules)
    uvicorn.run(app, host="127.0.0.1", port=port, loop="uvloop", http="httptools", access_log=False)


if __name__ == "__main__":
    main()
