"""How the arguments of wrappers are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phasegate.targets.shell.options import Grammar


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a wrapper's arguments are read.

    `skip`: operands before the command. `writes`: options that name a file it writes.
    `inert`: options with which no command runs. `text`: options whose value is shell text.
    """

    grammar: Grammar
    skip: int = 0
    writes: tuple[str, ...] = ()
    inert: tuple[str, ...] = ("help", "version")
    text: tuple[str, ...] = ()


def _of(
    options: str,
    *,
    skip: int = 0,
    writes: tuple[str, ...] = (),
    inert: tuple[str, ...] = ("help", "version"),
    text: tuple[str, ...] = (),
) -> Wrapper:
    return Wrapper(Grammar.of(options + " --help --version", permute=False), skip, writes, inert, text)


WRAPPERS: Mapping[str, Wrapper] = {
    "nohup": _of(""),
    "nice": Wrapper(Grammar.of("-n|--adjustment: --help --version", permute=False, numeric=True)),
    "ionice": _of(
        "-c|--class: -n|--classdata: -p|--pid: -P: -u: -t|--ignore -h -V", inert=("p", "P", "u", "help")
    ),
    "chrt": _of(
        "-a|--all-tasks -b|--batch -d|--deadline -f|--fifo -i|--idle -m|--max -o|--other -p|--pid -r|--rr"
        " -R|--reset-on-fork -T: -P: -D: -v|--verbose -h -V",
        skip=1,
        inert=("p", "m", "help", "version"),
    ),
    "taskset": _of("-a|--all-tasks -c|--cpu-list -p|--pid -h -V", skip=1, inert=("p", "help", "version")),
    "numactl": _of("-i|--interleave: -m|--membind: -N|--cpunodebind: -C|--physcpubind: -l -s -H"),
    "timeout": _of("-f|--foreground -k|--kill-after: -p|--preserve-status -s|--signal: -v|--verbose", skip=1),
    "stdbuf": _of("-i|--input: -o|--output: -e|--error:"),
    "unbuffer": _of("-p"),
    "setsid": _of("-c|--ctty -f|--fork -w|--wait -h -V"),
    "setarch": _of("-v -R -F -X -L -B -3 --uname-2.6", skip=1),
    "linux32": _of("-v -R"),
    "linux64": _of("-v -R"),
    "chronic": _of("-v -e"),
    "ts": _of(""),
    "ltrace": _of("-o|--output: -e: -p: -s: -n: -a: -A: -f -c -C -S -i -r -t -T -u:", writes=("o",)),
    "strace": _of(
        "-o|--output: -e: -p: -s: -a: -b: -E: -I: -O: -P: -S: -u: -U: -X: -f -ff -F -c -C -d -h -i -k -n -q -r -t"
        " -tt -ttt -T -v -V -w -x -xx -y -yy -z -Z -A -D --trace: --seccomp-bpf",
        writes=("o",),
    ),
    "valgrind": _of("--tool: --log-file: --leak-check: --xml-file: -q -v", writes=("log-file", "xml-file")),
    "catchsegv": _of(""),
    "fakeroot": _of("-l|--lib: -s: -i: -b: -u -v -h", writes=("s",)),
    "proot": _of("-r: -b: -w: -q: -0"),
    "firejail": _of("--quiet --net: --private? --noprofile"),
    "doas": _of("-C: -L -n -s -u: -a:", inert=("C", "L")),
    "setpriv": _of(
        "--reuid: --regid: --clear-groups --groups: --inh-caps: --bounding-set: --no-new-privs --init-groups"
    ),
    "chpst": _of("-u: -U: -b: -/: -e: -m: -d: -o: -p: -f: -c: -n: -l: -L: -P -0 -1 -2 -v -V"),
    "setuidgid": _of("", skip=1),
    "xvfb-run": _of(
        "-a -e: -f: -l -n: -p: -s: -w: --auto-servernum --server-args: --server-num:", writes=("e",)
    ),
    "dbus-run-session": _of("--config-file: --dbus-daemon:"),
    "caffeinate": _of("-d -i -m -s -u -t: -w:"),
    "pkexec": _of("--user: --disable-internal-agent"),
    "runuser": _of("-u|--user: -g|--group: -G: -c|--command: -l -m -p -s: -f -P", text=("c",)),
    "unshare": _of(
        "-i -m -n -p -u -f -r -U -C -T --mount-proc? --map-root-user --fork --pid --net --mount -R: -w: -S: -G:"
    ),
    "nsenter": _of("-a -t: -m? -u? -i? -n? -p? -U? -C? -T? -S: -G: -r? -w? -F -Z"),
    "systemd-run": _of(
        "-u|--unit: -p|--property: -t|--pty -P|--pipe -q|--quiet -G --user --system --scope --wait --collect -d"
        " -E|--setenv: --slice: --uid: --gid: --nice: --working-directory: --description: -S|--shell"
    ),
    "ssh-agent": _of("-a: -c -D -d -k -s -t: -E: -P:"),
    "sshpass": _of("-f: -d: -p: -e -v -h -V"),
    "eatmydata": _of(""),
    "nocache": _of("-n:"),
    "torsocks": _of("-i -p: -u: -a:"),
    "proxychains": _of("-q -f:"),
    "proxychains4": _of("-q -f:"),
    "cpulimit": _of("-l|--limit: -p: -e: -i -f|--foreground -z -q -v -m -c:", inert=("p", "e", "help")),
    "choom": _of("-n|--adjust: -p: -h -V", inert=("p", "h", "V")),
    "faketime": _of("-f -m -p: --date-prog:", skip=1),
    "winpty": _of("-X: --mouse"),
    "dotenv": _of("-f: -q: -e: -o"),
    "direnv": _of("", skip=2),
    "watch": _of(
        "-b -c -d? -e -g -n|--interval: -p -q: -r -t -w -x|--exec -h -v --beep --color --errexit --no-title"
    ),
    "entr": _of("-a -c -d -n -p -r -s -z"),
    "cgexec": _of("-g: --sticky"),
    "prlimit": _of(
        "-p|--pid: -o: -n? -f? -v? -t? -m? -s? -u? -c? -d? --noheadings --raw", inert=("p", "help")
    ),
    "hyperfine": _of(
        "-w|--warmup: -m|--min-runs: -M|--max-runs: -r|--runs: -p|--prepare: -c|--cleanup: -s|--setup: -N"
        " -i|--ignore-failure -n: --export-json: --export-markdown: --export-csv: --export-asciidoc: -S|--shell:"
        " --style: --show-output -L: -P: -D: -u:",
        writes=("export-json", "export-markdown", "export-csv", "export-asciidoc"),
        text=("p", "c", "s"),
    ),
}
