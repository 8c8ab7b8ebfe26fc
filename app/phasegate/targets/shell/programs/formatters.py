"""Programs that rewrite source files in place, when told to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from phasegate.targets.shell.mentions import pieces_of
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs import listing
from phasegate.targets.shell.text import Field, field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


_NEVER = ("--check", "--diff", "--dry-run", "--help", "--version")


@dataclass(frozen=True, slots=True)
class Formatter:
    """How a formatter is told to write.

    `verbs`: the first operand is a verb, and only these rewrite; `reading`: verbs that
    don't. `when`: options without which nothing is written (none: it always writes).
    `unless`: options with which nothing is written. `values`: options that take a value.
    `skip`: operands that are not files. `backup`: suffix of a copy of the old file.
    """

    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    skip: int = 0
    backup: str = ""


def _of(when: str = "", unless: str = "", values: str = "") -> Formatter:
    return Formatter(tuple(when.split()), (*_NEVER, *unless.split()), tuple(values.split()))


def _with_verbs(formatter: Formatter, rewriting: str, reading: str) -> Formatter:
    return replace(formatter, verbs=tuple(rewriting.split()), reading=tuple(reading.split()))


_PY_VALUES = "-l --line-length -t --target-version --config -c --exclude --include --force-exclude --stdin-filename -j --workers"

FORMATTERS: Mapping[str, Formatter] = {
    "black": _of(unless="-c --code", values=_PY_VALUES + " -W"),
    "blue": _of(values=_PY_VALUES),
    "isort": _of(unless="-c --check-only --stdout -d", values="-l --profile --settings-path --sp -p -s --skip --src"),
    "autopep8": _of(when="-i --in-place", values="--max-line-length --select --ignore -j --indent-size -p"),
    "yapf": _of(when="-i --in-place", unless="-d -q", values="--style -e --exclude -l --lines"),
    "autoflake": _of(when="-i --in-place", values="--imports --exclude -j --jobs"),
    "docformatter": _of(when="-i --in-place", unless="-c", values="--wrap-summaries --wrap-descriptions"),
    "pyupgrade": _of(),
    "reorder-python-imports": _of(),
    "add-trailing-comma": _of(),
    "djlint": _of(when="--reformat", values="--profile --extension"),
    "ruff": _with_verbs(
        _of(
            when="--fix --fix-only --unsafe-fixes",
            unless="--diff --statistics --show-files --show-settings",
            values="--config --select --ignore --extend-select --extend-ignore --exclude --line-length --target-version"
            " --output-format --output-file -o --cache-dir --per-file-ignores --stdin-filename --range",
        ),
        "format",
        "check rule config linter version clean server analyze help",
    ),
    "prettier": _of(
        when="-w --write", unless="-c -l --list-different",
        values="--config --parser --ignore-path --plugin --print-width --tab-width --log-level --loglevel --end-of-line",
    ),
    "eslint-fix": _of(when="--fix"),
    "standard": _of(when="--fix"),
    "xo": _of(when="--fix"),
    "biome": _with_verbs(
        _of(when="--write --fix --apply --apply-unsafe"), "", "format lint check ci rage version explain"
    ),
    "dprint": _with_verbs(_of(), "fmt", "check output-file-paths license"),
    "deno-fmt": _of(),
    "gofmt": _of(when="-w", unless="-d -l", values="-r -cpuprofile"),
    "goimports": _of(when="-w", unless="-d -l", values="-local -srcdir"),
    "gofumpt": _of(when="-w", unless="-d -l", values="-lang -modpath"),
    "rustfmt": _of(values="--config --config-path --edition --emit --print-config --style-edition"),
    "clang-format": _of(when="-i", unless="-n --dump-config", values="-style --style -assume-filename -lines --lines"),
    "astyle": replace(_of(unless="--stdin", values="--style"), backup=".orig"),
    "uncrustify": _of(when="--no-backup --replace", values="-c -l -f -o"),
    "indent": replace(_of(values="-o"), backup="~"),
    "shfmt": _of(when="-w --write", unless="-d -l", values="-i --indent -ln --language-dialect -fn --filename"),
    "taplo": _with_verbs(_of(values="-o --option"), "fmt format", "check lint get config completions"),
    "stylua": _of(unless="-c", values="--config-path -g --glob"),
    "mdformat": _of(values="--wrap --number --end-of-line"),
    "nbstripout": _of(unless="-t --textconv --status --is-installed", values="--extra-keys"),
    "cmake-format": _of(when="-i --in-place", values="-c --config-files -l"),
    "buildifier": _of(unless="-mode=check -mode=diff", values="-mode -lint -type"),
    "ktlint": _of(when="-F --format"),
    "swiftformat": _of(unless="--lint", values="--config --rules --swiftversion"),
    "terraform-fmt": _of(unless="-check -write=false"),
    "dos2unix": _of(unless="-i --info -O --to-stdout", values="-n"),
    "unix2dos": _of(unless="-i --info -O --to-stdout", values="-n"),
    "mac2unix": _of(unless="-i --info"),
    "fromdos": _of(),
    "todos": _of(),
    "sd": replace(_of(unless="-p --preview", values="-n --max-replacements -f --flags"), skip=2),
    "yq": replace(
        _of(
            when="-i --inplace --in-place -yi -Yi",
            values="-o --output-format -p --input-format --indent -I --front-matter -P",
        ),
        skip=1,
    ),
    "xq": replace(_of(when="-i --in-place"), skip=1),
    "tomlq": replace(_of(when="-i --in-place -ti -Ti"), skip=1),
    "jaq": replace(_of(when="-i --in-place"), skip=1),
    "sponge": _of(values=""),
    "codespell-fix": _of(when="-w -i --write-changes", values="-L -S -I -D"),
    "typos-fix": _of(when="-w --write-changes", values="--config --exclude --format"),
    "markdownlint-fix": _of(when="-f --fix", values="-c -i -p"),
    "exiftool": _of(unless="-ver", when="-overwrite_original"),
    "mogrify": _of(values="-resize -quality -format -crop -rotate -density -background -fill -gravity -extent -size -type"),
    "optipng": _of(unless="-simulate", values="-o -out -dir -i -f -zc -zm -zs -strip"),
    "jpegoptim": _of(unless="-n --noaction --stdout", values="-m -d -S -T"),
    "pngcrush-ow": _of(when="-ow"),
    "strip": _of(values="-o -R -K -N -F -I -O", unless="-V"),
    "patchelf": _of(values="--set-interpreter --set-rpath --add-needed --remove-needed --replace-needed --set-soname"
                           " --page-size --add-rpath --output", unless="--print-interpreter --print-rpath --print-needed"
                           " --print-soname"),
    "ranlib": _of(),
    "chrpath": _of(unless="-l --list", values="-r --replace"),
    "svgo": _of(values="-o --output -p --precision --config --multipass", unless="-s"),
    "jupytext": _of(when="--sync --update --set-formats", values="--to --from --output -o --opt"),
    "sort-package-json": _of(unless="-c"),
    "licenseheaders": _of(),
    "qpdf": _of(when="--replace-input"),
}  # fmt: skip


def formatter(command: Command) -> None:
    """Report the files that a formatter rewrites."""
    how = FORMATTERS[command.name]
    operands, flags = _sorted_out(command, how)
    if not _writes(how, flags, operands):
        return
    verbs = {*how.verbs, *how.reading, *(_YQ_VERBS if command.name == "yq" else ())}
    if operands and operands[0].text in verbs:
        operands = operands[1:]
    files = operands[how.skip :]
    reads_input = any(arg.text == "-" for arg in operands) or command.name in _FILTERS
    if not files and not reads_input:
        command.opaque(f"which files {command.name} rewrites is not said")
    for operand in files:
        _rewrite(command, operand, how)


_YQ_VERBS = ("e", "eval", "ea", "eval-all")


def _sorted_out(command: Command, how: Formatter) -> tuple[list[Field], set[str]]:
    """Operands, and flags by each of their spellings."""
    flags: set[str] = set()
    operands: list[Field] = []
    skip = False
    for arg in command.args:
        head = arg.prefix
        if skip:
            skip = False
        elif head.startswith("-") and head != "-":
            flags.update({head.partition("=")[0], head})
            if not head.startswith("--"):
                flags.update(f"-{letter}" for letter in head[1:])
            skip = head in how.values
        else:
            operands.append(arg)
    return operands, flags


_FILTERS = words(
    "dos2unix unix2dos mac2unix fromdos todos sd yq indent astyle rustfmt shfmt stylua isort nbstripout gofmt strip"
)


def _writes(how: Formatter, flags: set[str], operands: list[Field]) -> bool:
    if flags & set(how.unless):
        return False
    verb = operands[0].text if operands else None
    if how.verbs or how.reading:
        if verb in how.verbs:
            return True
        if verb in how.reading:
            return bool(flags & set(how.when))
        return bool(operands)
    return not how.when or bool(flags & set(how.when))


def _rewrite(command: Command, operand: Field, how: Formatter) -> None:
    text = command.text_of(operand)
    if text == "-":
        return
    kind = command.kind(operand)
    # A name without an ending that is not there yet is more likely a directory.
    tree = kind == "dir" or (kind is None and "." not in (text or "").rpartition("/")[2])
    if text is None or set(text) & set("*?[{") or tree:
        command.opaque(
            f"which files {command.name} rewrites is not said",
            remedy="name the files",
            words=[*pieces_of(command.args), *listing.places(command, operand)],
        )
        return
    command.write(operand)
    if how.backup:
        command.write(_suffixed(operand, how.backup), via=f"{command.name} (backup)")


def _suffixed(operand: Field, suffix: str) -> Field:
    return field((operand.text or "") + suffix, operand.typed)


_INPLACE_GRAMMAR = Grammar.of("-a --help --version")


def sponge(command: Command) -> None:
    """`sponge FILE`: standard input, written at its end."""
    parsed = command.parse(_INPLACE_GRAMMAR)
    for operand in parsed.operands:
        command.write(operand, "append" if parsed.has("a") else "write")


_FIXING: Mapping[str, tuple[str, ...]] = {
    "eslint": ("--fix",),
    "stylelint": ("--fix",),
    "codespell": ("-w", "--write-changes", "-i"),
    "typos": ("-w", "--write-changes"),
    "markdownlint": ("-f", "--fix"),
    "markdownlint-cli2": ("--fix",),
    "golangci-lint": ("--fix",),
    "rubocop": ("-a", "-A", "--auto-correct", "--autocorrect", "--autocorrect-all", "-x", "--fix-layout"),
    "swiftlint": ("--fix", "--autocorrect"),
    "shellcheck": (),
}
CHECKERS = frozenset(_FIXING)


def fixes(command: Command) -> bool:
    """Whether a checker is told to rewrite what it checks."""
    return any(arg.text in _FIXING[command.name] for arg in command.args)


def rewrite_all(command: Command) -> None:
    """Report the operands of a checker that rewrites."""
    files = [arg for arg in command.args if not arg.prefix.startswith("-")]
    if not files:
        command.opaque(f"which files {command.name} rewrites is not said", remedy="name the files")
    for operand in files:
        _rewrite(command, operand, Formatter())
