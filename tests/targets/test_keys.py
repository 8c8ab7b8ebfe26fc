"""A key's name decides whether its value is a path, a text, or neither."""

from __future__ import annotations

import pytest

from phasegate.targets.keys import role_of


@pytest.mark.parametrize(
    "key",
    [
        "file_path",
        "filePath",
        "FilePath",
        "path",
        "paths",
        "uri",
        "filename",
        "notebook_path",
        "relative_path",
        "pathInProject",
        "target_notebook",
        "dirPath",
        "file",
        "AbsolutePath",
        "TargetFile",
    ],
)
def test_path_keys_in_every_spelling(key):
    assert role_of(key) == "path"


@pytest.mark.parametrize(
    ("key", "role"),
    [
        ("source", "source"),
        ("old_path", "source"),
        ("destination", "dest"),
        ("target", "dest"),
        ("newPath", "dest"),
        ("configPath", "loose"),
        ("log_file", "loose"),
        ("documentUri", "path"),
        ("cwd", "base"),
        ("working_directory", "base"),
        ("directory", "folder"),
        ("content", "content"),
        ("old_string", "old"),
        ("newText", "new"),
        ("diff", "patch"),
        ("replace_all", "every"),
        ("append", "vague"),
    ],
)
def test_other_roles(key, role):
    assert role_of(key) == role


@pytest.mark.parametrize(
    "key",
    [
        "prompt",
        "plan",
        "pattern",
        "query",
        "url",
        "command",
        "name_path",
        "xpath",
        "json_path",
        "profile",
        "title",
        "",
    ],
)
def test_keys_that_never_hold_a_path(key):
    assert role_of(key) == ""
