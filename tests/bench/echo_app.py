"""The yardstick: a bare FastAPI route with a pydantic body and response model, plain and durable."""

from __future__ import annotations

import os
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Call(BaseModel):
    tool: str
    args: dict[str, Any] = {}
    workspace: str | None = None
    cwd: str | None = None
    run_id: str | None = None
    mode: str | None = None
    runtime: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    call_id: str | None = None


app = FastAPI()
log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT) if len(sys.argv) > 2 else -1


@app.post("/echo", response_model=Call)
async def echo(call: Call) -> Call:
    return call


@app.post("/durable", response_model=Call)
async def durable(call: Call) -> Call:
    os.write(log, call.model_dump_json().encode() + b"\n")
    os.fdatasync(log)
    return call


if __name__ == "__main__":
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
    )
