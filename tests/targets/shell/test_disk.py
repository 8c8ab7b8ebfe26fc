"""The disk as the command finds it: changed by what the command did so far."""

from __future__ import annotations

import pytest

from phasegate.targets.shell.disk import ChangedDisk, disk_of, is_directory, kind_at, place
from phasegate.targets.shell.state import State
from support.shell_calls import small_view


def state(**changes: str) -> State:
    return State(
        cwd="/repo", disk={f"/repo/{path.replace('__', '/')}": what for path, what in changes.items()}
    )


@pytest.mark.parametrize(
    ("changes", "operand", "kind"),
    [
        ({}, "docs", "dir"),
        ({}, "link.md", "file"),
        ({}, "q", None),
        ({"docs": "gone"}, "docs", None),
        ({"docs": "gone"}, "docs/x.md", None),
        ({"docs": "gone", "docs__q": "file"}, "docs/q", "file"),
        ({"q": "dir"}, "q", "dir"),
        ({"q": "file"}, "q", "file"),
        ({"q": "link:docs"}, "q", "dir"),
        ({"q": "link:docs"}, "q/x.md", "file"),
        ({"link.md": "file"}, "link.md", "file"),
    ],
)
def test_kinds(changes, operand, kind):
    one = State(
        cwd="/repo", disk={f"/repo/{path.replace('__', '/')}": what for path, what in changes.items()}
    )

    assert kind_at(small_view(), one, operand) == kind
    assert is_directory(small_view(), one, operand) is (kind == "dir")


def test_names_in_a_directory():
    disk = ChangedDisk(
        small_view(), {"/repo/docs/x.md": "gone", "/repo/docs/n.md": "file", "/repo/docs/sub/m": "file"}
    )

    assert disk.listdir("/repo/docs") == ("n.md", "sub", "y.md")


def test_where_an_operand_leads():
    one = state(q="link:docs/x.md")

    assert place(small_view(), one, "q").path == "/repo/docs/x.md"
    assert place(small_view(), one, "q", follow=False).path == "/repo/q"
    assert place(small_view(), one, "linked/../a.txt").path == "/repo/a.txt"


def test_without_changes_the_disk_is_the_view():
    view = small_view()

    assert disk_of(view, State(cwd="/repo")) is view
