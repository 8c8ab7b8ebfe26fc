import multiprocessing
import os
import threading
import time

import pytest

from phasegate.errors import FileRefused, RunBusy
from phasegate.files.directory import Directory
from phasegate.files.runlock import locked
from support.disk import names


@pytest.fixture
def root(tmp_path):
    (tmp_path / "run").mkdir()
    with Directory.open_root(str(tmp_path)) as directory:
        yield directory


def _hold(path, taken, release):
    with Directory.open_root(path) as root, locked(root, "run"):
        taken.set()
        release.wait(30)


def test_another_process_is_told_that_the_run_is_busy(root, tmp_path):
    context = multiprocessing.get_context("spawn")
    taken, release = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(str(tmp_path), taken, release))
    holder.start()
    try:
        assert taken.wait(30)
        with pytest.raises(RunBusy, match="`run`"), locked(root, "run", timeout=0.05):
            pass
    finally:
        release.set()
        holder.join()
    with locked(root, "run", timeout=0.05):
        pass


def test_a_killed_holder_leaves_no_lock_behind(root, tmp_path):
    context = multiprocessing.get_context("spawn")
    taken, release = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(str(tmp_path), taken, release))
    holder.start()
    assert taken.wait(30)
    holder.kill()
    holder.join()

    with locked(root, "run", timeout=5):
        pass


def test_threads_of_one_process_exclude_each_other(root):
    inside, most = [], []

    def work():
        for _ in range(20):
            with locked(root, "run"):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(most) == {1}


def test_leaves_no_file_and_keeps_the_times(root, tmp_path):
    os.utime(tmp_path / "run", (1, 1))

    with locked(root, "run"):
        pass

    assert names(tmp_path / "run") == []
    assert (tmp_path / "run").stat().st_mtime == 1


def test_refuses_a_linked_run_and_a_missing_one(root, tmp_path):
    (tmp_path / "alias").symlink_to(tmp_path / "run")

    with pytest.raises(FileRefused), locked(root, "alias"):
        pass
    with pytest.raises(FileNotFoundError), locked(root, "none"):
        pass


def test_waits_for_the_directory_that_others_lock_when_it_was_exchanged(root, tmp_path):
    """A run that was deleted and made again while we waited is another directory."""
    with locked(root, "run") as first:
        (tmp_path / "run").rename(tmp_path / "gone")
        (tmp_path / "run").mkdir()
        with locked(root, "run", timeout=1) as second:
            assert second.identity() != first.identity()
