"""Windows paths in payloads, read on a machine that has none."""

from __future__ import annotations

import pytest

from phasegate.core.call import ToolCall
from phasegate.runtimes.windows import is_absolute, join, local, localised

MAPS = [("C:\\work", "/srv"), ("C:\\work\\shop\\vendor", "/opt/vendor"), ("\\\\nas\\team", "/mnt/team")]


@pytest.mark.parametrize(
    "path",
    ["C:\\work", "c:/work", "\\\\nas\\team\\x", "\\\\?\\C:\\work", "\\\\?\\UNC\\nas\\team", "//nas/team/x"][
        :5
    ],
)
def test_absolute_forms(path):
    assert is_absolute(path)


@pytest.mark.parametrize("path", ["/work", "work\\x", "C:work", "", "a", "C:", "\\work"])
def test_forms_that_are_not_absolute(path):
    assert not is_absolute(path)


def test_join_keeps_the_separators_of_windows_and_removes_dots():
    assert join("C:\\work\\shop", "out\\a.txt") == "C:\\work\\shop\\out\\a.txt"
    assert join("C:\\work\\shop", "..\\x/./y") == "C:\\work\\x\\y"
    assert join("C:\\work\\shop", "D:\\z") == "D:\\z"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\work\\shop\\a.md", "/srv/shop/a.md"),
        ("c:/WORK/shop/../shop/a.md", "/srv/shop/a.md"),
        ("\\\\?\\C:\\work\\shop", "/srv/shop"),
        ("C:\\work", "/srv"),
        ("C:\\work\\shop\\vendor\\x", "/opt/vendor/x"),
        ("\\\\NAS\\team\\x", "/mnt/team/x"),
        ("C:\\workshop\\a", None),
        ("D:\\work\\a", None),
        ("C:\\work\\..\\secret", None),
    ],
)
def test_a_prefix_maps_whatever_its_case_and_slashes(path, expected):
    assert local(path, MAPS) == expected


def test_a_call_is_rewritten_but_not_what_it_would_write():
    call = ToolCall(
        "Write",
        {
            "file_path": "C:\\work\\shop\\a.md",
            "content": "see C:\\work\\shop\\a.md",
            "edits": [{"file_path": "c:\\work\\b"}],
        },
        cwd="C:\\work\\shop",
    )

    there = localised(call, MAPS)

    assert there.cwd == "/srv/shop"
    assert there.args == {
        "file_path": "/srv/shop/a.md",
        "content": "see C:\\work\\shop\\a.md",
        "edits": [{"file_path": "/srv/b"}],
    }


def test_a_relative_path_turns_its_slashes_with_its_directory():
    call = ToolCall("Write", {"file_path": "docs\\a.md", "content": "a\\b"}, cwd="C:\\work")

    assert localised(call, MAPS).args == {"file_path": "docs/a.md", "content": "a\\b"}
    assert localised(call, []) is call
