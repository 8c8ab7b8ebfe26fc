"""Watching: which runs a burst of changes touched, and what happens when the watched directory goes."""

import shutil
import threading
import time

import pytest

from phasegate.workspace.watching import EVERYTHING, watch_runs
from phasegate.workspace.workflow_file import load_workflow
from support.lifecycle import make_run

RUN = ".recursive/run/r1"


@pytest.fixture
def watched(tmp_path):
    """The bursts of a workspace, and a way to change something in it again and again until one comes."""
    make_run(tmp_path, a00="draft")
    stop = threading.Event()
    bursts = watch_runs(str(tmp_path), load_workflow(), stop)

    def after(change):
        seen = threading.Event()

        def keep_changing():
            while not seen.wait(0.3):
                change()

        thread = threading.Thread(target=keep_changing)
        thread.start()
        try:
            return next(bursts)
        finally:
            seen.set()
            thread.join()

    yield bursts, after
    stop.set()
    bursts.close()


def test_everything_is_looked_at_first_then_the_run_that_changed(tmp_path, watched):
    bursts, after = watched

    assert next(bursts) == EVERYTHING
    assert after(lambda: (tmp_path / RUN / "00-requirements.md").write_text(str(time.time()))) == (RUN,)


def test_a_change_outside_of_the_runs_concerns_everything(tmp_path, watched):
    bursts, after = watched
    next(bursts)

    assert after(lambda: (tmp_path / ".recursive/STATE.md").write_text(str(time.time()))) == EVERYTHING


def test_our_own_temporary_files_are_no_news(tmp_path, watched):
    bursts, after = watched
    next(bursts)

    def change():
        (tmp_path / RUN / ".x.1.phasegate-tmp").write_text("x")
        (tmp_path / ".recursive/run/r2").mkdir(exist_ok=True)
        (tmp_path / ".recursive/run/r2/a.md").write_text(str(time.time()))

    assert RUN not in after(change)


def test_a_control_directory_that_is_exchanged_is_watched_again(tmp_path, watched):
    bursts, after = watched
    next(bursts)
    shutil.rmtree(tmp_path / ".recursive")

    gone = next(burst for burst in bursts if burst == EVERYTHING)
    assert gone == EVERYTHING
    make_run(tmp_path, "r2", a00="draft")
    assert next(burst for burst in bursts if burst == EVERYTHING) == EVERYTHING
    changed = ".recursive/run/r2"
    assert after(lambda: (tmp_path / changed / "b.md").write_text(str(time.time()))) in (
        (changed,),
        EVERYTHING,
    )
