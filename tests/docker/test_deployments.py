"""The sidecar files: valid by their own schemas, and the agent can't reach the guard's log."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from support.source_tree import ROOT

COMPOSE = ROOT / "docker" / "compose.yaml"
KUBERNETES = ROOT / "docker" / "kubernetes.yaml"
UNIT = ROOT / "docker" / "phasegate.service"
KUBERNETES_VERSION = "1.29"  # the first with native sidecars switched on


def compose() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


def mounts(service: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {mount["target"]: mount for mount in service["volumes"]}


def test_the_compose_file_is_valid_by_the_compose_specification():
    run = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr


def test_both_containers_see_the_workspace_at_the_same_path():
    """Otherwise a path in a call would mean another file to the guard than to the agent."""
    for service in compose()["services"].values():
        workspace = mounts(service)["${WORKSPACE}"]

        assert workspace["source"] == workspace["target"]


def test_the_compose_agent_shares_the_socket_read_only_and_not_the_log():
    services = compose()["services"]
    agent, guard = services["agent"], services["phasegate"]

    assert mounts(agent)["/run/phasegate"]["source"] == mounts(guard)["/run/phasegate"]["source"]
    assert mounts(agent)["/run/phasegate"]["read_only"] is True
    assert mounts(guard)["/var/lib/phasegate"]["source"] not in {m["source"] for m in mounts(agent).values()}
    assert agent["depends_on"]["phasegate"]["condition"] == "service_healthy"


def test_the_compose_guard_has_no_network_no_capability_and_a_read_only_root():
    guard = compose()["services"]["phasegate"]

    assert guard["read_only"] is True
    assert guard["network_mode"] == "none"
    assert guard["cap_drop"] == ["ALL"]
    assert guard["security_opt"] == ["no-new-privileges:true"]


def kubernetes() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(KUBERNETES.read_text("utf-8")))


def pod() -> dict[str, Any]:
    return next(item for item in kubernetes() if item["kind"] == "Deployment")["spec"]["template"]["spec"]


def container(kind: str, name: str) -> dict[str, Any]:
    return next(item for item in pod()[kind] if item["name"] == name)


@pytest.mark.parametrize("index", range(3))
def test_each_kubernetes_object_is_valid_by_its_schema(index):
    kubernetes_validate.validate(kubernetes()[index], KUBERNETES_VERSION, strict=True)


def test_the_schema_check_finds_a_misspelt_field():
    broken = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"contaners": []}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, KUBERNETES_VERSION, strict=True)


def test_the_kubernetes_guard_is_a_native_sidecar_that_starts_first():
    guard = container("initContainers", "phasegate")

    assert guard["restartPolicy"] == "Always"
    assert guard["startupProbe"]["exec"]
    assert guard["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod()["securityContext"]["runAsNonRoot"] is True


def test_the_kubernetes_agent_shares_workspace_and_socket_and_not_the_log():
    guard = {mount["name"]: mount for mount in container("initContainers", "phasegate")["volumeMounts"]}
    agent = {mount["name"]: mount for mount in container("containers", "agent")["volumeMounts"]}

    assert agent["workspace"]["mountPath"] == guard["workspace"]["mountPath"]
    assert agent["socket"] == {"name": "socket", "mountPath": "/run/phasegate", "readOnly": True}
    assert "decisions" in guard
    assert "decisions" not in agent


def test_every_kubernetes_mount_names_a_volume():
    volumes = {volume["name"] for volume in pod()["volumes"]}
    used = {
        mount["name"]
        for kind in ("initContainers", "containers")
        for c in pod()[kind]
        for mount in c["volumeMounts"]
    }

    assert used == volumes


def test_the_images_probe_is_the_one_that_kubernetes_runs():
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text("utf-8")
    guard = container("initContainers", "phasegate")

    for probe in ("startupProbe", "livenessProbe"):
        for word in guard[probe]["exec"]["command"]:
            assert word in dockerfile


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the stub calls it a method
    parser.read(UNIT, "utf-8")
    return parser


def test_the_unit_keeps_its_log_to_itself_and_listens_on_a_socket_alone():
    service = unit()["Service"]

    assert service["ProtectSystem"] == "strict"
    assert service["RestrictAddressFamilies"] == "AF_UNIX"
    assert service["StateDirectoryMode"] == "0700"
    assert service["NoNewPrivileges"] == "yes"
    assert service["User"] != "root"
    served = re.search(r"--workspace (\S+)", service["ExecStart"])
    assert served
    assert service["ReadWritePaths"] == served[1]


@pytest.fixture
def checkable_unit(tmp_path) -> Path:
    """The unit with a program that exists here, since `verify` looks for it."""
    text = UNIT.read_text("utf-8").replace("/opt/phasegate/bin/phasegate", "/bin/true")
    place = tmp_path / UNIT.name
    place.write_text(text, "utf-8")
    return place


needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


@needs_systemd
def test_systemd_accepts_the_unit(checkable_unit):
    run = subprocess.run(
        ["systemd-analyze", "verify", checkable_unit], capture_output=True, text=True, check=False
    )
    about_ours = [line for line in run.stderr.splitlines() if UNIT.name in line]

    assert (run.returncode, about_ours) == (0, [])


@needs_systemd
def test_systemd_calls_the_unit_hardly_exposed(checkable_unit):
    run = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", checkable_unit],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-2000:]
