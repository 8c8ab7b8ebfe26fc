"""Interpreters of other languages: where their program text is, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.languages.code import CodeEffects, CodeWrite
from phasegate.targets.shell.languages.python_code import analyse as analyse_python
from phasegate.targets.shell.languages.script_code import (
    analyse_javascript,
    analyse_php,
)
from phasegate.targets.shell.mentions import tokens
from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.programs.links import link_text, remember, remember_link
from phasegate.targets.shell.programs.nested import run_text
from phasegate.targets.shell.programs.own_commands import is_own
from phasegate.targets.shell.programs.python_modules import module
from phasegate.targets.shell.programs.verbs import verbs
from phasegate.targets.shell.text import STAND_IN, Field, field, with_stand_ins

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command
    from phasegate.targets.shell.state import State

Analysis = Callable[[str, Sequence["str | None"]], CodeEffects]

SCRIPT_REMEDY = "put the program into the call, with the file names spelled out"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """How an interpreter is started.

    `code` are the options with program text, `modules` those that load code first,
    `inert` those with which nothing runs. `counts_itself`: the arguments that a script
    sees begin with the interpreter.
    """

    grammar: Grammar
    analyse: Analysis
    code: tuple[str, ...]
    modules: tuple[str, ...] = ()
    inert: tuple[str, ...] = ()
    counts_itself: bool = False

    def arguments(self, name: str, operands: Sequence[Field]) -> list[str | None]:
        """What a script sees, whose name comes first in *operands*."""
        texts = [None if operand.many else operand.text for operand in operands]
        return [name, *texts] if self.counts_itself else texts


_PYTHON = Interpreter(
    Grammar.of(
        "-b -B -c: -d -E -h|--help -i -I -m: -O -P -q -R -s -S -u -v -V|--version -W: -x -X: -? --check-hash-based-pycs:"
        " --help-env --help-xoptions --help-all",
        permute=False,
    ),
    analyse_python,
    ("c",),
    inert=("h", "V", "?", "help-env", "help-xoptions", "help-all"),
)
_NODE = Interpreter(
    Grammar.of(
        "-e|--eval: -p|--print: -c|--check -i|--interactive -r|--require: --import: --loader: --experimental-loader:"
        " --input-type: -v|--version -h|--help --no-warnings --trace-warnings --harmony --inspect? --inspect-brk?"
        " --enable-source-maps --max-old-space-size: --stack-size: --env-file: --test --watch -C: --conditions:"
        " --experimental-modules --experimental-vm-modules --no-deprecation --trace-deprecation --title:"
        " --unhandled-rejections: --expose-gc --experimental-strip-types --experimental-json-modules",
        permute=False,
    ),
    analyse_javascript,
    ("e", "p"),
    modules=("r", "import", "loader", "experimental-loader", "test", "watch"),
    inert=("v", "h", "c"),
    counts_itself=True,
)
_PHP = Interpreter(
    Grammar.of("-r|--run: -f|--file: -d: -n -l -v|--version -h|--help -i|--info -m|--modules -a -s -w -q -B: -R: -F: -E: -S:"
               " -t: -c: -H -z: --ini --rf: --rc: --re: --ri:", permute=False),
    analyse_php,
    ("r", "B", "R", "E"),
    modules=("S", "F"),
    inert=("l", "v", "h", "i", "m", "ini", "rf", "rc", "re", "ri", "s", "w"),
)  # fmt: skip
_INTERPRETERS: Mapping[str, Interpreter] = {"python": _PYTHON, "node": _NODE, "php": _PHP}


def python(command: Command) -> None:
    """`python`: `-c` text, a module, standard input, or a script."""
    parsed = command.parse(_PYTHON.grammar)
    if parsed.has("m"):
        _python_module(command)
        return
    _interpret(command, _PYTHON, parsed)


def _python_module(command: Command) -> None:
    """`python -m NAME ARGS`: everything after the name belongs to the module."""
    args = list(command.args)
    while args and args[0].prefix[:2] != "-m":
        if args.pop(0).text in ("-W", "-X") and args:
            args.pop(0)
    if not args:
        return
    name = args[0].cut(2) if args[0].prefix[2:] or args[0].text is None else None
    rest = args[1:]
    if name is None:
        name, rest = (rest[0], rest[1:]) if rest else (field(""), rest)
    module(command, name, rest)


def node(command: Command) -> None:
    """`node`, `bun`, `deno`."""
    args = list(command.args)
    if command.name == "deno" and args:
        verb = args[0].text
        if verb == "eval":
            code = [arg for arg in args[1:] if not arg.prefix.startswith("-")]
            for text in code[:1]:
                run_code(command, text, analyse_javascript)
            return
        if verb in ("info", "check", "lint", "doc", "types") and all(arg.text != "--fix" for arg in args):
            return
    if command.name == "deno" and args and args[0].text not in ("--version", "--help", "-V"):
        command.opaque("what the script does is not known", remedy=SCRIPT_REMEDY)
        return
    _interpret(command, _NODE, command.parse(_NODE.grammar))


def bun(command: Command) -> list[State] | None:
    """`bun`: an interpreter with `-e`, else a package manager."""
    if any(arg.text in ("-e", "--eval", "-p", "--print") for arg in command.args[:1]):
        _interpret(command, _NODE, command.parse(_NODE.grammar))
        return None
    verbs(command)
    return None


def php(command: Command) -> None:
    """`php`."""
    _interpret(command, _PHP, command.parse(_PHP.grammar))


def _interpret(command: Command, how: Interpreter, parsed: Parsed) -> None:
    if parsed.has(*how.inert):
        return
    if parsed.has(*how.modules):
        command.opaque("code is loaded that can't be read")
    if parsed.strange:
        command.opaque(f"the option `{parsed.strange[0][:40]}` of {command.name} is not known")
    texts = parsed.values(*how.code)
    if texts:
        for text in texts:
            run_code(command, text, how.analyse)
        return
    script = parsed.last("f") or (parsed.operands[0] if parsed.operands else None)
    if script is not None and script.text not in ("-", "/dev/stdin"):
        _script(command, script, parsed, how)
        return
    standard_input(command, how.analyse, how.arguments(command.name, parsed.operands))


def _script(command: Command, script: Field, parsed: Parsed, how: Interpreter) -> None:
    known = command.text_in(script)
    if known is not None:
        run_code(
            command, field(known, script.typed), how.analyse, how.arguments(command.name, parsed.operands)
        )
    elif script.text is not None and is_own(script.text.rpartition("/")[2], command.shell.context.workflow):
        command.run([field(script.text.rpartition("/")[2], script.typed), *parsed.operands[1:]])
    else:
        command.opaque("what the script does is not known", remedy=SCRIPT_REMEDY)


def standard_input(command: Command, analyse: Analysis, argv: Sequence[str | None] | None = None) -> None:
    """Run the program on standard input."""
    text = command.state.stdin
    if text is None:
        command.opaque("the program on standard input is not known")
        return
    command.state.stdin = ""
    run_code(command, field(text, "(standard input)"), analyse, argv)


def run_code(
    command: Command, program: Field, analyse: Analysis, argv: Sequence[str | None] | None = None
) -> None:
    """Report what the text of a program does; *argv* are its arguments, its own name first."""
    text = None if program.many else with_stand_ins(program.value)
    if text is None:
        command.opaque("the program text is not known", words=_pieces(command, program))
        return
    effects = analyse(text, _own_arguments(command.args, program) if argv is None else argv)
    if STAND_IN in text and not _only_data(effects):
        effects.doubt("a part of the program text is not known")
    _apply(command, effects.writes)
    for shell_text in effects.shells:
        run_text(command, field(shell_text), ())
    for started in effects.programs:
        command.run([field(word) for word in started])
    if effects.unknown:
        others = [arg.text for arg in command.args if arg is not program and arg.text is not None]
        command.opaque(
            f"the program does something that is not known: {effects.unknown}"[:200],
            words=[*effects.strings, *others],
        )
    command.said = False


def _apply(command: Command, writes: Sequence[CodeWrite]) -> None:
    """Report the files that the program changes, in the order of its text."""
    moved: Field | None = None
    left: str | None = None
    for effect in writes:
        target = field(_landing(command, effect))
        recursive = effect.recursive and command.kind(target) != "file"
        source = moved if effect.op == "move_to" else field(effect.leads_to) if effect.leads_to else None
        if effect.op == "move_from":
            moved, left = target, link_text(command, target)
        via = f"{command.name} {effect.via}"
        command.write(target, effect.op, via=via, follow=effect.follow, recursive=recursive, source=source)
        if effect.op == "move_to" and left is not None:
            remember(command, target, left)
        if source is not None and effect.leads_to:
            remember_link(command, source, target, symbolic=effect.symbolic, forced=effect.forced)


def _only_data(effects: CodeEffects) -> bool:
    """Whether the unknown parts of the text are inside strings that no program is started with."""
    started = [*effects.shells, *(word for argv in effects.programs for word in argv)]
    return not effects.bare_stand_in and not any(STAND_IN in text for text in started)


def _own_arguments(args: Sequence[Field], program: Field) -> list[str | None]:
    """What the program sees as its arguments, its own name first; empty when that is not clear."""
    for at, arg in enumerate(args):
        if arg is program or arg.text == "-":
            return [arg.text for arg in args[at:]]
    return []


def _landing(command: Command, effect: CodeWrite) -> str:
    """The path that a copy gets: inside a directory it keeps its base name."""
    if effect.inside and command.kind(field(effect.path)) == "dir":
        if effect.inside == "?":
            command.opaque("the name of a copied file is not known", words=[effect.path])
        return f"{effect.path.rstrip('/')}/{effect.inside.rstrip('/').rpartition('/')[2]}"
    return effect.path


def _pieces(command: Command, program: Field) -> list[str]:
    pieces = [token for piece in program.value if piece for token in tokens(piece)]
    return [*pieces, *(arg.text for arg in command.args if arg.text is not None and arg is not program)]


def repl(command: Command) -> None:
    """An interpreter whose programs are not read here: `lua`, `R`, `julia`, `osascript`."""
    if len(command.args) == 1 and command.args[0].text in ("--version", "-v", "-V", "--help"):
        return
    command.opaque(f"what the program of {command.name} does is not known", remedy=SCRIPT_REMEDY)
