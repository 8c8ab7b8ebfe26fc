"""The spawned hook as a runtime starts it: both variants, every failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import phasegate.hook
from phasegate.cli.install.shell_hook import ShellHook, script
from support import stub_service
from support.stub_service import Stub, on_port, on_socket, reply

SCRIPT = phasegate.hook.__file__
PYTHON = [sys.executable, "-I", "-S", "-B", SCRIPT]
PAYLOAD = b'{"hook_event_name":"PreToolUse"}'
DENIAL = b'{"hookSpecificOutput":{"permissionDecision":"deny"}}'


def python_hook(*argv, payload=PAYLOAD, env=None, **more):
    environment = {"PATH": os.environ["PATH"], **(env or {})}
    return subprocess.run(
        [*PYTHON, *argv], input=payload, capture_output=True, env=environment, timeout=60, check=False, **more
    )


def shell_hook(tmp_path, payload=PAYLOAD, env=None, **options):
    path = tmp_path / "hook.sh"
    path.write_text(script(ShellHook(**options)), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], **(env or {})}
    return subprocess.run(
        ["sh", str(path)], input=payload, capture_output=True, env=environment, timeout=60, check=False
    )


@pytest.fixture
def uds(tmp_path):
    return str(tmp_path / "s")


class TestPython:
    @pytest.mark.parametrize(("code", "stream"), [(0, "stdout"), (2, "stderr"), (0, "stderr")])
    def test_prints_and_exits_as_the_headers_say(self, uds, code, stream):
        with on_socket(Stub(reply(DENIAL, code=code, stream=stream)), uds):
            done = python_hook("claude-code", "--uds", uds)

        assert done.returncode == code
        assert (done.stdout, done.stderr) == ((DENIAL, b"") if stream == "stdout" else (b"", DENIAL))

    def test_sends_its_input_unread_with_what_was_baked_in(self, uds):
        payload = b"\xff not json at all \x00" * 5000
        with on_socket(Stub(reply()), uds) as stub:
            python_hook(
                "codex", "--uds", uds, "--event", "PreToolUse", "--cwd", "/a b/ü", "--mode", "strict",
                payload=payload, env={"PHASEGATE_RUN_ID": "r1", "PHASEGATE_TOKEN": "secret"},
            )  # fmt: skip

        head, _, body = stub.requests[0].partition(b"\r\n\r\n")
        assert body == payload
        assert head.startswith(
            b"POST /v1/hooks/codex?event=PreToolUse&mode=strict&run=r1&cwd=/a%20b/%C3%BC HTTP/1.1\r\n"
        )
        assert b"\r\nAuthorization: Bearer secret" in head
        assert b"\r\nPhasegate-Transport: command\r\n" in head

    def test_finds_the_service_by_port_and_by_the_environment(self, uds):
        with on_port(Stub(reply(b"port"))) as port:
            url = f"http://127.0.0.1:{port}"
            assert python_hook("x", "--url", url).stdout == b"port"
            assert python_hook("x", env={"PHASEGATE_URL": url}).stdout == b"port"
            assert python_hook("x", "--url", url, env={"PHASEGATE_UDS": uds}).stdout == b"port"
        with on_socket(Stub(reply(b"socket")), uds):
            assert python_hook("x", env={"PHASEGATE_UDS": uds}).stdout == b"socket"

    def test_takes_the_token_from_a_file(self, uds, tmp_path):
        (tmp_path / "token").write_text("abc\n", encoding="ascii")
        with on_socket(Stub(reply()), uds) as stub:
            python_hook("x", "--uds", uds, "--token-file", str(tmp_path / "token"))

        assert b"\r\nAuthorization: Bearer abc\r\n" in stub.requests[0]

    def test_a_reply_larger_than_a_pipe_arrives_whole(self, uds):
        with on_socket(Stub(reply(b"y" * 300_000)), uds):
            assert python_hook("x", "--uds", uds).stdout == b"y" * 300_000

    def test_imports_next_to_nothing(self, uds):
        """Each import is paid before every tool call of the agent."""
        with on_socket(Stub(reply()), uds):
            done = python_hook("x", "--uds", uds, env={})
            probe = subprocess.run(
                [sys.executable, "-I", "-S", "-B", "-v", SCRIPT, "x", "--uds", uds],
                input=b"", capture_output=True, check=False,
            )  # fmt: skip
        before = subprocess.run(
            [sys.executable, "-I", "-S", "-B", "-v", "-c", "pass"], capture_output=True, check=False
        )

        assert done.returncode == 0
        assert imported(probe.stderr) - imported(before.stderr) == {"hook_client", "_socket", "__future__"}


def imported(verbose: bytes) -> set[str]:
    """Modules that `python -v` says it loaded."""
    lines = [line.split() for line in verbose.decode().splitlines()]
    return {words[1].strip("'") for words in lines if len(words) > 2 and words[0] == "import"}


STRICT = [
    pytest.param("claude-code", "", 2, b"", id="claude"),
    pytest.param("windsurf-cascade", "", 2, b"", id="windsurf"),
    pytest.param("cline-vscode", "", 0, b'"cancel":true', id="cline-ignores-exit-codes"),
    pytest.param("cline-sdk", "", 0, b'"cancel":true', id="cline-sdk-ignores-exit-codes"),
    pytest.param("claude-code", "PermissionRequest", 0, b'"behavior":"deny"', id="claude-prompt"),
    pytest.param("codex", "PermissionRequest", 0, b'"behavior":"deny"', id="codex-prompt"),
    pytest.param("copilot-cli", "permissionRequest", 0, b'"behavior":"deny"', id="copilot-prompt"),
]


@pytest.fixture(params=["python", "sh"])
def hook(request, tmp_path):
    """Either variant: called with runtime, event, mode and address."""

    def run(runtime, event="", mode=None, timeout=8, **where):
        if request.param == "sh":
            return shell_hook(tmp_path, runtime=runtime, event=event, mode=mode, timeout=timeout, **where)
        argv = [runtime, "--timeout", str(timeout)]
        argv += ["--event", event] if event else []
        argv += ["--mode", mode] if mode else []
        argv += [part for key, value in where.items() for part in (f"--{key}", value)]
        return python_hook(*argv)

    return run


class TestFailure:
    @pytest.mark.parametrize(("runtime", "event", "code", "body"), STRICT)
    def test_strict_blocks_by_the_runtimes_own_means(self, hook, uds, runtime, event, code, body):
        done = hook(runtime, event, uds=uds)

        assert done.returncode == code
        if body:
            assert body in json.dumps(json.loads(done.stdout), separators=(",", ":")).encode()
        else:
            assert done.stdout == b""
            assert b"no service at" in done.stderr
            assert b"phasegate serve" in done.stderr

    def test_advisory_passes_with_a_message(self, hook, uds):
        done = hook("claude-code", mode="advisory", uds=uds)

        assert (done.returncode, done.stdout) == (0, b"")
        assert b"not checked" in done.stderr

    def test_a_tool_that_has_run_is_not_blocked(self, hook, uds):
        done = hook("claude-code", "PostToolUse", uds=uds)

        assert (done.returncode, done.stdout) == (0, b"")

    @pytest.mark.parametrize("status", ["500 Internal Server Error", "401 Unauthorized", "404 Not Found"])
    def test_another_status_is_no_answer(self, hook, uds, status):
        with on_socket(Stub(reply(b"{}", status=status)), uds):
            done = hook("claude-code", uds=uds)

        assert (done.returncode, done.stdout) == (2, b"")
        assert b"answered " + status[:3].encode() in done.stderr

    def test_a_stranger_on_the_port_is_no_answer(self, hook):
        """Another program that answers 200 must not allow anything."""
        stranger = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
        with on_port(Stub(stranger)) as port:
            done = hook("claude-code", url=f"http://127.0.0.1:{port}")

        assert (done.returncode, done.stdout) == (2, b"")

    def test_a_service_that_says_nothing_is_left_before_the_runtime_gives_up(self, hook, uds):
        started = time.monotonic()
        with on_socket(Stub(reply(), delay=30), uds):
            done = hook("claude-code", timeout=1, uds=uds)

        assert done.returncode == 2
        assert time.monotonic() - started < 15

    @pytest.mark.parametrize(
        "answer",
        [b"HTTP/1.1 200 OK\r\nphasegate-exit: 0\r\ncontent-length: 99\r\n\r\n{}", b"nonsense\r\n\r\n", b"x"],
        ids=["cut", "no-http", "no-head"],
    )
    def test_half_an_answer_is_none(self, hook, uds, answer):
        with on_socket(Stub(answer), uds):
            assert hook("claude-code", uds=uds).returncode == 2

    def test_both_variants_print_the_same(self, hook, uds):
        with on_socket(Stub(reply(b"", code=0)), uds):
            done = hook("claude-code", uds=uds)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_both_variants_exit_2_with_the_text(self, hook, uds):
        with on_socket(Stub(reply(b"no `a` \\n %s", code=2, stream="stderr")), uds):
            done = hook("kiro", uds=uds)
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"no `a` \\n %s")


@pytest.mark.parametrize(
    ("where", "settings"),
    [({"uds": "/run/s"}, b"C /dev/null"), ({"url": "https://guard.example"}, b"de_DE mine.cnf")],
    ids=["socket", "https"],
)
def test_curl_loads_tls_settings_and_locale_only_where_they_may_matter(tmp_path, where, settings):
    curl = tmp_path / "curl"
    head = r"HTTP/1.1 200 OK\r\nphasegate-exit: 0\r\n\r\n"
    curl.write_text(f"""#!/bin/sh\nprintf '{head}%s %s' "$LC_ALL" "$OPENSSL_CONF"\n""", encoding="ascii")
    curl.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "LC_ALL": "de_DE", "OPENSSL_CONF": "mine.cnf"}

    done = shell_hook(tmp_path, env=env, runtime="claude-code", **where)

    assert (done.returncode, done.stdout) == (0, settings)


class TestPythonFailure:
    @pytest.mark.parametrize(
        "argv",
        [
            ["claude-code", "--nonsense", "1"],
            ["claude-code", "--uds"],
            ["claude-code", "--timeout", "soon"],
            [],
        ],
    )
    def test_a_wrong_command_line_blocks(self, argv, uds):
        done = python_hook(*argv, env={"PHASEGATE_UDS": uds})

        assert (done.returncode, done.stdout) == (2, b"")
        assert b"phasegate" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_an_input_that_never_ends_blocks(self, uds):
        """A runtime that forgets to close the pipe would wait itself into going on."""
        with subprocess.Popen(
            [*PYTHON, "x", "--uds", uds, "--timeout", "0.5"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.wait(timeout=30) == 2
            assert b"no answer within 0.5 s" in process.stderr.read()

    def test_an_interrupt_blocks(self, uds):
        with (
            on_socket(Stub(reply(), delay=30), uds) as stub,
            subprocess.Popen(
                [*PYTHON, "x", "--uds", uds],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            ) as process,
        ):  # fmt: skip
            process.stdin.close()
            wait_until(lambda: stub.requests)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 2

    def test_a_lost_half_of_the_hook_blocks(self, tmp_path, uds):
        (tmp_path / "hook.py").write_bytes(Path(SCRIPT).read_bytes())
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", str(tmp_path / "hook.py"), "x", "--uds", uds],
            input=b"", capture_output=True, check=False,
        )  # fmt: skip

        assert done.returncode == 2
        assert b"hook failed" in done.stderr


def wait_until(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class TestAutostart:
    def test_200_hooks_start_one_service_and_all_are_answered(self, uds, tmp_path):
        """Every agent of a fleet makes its first call at once after a reboot."""
        starts = tmp_path / "starts"
        serve = [sys.executable, "-S", stub_service.__file__, uds, str(starts), "0.5"]
        argv = ["claude-code", "--uds", uds, "--timeout", "60", "--autostart", *serve]
        try:
            with ThreadPoolExecutor(200) as pool:
                done = list(pool.map(lambda _: python_hook(*argv), range(200)))
            pids = starts.read_text(encoding="ascii").split()

            assert len(pids) == 1
            assert {(one.returncode, one.stdout) for one in done} == {(0, pids[0].encode())}
        finally:
            end_service(starts)

    def test_a_service_that_died_is_started_again(self, uds, tmp_path):
        starts = tmp_path / "starts"
        serve = [sys.executable, "-S", stub_service.__file__, uds, str(starts), "0"]
        argv = ["claude-code", "--uds", uds, "--timeout", "20", "--autostart", *serve]
        try:
            first = python_hook(*argv).stdout
            os.kill(int(first), signal.SIGKILL)
            Path(uds).unlink()
            second = python_hook(*argv).stdout

            assert first != second
            assert len(starts.read_text(encoding="ascii").split()) == 2
        finally:
            end_service(starts)

    def test_a_service_that_can_not_start_blocks_and_leaves_its_words(self, uds):
        done = python_hook(
            "x", "--uds", uds, "--timeout", "1", "--autostart", "/bin/sh", "-c", "echo broken; exit 3"
        )

        assert done.returncode == 2
        assert "broken" in Path(uds + ".log").read_text(encoding="ascii")


def end_service(starts: Path) -> None:
    for pid in starts.read_text(encoding="ascii").split() if starts.exists() else []:
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_the_short_name_runs_the_same_hook(uds):
    with on_socket(Stub(reply(b"{}", code=0)), uds) as stub:
        done = subprocess.run(
            [sys.executable, "-m", "phasegate", "hook", "codex", "--uds", uds, "--event", "PreToolUse"],
            input=PAYLOAD, capture_output=True, check=False,
        )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, b"{}")
    assert stub.requests[0].startswith(b"POST /v1/hooks/codex?event=PreToolUse ")


def test_the_short_name_prints_the_shell_variant():
    done = subprocess.run(
        [sys.executable, "-m", "phasegate", "hook", "codex", "--print-sh", "--uds", "/run/a b/s"],
        capture_output=True, check=True,
    )  # fmt: skip

    assert done.stdout.decode() == script(ShellHook("codex", uds="/run/a b/s", url="http://127.0.0.1:8787"))
