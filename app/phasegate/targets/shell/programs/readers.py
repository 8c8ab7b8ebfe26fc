"""Programs that only read, and those that write no more than the file of an option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

READERS = words(
    # files and text
    "head tail grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep rg ag ack ugrep wc nl tac rev fold fmt pr expand"
    " unexpand column cut paste join comm diff diff3 sdiff colordiff cmp zdiff zcmp tr od hexdump hd"
    " strings file stat du df ls dir vdir lsattr getfacl getfattr cksum sum md5sum sha1sum sha224sum sha256sum"
    " sha384sum sha512sum b2sum b3sum md5 shasum tsort ptx look bat batcat zcat gzcat bzcat xzcat lzcat zstdcat"
    " zless zmore bzless xzless more pg less most numfmt factor bc dc expr units cal ncal exa eza lsd"
    " tokei cloc scc wdiff delta diffstat lsdiff grepdiff filterdiff combinediff"
    " jq gojq jaq gron htmlq pup xq csvcut csvgrep csvlook csvstat csvjson csvsort"
    " nm objdump readelf size ldd addr2line c++filt dwarfdump otool pdfinfo pdffonts identify"
    " mediainfo ffprobe soxi zipinfo zipgrep funzip lsar xxhsum crc32 hexyl glow mdcat"
    " man apropos whatis info tldr cheat col ul colrm line"
    # system
    " which whereis type hash uname arch nproc uptime whoami who w id groups users logname"
    " last lastlog finger pinky tty locale getconf getent printenv ps pgrep pstree top htop"
    " btop free vmstat iostat mpstat sar lscpu lsblk lsusb lspci lsmod lsof fuser lslocks lsns ipcs findmnt"
    " blkid mountpoint loginctl sw_vers system_profiler"
    " ulimit umask jobs times caller help compgen complete dirs suspend disown bg fg"
    " wait kill pkill killall xkill sleep usleep yes clear tput sync"
    " renice logger wall beep say notify-send"
    " free cpuid lshw dmidecode acpi sensors nvidia-smi rocm-smi vainfo glxinfo xdpyinfo xrandr"
    # network
    " ping ping6 traceroute tracepath mtr dig host nslookup whois netstat ss arp"
    " telnet ipcalc getent"
    # checks
    " shellcheck hadolint yamllint jsonlint flake8 pycodestyle pydocstyle pylint mypy pyright"
    " basedpyright bandit vulture radon lizard checkmake actionlint kubeval kubeconform golint staticcheck"
    " errcheck ineffassign cppcheck cpplint luacheck tflint proselint vale write-good alex"
    " depcheck"
)
"""Programs that change no file whatever their options are."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that reads its operands and writes the files of some options.

    `writes` and `trees` are the options that name a file and a directory written;
    `inert` those with which nothing is written. `strict`: an option that is not in the
    grammar makes the command opaque, because it could be one that writes.
    """

    grammar: Grammar
    writes: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    strict: bool = True


def _tool(
    options: str, writes: str = "", trees: str = "", *, strict: bool = True, single: bool = False
) -> Tool:
    grammar = Grammar.of(options + " --help --version", single=single, numeric=True)
    return Tool(grammar, tuple(writes.split()), tuple(trees.split()), strict)


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
    "dot": _tool("-T: -o: -O -K: -G: -N: -E: -l: -n: -q -s: -v -V -c -C -P -x -y", "o", strict=False),
    "neato": _tool("-T: -o: -K: -G: -N: -E: -l: -q -s: -v -V", "o", strict=False),
    "mmdc": _tool("-i: -o|--output: -t: -b: -w: -H: -c: -C: -p: -q -s: -f -e: -a:", "o a"),
    "plantuml": _tool("-pipe -p -version -testdot", single=True),
    "pdftotext": _tool(
        "-f: -l: -r: -x: -y: -W: -H: -layout -raw -nopgbrk -enc: -eol: -q -v -htmlmeta -bbox", single=True
    ),
    "csvsql": _tool("--query: -i: --db: --insert --tables: --no-constraints --no-create -y: --overwrite"),
    "mlr": _tool("-n --icsv --ojson --json --csv --c2j --c2p --c2t --tsv --ifs: --ofs: -I", strict=True),
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
    "recode": _tool("-l -q -v"),
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
    "tidy": _tool("-o: -f: -q -i -e -xml -asxml -utf8 -w: -c -b -n -u", "o f", single=False, strict=False),
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
    if how.strict and parsed.strange:
        command.opaque(f"the option `{parsed.strange[0][:40]}` of {command.name} is not known")


def _via(program: str, option: str) -> str:
    return f"{program} -{option}" if len(option) == 1 else f"{program} --{option}"


def harmless_query(command: Command) -> bool:
    """Whether a program of the search path is only asked for its version or help."""
    if "/" in command.name or len(command.args) != 1:
        return False
    return command.args[0].text in ("--version", "--help", "-V", "-version")
