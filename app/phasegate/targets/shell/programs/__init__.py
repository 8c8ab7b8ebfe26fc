"""The programs that are known, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from phasegate.targets.shell.programs import (
    archives,
    awk,
    builtins,
    compilers,
    copying,
    databases,
    deleting,
    editors,
    filters,
    find,
    formatters,
    interpreters,
    marking,
    narrowing,
    nested,
    network,
    one_liners,
    output,
    reader_names,
    readers,
    remote,
    secrets,
    sed,
    syncing,
    verbs,
    wrapper_table,
    wrappers,
    xargs,
)
from phasegate.targets.shell.programs.git import git
from phasegate.targets.shell.programs.own_commands import is_own, run_own
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.core.workflow import Workflow
    from phasegate.targets.shell.command import Command, Handler


def handlers(workflow: Workflow) -> Callable[[str], Handler | None]:
    """A look-up of the handler of a program; None for one that is not known."""

    def handler_of(name: str) -> Handler | None:
        return run_own if is_own(name, workflow) else _HANDLERS.get(name) or _versioned(name)

    return handler_of


def _versioned(name: str) -> Handler | None:
    """`python3.12`, `gcc-13`, `node20`: the program without its version."""
    base = name.rstrip("0123456789.").removesuffix("-")
    return _HANDLERS.get(base) if base != name and base in _VERSIONED else None


_VERSIONED = words(
    "python gcc g++ clang clang++ node ruby perl php lua bash awk pip nodejs clang-format sqlite"
)


def _checker(command: Command) -> None:
    """A checker that can also be told to rewrite what it checks."""
    if formatters.fixes(command):
        formatters.rewrite_all(command)
    elif command.name in readers.TOOLS:
        readers.tool(command)
    else:
        readers.check(command)


_NAMED: Mapping[str, Handler] = {
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
    "head": narrowing.head,
    "tail": narrowing.head,
    "sort": narrowing.sort,
    "uniq": narrowing.uniq,
    "which": output.which,
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
    "unalias": readers.read,
    "getopts": builtins.getopts,
    "let": builtins.let,
    "trap": builtins.trap,
    "test": builtins.test,
    "[": builtins.test,
    **dict.fromkeys(("exit", "return", "break", "continue", "logout"), builtins.leave),
    **dict.fromkeys(("export", "declare", "typeset", "readonly", "local"), builtins.declare_words),
    **dict.fromkeys(("command", "builtin", "exec"), wrappers.builtin_command),
    "eval": nested.evaluate,
    **dict.fromkeys(("at", "batch"), nested.later),
    ".": nested.source,
    "source": nested.source,
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "ash", "rbash", "mksh", "yash"), nested.shell),
    "fish": nested.shell,
    **dict.fromkeys(wrapper_table.WRAPPERS, wrappers.wrapper),
    "sudo": wrappers.sudo,
    "env": wrappers.env,
    "time": wrappers.time,
    "flock": wrappers.flock,
    "su": wrappers.su,
    "arch": wrappers.arch,
    "script": wrappers.script,
    **dict.fromkeys(("busybox", "toybox", "coreutils"), wrappers.busybox),
    "find": find.find,
    "gfind": find.find,
    "fd": find.fd,
    "fdfind": find.fd,
    "xargs": xargs.xargs,
    "gxargs": xargs.xargs,
    "parallel": xargs.parallel,
    "git": git,
    **dict.fromkeys(("sed", "gsed"), sed.sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk", "goawk"), awk.awk),
}

_WRITERS: Mapping[str, Handler] = {
    **dict.fromkeys(("cp", "gcp"), copying.cp),
    **dict.fromkeys(("mv", "gmv"), copying.mv),
    "ln": copying.ln,
    **dict.fromkeys(("install", "ginstall"), copying.install),
    "link": copying.link,
    "rsync": syncing.rsync,
    "scp": syncing.scp,
    **dict.fromkeys(("dd", "dcfldd"), copying.dd),
    **dict.fromkeys(("rm", "grm"), deleting.rm),
    "rmdir": deleting.rmdir,
    "gio": deleting.gio,
    "unlink": deleting.unlink,
    **dict.fromkeys(("shred", "srm", "wipe"), deleting.shred),
    **dict.fromkeys(("trash", "trash-put", "rimraf", "del-cli", "gio-trash", "rip"), deleting.trash),
    **dict.fromkeys(("tee", "gtee"), marking.tee),
    "touch": marking.touch,
    "truncate": marking.truncate,
    "fallocate": marking.fallocate,
    "mkdir": marking.mkdir,
    **dict.fromkeys(("mkfifo", "mknod"), marking.special),
    "chmod": marking.chmod,
    **dict.fromkeys(("chown", "chgrp"), marking.chown),
    "chcon": marking.chcon,
    "chattr": marking.chattr,
    "setfacl": marking.setfacl,
    "setfattr": marking.setfattr,
    "xattr": marking.setfattr,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), archives.tar),
    "zip": archives.zip_,
    "unzip": archives.unzip,
    **dict.fromkeys(archives.COMPRESSORS, archives.gzip),
    "cpio": archives.cpio,
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), archives.seven_zip),
    **dict.fromkeys(
        ("unrar", "unar", "dtrx", "unp", "cabextract", "rpm2archive", "unsquashfs"), archives.unpacker
    ),
    "ar": archives.ar,
    "jar": archives.jar,
    "patch": archives.patch,
    "curl": network.curl,
    "wget": network.wget,
    "aria2c": network.aria2c,
    **dict.fromkeys(("http", "https", "xh", "xhs", "httpie"), network.httpie),
    "sqlite3": databases.sqlite,
    "sqlite": databases.sqlite,
    "psql": databases.psql,
    **dict.fromkeys(("mysql", "mariadb"), databases.mysql),
    **dict.fromkeys(("pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump"), databases.dump),
    "openssl": secrets.openssl,
    "ssh-keygen": secrets.ssh_keygen,
    **dict.fromkeys(("gpg", "gpg2"), secrets.gpg),
    "split": filters.split,
    "csplit": filters.csplit,
    "xxd": filters.xxd,
    "pdftotext": filters.second_operand,
    "history": filters.history,
    "logsave": filters.logsave,
    **dict.fromkeys(("rename", "prename", "mmv", "file-rename"), filters.rename),
    "mktemp": filters.mktemp,
    "recode": filters.recode,
    **dict.fromkeys(("ctags", "etags", "uctags"), filters.ctags),
    **dict.fromkeys(("ed", "red"), editors.ed),
    "ex": editors.ex,
    "javac": compilers.javac,
    **dict.fromkeys(("vim", "vi", "nvim", "view", "rvim", "gvim"), editors.vim),
    **dict.fromkeys(compilers.COMPILERS, compilers.compiler),
    **dict.fromkeys(compilers.CONVERTERS, compilers.one_output),
    "sponge": formatters.sponge,
}

_LANGUAGES: Mapping[str, Handler] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "py", "ipython"), interpreters.python),
    **dict.fromkeys(("node", "nodejs", "deno", "tsx", "ts-node"), interpreters.node),
    "php": interpreters.php,
    "perl": one_liners.perl,
    **dict.fromkeys(("ruby", "jruby", "irb"), one_liners.ruby),
    **dict.fromkeys(
        ("lua", "luajit", "R", "Rscript", "julia", "osascript", "tclsh", "guile", "racket"), interpreters.repl
    ),
}

_HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(verbs.NAMES, verbs.verbs),
    **dict.fromkeys(reader_names.READERS, readers.read),
    **dict.fromkeys(reader_names.CHECKS, readers.check),
    **dict.fromkeys(readers.TOOLS, readers.tool),
    **dict.fromkeys(formatters.FORMATTERS, formatters.formatter),
    **dict.fromkeys(formatters.CHECKERS, _checker),
    **remote.HANDLERS,
    **_WRITERS,
    **_LANGUAGES,
    "bun": interpreters.bun,
    **_NAMED,
}
