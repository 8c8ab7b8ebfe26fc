"""The policy in force: only a definite absence is absence."""

import json
import os

import pytest

from phasegate.files import read
from phasegate.files.read import watch_opens
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.policy_file import PolicyFiles
from support.facts import BUILTIN, WORKFLOW

POLICY = WORKFLOW.policy_path
ALLOW = {"version": 1, "rules": [{"pattern": "*", "verdict": "allow", "reason": "ok"}]}


@pytest.fixture
def files():
    return PolicyFiles(BUILTIN)


@pytest.fixture
def workspace(tmp_path):
    return Workspace("w", str(tmp_path.resolve()))


@pytest.fixture
def path(tmp_path):
    found = tmp_path / POLICY
    found.parent.mkdir(parents=True)
    return found


def text(reason="ok"):
    return json.dumps({"version": 1, "rules": [{"pattern": "*", "verdict": "allow", "reason": reason}]})


class TestAbsence:
    def test_no_control_directory(self, files, workspace):
        assert files.policy(workspace) is BUILTIN

    def test_no_configuration_directory(self, files, workspace, tmp_path):
        (tmp_path / ".recursive").mkdir()

        assert files.policy(workspace) is BUILTIN

    def test_no_file(self, files, workspace, path):
        assert not path.exists()
        assert files.policy(workspace) is BUILTIN

    def test_a_file_where_a_directory_would_be(self, files, workspace, tmp_path):
        (tmp_path / ".recursive").write_text("")

        assert files.policy(workspace) is BUILTIN

    def test_links_on_the_way_that_lead_somewhere(self, files, workspace, path, tmp_path):
        path.parent.rename(tmp_path / "elsewhere")
        path.parent.symlink_to(tmp_path / "elsewhere")

        assert files.policy(workspace) is BUILTIN


class TestClosed:
    def closed(self, files, workspace, words):
        policy = files.policy(workspace)
        assert policy.source == "defect"
        assert policy.defect is not None
        assert words in policy.defect
        assert str(workspace.root) not in policy.defect

    def test_a_dangling_link(self, files, workspace, path):
        path.symlink_to("nowhere")

        self.closed(files, workspace, "a link that leads nowhere")

    @pytest.mark.parametrize("depth", [1, 2])
    def test_a_dangling_link_on_the_way(self, files, workspace, tmp_path, depth):
        place = tmp_path.joinpath(*POLICY.split("/")[:depth])
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to("nowhere")

        self.closed(files, workspace, "a link that leads nowhere")

    def test_a_link_in_circles(self, files, workspace, path):
        path.symlink_to(path.name)

        self.closed(files, workspace, "a link")

    def test_a_directory(self, files, workspace, path):
        path.mkdir()

        self.closed(files, workspace, "a directory")

    def test_a_fifo(self, files, workspace, path):
        os.mkfifo(path)

        self.closed(files, workspace, "not a regular file")

    def test_a_device_behind_a_link(self, files, workspace, path):
        path.symlink_to("/dev/zero")

        self.closed(files, workspace, "not a regular file")

    def test_a_file_over_its_bound(self, files, workspace, path):
        with path.open("wb") as file:
            file.truncate(50 << 20)

        self.closed(files, workspace, "over 256 KiB")

    def test_a_file_that_can_not_be_read(self, files, workspace, path, monkeypatch):
        path.write_text(text())

        def denied(*_args, **_more):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(read.os, "open", denied)

        self.closed(files, workspace, "permission denied")

    def test_a_directory_that_can_not_be_searched(self, files, workspace, path, monkeypatch):
        path.write_text(text())

        def denied(*_args, **_more):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(read.os, "stat", denied)

        self.closed(files, workspace, "permission denied")

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", "JSON"),
            (b"{ torn", "JSON"),
            (b"\xef\xbb\xbf{}", "byte order mark"),
            (b"\xff", "UTF-8"),
            (b'{"rules": [], "rules": []}', "rules"),
            (b'{"rules": []}', "empty"),
        ],
    )
    def test_a_text_with_a_defect(self, files, workspace, path, data, words):
        path.write_bytes(data)

        self.closed(files, workspace, words)


class TestReading:
    def test_a_file_is_parsed_over_the_builtin_policy(self, files, workspace, path):
        path.write_text(text())

        policy = files.policy(workspace)

        assert (policy.source, policy.rules) == ("file", BUILTIN.rules)

    def test_a_link_to_a_file_outside_is_followed(self, files, workspace, path, tmp_path):
        """Outside the workspace is where an agent can't reach it."""
        outside = tmp_path.with_name(tmp_path.name + "-policy.json")
        outside.write_text(text())
        path.symlink_to(outside)

        assert files.policy(workspace).source == "file"

    def test_a_derived_workspace_has_the_policy_of_the_served_one(self, files, workspace, path, tmp_path):
        """An agent can make a directory with a policy of its own and go there."""
        path.write_text(text("served"))
        planted = tmp_path / "sub" / POLICY
        planted.parent.mkdir(parents=True)
        planted.write_text(text("planted"))
        derived = Workspaces([workspace]).locate(None, str(tmp_path / "sub"))

        assert derived.root == f"{workspace.root}/sub"
        assert files.policy(derived).patterns[0].reason == "served"


class TestEachCall:
    def settle(self, files, workspace):
        import time

        files.policy(workspace)
        time.sleep(0.03)
        files.policy(workspace)

    def test_an_unchanged_file_is_not_opened_again(self, files, workspace, path):
        path.write_text(text())
        self.settle(files, workspace)

        with watch_opens() as opened:
            first = files.policy(workspace)
            second = files.policy(workspace)

        assert opened == []
        assert first is second

    @pytest.mark.parametrize("settled", [True, False])
    def test_a_change_is_seen_by_the_next_call(self, files, workspace, path, settled):
        path.write_text(text("one"))
        files.policy(workspace)
        if settled:
            self.settle(files, workspace)
        before = path.stat()

        path.write_text(text("two"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert files.policy(workspace).patterns[0].reason == "two"

        (path.parent / "new").write_text(text("three"))
        (path.parent / "new").rename(path)
        assert files.policy(workspace).patterns[0].reason == "three"

        path.unlink()
        assert files.policy(workspace) is BUILTIN

        path.symlink_to("nowhere")
        assert files.policy(workspace).source == "defect"
