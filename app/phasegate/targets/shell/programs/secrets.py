"""Keys, certificates and encryption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.text import Field, field, join, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


_OPENSSL_WRITES = ("-out", "-keyout", "-writerand", "-CAserial", "-caserial", "-msg_out", "-sess_out")


def openssl(command: Command) -> None:
    """`openssl`: the files of `-out` and `-keyout`."""
    args = command.args
    for at, arg in enumerate(args):
        if arg.text in _OPENSSL_WRITES and at + 1 < len(args):
            command.write(args[at + 1], via=f"openssl {arg.text}")
    texts = [arg.text for arg in args]
    verb = texts[0] if texts else None
    if verb in ("req", "genpkey", "genrsa", "ecparam") and None in texts:
        command.opaque("an argument of openssl is not known")
    if verb == "rand" and "-out" not in texts:
        return
    if verb == "ca" or verb is None or "-CAcreateserial" in texts:
        command.opaque("openssl keeps files of its own")


def ssh_keygen(command: Command) -> None:
    """`ssh-keygen`: a key and its public half, unless it only shows one."""
    parsed = command.parse(
        Grammar.of(
            "-A -a: -B -b: -C: -c -D: -E: -e -F: -f: -g -H -h -I: -i -K -k -L -l -M: -m: -N: -n: -O: -o -P: -p -Q -q -R:"
            " -r: -s: -t: -U -u -V: -v -w: -Y: -y -Z: -z:"
        )
    )
    name = parsed.last("f")
    if parsed.has("l", "B", "L", "y", "e", "i", "F", "D", "Q", "r"):
        return
    if parsed.has("R", "H"):
        home = command.shell.view.home()
        target = name or (field(f"{home}/.ssh/known_hosts") if home else None)
        command.write(target) if target is not None else command.opaque("the home directory is not known")
        return
    if name is None or parsed.has("A", "k", "M", "s", "Y", "K"):
        command.opaque("the name of the key file is not said", remedy="name it with `-f`")
        return
    command.write(name, via="ssh-keygen -f")
    if not parsed.has("p", "c"):
        command.write(Field(join((name.value, literal(".pub"))), name.typed, name.many), via="ssh-keygen -f")


def gpg(command: Command) -> None:
    """`gpg`: the file of `-o`, or a name made from the operand."""
    parsed = command.parse(
        Grammar.of(
            "-o|--output: -a|--armor -b|--detach-sign -c|--symmetric -d|--decrypt -e|--encrypt -s|--sign --clear-sign"
            " --clearsign -r|--recipient: -u|--local-user: -q|--quiet -v|--verbose -k|--list-keys|--list-public-keys"
            " -K|--list-secret-keys --verify --import --export --batch --yes --passphrase: --passphrase-file:"
            " --passphrase-fd: --pinentry-mode: --fingerprint --homedir: --keyring: --no-default-keyring --with-colons"
            " --trust-model: --version --help --status-fd: --keyserver: --recv-keys --cipher-algo: -z: --show-keys"
        )
    )
    out = parsed.last("o")
    if out is not None:
        if out.text != "-":
            command.write(out, via="gpg -o")
        return
    if parsed.has("k", "K", "verify", "fingerprint", "export", "version", "help", "show-keys", "d"):
        return
    ending = ".asc" if parsed.has("a", "clear-sign", "clearsign") else ".sig" if parsed.has("b") else ".gpg"
    if parsed.has("c", "e", "s", "b", "clear-sign", "clearsign"):
        for operand in parsed.operands:
            command.write(Field(join((operand.value, literal(ending))), operand.typed, operand.many))
    else:
        command.opaque("gpg keeps files of its own")
