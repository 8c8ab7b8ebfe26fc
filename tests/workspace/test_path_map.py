"""Prefixes of the host rewritten to this machine's, and back."""

import pytest

from phasegate.errors import SettingsError
from phasegate.workspace.path_map import PathMap

MAP = PathMap.parse(["/home/dev/repo=/workspace", "/home/dev=/home", "/data/=/mnt/data"])


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("/home/dev/repo", "/workspace"),
        ("/home/dev/repo/src/a.py", "/workspace/src/a.py"),
        ("/home/dev/other", "/home/other"),
        ("/data/x", "/mnt/data/x"),
        ("/home/devs", "/home/devs"),
        ("/home/dev/repository", "/home/repository"),
        ("/elsewhere", "/elsewhere"),
        ("relative", "relative"),
        ("", ""),
    ],
)
def test_the_longest_whole_prefix_is_rewritten_both_ways(host, local):
    assert MAP.to_local(host) == local
    if host != "/home/devs":
        assert MAP.to_host(local) == host


def test_the_root_can_be_mapped():
    everything = PathMap.parse(["/=/host"])

    assert everything.to_local("/etc/x") == "/host/etc/x"
    assert everything.to_local("/") == "/host"
    assert everything.to_host("/host/etc/x") == "/etc/x"
    assert everything.to_host("/host") == "/"


@pytest.mark.parametrize("text", ["", "/a", "a=/b", "/a=b", "=/b", "/a="])
def test_what_is_not_a_pair_of_absolute_paths_is_named(text):
    with pytest.raises(SettingsError, match="HOST=LOCAL"):
        PathMap.parse([text])


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("rm /home/dev/repo/a", "rm /workspace/a"),
        ("cd /home/dev/repo && ls", "cd /workspace && ls"),
        ("cp --to=/home/dev/repo/x /data/y", "cp --to=/workspace/x /mnt/data/y"),
        ("echo '/home/dev/repo'>\"/home/dev/repo/z\"", "echo '/workspace'>\"/workspace/z\""),
        ("echo /home/dev/repository", "echo /home/repository"),
        ("echo /backup/home/dev/repo", "echo /backup/home/dev/repo"),
        ("echo a/home/dev/repo", "echo a/home/dev/repo"),
        ("echo nothing", "echo nothing"),
    ],
)
def test_paths_in_a_command_are_rewritten_where_a_path_can_stand(host, local):
    assert MAP.text_to_local(host) == local


def test_no_pairs_change_nothing():
    assert PathMap().to_local("/a") == "/a"
    assert PathMap().text_to_local("rm /a") == "rm /a"
