"""`phasegate demo`: a short agent session against the real service, on a real run directory."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click
import httpx
from rich.console import Console
from rich.table import Table
from rich.text import Text

from phasegate.cli.demo_story import RUN_ID, SESSION, Step, make_workspace, story
from phasegate.core.workflow import Workflow
from phasegate.errors import ServiceUnreachable
from phasegate.settings import DEFAULT_HOST, DEFAULT_PORT
from phasegate.workspace.workflow_file import load_workflow

START_SECONDS = 30
STOP_SECONDS = 15
WIDTH = 118
WORKSPACE = "demo"
COLOURS = {"allow": "green", "deny": "red"}


@click.command()
@click.option("--once", is_flag=True, help="Exit after the session instead of leaving the service up.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help=f"TCP port [default: {DEFAULT_PORT}, or a free one]."
)
def demo(once: bool, port: int | None) -> None:
    """Play a short agent session against the real service, on a sample workspace."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    signal.signal(signal.SIGTERM, _leave)
    with tempfile.TemporaryDirectory(prefix="phasegate-demo-") as place:
        root = Path(place).resolve() / "repo"
        workflow = load_workflow()
        make_workspace(root, workflow)
        base = f"http://{DEFAULT_HOST}:{_free_port(port)}"
        with _service(root, base), httpx.Client(base_url=base, timeout=30) as client:
            console.print(
                f"\n[bold]phasegate[/] guards [cyan]{root}[/] on [cyan]{base}[/]; an agent starts work\n"
            )
            surprises = _play(console, client, root, workflow)
            _closing(console, client, base, workflow)
            if not once:
                _wait(console)
    if surprises:
        raise click.ClickException(f"{surprises} answers were not the expected ones")


def _play(console: Console, client: httpx.Client, root: Path, workflow: Workflow) -> int:
    """Put each step to the service and show its answer; returns how many were not the expected ones."""
    run = f"{workflow.runs_path}/{RUN_ID}"
    table = Table(show_lines=True, header_style="bold", expand=True, caption=f"… stands for {run}")
    table.add_column("the agent wants to", ratio=5, overflow="fold")
    table.add_column("answer", width=13)
    table.add_column("why, and how to go on", ratio=7, overflow="fold")
    surprises = 0
    for step in story(workflow):
        decision = _ask(client, step, root)
        if decision["kind"] == "allow" and step.tool == "write":
            target = root / step.args["file_path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.args["content"], "utf-8")
        surprises += decision["kind"] != step.expect
        table.add_row(_wish(step, run), _answer(decision), _why(step, decision, run))
    console.print(table)
    return surprises


def _ask(client: httpx.Client, step: Step, root: Path) -> dict[str, Any]:
    """The decision on one step."""
    run = f"/v1/runs/{RUN_ID}"
    if step.kind == "enter":
        reply = client.post(f"{run}/phase", json={"session_id": SESSION["session_id"]})
    elif step.kind == "lock":
        reply = client.post(f"{run}/locks", json={"artifact": step.args["artifact"]})
    else:
        body = {"tool": step.tool, "args": step.args, "cwd": str(root), "run_id": RUN_ID, **SESSION}
        reply = client.post("/v1/decisions", json=body)
    return _decision(reply)


def _decision(reply: httpx.Response) -> dict[str, Any]:
    """The decision in a reply; an operation that was carried out has none and counts as allowed."""
    document: dict[str, Any] = reply.json()
    if "kind" in document:
        return document
    refused: list[dict[str, Any]] = [
        item["decision"] for item in document.get("errors", ()) if "decision" in item
    ]
    if refused:
        return refused[0]
    if not reply.is_success:
        raise ServiceUnreachable(f"the service answered {reply.status_code}: {document.get('detail', '')}")
    return {"kind": "allow", "warning": None, "note": document.get("memoryReason", "")}


def _wish(step: Step, run: str) -> Text:
    text = Text(step.asks, style="bold")
    detail = step.args.get("command") or step.args.get("file_path") or step.args.get("artifact") or ""
    return text.append(
        f"\n{step.tool or step.kind} {detail.replace(run, '…')}".rstrip(), style="not bold dim"
    )


def _answer(decision: dict[str, Any]) -> Text:
    text = Text(decision["kind"], style=f"bold {COLOURS[decision['kind']]}")
    if decision["kind"] == "deny":
        text.append(f"\n{decision['rule']}", style="not bold")
    return text


def _why(step: Step, decision: dict[str, Any], run: str) -> Text:
    if decision["kind"] == "allow":
        told = (step.then, decision.get("note"), decision["warning"])
        return Text("; ".join(filter(None, told)), style="dim")
    text = Text(decision["reason"].replace(run, "…"))
    remedy = decision["remedy"]["text"]
    return text.append(f"\n→ {remedy}", style="cyan") if remedy else text


def _closing(console: Console, client: httpx.Client, base: str, workflow: Workflow) -> None:
    """The log's own account, and where to look further."""
    report = client.get("/v1/decisions/verify").json()
    state = "verifies" if report["ok"] else "does NOT verify"
    console.print(
        f"\nEach answer is a record in the decision log; its hash chain {state} ({report['checked']} records)."
    )
    target = f"{workflow.runs_path}/{RUN_ID}/{workflow.first_phase[0].artifact}"
    body = f'{{"tool":"bash","args":{{"command":"rm {target}"}},"run_id":"{RUN_ID}"}}'
    for purpose, command in (
        ("every denial, newest first", f"curl -s '{base}/v1/decisions?kind=deny'"),
        ("is the log unbroken?", f"curl -s {base}/v1/decisions/verify"),
        (
            "ask yourself",
            f"curl -s {base}/v1/decisions -H 'content-type: application/json' -d {shlex.quote(body)}",
        ),
        ("the whole API", f"{base}/docs"),
    ):
        console.print(f"\n  [dim]{purpose}[/]\n  {command}", soft_wrap=True)


def _wait(console: Console) -> None:
    console.print("\nThe service keeps running. [bold]Ctrl-C[/] stops it and removes the sample.")
    try:
        while True:
            signal.pause()
    except KeyboardInterrupt:
        console.print("\nstopped")


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM ends as Ctrl-C does: the service is stopped, the sample removed."""
    del number, frame
    raise KeyboardInterrupt


@contextmanager
def _service(root: Path, base: str) -> Iterator[None]:
    """The real service in a process of its own, with no settings but these."""
    port = base.rpartition(":")[2]
    command = [
        sys.executable,
        "-m",
        "phasegate",
        "serve",
        "--workspace",
        f"{WORKSPACE}={root}",
        "--port",
        port,
    ]
    home = root.parent / "home"
    home.mkdir()
    # An environment of its own: the caller's PHASEGATE_* are about another service.
    env = {"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}
    process = subprocess.Popen(  # noqa: S603 (fixed argv, no shell)
        command, env=env, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        _wait_until_ready(process, base)
        yield
    finally:
        process.terminate()
        try:
            process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _wait_until_ready(process: subprocess.Popen[bytes], base: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            told = process.communicate()[1].decode(errors="replace").strip()
            raise ServiceUnreachable(f"the service ended while starting: {told[-500:]}")
        try:
            if httpx.get(f"{base}/readyz", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise ServiceUnreachable(f"the service was not ready within {START_SECONDS} s")


def _free_port(wanted: int | None) -> int:
    """*wanted*, else the usual port, else any free one."""
    candidates = (DEFAULT_PORT, 0) if wanted is None else (wanted,)
    for port in candidates:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((DEFAULT_HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise click.ClickException(f"port {wanted} is taken; choose another with --port")
