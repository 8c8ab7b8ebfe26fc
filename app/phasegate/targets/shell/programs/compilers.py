"""Compilers and linkers: the file of `-o`, or a name by convention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.text import Field, field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_VALUES = words(
    "-x -I -L -l -D -U -include -isystem -iquote -idirafter -imacros -iprefix -isysroot -T -u -z -Xlinker"
    " -Xassembler -Xpreprocessor -Xclang -MT -MQ -target -arch -framework -std -aux-info --param -e"
)
_OUTPUTS = frozenset({"-o", "-MF", "-dumpdir", "-save-temps=obj"})
_SOURCES = (
    ".c",
    ".cc",
    ".cpp",
    ".cxx",
    ".C",
    ".m",
    ".mm",
    ".S",
    ".s",
    ".f",
    ".f90",
    ".F",
    ".adb",
    ".d",
    ".go",
    ".ii",
    ".i",
)


def compiler(command: Command) -> None:
    """`gcc` and its kin."""
    outputs, sources, flags = _sorted_out(command.args)
    if any(flag.startswith(("-wrapper", "-fplugin", "-B")) for flag in flags):
        command.opaque("the compiler runs another program")
    if any(source.prefix.startswith("@") for source in sources):
        command.opaque("the compiler takes more arguments from a file")
    for output in outputs:
        if output.text != "-":
            command.write(output, via=f"{command.name} -o")
    if flags & _WITHOUT_OUTPUT:
        return
    if flags & _DEPENDENCIES and "-MF" not in flags:
        _dependency_file(command, outputs, sources)
    if "-save-temps" in flags:
        command.opaque("the names of temporary files are made by the compiler")
    if "-o" not in flags and sources:
        _default_outputs(command, sources, flags)


_DEPENDENCIES = frozenset({"-MD", "-MMD"})


def _dependency_file(command: Command, outputs: Sequence[Field], sources: Sequence[Field]) -> None:
    """The list of headers, beside the output or under the name of the source."""
    for operand in outputs or sources:
        text = operand.text
        if text is None:
            command.opaque("the name of the dependency file is not known")
            continue
        head, slash, base = text.rpartition("/")
        where = f"{head}{slash}" if outputs else ""
        command.write(field(f"{where}{base.rpartition('.')[0] or base}.d", operand.typed), via="-MD")


_WITHOUT_OUTPUT = words("-E -M -MM -fsyntax-only --version -v -### -dumpversion -dumpmachine")


def _sorted_out(args: Sequence[Field]) -> tuple[list[Field], list[Field], set[str]]:
    """Files of output options, other operands, and flags."""
    outputs: list[Field] = []
    sources: list[Field] = []
    flags: set[str] = set()
    pending = list(args)
    while pending:
        arg = pending.pop(0)
        head = arg.prefix
        if head in _OUTPUTS and pending:
            outputs.append(pending.pop(0))
            flags.add(head)
        elif head.startswith("-o") and head[2:]:
            outputs.append(arg.cut(2))
            flags.add("-o")
        elif head in _VALUES and pending:
            pending.pop(0)
        elif head.startswith("-"):
            flags.add(head)
        else:
            sources.append(arg)
    return outputs, sources, flags


def _default_outputs(command: Command, sources: Sequence[Field], flags: set[str]) -> None:
    ending = ".s" if "-S" in flags else ".o" if "-c" in flags else None
    if ending is None:
        command.write(field("a.out"))
        return
    for source in sources:
        text = source.text
        if text is None:
            command.opaque("the name of the object file is not known")
        elif text.endswith(_SOURCES):
            command.write(field(text.rpartition("/")[2].rpartition(".")[0] + ending, source.typed))


COMPILERS = words(
    "cc gcc g++ c++ clang clang++ gfortran gdc gnat tcc icc nvcc c99 c89 x86_64-linux-gnu-gcc aarch64-linux-gnu-gcc musl-gcc"
)

_OPTION: Mapping[str, tuple[str, ...]] = {
    "ld": ("-o", "-Map"), "as": ("-o",), "nasm": ("-o", "-l"), "yasm": ("-o",), "ghc": ("-o",), "ocamlfind": ("-o",),
    "ocamlopt": ("-o",), "ocamlc": ("-o",), "swiftc": ("-o",), "dmd": ("-of",), "ldc2": ("-of",), "fpc": ("-o",),
    "zig": (), "nim": ("-o", "--out"), "crystal": ("-o",), "windres": ("-o",), "lld": ("-o",),
    "ffmpeg": (), "objcopy": (), "rustc": ("-o",),
    "esbuild": ("--outfile", "--metafile"), "sass": (), "lessc": (), "stylus": ("-o",), "postcss": ("-o",),
    "babel": ("-o", "--out-file"), "uglifyjs": ("-o", "--output"), "terser": ("-o", "--output"), "cleancss": ("-o",),
    "html-minifier": ("-o", "--output"), "browserify": ("-o",), "rollup": ("-o", "--file"), "swc": ("-o",),
    "asciidoctor": ("-o", "--out-file"), "typst": (), "weasyprint": (), "xelatex": (), "rst2html": (),
    "inkscape": ("-o", "--export-filename"), "rsvg-convert": ("-o",), "gs": ("-o", "-sOutputFile"), "sox": (),
    "quicktype": ("-o", "--out"), "openapi-typescript": ("-o", "--output"),
    "graph-easy": ("--output",), "gnuplot": (), "d2": (), "mkcert": ("-cert-file", "-key-file"),
    "perf": ("-o",), "gprof2dot": ("-o",), "gource": ("-o",), "vhs": ("-o",), "freeze": ("-o",),
}  # fmt: skip
_LAST_IS_OUTPUT = frozenset({"ffmpeg", "sox", "weasyprint", "convert", "magick", "wkhtmltopdf", "wkhtmltoimage",
 "rst2html", "d2", "montage", "composite", "ps2pdf", "pdfunite",
                             "qpdf", "sass", "lessc", "objcopy"})  # fmt: skip
_READING = frozenset({"--version", "--help", "-version", "-h", "-V"})


def javac(command: Command) -> None:
    """`javac`: classes below `-d`, else beside their sources."""
    args = command.args
    for at, arg in enumerate(args):
        if arg.text in ("-d", "-h", "-s") and at + 1 < len(args):
            command.write(args[at + 1], via=f"javac {arg.text}", recursive=True)
    if all(arg.text not in ("-d", "-version", "--version", "-help", "--help") for arg in args):
        command.opaque(
            "the names of the class files come from the sources", remedy="name a directory with `-d`"
        )


def one_output(command: Command) -> None:
    """A converter: the file of an output option, else the last operand; else opaque."""
    options = _OPTION.get(command.name, ())
    texts = [arg.text for arg in command.args]
    if texts and len(texts) == 1 and texts[0] in _READING:
        return
    found = False
    for at, arg in enumerate(command.args):
        name, equals, _ = arg.prefix.partition("=")
        if name in options and equals:
            command.write(arg.cut(len(name) + 1), via=f"{command.name} {name}")
            found = True
        elif arg.text in options and at + 1 < len(command.args):
            command.write(command.args[at + 1], via=f"{command.name} {name}")
            found = True
    if found:
        return
    operands = [arg for arg in command.args if not arg.prefix.startswith("-") or arg.text == "-"]
    if command.name in _LAST_IS_OUTPUT and len(operands) > 1:
        last = operands[-1]
        if last.text not in ("-", "info:", "null:"):
            command.write(last)
        if "%" in (last.text or ""):
            command.opaque(
                f"{command.name} numbers the files it writes", remedy="name a directory of its own"
            )
        return
    if (
        command.name in ("sass", "lessc", "terser", "uglifyjs", "cleancss", "stylus", "sox")
        and len(operands) <= 1
    ):
        return
    command.opaque(f"which file {command.name} writes is not said", remedy="name the output file")


CONVERTERS = frozenset(_OPTION) | _LAST_IS_OUTPUT
