"""Git subcommands that rewrite files of the work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.paths import lexical
from phasegate.targets.shell.disk import disk_of, place
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.text import Field, field, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phasegate.targets.shell.command import Command

MAX_ENDING = 5
"""Letters of a name's ending that make it look like a file rather than a branch."""

_NAME_FILES = "name the files instead of the whole tree"

_CHECKOUT = Grammar.of(
    "-q|--quiet --progress --no-progress -f|--force --ours --theirs -b: -B: -t|--track? --no-track --guess --no-guess -l"
    " -d|--detach --orphan: --ignore-skip-worktree-bits -m|--merge --conflict: -p|--patch"
    " --ignore-other-worktrees --overwrite-ignore --no-overwrite-ignore --recurse-submodules? --no-recurse-submodules"
    " --overlay --no-overlay --pathspec-from-file: --pathspec-file-nul -U: --inter-hunk-context:"
)


def top_of(command: Command) -> str | None:
    """The work tree that the directory belongs to, or None when it is in none."""
    disk = disk_of(command.shell.view, command.state)
    here = place(command.shell.view, command.state, ".").path
    while True:
        if disk.lstat(f"{here.rstrip('/')}/.git") is not None:
            return here
        if here in ("/", ""):
            return None
        here = here.rpartition("/")[0] or "/"


def tree_of(command: Command) -> str:
    """The work tree, or the directory itself when none is found."""
    if command.typed and command.name.startswith("git ") and command.typed != "git":
        return place(command.shell.view, command.state, command.typed).path
    return top_of(command) or place(command.shell.view, command.state, ".").path


def whole_tree(command: Command, why: str, *, destroys: bool, below: str | None = None) -> None:
    """Report a change of every file of the tree."""
    tree = (below or tree_of(command),) if destroys else ()
    command.opaque(
        why, remedy=_NAME_FILES, destroys=tree, whole_tree_git=destroys, words=_paths_among(command.args)
    )


def _paths_among(args: Sequence[Field]) -> list[str]:
    return [arg.text for arg in args if arg.text is not None and not arg.text.startswith("-")]


def paths(command: Command, operands: Sequence[Field], op: str = "write") -> None:
    """Report pathspecs as written: files, whole directories, or the whole tree."""
    cwd = place(command.shell.view, command.state, ".").path
    for operand in operands:
        text = operand.text
        if text is None or operand.many:
            command.opaque("a path given to git is not known", destroys=command.known_directory(operand))
            continue
        if text.startswith(":"):
            text = _magic(command, text)
            if text is None:
                continue
        path = place(command.shell.view, command.state, text or ".").path
        if any(char in text for char in "*?[") and command.lstat(text) is None:
            head = text.partition("*")[0].partition("?")[0].partition("[")[0].rpartition("/")[0]
            below = place(command.shell.view, command.state, head or ".").path
            whole_tree(command, "git matches the pattern itself", destroys=True, below=below)
        elif path in (cwd, tree_of(command)) or cwd.startswith(path.rstrip("/") + "/"):
            whole_tree(command, "it changes every file of the tree", destroys=True, below=path)
        else:
            isdir = command.kind_of_path(path) == "dir"
            command.write(
                Field(literal(text), operand.typed),
                "delete" if op == "delete" else "write",
                follow=False,
                recursive=isdir or text.endswith("/"),
            )


def _magic(command: Command, text: str) -> str | None:
    """A pathspec that begins with a colon; None for one that only excludes."""
    if text.startswith((":!", ":^", ":(exclude)")):
        return None
    rest = text.removeprefix(":(top)").removeprefix(":/")
    if rest.startswith(":"):
        command.opaque("the path magic of git is not known")
        return None
    return f"{tree_of(command)}/{rest}"


def _split(args: Sequence[Field]) -> tuple[list[Field], list[Field] | None]:
    """Arguments before and after `--`."""
    for at, arg in enumerate(args):
        if arg.text == "--":
            return list(args[:at]), list(args[at + 1 :])
    return list(args), None


def checkout(command: Command) -> None:
    """`git checkout`: paths, or a switch of branches."""
    before, after = _split(command.args)
    everything, command.args = command.args, before
    parsed = command.parse(_CHECKOUT)
    command.args = everything
    if parsed.has("p"):
        whole_tree(command, "it asks which hunks to revert", destroys=False)
        return
    if parsed.has("pathspec-from-file"):
        whole_tree(command, "the paths are named in a file", destroys=False)
        return
    if after is not None and after:
        paths(command, after)
        return
    if parsed.has("b", "B", "orphan"):
        if parsed.operands and parsed.operands[0].text != "HEAD":
            whole_tree(command, "it switches to another commit", destroys=False)
        return
    operands = parsed.operands
    named = _named_files(command, operands)
    if not named and len(operands) == 1 and _looks_like_path(command, operands[0]):
        # A file that is gone from the disk, or a branch with such a name.
        paths(command, operands)
    if named:
        paths(command, named)
    elif operands and not (after is None and len(operands) == 1 and operands[0].text == "HEAD"):
        whole_tree(command, "it switches to another commit", destroys=False)
    elif parsed.has("f"):
        whole_tree(command, "it changes every file of the tree", destroys=True)


def _named_files(command: Command, operands: Sequence[Field]) -> list[Field]:
    """The operands that are paths: all of them, or those after a commit."""
    if not operands:
        return []
    first = operands[0].text
    if first is not None and (first.startswith(":") or command.lstat(first) is not None):
        return list(operands)
    return list(operands[1:])


def _looks_like_path(command: Command, operand: Field) -> bool:
    text = operand.text
    if not text:
        return False
    directory, slash, name = text.rpartition("/")
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending[:1].isalpha() and len(ending) <= MAX_ENDING:
        return True
    return bool(slash) and command.kind(field(directory or "/")) == "dir"


def switch(command: Command) -> None:
    """`git switch`: nothing for a new branch, else every file that differs."""
    parsed = command.parse(
        Grammar.of(
            "-c|--create: -C|--force-create: -d|--detach --guess --no-guess -f|--force --discard-changes -m|--merge"
            " --conflict: -q|--quiet --progress --no-progress -t|--track? --no-track --orphan: --ignore-other-worktrees"
            " --recurse-submodules --no-recurse-submodules"
        )
    )
    creating = parsed.has("c", "C")
    if creating and (not parsed.operands or parsed.operands[0].text == "HEAD"):
        return
    if parsed.operands or parsed.has("orphan"):
        whole_tree(command, "it switches to another commit", destroys=False)


_RESTORE = Grammar.of(
    "-s|--source: -p|--patch -W|--worktree -S|--staged -q|--quiet --progress --no-progress --ours --theirs -m|--merge"
    " --conflict: --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules --no-recurse-submodules"
    " --overlay --no-overlay --pathspec-from-file: --pathspec-file-nul"
)


def restore(command: Command) -> None:
    """`git restore`: the index only with `--staged`, else the files."""
    parsed = command.parse(_RESTORE)
    if parsed.has("S") and not parsed.has("W"):
        return
    if parsed.has("p", "pathspec-from-file"):
        whole_tree(command, "it is not said which files are restored", destroys=False)
        return
    paths(command, parsed.operands)


def reset(command: Command) -> None:
    """`git reset`: only `--hard` and its kin touch files."""
    flags = [arg.text or "" for arg in command.args]
    if _has_option(flags, "--hard"):
        whole_tree(command, "it changes every file of the tree", destroys=True)
    elif _has_option(flags, "--merge") or _has_option(flags, "--keep"):
        whole_tree(command, "it changes files that differ", destroys=False)
    elif any(arg.text is None for arg in command.args):
        whole_tree(command, "an argument of `git reset` is not known", destroys=False)


def _has_option(flags: Sequence[str], option: str) -> bool:
    """Whether *option* is among *flags*, maybe abbreviated."""
    return any(flag[3:] and option.startswith(flag) for flag in flags)


_CLEAN = Grammar.of("-d -f|--force -i|--interactive -n|--dry-run -q|--quiet -e|--exclude: -x -X")


def clean(command: Command) -> None:
    """`git clean`: removes what git doesn't track."""
    parsed = command.parse(_CLEAN)
    if parsed.has("n"):
        return
    if not parsed.operands:
        here = place(command.shell.view, command.state, ".").path
        whole_tree(command, "it removes every file that git does not track", destroys=True, below=here)
        return
    paths(command, parsed.operands, "delete")


def stash(command: Command) -> None:
    """`git stash`: reverts the files that it saves."""
    args = list(command.args)
    verb = args[0].text if args and not args[0].prefix.startswith("-") else "push"
    if verb in ("list", "show", "drop", "clear", "create", "store", "export", "import"):
        return
    if verb == "push":
        inner, after = _split(args)
        if after is None:
            command.args = inner[1:] if args and args[0].text == "push" else inner
            after = command.parse(
                Grammar.of(
                    "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all"
                    " -m|--message: --pathspec-from-file: --pathspec-file-nul"
                )
            ).operands
        if after:
            paths(command, after)
            return
    whole_tree(command, "it changes every file that differs", destroys=False)


def read_tree(command: Command) -> None:
    """`git read-tree`: touches files only with `-u` or `--reset`."""
    if any(arg.text is None or arg.text in ("-u", "-mu", "-um", "--reset") for arg in command.args):
        whole_tree(command, "it changes every file that differs", destroys=False)


def normal(path: str) -> str:
    """*path* without `.` and `..`."""
    return lexical(path, windows=False)
