"""The programs that are known, by name."""

from __future__ import annotations

from collections.abc import Mapping

from phasegate.targets.shell import awk, builtins, copying, deleting, marking, nested, output, sed, wrappers
from phasegate.targets.shell.command import Command, Handler
from phasegate.targets.shell.git import git


def handler_of(name: str) -> Handler | None:
    """The handler of the program *name*, or None when it is not known."""
    return _HANDLERS.get(name)


def reader(command: Command) -> None:
    """A program that only reads."""


_HANDLERS: Mapping[str, Handler] = {
    ":": output.silent,
    "true": output.silent,
    "false": output.fail,
    "echo": output.echo,
    "printf": output.printf,
    "cat": output.cat,
    "pwd": output.pwd,
    "dirname": output.names,
    "basename": output.names,
    "realpath": output.real,
    "readlink": output.real,
    "ls": output.ls,
    "seq": output.seq,
    "cd": builtins.cd,
    "chdir": builtins.cd,
    "pushd": builtins.pushd,
    "popd": builtins.popd,
    "set": builtins.set_options,
    "shopt": builtins.shopt,
    "shift": builtins.shift,
    "unset": builtins.unset,
    "read": builtins.read,
    "mapfile": builtins.mapfile,
    "readarray": builtins.mapfile,
    "alias": builtins.alias,
    "getopts": builtins.getopts,
    "let": builtins.let,
    "trap": builtins.trap,
    "test": builtins.test,
    "[": builtins.test,
    **dict.fromkeys(("exit", "return", "break", "continue", "logout"), builtins.leave),
    **dict.fromkeys(("export", "declare", "typeset", "readonly", "local"), builtins.declare_words),
    **dict.fromkeys(("command", "builtin", "exec"), wrappers.builtin_command),
    "eval": nested.evaluate,
    ".": nested.source,
    "source": nested.source,
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "ash", "rbash", "mksh"), nested.shell),
    **dict.fromkeys(wrappers.WRAPPERS, wrappers.wrapper),
    "sudo": wrappers.sudo,
    "env": wrappers.env,
    "time": wrappers.time,
    "flock": wrappers.flock,
    "su": wrappers.su,
    "script": wrappers.script,
    **dict.fromkeys(("busybox", "toybox", "coreutils"), wrappers.busybox),
    **dict.fromkeys(("cp", "gcp"), copying.cp),
    **dict.fromkeys(("mv", "gmv"), copying.mv),
    "ln": copying.ln,
    **dict.fromkeys(("install", "ginstall"), copying.install),
    "rsync": copying.rsync,
    "scp": copying.scp,
    "dd": copying.dd,
    **dict.fromkeys(("rm", "grm"), deleting.rm),
    "rmdir": deleting.rmdir,
    "unlink": deleting.unlink,
    "shred": deleting.shred,
    **dict.fromkeys(("trash", "trash-put", "rimraf", "del-cli"), deleting.trash),
    "tee": marking.tee,
    "touch": marking.touch,
    "truncate": marking.truncate,
    "mkdir": marking.mkdir,
    **dict.fromkeys(("mkfifo", "mknod"), marking.special),
    "chmod": marking.chmod,
    **dict.fromkeys(("chown", "chgrp"), marking.chown),
    "chcon": marking.chcon,
    "chattr": marking.chattr,
    "setfacl": marking.setfacl,
    "setfattr": marking.setfattr,
    **dict.fromkeys(("sed", "gsed"), sed.sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), awk.awk),
    "git": git,
    **dict.fromkeys(("head", "tail", "grep", "wc", "sort", "date", "jq", "diff"), reader),
}
