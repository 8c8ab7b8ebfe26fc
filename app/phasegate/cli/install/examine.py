"""Examining an installation: the hooks as the runtime would find them, started as it would start them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from phasegate.cli.install import merge
from phasegate.cli.install.canary import SESSION, Outcome, payload, refuses
from phasegate.cli.install.jsonc import NotJson, parse
from phasegate.cli.install.plan import PROGRAM_EVENTS, PROGRAMS, read, root_of
from phasegate.cli.install.plugins import RUNTIMES as PLUGIN_RUNTIMES
from phasegate.cli.install.register import REGISTRATIONS, hook_event
from phasegate.runtimes import find

TIMEOUT: Final = 30.0

_DRIVE_OPENCODE: Final = """
import { pathToFileURL } from "node:url";
const module = await import(pathToFileURL(process.argv[2]).href);
const call = JSON.parse(process.argv[3]);
const hooks = await module.Phasegate({ directory: call.directory });
try {
  await hooks["tool.execute.before"](call, { args: call.args });
  console.log(JSON.stringify({ decision: "allow" }));
} catch (error) {
  console.log(JSON.stringify({ decision: "deny", reason: String(error.message) }));
}
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `ok` None: could not be checked here, with the reason."""

    ok: bool | None
    what: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Handler:
    """One installed hook: what the runtime calls on `event`, a shell line, a file or an address."""

    event: str
    entry: Mapping[str, Any]
    command: str = ""
    url: str = ""
    program: str = ""


def handlers(runtime: str, path: Path) -> list[Handler]:
    """Our hooks in the configuration, in the order of their events."""
    if runtime in PROGRAMS:
        files = [(event, path / f"{event}{PROGRAMS[runtime]}") for event in PROGRAM_EVENTS]
        return [
            Handler(event, {}, program=str(file)) for event, file in files if merge.MARK in (read(file) or "")
        ]
    text = read(path) or ""
    if runtime in PLUGIN_RUNTIMES:
        adapter = find(runtime)
        event = next(iter(adapter.events)) if adapter is not None else ""
        return [Handler(event, {}, program=str(path))] if merge.MARK in text else []
    if not text.strip():
        return []
    found = merge.installed(text, root_of(REGISTRATIONS[runtime], text))
    return [
        _handler(hook_event(runtime, event), inner)
        for event, entries in found.items()
        for entry in entries
        for inner in entry.get("hooks", [entry])
        if merge.is_ours(inner)
    ]


def _handler(event: str, entry: Mapping[str, Any]) -> Handler:
    command = str(entry.get("command") or entry.get("bash") or "")
    return Handler(event, entry, command=command, url=str(entry.get("url") or ""))


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an installation is examined. `target` is the file that nobody may write."""

    path: Path
    directory: Path
    target: Path
    codex_home: Path
    token: str = ""


def examine(runtime: str, scene: Scene) -> Iterator[Finding]:
    """Every check of an installation, in order; the caller prints and counts."""
    path = scene.path
    installed = handlers(runtime, path)
    yield Finding(
        bool(installed), f"`{path}` has the hook", "" if installed else f"phasegate install {runtime}"
    )
    if not installed:
        return
    yield from _complete(runtime, installed)
    yield from _trusted(runtime, scene)
    for handler in installed:
        if _precedes_a_tool(runtime, handler.event):
            yield _canary(runtime, handler, scene)


def _complete(runtime: str, installed: list[Handler]) -> Iterator[Finding]:
    registration = REGISTRATIONS.get(runtime)
    if registration is None:
        return
    there = {handler.event for handler in installed}
    missing = [event for event in registration.events if hook_event(runtime, event) not in there]
    yield Finding(not missing, "every event is covered", ", ".join(f"`{event}` is not" for event in missing))
    if registration.closed is not None:
        key, value = registration.closed
        open_ones = [handler.event for handler in installed if handler.entry.get(key) != value]
        advisory = all(
            "--mode advisory" in handler.command or "mode=advisory" in handler.url for handler in installed
        )
        why = "" if not open_ones else "advisory" if advisory else f"not set on {', '.join(open_ones)}"
        yield Finding(not open_ones or advisory, f"`{key}` makes a broken hook block", why)


def _precedes_a_tool(runtime: str, event: str) -> bool:
    adapter = find(runtime)
    return adapter is not None and adapter.capability(event).phase in {"before", "permission"}


def _canary(runtime: str, handler: Handler, scene: Scene) -> Finding:
    what = f"a forbidden write on `{handler.event}` is denied"
    body = json.dumps(payload(runtime, handler.event, str(scene.target), str(scene.directory)))
    try:
        outcome = _started(runtime, handler, body, scene)
    except (OSError, subprocess.TimeoutExpired, httpx.HTTPError) as error:
        return Finding(False, what, f"the hook can't be started ({type(error).__name__})")
    if outcome is None:
        return Finding(None, what, "neither node nor bun is here to run the plugin")
    if not refuses(runtime, handler.event, outcome):
        return Finding(False, what, _passed(outcome, scene.directory))
    unreachable = "nothing runs unchecked" in outcome.stderr + outcome.stdout
    return Finding(not unreachable, what, "only because no service answers: start it" if unreachable else "")


def _passed(outcome: Outcome, directory: Path) -> str:
    if outcome.http_status is not None and outcome.http_status != httpx.codes.OK:
        return f"the service answered {outcome.http_status}, which the runtime ignores"
    said = (outcome.stderr or outcome.stdout).strip()[:200]
    return f"the runtime would go on (exit {outcome.exit_code}, {said!r}); is `{directory}` served?"


def _started(runtime: str, handler: Handler, body: str, scene: Scene) -> Outcome | None:
    """Call the hook the way the runtime does."""
    if handler.url:
        return _posted(handler, body, scene.token)
    if runtime in PLUGIN_RUNTIMES:
        return _plugged(runtime, handler, body, scene.directory)
    argv = [handler.program] if handler.program else ["/bin/sh", "-c", handler.command]
    done = subprocess.run(  # noqa: S603 (the command line is the installed hook, started as the runtime starts it)
        argv, input=body, capture_output=True, text=True, cwd=scene.directory, timeout=TIMEOUT, check=False
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def _posted(handler: Handler, body: str, token: str) -> Outcome:
    headers = {"content-type": "application/json"}
    if token and "headers" in handler.entry:
        headers["authorization"] = f"Bearer {token}"
    response = httpx.post(handler.url, content=body.encode(), headers=headers, timeout=TIMEOUT)
    return Outcome(0, response.text, http_status=response.status_code)


def _plugged(runtime: str, handler: Handler, body: str, directory: Path) -> Outcome | None:
    engine = shutil.which("bun") or shutil.which("node")
    if engine is None or runtime != "opencode":
        return None
    call = {**json.loads(body), "sessionID": SESSION}
    done = subprocess.run(  # noqa: S603 (the engine found on the path, with our own script)
        [engine, "--input-type=module", "-e", _DRIVE_OPENCODE, "doctor", handler.program, json.dumps(call)],
        capture_output=True, text=True, cwd=directory, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


def _trusted(runtime: str, scene: Scene) -> Iterator[Finding]:
    """The trust step of runtimes that have one; they skip an untrusted hook without a word."""
    if runtime == "codex":
        yield _codex_trust(scene)
    elif runtime == "gemini-cli":
        yield from _gemini_trust(scene.path, scene.directory)
    elif runtime == "claude-code":
        disabled = _plain(scene.path).get("disableAllHooks")
        yield Finding(not disabled, "hooks are switched on", "`disableAllHooks` is set" if disabled else "")


def _codex_trust(scene: Scene) -> Finding:
    path = scene.codex_home / "config.toml"
    try:
        config = tomllib.loads(read(path) or "")
    except tomllib.TOMLDecodeError:
        return Finding(False, "the hook is trusted", f"`{path}` is not TOML")
    hooks = config.get("hooks")
    states = hooks.get("state", {}) if isinstance(hooks, dict) else {}
    trusted = [key for key, state in states.items() if str(scene.path) in key and "trusted_hash" in state]
    if config.get("features", {}).get("hooks") is False:
        return Finding(False, "hooks are switched on", "`features.hooks` is false")
    return Finding(
        bool(trusted), "the hook is trusted", "" if trusted else "open `/hooks` in Codex and trust it"
    )


def _gemini_trust(path: Path, directory: Path) -> Iterator[Finding]:
    settings = _plain(path)
    enabled = (settings.get("hooksConfig") or {}).get("enabled", True)
    yield Finding(
        enabled is not False, "hooks are switched on", "" if enabled else "`hooksConfig.enabled` is false"
    )
    if path.is_relative_to(Path.home() / ".gemini"):
        return
    hooks = _plain(Path.home() / ".gemini" / "trusted_hooks.json").get(str(directory), [])
    yield Finding(
        any(merge.MARK in str(key) for key in hooks),
        "the project's hook is accepted",
        "" if hooks else "start Gemini CLI here once and accept the hook",
    )


def _plain(path: Path) -> Mapping[str, Any]:
    try:
        value = parse(read(path) or "{}").plain()
    except NotJson:
        return {}
    return value if isinstance(value, dict) else {}
