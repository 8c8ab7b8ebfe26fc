"""`git`, by subcommand: paths it writes, whole trees it rewrites, or only its own storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs import git_files, git_tree
from phasegate.targets.shell.programs.builtins import cd
from phasegate.targets.shell.text import Field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.state import State

_GLOBAL = Grammar.of(
    "-C: -c: -p|--paginate -P|--no-pager -h|--help -v|--version --git-dir: --work-tree: --namespace: --bare"
    " --exec-path? --html-path --man-path --info-path --no-replace-objects --literal-pathspecs --glob-pathspecs"
    " --noglob-pathspecs --icase-pathspecs --no-optional-locks --list-cmds: --config-env: --attr-source:"
    " --no-lazy-fetch --no-advice",
    permute=False,
)

# Settings that make git run a program.
_RUNNING = (
    "alias.",
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "core.sshcommand",
    "core.hookspath",
    "diff.",
)
_RUNNING_MORE = (
    "filter.",
    "sequence.editor",
    "pager.",
    "gpg.",
    "credential.",
    "mergetool.",
    "difftool.",
    "merge.",
)

_OUTPUT = Grammar.of("--output:")

READS = words(
    "status log diff show blame annotate grep shortlog describe rev-parse rev-list ls-files ls-tree ls-remote cat-file"
    " name-rev merge-base show-ref for-each-ref reflog help version var whatchanged count-objects fsck verify-commit"
    " verify-tag verify-pack check-ignore check-attr check-ref-format check-mailmap cherry range-diff diff-tree"
    " diff-index diff-files show-branch show-index get-tar-commit-id request-pull column stripspace patch-id"
    " fmt-merge-msg unpack-file for-each-repo diff-pairs last-modified repo refs merge-tree"
)
"""Subcommands that only print; the ones that show a difference have `--output`."""

STORAGE = words(
    "add stage commit tag branch remote fetch push gc prune prune-packed repack pack-refs pack-objects index-pack"
    " unpack-objects update-ref symbolic-ref notes hash-object write-tree mktree mktag commit-tree replace maintenance"
    " update-index update-server-info send-pack fetch-pack upload-pack receive-pack init init-db"
    " commit-graph multi-pack-index credential credential-cache credential-store pack-redundant"
    " http-fetch http-push mailsplit-none fast-export bugreport-none"
)
"""Subcommands that change only what git keeps for itself."""

_STORED = frozenset(
    (verb, word)
    for verb, line in (
        ("rerere", "clear forget diff status remaining gc"),
        ("bisect", "log view visualize terms"),
    )
    for word in line.split()
)
"""Subcommands that change no file of the tree with these first words."""

_SUBCOMMANDS: Mapping[str, Callable[[Command], object]] = {
    "checkout": git_tree.checkout,
    "switch": git_tree.switch,
    "restore": git_tree.restore,
    "reset": git_tree.reset,
    "clean": git_tree.clean,
    "stash": git_tree.stash,
    "read-tree": git_tree.read_tree,
    "rm": git_files.rm,
    "mv": git_files.mv,
    "checkout-index": git_files.checkout_index,
    "worktree": git_files.worktree,
    "clone": git_files.clone,
    "config": git_files.config,
    "apply": git_files.apply,
    "archive": git_files.archive,
    "bundle": git_files.bundle,
    "format-patch": git_files.format_patch,
    "submodule": git_files.submodule,
    "lfs": git_files.lfs,
    "interpret-trailers": git_files.interpret_trailers,
}


def git(command: Command) -> list[State] | None:
    """Read git's own options, then go by the subcommand."""
    parsed = command.parse(_GLOBAL)
    if parsed.has("v", "h", "html-path", "man-path", "info-path") or not parsed.operands:
        return None
    settings = [*parsed.values("c"), *parsed.values("config-env")]
    if any(setting.prefix.lower().startswith((*_RUNNING, *_RUNNING_MORE)) for setting in settings):
        command.opaque("a setting given to git makes it run a program")
    state = command.state
    before = state.cwd, state.previous, state.lost
    for directory in parsed.values("C"):
        command.state = cd(replace(command, name="cd", args=[directory]))[0]
    command.said = False
    work_tree = parsed.last("work-tree")
    _subcommand(command, parsed.operands[0], parsed.operands[1:], work_tree)
    command.state.cwd, command.state.previous, command.state.lost = before
    return [command.state]


def _subcommand(command: Command, name: Field, args: Sequence[Field], work_tree: Field | None) -> None:
    if name.text is None:
        command.opaque("the subcommand of git is not known")
        return
    inner = replace(command, name=f"git {name.text}", args=args)
    if work_tree is not None:
        inner.typed = work_tree.text or ""
    handler = _SUBCOMMANDS.get(name.text)
    if any(arg.text in ("-h", "--help") for arg in args[:1]):
        return
    if handler is not None:
        handler(inner)
    elif name.text in READS:
        for value in inner.parse(_OUTPUT).values("output"):
            inner.write(value, via=f"git {name.text} --output")
        if name.text == "grep" and any(arg.prefix.startswith(("-O", "--open-files")) for arg in args):
            inner.opaque("`git grep -O` opens a program")
        _print(command, name.text, args)
    elif (name.text, args[0].text if args else None) in _STORED:
        return
    elif name.text not in STORAGE:
        inner.opaque(
            f"what `git {name.text[:40]}` changes is not known", remedy="name the files to be changed"
        )
    command.said = command.said or inner.said


def _print(command: Command, name: str, args: Sequence[Field]) -> None:
    """Tell the output of the one query that commands build paths from."""
    if name == "rev-parse" and [arg.text for arg in args] == ["--show-toplevel"]:
        top = git_tree.top_of(command)
        command.say(None if top is None or command.state.lost else top + "\n")
