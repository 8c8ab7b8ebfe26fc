"""One call whose edits would keep the guard busy for minutes, or fill its memory."""

import time

import pytest

from support.guarded import guarded

RUN = ".recursive/run/r1"


@pytest.mark.parametrize(
    "edits",
    [
        [{"old_string": "D", "new_string": "DD", "replace_all": True}] * 2_000,
        [{"old_string": "D", "new_string": "D" * 1_000, "replace_all": True}] * 50,
        [{"old_string": "", "new_string": "D" * 10_000}] * 90,
    ],
)
def test_edits_that_feed_on_each_other_end_soon_and_are_refused(tmp_path, edits):
    with guarded(tmp_path) as guard:
        guard.run("Ld")
        started = time.perf_counter()
        reply = guard.decide("MultiEdit", {"file_path": f"{RUN}/00-worktree.md", "edits": edits})

    assert time.perf_counter() - started < 5
    assert reply["kind"] in ("deny", "allow")


def test_what_cannot_be_followed_is_taken_for_a_forged_lock(tmp_path):
    edits = [{"old_string": "D", "new_string": "DD", "replace_all": True}] * 2_000
    with guarded(tmp_path) as guard:
        guard.run("Ld")
        here = guard.answer("MultiEdit", {"file_path": f"{RUN}/00-worktree.md", "edits": edits})
        elsewhere = guard.answer("MultiEdit", {"file_path": "src/a.py", "edits": edits})

    assert here == ("deny", "control-plane")
    assert elsewhere == ("allow", "none")
