"""The commands as real processes: against a running service, and without one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from support import inprocess, peer, servers

LOCKED = ".recursive/run/r1/00-requirements.md"


class Shell:
    """Runs `phasegate` in a workspace."""

    def __init__(self, root, env) -> None:
        self.root = root
        self.env = env

    def __call__(self, *argv, stdin=None, cwd=None):
        return subprocess.run(
            [sys.executable, "-m", "phasegate", *argv],
            capture_output=True,
            text=True,
            input=stdin,
            cwd=cwd or self.root,
            env=self.env,
            timeout=60,
            check=False,
        )

    def json(self, *argv, code=0, **kwargs):
        done = self(*argv, "--json", **kwargs)
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["service", "in process"])
def shell(request, tmp_path_factory):
    """The same commands with a service on a Unix socket, and with none."""
    base = tmp_path_factory.mktemp("cli")
    root = base / "repo"
    inprocess.make_run(root)
    inprocess.make_run(root, "fresh", locked=0, drafts=2, read=False)
    env = servers.clean_environment(base)
    if request.param == "in process":
        yield Shell(root, env)
        return
    uds = base / "p.sock"
    with servers.service([root], base / "d" / "data", tcp=False, uds=uds):
        yield Shell(root, env | {"PHASEGATE_UDS": str(uds)})


class TestDecide:
    def test_exit_codes_are_0_for_allow_and_3_for_deny(self, shell):
        assert shell("decide", "write", "file_path=src/a.py", "content=x").returncode == 0
        assert shell("decide", "write", f"file_path={LOCKED}").returncode == 3

    def test_people_read_the_reason_and_the_remedy(self, shell):
        done = shell("decide", "write", f"file_path={LOCKED}")

        assert done.stdout.startswith("deny  locked-write (strict)")
        assert "reopen" in done.stdout

    def test_programs_read_the_reply(self, shell):
        reply = shell.json("decide", "bash", "command=git status", code=0)

        assert (reply["kind"], reply["effect"]) == ("allow", "execute")

    def test_takes_a_whole_call_from_standard_input(self, shell):
        call = json.dumps({"tool": "write", "args": {"file_path": LOCKED}})

        assert shell("decide", "--call", "-", stdin=call).returncode == 3

    def test_takes_arguments_as_json(self, shell):
        assert shell("decide", "write", json.dumps({"file_path": LOCKED})).returncode == 3

    def test_resolves_paths_from_the_directory_it_runs_in(self, shell):
        done = shell("decide", "write", "file_path=00-requirements.md", cwd=shell.root / ".recursive/run/r1")

        assert done.returncode == 3

    def test_without_a_tool_says_how(self, shell):
        done = shell("decide")

        assert done.returncode == 2
        assert "--call" in done.stderr

    @pytest.mark.parametrize("stdin", ["{", "[]"])
    def test_a_call_that_is_no_json_object_is_an_error(self, shell, stdin):
        done = shell("decide", "--call", "-", stdin=stdin)

        assert (done.returncode, done.stderr.count("\n")) == (2, 1)

    def test_errors_of_the_service_keep_their_code_and_fields(self, shell):
        done = shell("decide", "write", "--call", "-", "--json", stdin='{"tool": "write", "phase": 1}')

        assert done.returncode == 2
        assert json.loads(done.stderr)["errors"][0]["field"] == "phase"


def test_explain_shows_every_rules_part(shell):
    done = shell("explain", "write", f"file_path={LOCKED}")
    reply = shell.json("explain", "write", f"file_path={LOCKED}")

    assert "phase-order" in done.stdout
    assert {step["rule"]: step["outcome"] for step in reply["trace"]}["locked-write"] == "deny"


def test_targets_shows_what_would_change(shell):
    done = shell("targets", "bash", "command=rm -r build; some-tool x")
    reply = shell.json("targets", "bash", "command=rm -r build")

    assert "delete" in done.stdout
    assert "not understood: `some-tool x`" in done.stdout
    assert reply["targets"][0]["rel"] == "build"


class TestLog:
    def test_tail_show_verify_export(self, shell):
        denied = shell.json("decide", "write", f"file_path={LOCKED}", "--session", "s-cli", code=3)

        listed = shell.json("log", "tail", "--session-id", "s-cli")
        assert listed[0]["decision_id"] == denied["decision_id"]
        text = shell("log", "tail", "--session-id", "s-cli").stdout
        assert LOCKED in text
        assert denied["decision_id"] in text
        assert shell.json("log", "show", denied["decision_id"])["hash"] == denied["record"]["hash"]
        assert "locked-write" in shell("log", "show", denied["decision_id"]).stdout
        assert shell.json("log", "verify")["ok"]
        assert shell("log", "verify").stdout.startswith("intact: ")
        lines = shell("log", "export", "--session-id", "s-cli").stdout.splitlines()
        assert [json.loads(line)["decision_id"] for line in lines] == [denied["decision_id"]]

    def test_an_unknown_id_is_an_error(self, shell):
        done = shell("log", "show", "nothing")

        assert done.returncode == 2
        assert done.stderr.startswith("phasegate: there is no decision with this id")


class TestPolicy:
    def test_show(self, shell):
        assert "locked-write" in shell("policy", "show").stdout
        assert shell.json("policy", "show")["source"] == "builtin"

    def test_check_names_the_defect_and_exits_2(self, shell, tmp_path):
        good, bad = tmp_path / "good.json", tmp_path / "bad.json"
        good.write_text('{"rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}]}')
        bad.write_text('{"ruls": []}')

        assert shell("policy", "check", str(good)).stdout.endswith("\n")
        assert shell.json("policy", "check", str(good))["ok"]
        refused = shell("policy", "check", str(bad))
        assert refused.returncode == 2
        assert "ruls" in refused.stdout

    def test_check_without_a_file_checks_the_one_in_force(self, shell):
        assert "built-in policy: ok" in shell("policy", "check").stdout


class TestRun:
    def test_enter_opens_the_gate(self, shell):
        target = f"file_path=.recursive/run/fresh/{peer.SEQUENCE[0]}"
        assert shell("decide", "write", target).returncode == 3

        entered = shell("run", "enter", "fresh")

        assert entered.returncode == 0, entered.stderr
        assert entered.stdout.startswith(f"entered {peer.SEQUENCE[0]} of run fresh")
        assert shell("decide", "write", target).returncode == 0

    def test_enter_searches_memory_for_what_is_asked_and_for_what_was_touched(self, shell):
        place = shell.root / ".recursive/memory/domains"
        place.mkdir(parents=True, exist_ok=True)
        (place / "kettle.md").write_text("# Kettle\nsee src/kettle.py\n")
        try:
            asked = shell.json("run", "enter", "fresh", "--query", "kettle")
            touched = shell.json("run", "enter", "fresh", "--query", "x", "--changed", "src/kettle.py")
            neither = shell.json("run", "enter", "fresh", "--query", "x", "--session", "s-1")
        finally:
            shutil.rmtree(place.parent)

        assert "### [domains] Kettle" in asked["memory"]
        assert "### [domains] Kettle" in touched["memory"]
        assert neither["memory"] == ""

    def test_status(self, shell):
        assert "01-as-is.md" in shell("run", "status", "r1").stdout
        assert shell.json("run", "status", "r1")["active_artifact"] == "01-as-is.md"

    def test_start_list_and_verify(self, shell):
        assert "next: phasegate run enter new" in shell("run", "start", "new", "--title", "New").stdout
        assert "new" in shell("run", "list").stdout.split()
        assert shell("run", "verify", "r1").stdout.startswith("intact: ")

    def test_a_refused_lock_exits_3_and_says_why(self, shell):
        done = shell("run", "lock", "r1", "08-memory-impact.md")

        assert done.returncode == 3
        assert "01-as-is.md" in done.stderr

    def test_lock_and_reopen(self, shell):
        path = shell.root / ".recursive/run/r1/01-as-is.md"
        path.write_text(path.read_text() + "\nwritten\n")

        assert shell("run", "lock", "r1", "01-as-is.md").stdout == "locked 01-as-is.md of run r1\n"
        reopened = shell("run", "reopen", "r1", "01-as-is.md", "--reason", "wrong")
        assert reopened.stdout.startswith("reopened 01-as-is.md")

    def test_of_an_unknown_run_is_an_error(self, shell):
        done = shell("run", "status", "nothing")

        assert done.returncode == 2
        assert "phasegate run start nothing" in done.stderr


def test_memory_explain_says_why_nothing_matches(shell):
    assert "empty" in shell("memory", "explain", "caching").stdout
    assert shell.json("memory", "explain", "caching")["rows"] == []


def test_a_configured_service_that_is_down_is_an_error(tmp_path):
    env = servers.clean_environment(tmp_path, PHASEGATE_UDS=str(tmp_path / "none.sock"))

    done = Shell(tmp_path, env)("decide", "read")

    assert done.returncode == 4
    assert "phasegate serve" in done.stderr


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["serve", "--help"], ["run", "--help"]])
def test_help_is_there(tmp_path, argv):
    done = Shell(tmp_path, servers.clean_environment(tmp_path))(*argv)

    assert done.returncode == 0
    assert "phasegate" in done.stdout
    assert "Usage" in done.stdout or "version" in done.stdout


def test_settings_errors_exit_2_with_one_line(tmp_path):
    done = Shell(tmp_path, servers.clean_environment(tmp_path, PHASEGATE_MOD="x"))("serve")

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "PHASEGATE_MOD" in done.stderr
