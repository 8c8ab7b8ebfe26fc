"""Git subcommands that write the files or directories they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs import copying, difftext, git_tree
from phasegate.targets.shell.text import EMPTY, Field, field, join, literal, number_of

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_RM = Grammar.of(
    "-f|--force -n|--dry-run -r --cached -q|--quiet --ignore-unmatch --sparse --pathspec-from-file: --pathspec-file-nul"
)


def rm(command: Command) -> None:
    """`git rm`: files and their entries in the index."""
    parsed = command.parse(_RM)
    if parsed.has("cached", "n"):
        return
    if parsed.has("pathspec-from-file"):
        git_tree.whole_tree(command, "the paths are named in a file", destroys=False)
    git_tree.paths(command, parsed.operands, "delete")


def mv(command: Command) -> None:
    """`git mv`."""
    if command.parse(Grammar.of("-f|--force -k -n|--dry-run -v|--verbose --sparse")).has("n"):
        return
    command.args = [arg for arg in command.args if arg.text not in ("-k", "--sparse")]
    copying.mv(command)


_CHECKOUT_INDEX = Grammar.of(
    "-u|--index -q|--quiet -f|--force -a|--all -n|--no-create --prefix: --stage: --temp --stdin -z"
    " --ignore-skip-worktree-bits"
)


def checkout_index(command: Command) -> None:
    """`git checkout-index`."""
    parsed = command.parse(_CHECKOUT_INDEX)
    prefix = parsed.last("prefix")
    if parsed.has("a", "stdin"):
        if prefix is not None:
            command.write(prefix, recursive=True)
        else:
            git_tree.whole_tree(command, "it changes every file of the tree", destroys=parsed.has("f"))
    for operand in parsed.operands:
        value = operand.value if prefix is None else join((prefix.value, operand.value))
        command.write(Field(value, operand.typed, operand.many), follow=False)


def worktree(command: Command) -> None:
    """`git worktree`: directories that are made, moved or removed."""
    verb = command.args[0].text if command.args else "list"
    command.args = command.args[1:]
    parsed = command.parse(
        Grammar.of(
            "-f|--force -b: -B: -d|--detach --checkout --no-checkout --guess-remote --no-guess-remote --track --no-track"
            " --lock --reason: --orphan -q|--quiet --relative-paths --no-relative-paths -v --porcelain -z -n --expire:"
        )
    )
    if verb == "add" and parsed.operands:
        command.write(parsed.operands[0], recursive=True)
    elif verb == "remove" and parsed.operands:
        command.write(parsed.operands[0], "delete", recursive=True)
    elif verb == "move" and len(parsed.operands) > 1:
        command.write(parsed.operands[0], "move_from", recursive=True)
        command.write(parsed.operands[1], "move_to", recursive=True)
    elif verb not in ("list", "lock", "unlock", "prune", "repair"):
        command.opaque("what `git worktree` does here is not known")


_CLONE = Grammar.of(
    "-l|--local -s|--shared -q|--quiet -v|--verbose --progress -n|--no-checkout --bare --mirror -o|--origin: -b|--branch:"
    " -u|--upload-pack: --template: -c|--config: --depth: --shallow-since: --shallow-exclude: --single-branch"
    " --no-single-branch --tags --no-tags --recurse-submodules? --recursive --shallow-submodules --no-shallow-submodules"
    " --remote-submodules --no-remote-submodules --separate-git-dir: -j|--jobs: --sparse --filter: --reference:"
    " --reference-if-able: --dissociate --also-filter-submodules --server-option: --bundle-uri: --revision: -4 -6"
)


def clone(command: Command) -> None:
    """`git clone`: a directory, named or taken from the address."""
    parsed = command.parse(_CLONE)
    if len(parsed.operands) > 1:
        command.write(parsed.operands[1], recursive=True)
    elif parsed.operands:
        text = parsed.operands[0].text
        if text is None:
            command.opaque("the name of the directory is not known")
            return
        name = (
            text.rstrip("/").removesuffix("/.git").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]
        )
        ending = ".git" if parsed.has("bare", "mirror") else ""
        command.write(field(name + ending, parsed.operands[0].typed), recursive=True)


_CONFIG = Grammar.of(
    "--global --system --local --worktree -f|--file: --blob: -l|--list --get --get-all --get-regexp --get-urlmatch --add"
    " --replace-all --unset --unset-all --rename-section --remove-section --get-color: --get-colorbool: -e|--edit -t|--type:"
    " --bool --int --bool-or-int --path --expiry-date --no-type -z|--null --name-only --includes --no-includes"
    " --show-origin --show-scope --show-names --fixed-value --default: --comment: --all --regexp --value: --url: --append"
)
_CONFIG_READS = ("l", "get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "blob")
_CONFIG_WRITES = ("add", "replace-all", "unset", "unset-all", "rename-section", "remove-section", "e")


def config(command: Command) -> None:
    """`git config`: writes the file of `-f` or `--global`; the repository's own is git's storage."""
    parsed = command.parse(_CONFIG)
    verb = parsed.operands[0].text if parsed.operands else None
    reads = parsed.has(*_CONFIG_READS) or verb in ("list", "get")
    sets = parsed.has(*_CONFIG_WRITES) or verb in ("set", "unset", "edit") or len(parsed.operands) > 1
    if reads or not sets:
        return
    file = parsed.last("f")
    home = command.shell.view.home()
    if file is not None:
        command.write(file, via="git config -f")
    elif parsed.has("global"):
        if home is None:
            command.opaque("the home directory is not known")
        else:
            command.write(field(f"{home}/.gitconfig"), via="git config --global")
    elif parsed.has("system"):
        command.write(field("/etc/gitconfig"), via="git config --system")


_APPLY = Grammar.of(
    "--stat --numstat --summary --check --index -N|--intent-to-add -3|--3way --ours --theirs --union --build-fake-ancestor:"
    " -R|--reverse -z --apply --no-add --unsafe-paths --allow-overlap --inaccurate-eof -v|--verbose -q|--quiet"
    " --recount --directory: --exclude: --include: --ignore-space-change --ignore-whitespace --whitespace: --cached"
    " --reject -p: -C: --unidiff-zero --allow-binary-replacement --binary --allow-empty"
)


def apply(command: Command) -> None:
    """`git apply`: the files that the patch names, when its text is at hand."""
    parsed = command.parse(_APPLY)
    if parsed.has("stat", "numstat", "summary", "check", "cached") and not parsed.has("apply"):
        return
    from_input = not parsed.operands or all(operand.text == "-" for operand in parsed.operands)
    texts = [command.text_in(operand) for operand in parsed.operands]
    if from_input:
        texts = [command.state.stdin]
    directory = parsed.last("directory")
    base = EMPTY if directory is None else join((directory.value, literal("/")))
    for text in texts:
        if text is None:
            command.opaque("the patch is not in the command")
        else:
            touch_patched(command, text, number_of(parsed.last("p"), 1), base)


def touch_patched(command: Command, text: str, strip: int, base: tuple[str | None, ...] = EMPTY) -> None:
    """Report the files that the unified difference *text* changes."""
    changed = difftext.changed_files(text, strip)
    if not changed:
        command.opaque("the patch names no file that can be read")
    for name, gone in changed:
        operand = Field(join((base, literal(name))), name)
        command.write(operand, "delete" if gone else "write", follow=False)


def archive(command: Command) -> None:
    """`git archive -o FILE`."""
    parsed = command.parse(
        Grammar.of(
            "--format: -l|--list -v|--verbose --prefix: -o|--output: --add-file: --add-virtual-file:"
            " --worktree-attributes --mtime: --remote: --exec: -0 -1 -2 -3 -4 -5 -6 -7 -8 -9"
        )
    )
    for value in parsed.values("o"):
        command.write(value, via="git archive -o")


def bundle(command: Command) -> None:
    """`git bundle create FILE`."""
    verb = command.args[0].text if command.args else None
    if verb == "create":
        names = [arg for arg in command.args[1:] if not arg.prefix.startswith("-") or arg.text == "-"]
        if names and names[0].text != "-":
            command.write(names[0])
    elif verb == "unbundle" or verb in ("verify", "list-heads"):
        return
    else:
        command.opaque("what `git bundle` does here is not known")


def format_patch(command: Command) -> None:
    """`git format-patch`: names are made from subjects."""
    if any(arg.text == "--stdout" for arg in command.args):
        return
    command.opaque(
        "the names of the patch files come from the commits", remedy="use `--stdout` with a redirection"
    )


def submodule(command: Command) -> None:
    """`git submodule`: rewrites the trees of submodules."""
    verb = next((arg.text for arg in command.args if not arg.prefix.startswith("-")), "status")
    if verb not in ("status", "summary"):
        git_tree.whole_tree(command, "it changes the files of submodules", destroys=False)


def lfs(command: Command) -> None:
    """`git lfs`: reads, or rewrites files of the tree."""
    verb = next((arg.text for arg in command.args if not arg.prefix.startswith("-")), "help")
    if verb not in ("ls-files", "status", "env", "logs", "version", "help", "fetch", "push", "locks"):
        git_tree.whole_tree(command, "it changes files kept by lfs", destroys=False)


def interpret_trailers(command: Command) -> None:
    """`git interpret-trailers --in-place FILE`."""
    parsed = command.parse(
        Grammar.of(
            "--in-place --trim-empty --where: --if-exists: --if-missing: --only-trailers --only-input --unfold"
            " --parse --no-divider --trailer:"
        )
    )
    if parsed.has("in-place"):
        command.write_all(parsed.operands)
