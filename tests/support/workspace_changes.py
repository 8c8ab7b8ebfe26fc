"""Changes of a workspace that flip decisions, or might: each takes its root and a number of its own."""

from __future__ import annotations

import json
import os
import shutil

from support import inprocess, peer

RUN = ".recursive/run/r1"
DRAFT, LATER = peer.SEQUENCE[2], peer.SEQUENCE[4]


def lock_the_draft(root, number):
    first = root / RUN / peer.SEQUENCE[0]
    if first.exists():
        (root / RUN / DRAFT).write_bytes(first.read_bytes())


def rewrite_in_place(root, number):
    """Same size, same modification time."""
    path = root / RUN / peer.SEQUENCE[1]
    if not path.exists():
        return
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[-1:] = b"#" if data[-1:] != b"#" else b"%"
    path.write_bytes(bytes(data))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def delete_an_artifact(root, number):
    (root / RUN / peer.SEQUENCE[0]).unlink(missing_ok=True)


def restore_the_run(root, number):
    run = root / RUN
    if run.is_symlink():
        run.unlink()
    shutil.rmtree(run, ignore_errors=True)
    inprocess.make_run(root)


def replace_the_run(root, number):
    """Another directory by the same name."""
    if (root / RUN).is_symlink():
        return
    (root / RUN).rename(root / f"moved-{number}")
    inprocess.make_run(root, locked=1, drafts=1)


def link_the_run(root, number):
    if (root / RUN).is_symlink():
        return
    (root / RUN).rename(root / f"real-{number}")
    (root / RUN).symlink_to(root / f"real-{number}")


def drop_lock_receipts(root, number):
    shutil.rmtree(root / RUN / "locks", ignore_errors=True)


def drop_read_receipts(root, number):
    (root / RUN / "memory-injections.json").unlink(missing_ok=True)


def deny_by_policy(root, number):
    path = root / ".recursive/config/recursive-permissions.json"
    path.parent.mkdir(exist_ok=True)
    rule = {"pattern": "*", "verdict": "deny", "reason": f"no {number}"}
    path.write_text(json.dumps({"version": 1, "rules": [rule]}))


def break_the_policy(root, number):
    path = root / ".recursive/config/recursive-permissions.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"rules": [}')


def drop_the_policy(root, number):
    shutil.rmtree(root / ".recursive/config", ignore_errors=True)


def link_the_source_file(root, number):
    if (root / "src").is_symlink():
        return
    (root / "src/app.py").unlink(missing_ok=True)
    (root / "src/app.py").symlink_to(root / RUN / LATER)


def hard_link_the_source_file(root, number):
    if (root / "src").is_symlink():
        return
    (root / "src/app.py").unlink(missing_ok=True)
    victim = root / RUN / peer.SEQUENCE[0]
    if victim.is_file():
        os.link(victim, root / "src/app.py")


def plain_source_file(root, number):
    if (root / "src").is_symlink():
        return
    (root / "src/app.py").unlink(missing_ok=True)
    (root / "src/app.py").write_text("pass\n")


def link_the_source_directory(root, number):
    link = root / "linked"
    if not os.path.lexists(link):
        link.symlink_to(root / RUN)


def link_a_run_to_the_sources(root, number):
    """A run that is a link makes the place it leads to part of the control plane."""
    link = root / ".recursive/run/r9"
    if not os.path.lexists(link):
        link.symlink_to(root / "src")


def unlink_the_linked_run(root, number):
    link = root / ".recursive/run/r9"
    if os.path.lexists(link):
        link.unlink()


def move_the_sources(root, number):
    """The directory of a product file becomes a link into the run."""
    if (root / "src").is_symlink():
        return
    (root / "src").rename(root / f"src-{number}")
    (root / "src").symlink_to(root / RUN)


def put_the_sources_back(root, number):
    if (root / "src").is_symlink():
        (root / "src").unlink()
        (root / "src").mkdir()
        (root / "src/app.py").write_text("pass\n")


def nested_checkout(root, number):
    if (root / "src").is_symlink():
        return
    nested = root / "src/.recursive/run"
    nested.mkdir(parents=True, exist_ok=True)
    (root / "src/.git").mkdir(exist_ok=True)


MUTATIONS = (
    lock_the_draft,
    rewrite_in_place,
    delete_an_artifact,
    restore_the_run,
    replace_the_run,
    link_the_run,
    drop_lock_receipts,
    drop_read_receipts,
    deny_by_policy,
    break_the_policy,
    drop_the_policy,
    link_the_source_file,
    hard_link_the_source_file,
    plain_source_file,
    link_the_source_directory,
    link_a_run_to_the_sources,
    unlink_the_linked_run,
    move_the_sources,
    put_the_sources_back,
    nested_checkout,
)
