"""Programs that only read, and those that write no more than the file of an option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs.reader_names import CORRECTING, REPORTING
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that reads its operands and writes the files of some options.

    `writes` and `trees` are the options that name a file and a directory written;
    `inert` those with which nothing is written. `strict`: an option that is not in the
    grammar makes the command opaque, because it could be one that writes. `guessing`:
    options with which the program makes up a name, or rewrites its operands.
    """

    grammar: Grammar
    writes: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    strict: bool = True
    guessing: tuple[str, ...] = ()


def _tool(
    options: str,
    writes: str = "",
    trees: str = "",
    *,
    strict: bool = True,
    single: bool = False,
    guessing: str = "",
) -> Tool:
    grammar = Grammar.of(options + " --help --version", single=single, numeric=True)
    return Tool(grammar, tuple(writes.split()), tuple(trees.split()), strict, tuple(guessing.split()))


TOOLS: Mapping[str, Tool] = {
    "sort": _tool(
        "-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort"
        " -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort"
        " --random-source: -r|--reverse --sort: -V|--version-sort --batch-size: -c|--check? -C --debug --files0-from:"
        " -k|--key: -m|--merge -o|--output: -s|--stable -S|--buffer-size: -t|--field-separator:"
        " -T|--temporary-directory: --parallel: -u|--unique -z|--zero-terminated",
        "o",
    ),
    "shuf": _tool(
        "-e|--echo -i|--input-range: -n|--head-count: -o|--output: --random-source: -r|--repeat -z|--zero-terminated",
        "o",
    ),
    "tree": _tool(
        "-a -d -l -f -x -L: -R -P: -I: --gitignore --gitfile: --ignore-case --matchdirs --metafirst --noreport"
        " --charset: --filelimit: --prune --du --si -o: -q -N -Q -p -u -g -s -h -D -F -i -A -S -n -C -X -J -H: -T:"
        " --timefmt: --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort: --info --infofile: --nolinks"
        " --fromfile",
        "o",
    ),
    "iconv": _tool("-f|--from-code: -t|--to-code: -l|--list -c -o|--output: -s|--silent --verbose", "o"),
    "base64": _tool("-d|--decode -D -i|--ignore-garbage -w|--wrap: -b: -o|--output:", "o"),
    "base32": _tool("-d|--decode -i|--ignore-garbage -w|--wrap:"),
    "basenc": _tool("--base64 --base64url --base32 --base32hex --base16 --z85 -d|--decode -i -w|--wrap:"),
    "less": _tool("-N -R -S -X -F -i -I -n -e -E -f -g -m -M -q -s -u -x: -p: -P: -o: -O: -c -r", "o O"),
    "xmllint": _tool(
        "--format --noout --xpath: --output: -o: --schema: --relaxng: --dtdvalid: --valid --html --recover --c14n"
        " --encode: --noblanks --nonet --huge --pretty: --pattern: --stream --debug --quiet",
        "output o",
        strict=False,
    ),
    "xsltproc": _tool(
        "-o|--output: -v|--verbose --timing --repeat --novalid --nonet --huge --html --param: --stringparam:"
        " --path: --profile --xinclude",
        "o",
        strict=False,
        single=False,
    ),
    "pygmentize": _tool("-l: -f: -O: -P: -F: -o: -g -L -N: -S: -a: -s -x -H", "o"),
    "dot": _tool(
        "-T: -o: -O -K: -G: -N: -E: -l: -n: -q -s: -v -V -c -C -P -x -y", "o", strict=False, guessing="O"
    ),
    "neato": _tool("-T: -o: -K: -G: -N: -E: -l: -q -s: -v -V", "o", strict=False),
    "mmdc": _tool("-i: -o|--output: -t: -b: -w: -H: -c: -C: -p: -q -s: -f -e: -a:", "o a"),
    "plantuml": _tool("-pipe -p -version -testdot", single=True),
    "pdftotext": _tool(
        "-f: -l: -r: -x: -y: -W: -H: -layout -raw -nopgbrk -enc: -eol: -q -v -htmlmeta -bbox", single=True
    ),
    "csvsql": _tool("--query: -i: --db: --insert --tables: --no-constraints --no-create -y: --overwrite"),
    "mlr": _tool("-I", strict=False, guessing="I"),
    "xmlstarlet": _tool("-t -v: -m: -o: -n -c:", strict=True),
    "hostname": _tool("-a -A -d -f|--fqdn|--long -i -I -s|--short -y --all-ip-addresses"),
    "date": _tool(
        "-d|--date: -f|--file: -I|--iso-8601? -R|--rfc-email --rfc-3339: -r|--reference: -u|--utc|--universal"
        " --debug --resolution -j -v: -n"
    ),
    "sysctl": _tool("-n -a -A -e -N -b -X"),
    "dmesg": _tool("-H -T -t -x -L? -l: -f: -k -u -r -w -W -s: --since: --until: -J -d -e -P -S --color?"),
    "ip": _tool("-4 -6 -o -s -d -c? -j -p -br -brief -color? -n: -r", strict=False, single=True),
    "ifconfig": _tool("-a -s -v"),
    "journalctl": _tool(
        "-u|--unit: -f|--follow -n|--lines: -e|--pager-end -x|--catalog -k|--dmesg -b|--boot? -r|--reverse -o|--output:"
        " -p|--priority: -t|--identifier: -S|--since: -U|--until: -g|--grep: -q|--quiet -a|--all --no-pager --user"
        " --system -D: -F: -N --list-boots --disk-usage --no-hostname --utc -c: -m"
    ),
    "gpgv": _tool("--keyring: -q -v", strict=False),
    "minisign": _tool("-V -p: -P: -m: -x: -q", strict=True),
    "typos": _tool("--format: --config: --diff --files --exclude: -q -v -c: --sort"),
    "codespell": _tool(
        "-q: -S|--skip: -L|--ignore-words-list: -I: -D: -f -H -A: -B: -C: -c -d -x: --count -s"
    ),
    "gitleaks": _tool("-s: -c: -v --no-git --redact? -r|--report-path: -f|--report-format: --no-banner", "r"),
    "semgrep": _tool(
        "-f|--config: --json --sarif -o|--output: --error -q|--quiet --metrics: -e: -l|--lang: --exclude:"
        " --include: --severity: --json-output: --sarif-output: --timeout: -j:",
        "o json-output sarif-output",
    ),
    "eslint": _tool(
        "-c|--config: --ext: --format: -f: -o|--output-file: --quiet --max-warnings: --rule: --env: --parser:"
        " --parser-options: --plugin: --no-eslintrc --ignore-path: --ignore-pattern: --no-ignore --cache"
        " --cache-location: --cache-file: --debug --print-config: --color --no-color --stdin --stdin-filename:"
        " --report-unused-disable-directives --fix-dry-run --no-error-on-unmatched-pattern --no-warn-ignored"
        " --resolve-plugins-relative-to: --rulesdir: --global:",
        "o cache-location cache-file",
    ),
    "stylelint": _tool(
        "--config: --formatter: -f: --quiet -q -o|--output-file: --ignore-path: --max-warnings: --color"
        " --allow-empty-input --custom-syntax:",
        "o",
    ),
    "markdownlint": _tool(
        "-c|--config: -d|--dot -i|--ignore: -j|--json -o|--output: -p|--ignore-path: -q|--quiet"
        " -r|--rules: -s|--stdin --disable: --enable:",
        "o",
    ),
    "markdownlint-cli2": _tool("--config: --no-globs"),
    "interdiff": _tool("-w -b -z -p: -q"),
    "nproc": _tool("--all --ignore:"),
    "cmark": _tool(
        "-t|--to: --width: --hardbreaks --nobreaks --smart --unsafe --safe --sourcepos --validate-utf8"
    ),
    "nmap": _tool(
        "-s: -p: -A -O -v -T: -Pn -n -iL: -oN: -oX: -oG: -oA: -F -6 --open --top-ports: --script:",
        "oN oX oG oA",
        strict=True,
        single=False,
    ),
    "tcpdump": _tool("-i: -w: -r: -n -nn -v -vv -c: -s: -A -X -e -t -q -D -l -U -G: -C: -W: -Z:", "w"),
    "nc": _tool("-l -v -z -w: -u -n -p: -4 -6 -k -q: -N -U -s: -X: -x: -C -d -D -h -i: -r -S -t -T:"),
    "stty": _tool("-a -g -F:"),
    "tput": _tool("-T: -S"),
    "ffprobe": _tool("", strict=False, single=True),
    "asciinema": _tool("-q -y", strict=True),
    "ajv": _tool("-s: -d: -r: -m: -c: --spec: --strict: --all-errors --errors:", strict=False),
    "uconv": _tool("-f: -t: -x: -o: -c -i -v", "o"),
    "m4": _tool(
        "-D: -U: -I: -E -P -Q -s -g -G -L: -F|--freeze-state: -R: -d? -t: -l: -o|--error-output:", "F o"
    ),
    "bison": _tool(
        "-d|--defines? -o|--output: -b: -p: -v|--verbose -g? -x? -l -k -t -y -W? -f? -r: -L:", "o"
    ),
    "flex": _tool("-o|--outfile: -t --header-file: -P: -s -v -d -i -l -8 -7 -f -F -B -I -L", "o header-file"),
    "gperf": _tool("--output-file: -L: -C -G -t -N: -H: -Z:", "output-file", strict=False),
    "envsubst": _tool("-v|--variables -h -V"),
    "pandoc": _tool(
        "-f|-r|--from|--read: -t|-w|--to|--write: -o|--output: -s|--standalone --toc -N|--number-sections -V|--variable:"
        " -M|--metadata: --metadata-file: -c|--css: --template: -H: -B: -A: --wrap: --columns: --pdf-engine:"
        " --resource-path: --extract-media: --log: -q|--quiet --verbose -i|--incremental -F|--filter: -L|--lua-filter:"
        " --bibliography: -C|--citeproc --csl: --highlight-style: --self-contained --embed-resources --mathjax?"
        " --shift-heading-level-by: --reference-doc: -d|--defaults: -D: --list-input-formats --list-output-formats"
        " --atx-headers --markdown-headings: --toc-depth: --section-divs --eol: --dpi: --tab-stop: -p --ascii",
        "o log",
        "extract-media",
    ),
    "wkhtmltopdf": _tool("-q -s: -O: -T: -B: -L: -R:", strict=False),
    "jsonnet": _tool("-o|--output-file: -m|--multi: -S -y -J: -V: -A: -e --tla-str: --ext-str:", "o", "m"),
    "tidy": _tool("-o|-output: -f: -m|-modify -q -i -e -c -b -n -u -w:", "o f", single=True, guessing="m"),
    "csvformat": _tool("-D: -T -U: -Q: -d: -q:", strict=False),
    "msgfmt": _tool("-o|--output-file: -c -v --statistics -f", "o"),
    "xgettext": _tool("-o|--output: -L: -k? -j -d: -p: -f: --from-code:", "o", strict=False),
}


_RUNNING = ("--pre", "--pager", "--hostname-bin", "--lesskey-content")


def read(command: Command) -> None:
    """A program that only reads: its operands are no targets. Some can be told to run another one."""
    for arg in command.args:
        option = arg.prefix.partition("=")[0]
        if option in _RUNNING or (command.name == "man" and arg.prefix.startswith("-P")):
            command.opaque(f"the option `{option[:40]}` makes {command.name} run a program")
            return


def tool(command: Command) -> None:
    """A program that writes the files of some options."""
    how = TOOLS[command.name]
    parsed = command.parse(how.grammar)
    if parsed.has("help", "version"):
        return
    for name in how.writes:
        for value in parsed.values(name):
            if value.text != "-":
                command.write(value, via=_via(command.name, name))
    for name in how.trees:
        for value in parsed.values(name):
            command.write(value, via=_via(command.name, name), recursive=True)
    if parsed.has(*how.guessing):
        command.opaque(f"{command.name} makes up the name of what it writes")
    if how.strict and parsed.strange:
        command.opaque(f"the option `{parsed.strange[0][:40]}` of {command.name} is not known")


def _via(program: str, option: str) -> str:
    return f"{program} -{option}" if len(option) == 1 else f"{program} --{option}"


_FORMATS = words(
    "json text xml html csv yaml sarif junit github gcc tap checkstyle table line msvs colored parseable md"
)
_QUIET_LETTERS: Mapping[str, frozenset[str]] = {
    # Short options that mean something harmless in these programs.
    "shellcheck": words("-o -f -a -x -i"),
    "flake8": words("-a"),
    "pylint": words("-f"),
    "mypy": words("-x"),
    "yamllint": words("-f"),
    "hadolint": words("-f"),
    "actionlint": words("-f"),
    "cppcheck": words("-i -I"),
    "bandit": words("-f -x -a -i"),
    "radon": words("-i -a -x -O"),
    "cloc": words("-f"),
    "scc": words("-f -i -a -x"),
    "sar": words("-A -f -i -x"),
    "pv": words("-a -i -f -A"),
    "diffstat": words("-f -i"),
    "sdiff": words("-i -a -A"),
    "info": words("-a -f -O -x"),
    "dc": words("-f -i -x"),
    "trivy": words("-f -i"),
    "checkmake": words("-f"),
    "luacheck": words("-o"),
    "golangci-lint": words("-i -f -x -a"),
    "rubocop": words("-f -i"),
    "tflint": words("-f"),
    "phpcs": words("-i -a -s"),
    "nvidia-smi": words("-i -a -x"),
    "lshw": words(""),
    "syft": words("-o"),
    "grype": words("-o -f"),
    "htmlq": words("-a"),
}


def check(command: Command) -> None:
    """A checker: it reads, unless it is told to write a report or to correct."""
    harmless = _QUIET_LETTERS.get(command.name, frozenset())
    for at, arg in enumerate(command.args):
        name, equals, _ = arg.prefix.partition("=")
        if name in harmless:
            continue
        if name in CORRECTING:
            command.opaque(f"which files {command.name} rewrites is not said", remedy="name the files")
        elif name in REPORTING:
            following = command.args[at + 1] if at + 1 < len(command.args) else None
            value = arg.cut(len(name) + 1) if equals else following
            if value is not None and value.text not in _FORMATS and value.text != "-":
                command.write(value, via=f"{command.name} {name}")


def harmless_query(command: Command) -> bool:
    """Whether a program of the search path is only asked for its version or help."""
    if "/" in command.name or len(command.args) != 1:
        return False
    return command.args[0].text in ("--version", "--help", "-V", "-version")
