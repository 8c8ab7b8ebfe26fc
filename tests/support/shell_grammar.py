"""Random shell commands that write files, for comparing predictions with a real shell.

Commands are safe to run in a scratch directory: operands are relative and never climb
out of it, and only programs of the base system are used.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

FILES = {
    "a.txt": "alpha\nDRAFT\nomega\n",
    "b.md": "# b\nDRAFT\n",
    "sp ace.txt": "space\n",
    "-dash.md": "dash\n",
    ".hid": "hidden\n",
    "d/x.txt": "x\n",
    "d/y.md": "y\nDRAFT\n",
    "d/sub/z.txt": "z\n",
    "e/w.txt": "w\n",
    "list": "a.txt\nd/x.txt\n",
}
LINKS = {"lf": "a.txt", "ld": "d", "d/up": "../b.md", "chain": "lf", "dangling": "nowhere.txt"}
OLD = 1_600_000_000

_EXISTING = [
    "a.txt",
    "b.md",
    "sp ace.txt",
    "d/x.txt",
    "d/y.md",
    "d/sub/z.txt",
    "e/w.txt",
    ".hid",
    "./-dash.md",
]
_THROUGH_LINKS = ["lf", "chain", "ld/x.txt", "ld/sub/z.txt", "d/up", "dangling"]
_NEW = ["new1", "d/new2", "e/new 3", "ld/new4", "missing/new5", "new;6", "né7", "d/sub/new8"]
_DIRECTORIES = ["d", "e", "ld", "d/sub", "d/", "./e", "ld/", "new_dir"]
_GLOBS = [
    "*.txt",
    "d/*",
    "d/*.md",
    "?.md",
    "[ab].*",
    "*/x.txt",
    "l*",
    "{a,b}.*",
    "d/{x,y}.*",
    "e/*.txt",
    "nomatch*",
]


def build(top: Path) -> None:
    """Create the scratch tree, all times in the past."""
    import os

    for name, text in FILES.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, target in LINKS.items():
        (top / name).symlink_to(target)
    for path in [*top.rglob("*"), top]:
        os.utime(path, (OLD, OLD), follow_symlinks=False)


class Grammar:
    """Draws commands from a seeded source of randomness."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (test data)
        self._depth = 0
        self._programs: list[Callable[[], str]] = [
            self._cp, self._mv, self._rm, self._ln, self._tee, self._sed, self._touch, self._truncate, self._chmod,
            self._dd, self._install, self._misc, self._redirected, self._redirected, self._find, self._xargs,
        ]  # fmt: skip
        for name, make in (
            ("perl", self._perl),
            ("awk", self._awk),
            ("python3", self._python),
            ("tar", self._tar),
        ):
            if shutil.which(name):
                self._programs.append(make)

    def command(self) -> str:
        """One command, maybe several lines long."""
        self._depth = 0
        return self._statement()

    def program(self) -> str:
        """One program with its arguments, nothing around it."""
        return self._random.choice(self._programs)()

    # Words

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _path(self) -> str:
        return self._pick(*_EXISTING, *_EXISTING, *_THROUGH_LINKS, *_NEW)

    def _quoted(self, text: str) -> str:
        """*text* as one word, in one of the shell's many ways."""
        at = self._random.randrange(1, len(text)) if len(text) > 1 else 0
        styles = [
            '"' + text.replace('"', '\\"') + '"',
            "".join(c if c.isalnum() or c in "./" else "\\" + c for c in text),
            "$'" + text.replace(" ", "\\x20").replace(";", "\\073") + "'",
            "'" + text[:at] + "'" + '"' + text[at:] + '"',
            '"$PWD/' + text.removeprefix("./") + '"',
            "'" + text + "'",
        ]
        if not text.startswith("."):
            styles.append("./'" + text + "'")
        if not set(text) & set(" ;'-") and text.isascii():
            styles.extend([text] * 4)
        return self._random.choice(styles)

    def _operand(self) -> str:
        if self._chance(0.15):
            return self._pick(*_GLOBS)
        if self._chance(0.05):
            return '"$(echo ' + self._quoted(self._pick("a.txt", "d/x.txt", "new9")) + ')"'
        if self._chance(0.05):
            return '"$(dirname d/x.txt)/' + self._pick("x.txt", "newA") + '"'
        path = self._path()
        if self._chance(0.1):
            path = self._pick("./", "d/../", "d/sub/../../", ".//", "ld/../") + path.removeprefix("./")
        return self._quoted(path)

    def _single(self) -> str:
        """An operand that is exactly one word."""
        return self._quoted(self._path())

    def _directory(self) -> str:
        return self._pick(*_DIRECTORIES)

    def _operands(self, most: int = 3) -> str:
        return " ".join(self._operand() for _ in range(self._random.randint(1, most)))

    def _flags(self, *choices: str) -> str:
        return "".join(f"{flag} " for flag in choices if self._chance(0.3))

    def _end(self) -> str:
        return "-- " if self._chance(0.2) else ""

    # Programs

    def _cp(self) -> str:
        flags = self._flags("-f", "-r", "-a", "-p", "-b", "-S.old", "-u", "-n", "-v", "-L", "-P", "--remove-destination",
                            "--backup=numbered", "-s", "-l", "--parents")  # fmt: skip
        return self._copying("cp", flags)

    def _copying(self, program: str, flags: str) -> str:
        form = self._random.randrange(5)
        if form == 0:
            return f"{program} {flags}{self._end()}{self._operands()} {self._directory()}"
        if form == 1:
            return f"{program} {flags}-t {self._directory()} {self._operands()}"
        if form == 2:
            return f"{program} {flags}{self._pick('--target-directory=', '--targ=', '--target ')}{self._directory()} {self._operands(2)}"
        if form == 3:
            return f"{program} {flags}-T {self._operand()} {self._single()}"
        return f"{program} {self._operand()} {flags}{self._single()}"

    def _mv(self) -> str:
        return self._copying("mv", self._flags("-f", "-n", "-b", "-S .sav", "-v", "-u"))

    def _install(self) -> str:
        return self._copying("install", self._flags("-m 644", "-b", "-p", "-D", "-C"))

    def _ln(self) -> str:
        flags = self._flags("-s", "-f", "-n", "-b", "-r", "-v")
        if self._chance(0.3):
            return f"ln {flags}{self._single()} {self._single()} && echo more >> {self._single()}"
        return self._copying("ln", flags)

    def _rm(self) -> str:
        if self._chance(0.1):
            return f"rmdir {self._pick('new_dir', 'd/sub', 'e', 'missing')}"
        if self._chance(0.1):
            return f"unlink {self._single()}"
        target = self._operands() if self._chance(0.7) else self._directory()
        return f"rm {self._flags('-f', '-r', '-v', '-d', '-i')}{self._end()}{target} </dev/null"

    def _tee(self) -> str:
        return f"echo text | tee {self._flags('-a', '-i')}{self._end()}{self._operands()} > /dev/null"

    def _sed(self) -> str:
        script = self._pick("s/DRAFT/X/", "1d", "$a tail", "/x/!s/a/b/g", "y/abc/xyz/", "1i\\\\head")
        form = self._random.randrange(6)
        if form == 0:
            return f"sed -i '{script}' {self._operands()}"
        if form == 1:
            return f"sed -i{self._pick('.bak', '~', 'old_*', '.x')} -e '{script}' {self._operands(2)}"
        if form == 2:
            return f"sed {self._pick('-n -i', '-ni', '-Ei', '--in-place', '--in-pl=.o', '-s -i', '-i -E')} '{script}' {self._operand()}"
        if form == 3:
            return f"sed -n '/a/w {self._pick('new1', 'd/new2', 'a.txt')}' {self._operands(2)}"
        if form == 4:
            return f"sed 's/a/b/w {self._pick('new1', 'e/out')}' b.md d/*.md"
        return f"sed '{script}' {self._operand()} > {self._single()}"

    def _touch(self) -> str:
        return f"touch {self._flags('-c', '-m', '-a', '-h', '-d yesterday', '-r a.txt', '-t 202001010000')}{self._end()}{self._operands()}"

    def _truncate(self) -> str:
        return f"truncate {self._pick('-s 0', '-s0', '--size=3', '-s +1', '-r a.txt')} {self._flags('-c')}{self._operands(2)}"

    def _chmod(self) -> str:
        mode = self._pick("600", "u+x", "-w", "a-x,u+w", "--reference=a.txt", "0444")
        return f"chmod {self._flags('-R', '-f', '-v')}{mode} {self._operands(2)}"

    def _dd(self) -> str:
        extra = self._pick("", " conv=notrunc", " oflag=append conv=notrunc", " bs=1 count=2")
        return f"dd if=a.txt of={self._single()}{extra} 2>/dev/null"

    def _misc(self) -> str:
        return self._pick(
            f"sort -o {self._single()} a.txt",
            f"sort b.md --outp={self._single()}",
            f"sort -u a.txt -o{self._pick('new1', 'd/new2')}",
            f"uniq a.txt {self._single()}",
            f"shuf -n1 a.txt -o {self._single()}",
            f"gzip -f {self._operand()}",
            f"gzip -kf {self._operand()}",
            f"gzip -c a.txt > {self._single()}",
            f"shred -n1 -u {self._pick('a.txt', 'd/x.txt', 'e/w.txt')}",
            f"mkdir -p {self._pick('new_dir', 'd/new_dir', 'missing')} && cp a.txt {self._pick('new_dir', 'd/new_dir', 'missing')}",
            f"mkdir new_dir; mv b.md new_dir/{self._pick('', 'q')}",
            f"mkfifo {self._pick('new1', 'd/new2')}",
            f"rm -rf d; mkdir d; touch d/{self._pick('n', 'x.txt')}",
            f"ln -s d made; echo x > made/{self._pick('n', 'x.txt')}",
            f"ln -s a.txt made; {self._pick('echo x > made', 'rm made', 'sed -i s/a/b/ made', 'cp b.md made')}",
            f"mv d moved; echo x > moved/{self._pick('n', 'x.txt')}",
            "cp -r d copied && rm copied/x.txt",
            "cp -r d/. e",
            "cp -r d/* e/",
            "cp -r ld copied",
            "cp -r ld/ copied",
            "printf '1d\\nw\\nq\\n' | ed -s a.txt" if shutil.which("ed") else "cp a.txt new1",
        )

    def _redirected(self) -> str:
        operator = self._pick(">", ">", ">", ">>", ">|", "&>", "&>>", "2>", "1>", "2>>", "<>", ">&", "3>")
        target = self._single()
        body = self._pick("echo hi", "printf x", "cat a.txt", ":", "ls nope", "{ echo a; echo b; }", "( echo a )",
                          "true", "cat <<< text", "echo a | cat")  # fmt: skip
        if operator == ">&" and target[:1].isdigit():
            operator = ">"
        form = self._random.randrange(5)
        if form == 0 and not body.startswith(("{", "(")) and "|" not in body:
            return f"{operator}{target} {body}"
        if form == 1:
            return f"{body} {operator}{target} 2>/dev/null"
        if form == 2:
            return f"cat <<{self._pick('EOF', chr(39) + 'EOF' + chr(39), '-EOF', chr(92) + 'EOF')} {self._pick('>', '>>')} {target}\nbody $((1+1)) > fake\nEOF"
        if form == 3:
            return f"exec 7{self._pick('>', '>>', '<>')}{target}; echo x >&7; exec 7>&-"
        return f"{body} {operator} {target}"

    def _find(self) -> str:
        test = self._pick("-name '*.txt'", "-type f", "-name x.txt -o -name y.md", "-maxdepth 1 -type f", "-path '*sub*' -type f",
                          "! -name '*.md' -type f", "-type l", "-empty", "-iname '*.MD'", "-name sub -prune -o -type f",
                          "\\( -name x.txt -o -name z.txt \\)", "-mindepth 2 -type f")  # fmt: skip
        action = self._pick(
            "-delete", "-exec rm -f {} \\;", "-exec rm -f {} +", "-exec sed -i s/x/y/ {} +", "-exec touch {} \\;",
            "-exec cp {} {}.bak \\;", "-exec sh -c 'echo q >> \"$1\"' _ {} \\;", "-execdir touch {} \\;", "-exec mv {} e/ \\;",
            "-print0 | xargs -0 touch", "-exec chmod 600 {} +", f"-fprint {self._pick('new1', 'd/new2')}", "-print",
            '| while IFS= read -r f; do echo z >> "$f"; done',
        )  # fmt: skip
        return f"find {self._pick('d', 'd e', '.', 'ld', 'ld/', './d')} {test} {action}"

    def _xargs(self) -> str:
        source = self._pick(
            "printf '%s\\n' a.txt d/x.txt",
            "echo a.txt b.md",
            "echo d/x.txt",
            "printf 'a.txt\\0b.md\\0'",
            "ls d/*.txt",
        )
        options = self._pick("", "-n1 ", "-I{} ", "-0 ", "-L1 ", "-r ", "-d '\\n' ")
        program = self._pick("rm -f", "touch", "chmod 600", "truncate -s 0", "sed -i s/a/b/")
        if "-I" in options:
            return f"{source} | xargs {options}{self._pick('cp {} {}.bak', 'touch {}', 'sh -c ' + chr(39) + 'echo x >> {}' + chr(39))}"
        return f"{source} | xargs {options}{program}"

    def _perl(self) -> str:
        return self._pick(
            f"perl -pi -e 's/a/b/' {self._operands(2)}",
            f"perl -i.bak -ne 'print' {self._operand()}",
            'perl -e \'open(F, ">", "new1"); print F 1\'',
            'perl -e \'unlink "a.txt", "d/x.txt"\'',
            'perl -e \'rename "a.txt", "new1"\'',
            f"perl -ne 'print if /a/' {self._operand()} > {self._single()}",
        )

    def _awk(self) -> str:
        return self._pick(
            "awk '{print > \"new1\"}' a.txt",
            'awk \'{print $1 >> "d/new2"; close("d/new2")}\' a.txt',
            "awk 'NR > 1 {print}' a.txt > new1",
            "awk 'BEGIN{system(\"touch new1\")}'",
            "awk '{print | \"cat > new1\"}' a.txt",
            "awk -v f=new1 '{print > f}' b.md",
            "awk '$1 > 3' a.txt",
        )

    def _python(self) -> str:
        return self._pick(
            "python3 -c \"open('new1','w').write('x')\"",
            "python3 -c \"import os; os.rename('a.txt','d/new2')\"",
            "python3 -c \"from pathlib import Path; p=Path('d'); (p/'x.txt').write_text('q')\"",
            "python3 -c \"import shutil; shutil.copy('a.txt','e')\"",
            "python3 -c \"import sys; open(sys.argv[1],'a').write('x')\" b.md",
            "python3 - <<'EOF'\nfor name in ['a.txt', 'b.md']:\n    text = open(name).read()\n    with open(name, 'w') as f:\n        f.write(text)\nEOF",
            "python3 -c \"import os; os.system('touch new1')\"",
            "python3 -c \"print(open('a.txt').read())\" > new1",
        )

    def _tar(self) -> str:
        return self._pick(
            f"tar cf {self._pick('new1', 'd/new2')} a.txt b.md",
            "tar -czf e/t.tgz -C d .",
            "tar cf t.tar a.txt && mkdir new_dir && tar xf t.tar -C new_dir",
            "tar cf t.tar d/x.txt && rm d/x.txt && tar xf t.tar d/x.txt",
            "tar cf - d | tar tf - > new1",
        )

    # Statements

    def _statement(self) -> str:
        self._depth += 1
        if self._depth > 3 or self._chance(0.35):
            return self._wrapped()
        inner = self._statement()
        other = self._wrapped()
        multi = "\n" in inner or "\n" in other
        form = self._random.randrange(16)
        plain = [
            f"{inner}; {other}", f"{inner} && {other}", f"{inner} || {other}", f"( {inner} )", f"{{ {inner}; }}",
            f"if true; then {inner}; else {other}; fi", f"for i in 1 2; do {inner}; done", f"! {inner}",
            f"cd d && {{ {inner}; }}", f"( cd ld; {inner} ); {other}", f"pushd e > /dev/null; {inner}; popd > /dev/null; {other}",
            f"f() {{ {inner}; }}; f", f"case x in y) {other};; *) {inner};; esac", f"{inner} & wait",
            f"cd nowhere 2>/dev/null; {inner}", f"while :; do {inner}; break; done",
        ]  # fmt: skip
        if multi:
            return f"{inner}\n{other}" if form % 2 else f"cd d\n{inner}"
        return plain[form]

    def _wrapped(self) -> str:
        core = self._random.choice(self._programs)()
        simple = not any(mark in core for mark in "|;&\n<(){}")
        if self._chance(0.6) or not simple:
            return self._nested(core)
        if core.split(" ")[0] in (">", ">>") or core[:1] in (">", "&", "1", "2", "3", "exec"):
            return core
        wrapper = self._pick("env", "env A=1", "nice", "timeout 5", "command", "nohup", "env -C d", "nice -n 3", "A=1",
                             "env -u HOME", "stdbuf -oL", "time", "builtin command", "timeout -k 1 5s", "env -S")  # fmt: skip
        if wrapper == "env -S":
            return f"env -S '{core}'" if not set(core) & set("'\"$\\*?[{>") else core
        if wrapper == "nohup":
            return f"nohup {core} > /dev/null 2>&1" if ">" not in core else core
        return f"{wrapper} {core}"

    def _nested(self, core: str) -> str:
        if not self._chance(0.25):
            return core
        quoted = "'" + core.replace("'", "'\\''") + "'"
        return self._pick(
            f"bash -c {quoted}", f"sh -c {quoted}" if "&>" not in core and "<<<" not in core and "$'" not in core else f"bash -c {quoted}",
            f"eval {quoted}", f"bash <<< {quoted}", f"bash <<'END'\n{core}\nEND", f'x={quoted}; eval "$x"', f"printf '%s\\n' {quoted} | bash",
            f'echo "$({core} 2>/dev/null)" > /dev/null', f"cat <({core}) > /dev/null", f"coproc {{ {core}\n}}; wait",
            f"bash -c {quoted} _ one two",
        )  # fmt: skip
