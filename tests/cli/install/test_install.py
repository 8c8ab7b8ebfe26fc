"""`install`, `uninstall` and `doctor` as a person runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from phasegate.cli import cli
from phasegate.cli.install.plan import supported
from phasegate.runtimes import HookRequest, deny, discover, find, render
from phasegate.runtimes.places import CONFIGURATION_FILES, PLACES
from support.stub_service import Stub, on_port, on_socket, reply

PROJECT_RUNTIMES = list(supported())
JAVASCRIPT_MISSING = {
    name: name == "opencode" and shutil.which("node") is None and shutil.which("bun") is None
    for name in PROJECT_RUNTIMES
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("PHASEGATE_", "XDG_", "CODEX_", "COPILOT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def project(tmp_path, home):
    del home
    project = tmp_path / "repo"
    project.mkdir()
    return project


def run(*argv, code=0):
    done = CliRunner().invoke(cli, [str(word) for word in argv])
    assert done.exit_code == code, done.output
    return done.output


def files(directory):
    return {
        str(path.relative_to(directory)): path.read_text(encoding="utf-8")
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def denial(runtime, event, transport="command"):
    """An answer that denies in the runtime's own form."""
    adapter = find(runtime)
    request = HookRequest(runtime, event, adapter.capability(event).phase)
    said = render(adapter, request, deny("no"), transport)
    return reply(said.body, code=said.exit_code, stream=said.stream)


@pytest.mark.parametrize("name", PROJECT_RUNTIMES)
class TestEveryRuntime:
    def test_is_installed_shown_repeated_and_removed(self, name, project):
        shown = run("install", name, "--dir", project, "--uds", "/run/p.sock", "--dry-run")
        assert files(project) == {}
        assert "+" in shown

        run("install", name, "--dir", project, "--uds", "/run/p.sock")
        once = files(project)
        assert once
        assert all("phasegate" in text for text in once.values())

        assert "nothing to change" in run("install", name, "--dir", project, "--uds", "/run/p.sock")
        assert files(project) == once

        run("uninstall", name, "--dir", project)
        assert not any("hook.py" in text or "/v1/hooks/" in text for text in files(project).values())
        assert "nothing to change" in run("uninstall", name, "--dir", project)

    def test_is_written_where_the_guard_protects_it(self, name, project):
        """An agent that may edit the file takes the guard out with one write."""
        run("install", name, "--dir", project, "--uds", "/run/p.sock")

        for path in files(project):
            assert any(path == end or path.endswith("/" + end) for end in CONFIGURATION_FILES), path

    def test_fails_closed_unless_advisory(self, name, project, tmp_path):
        """Without a service the installed hook refuses, in words the runtime obeys."""
        run("install", name, "--dir", project, "--uds", tmp_path / "nobody.sock")
        if name == "amp":  # its engine is part of the product
            assert "skip" in run("doctor", name, "--dir", project)
            return
        report = run("doctor", name, "--dir", project, code=0 if JAVASCRIPT_MISSING[name] else 1)

        assert "no service answers" in report or JAVASCRIPT_MISSING[name]

    def test_its_place_is_known(self, name, project):
        del project
        assert name in PLACES


def test_places_are_those_of_known_runtimes():
    assert set(PLACES) <= {runtime.id for runtime in discover()}


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("claude-code", "PreToolUse"),
        ("codex", "PreToolUse"),
        ("gemini-cli", "BeforeTool"),
        ("windsurf-cascade", "pre_write_code"),
        ("cline-vscode", "PreToolUse"),
        ("kiro-cli-2", "preToolUse"),
        ("goose", "PreToolUse"),
    ],
)
def test_doctor_is_content_with_a_guard_that_denies(name, event, project, tmp_path, home):
    uds = str(tmp_path / "s")
    run("install", name, "--dir", project, "--uds", uds)
    if name == "codex":
        config = home / ".codex" / "config.toml"
        config.parent.mkdir()
        key = f"{project}/.codex/hooks.json:pre_tool_use:0:0"
        config.write_text(f'[hooks.state."{key}"]\ntrusted_hash = "sha256:x"\n', encoding="utf-8")
    if name == "gemini-cli":
        trusted = home / ".gemini" / "trusted_hooks.json"
        trusted.parent.mkdir()
        trusted.write_text(json.dumps({str(project): ["phasegate:x"]}), encoding="utf-8")
    settings_only = name in {"claude-code", "codex"}
    with on_socket(Stub(denial(name, event)), uds):
        report = run("doctor", name, "--dir", project, code=1 if settings_only else 0)

    assert f"ok   a forbidden write on `{event}` is denied" in report
    # One stub answers every event alike, so the prompt's own event is not served here.
    assert report.count("FAIL") == (1 if settings_only else 0)


def test_doctor_finds_a_guard_that_lets_everything_pass(project, tmp_path):
    uds = str(tmp_path / "s")
    run("install", "claude-code", "--dir", project, "--uds", uds)
    with on_socket(Stub(reply(b"")), uds):
        report = run("doctor", "claude-code", "--dir", project, code=1)

    assert "FAIL a forbidden write on `PreToolUse` is denied: the runtime would go on" in report


def test_doctor_finds_what_keeps_hooks_from_running(project, tmp_path, home):
    del home
    run("install", "claude-code", "--dir", project, "--uds", tmp_path / "s")
    run("install", "codex", "--dir", project, "--uds", tmp_path / "s")
    path = project / ".claude" / "settings.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    del settings["hooks"]["PostToolUse"], settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"]
    path.write_text(json.dumps({**settings, "disableAllHooks": True}), encoding="utf-8")

    report = run("doctor", "claude-code", "--dir", project, code=1)

    assert "FAIL every event is covered: `PostToolUse` is not" in report
    assert "FAIL `onFailure` makes a broken hook block: not set on PreToolUse" in report
    assert "FAIL hooks are switched on" in report
    assert "FAIL the hook is trusted" in run("doctor", "codex", "--dir", project, code=1)


def test_doctor_without_an_installation_says_how_to_make_one(project):
    assert "phasegate install claude-code" in run("doctor", "claude-code", "--dir", project, code=1)


def test_an_http_hook_is_written_and_proved_by_posting(project, monkeypatch):
    monkeypatch.setenv("PHASEGATE_TOKEN", "secret")
    with on_port(Stub(denial("claude-code", "PreToolUse", "http"))) as port:
        url = f"http://127.0.0.1:{port}"
        run("install", "claude-code", "--dir", project, "--transport", "http", "--url", url)
        report = run("doctor", "claude-code", "--dir", project, code=1)
    settings = json.loads((project / ".claude" / "settings.json").read_text(encoding="utf-8"))
    handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]

    assert handler["url"] == f"{url}/v1/hooks/claude-code?event=PreToolUse"
    assert handler["onFailure"] == "block"
    assert handler["headers"] == {"Authorization": "Bearer $PHASEGATE_TOKEN"}
    assert "secret" not in json.dumps(settings)
    assert "ok   a forbidden write on `PreToolUse` is denied" in report


def test_the_shell_variant_lies_outside_of_the_workspace(project, home, tmp_path):
    run("install", "gemini", "--dir", project, "--uds", tmp_path / "s", "--transport", "sh")
    settings = json.loads((project / ".gemini" / "settings.json").read_text(encoding="utf-8"))
    command = settings["hooks"]["BeforeTool"][0]["hooks"][0]["command"]

    assert command.startswith(
        f"sh {home}/.local/state/phasegate/hooks/phasegate-hook-gemini-cli-BeforeTool.sh"
    )
    assert os.access(command.split()[1], os.X_OK)


def test_an_advisory_installation_lets_the_runtime_go_on_without_a_service(project, tmp_path):
    run("install", "claude-code", "--dir", project, "--uds", tmp_path / "s", "--mode", "advisory")
    text = (project / ".claude" / "settings.json").read_text(encoding="utf-8")
    handler = json.loads(text)["hooks"]["PreToolUse"][0]["hooks"][0]

    assert "onFailure" not in handler
    done = subprocess.run(
        ["/bin/sh", "-c", handler["command"]], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_user_installation_goes_where_the_runtime_was_moved(home, tmp_path, monkeypatch):
    run("install", "claude", "--user", "--uds", tmp_path / "s")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "cx"))
    run("install", "codex", "--user", "--uds", tmp_path / "s")

    assert (home / ".claude" / "settings.json").is_file()
    assert (tmp_path / "cx" / "hooks.json").is_file()


def test_an_older_file_that_the_runtime_still_reads_is_changed_and_not_shadowed(project, tmp_path):
    older = project / ".windsurf" / "hooks.json"
    older.parent.mkdir()
    older.write_text('{"hooks": {"pre_write_code": [{"command": "mine"}]}}', encoding="utf-8")
    run("install", "windsurf", "--dir", project, "--uds", tmp_path / "s")

    assert not (project / ".devin").exists()
    assert json.loads(older.read_text())["hooks"]["pre_write_code"][0] == {"command": "mine"}


def test_somebody_elses_hook_program_is_left_alone(project, tmp_path):
    mine = project / ".clinerules" / "hooks" / "PreToolUse"
    mine.parent.mkdir(parents=True)
    mine.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")

    assert "add this line to it yourself" in run(
        "install", "cline", "--dir", project, "--uds", tmp_path / "s", code=2
    )
    assert mine.read_text(encoding="utf-8") == "#!/bin/sh\nexit 0\n"


def test_a_linked_configuration_is_changed_where_it_really_is(project, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n", encoding="utf-8")
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").symlink_to(real)
    run("install", "claude-code", "--dir", project, "--uds", tmp_path / "s")

    assert (project / ".claude" / "settings.json").is_symlink()
    assert "hook.py" in real.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["crewai"], "no configuration file"),
        (["no-such-thing"], "known are"),
        (["vscode", "--user"], "has no `--user` configuration"),
        (["codex", "--transport", "http", "--url", "http://h:1"], "knows no HTTP hooks"),
        (["codex", "--autostart", "--url", "http://h:1"], "needs a socket"),
    ],
)
def test_what_can_not_be_done_is_refused_with_the_way_on(project, argv, said):
    assert said in run("install", *argv, "--dir", project, code=2)
    assert files(project) == {}


@pytest.mark.skipif(
    shutil.which("node") is None, reason="the plugin runs in a JavaScript engine; no node here"
)
class TestOpencodePlugin:
    def test_throws_what_the_guard_says(self, project):
        with on_port(Stub(denial("opencode", "tool.execute.before"))) as port:
            run("install", "opencode", "--dir", project, "--url", f"http://127.0.0.1:{port}")
            report = run("doctor", "opencode", "--dir", project)

        assert "ok   a forbidden write on `tool.execute.before` is denied" in report

    @pytest.mark.parametrize(
        "answer", [b'HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n{"decision": "allow"}  ', b""]
    )
    def test_takes_no_answer_from_a_stranger(self, project, answer):
        with on_port(Stub(answer)) as port:
            run("install", "opencode", "--dir", project, "--url", f"http://127.0.0.1:{port}")
            report = run("doctor", "opencode", "--dir", project, code=1)

        assert "only because no service answers" in report
