"""Programs that work on another machine, in a container or in a cloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from phasegate.targets.shell.mentions import pieces_of
from phasegate.targets.shell.options import Grammar
from phasegate.targets.shell.programs.syncing import is_remote
from phasegate.targets.shell.text import Field, field

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command


def ssh(command: Command) -> None:
    """What runs on the other machine changes no file here; a log may."""
    parsed = command.parse(
        Grammar.of(
            "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B: -b: -c: -D: -E: -e: -F: -I: -i: -J: -L:"
            " -l: -m: -O: -o: -p: -P: -Q: -R: -S: -W: -w:",
            permute=False,
        )
    )
    for value in parsed.values("E"):
        command.write(value, "append", via="ssh -E")
    if any("command" in value.prefix.lower() for value in parsed.values("o")):
        command.opaque("an option of ssh runs a local command")


_MOUNTING = ("-v", "--volume", "--mount", "--volumes-from", "--device")
_DOCKER_WRITES = ("--cidfile", "--iidfile", "--metadata-file")
_DOCKER_GLOBAL = Grammar.of("--config: -c|--context: -D|--debug -H|--host: -l|--log-level: --tls --tlscacert: -v|--version"
                            " --tlscert: --tlskey: --tlsverify --help", permute=False)  # fmt: skip


def docker(command: Command) -> None:
    """`docker`, `podman`, `nerdctl`: containers are elsewhere unless a directory is mounted."""
    parsed = command.parse(_DOCKER_GLOBAL)
    args = list(parsed.operands)
    if not args or parsed.has("help", "v"):
        return
    verb = args.pop(0).text
    if verb in ("container", "image") and args:
        verb = args.pop(0).text
    for value in _values(args, *_DOCKER_WRITES):
        command.write(value, via=f"{command.name} {verb}")
    handler = _DOCKER_VERBS.get(verb or "stack")
    if handler is not None:
        handler(command, args)


def _run(command: Command, args: Sequence[Field]) -> None:
    for arg in args:
        head = arg.prefix
        if head.startswith(_MOUNTING) and (head in _MOUNTING or head[2:3] not in ("e", "o") or "=" in head):
            command.opaque("the container can write to what is mounted into it")
            return
        if arg.text is None and not head:
            command.opaque("an argument of the container is not known")
            return


def _copy(command: Command, args: Sequence[Field]) -> None:
    match [arg for arg in args if not arg.prefix.startswith("-") or arg.text == "-"]:
        case [source, target] if not is_remote(target) and target.text != "-":
            base = (source.text or "").rstrip("/").rpartition("/")[2].rpartition(":")[2]
            if base and command.kind(target) == "dir":
                target = field(f"{(target.text or '').rstrip('/')}/{base}", target.typed)
            command.write(target, recursive=True)


def _save(command: Command, args: Sequence[Field]) -> None:
    for value in _values(args, "-o", "--output"):
        command.write(value, via=f"{command.name} -o")


def _build(command: Command, args: Sequence[Field]) -> None:
    if _values(args, "-o", "--output"):
        command.opaque("the build writes its output to a directory")


def _unknown_verb(command: Command, args: Sequence[Field]) -> None:
    command.opaque(f"what `{command.name}` does here is not known", words=pieces_of(args))


def _compose(command: Command, args: Sequence[Field]) -> None:
    words = [arg.text for arg in args if not arg.prefix.startswith("-")]
    if words[:1] == ["cp"]:
        _copy(command, [arg for arg in args if arg.text != "cp"])
        return
    for value in _values(args, "-o", "--output") if words[:1] == ["config"] else ():
        command.write(value, via="docker compose config -o")
    reading = {"ps", "logs", "config", "images", "top", "port", "version", "ls", "events", "exec", "stop", "start",
               "kill", "pause", "unpause", "rm", "down", "pull", "push", "stats", "wait", "restart"}  # fmt: skip
    if not any(word in reading for word in words):
        command.opaque("the containers may have directories mounted")


_DOCKER_VERBS: Mapping[str, Callable[[Command, Sequence[Field]], None]] = {
    "compose": _compose,
    "cp": _copy,
    **dict.fromkeys(("run", "create"), _run),
    **dict.fromkeys(("save", "export"), _save),
    **dict.fromkeys(("build", "buildx", "bake"), _build),
    **dict.fromkeys(
        ("stack", "swarm", "plugin", "init", "scout", "model", "desktop", "machine"), _unknown_verb
    ),
}


def _values(args: Sequence[Field], *names: str) -> list[Field]:
    found: list[Field] = []
    for at, arg in enumerate(args):
        name, equals, _ = arg.prefix.partition("=")
        if name in names and equals:
            found.append(arg.cut(len(name) + 1))
        elif arg.text in names and at + 1 < len(args):
            found.append(args[at + 1])
        elif any(not n[2:] and arg.prefix.startswith(n) and arg.prefix[2:] for n in names):
            found.append(arg.cut(2))
    return found


def kubectl(command: Command) -> None:
    """`kubectl`, `oc`: the cluster is elsewhere; `cp` brings files here."""
    words = [arg.text for arg in command.args if not arg.prefix.startswith("-")]
    if words and words[0] == "cp":
        operands = [arg for arg in command.args if not arg.prefix.startswith("-")][1:]
        if len(operands) > 1 and not is_remote(operands[1]):
            command.write(operands[1], recursive=True)
    elif words and words[0] in ("config", "cluster-info", "edit", "krew", "kustomize", "debug"):
        if (
            words[0] == "config"
            and len(words) > 1
            and words[1] not in ("view", "get-contexts", "current-context")
        ):
            home = command.shell.view.home()
            command.write(field(f"{home}/.kube/config")) if home else command.opaque("the home is not known")
        for value in _values(command.args, "--output-directory", "-o", "--output"):
            if value.text not in ("json", "yaml", "name", "wide"):
                command.write(value, recursive=True)


def gh(command: Command) -> None:
    """The GitHub command line: effects are elsewhere, downloads here."""
    words = [arg.text for arg in command.args if not arg.prefix.startswith("-")]
    verb = tuple(words[:2])
    if verb in (("release", "download"), ("run", "download")):
        _gh_download(command, words)
    elif verb in (("repo", "clone"), ("gist", "clone")):
        names = [arg for arg in command.args if not arg.prefix.startswith("-")][2:]
        if len(names) > 1:
            command.write(names[1], recursive=True)
        elif names and names[0].text:
            command.write(
                field(names[0].text.rstrip("/").removesuffix(".git").rpartition("/")[2]), recursive=True
            )
    elif verb in (
        ("pr", "checkout"),
        ("repo", "sync"),
        ("extension", "install"),
        ("extension", "exec"),
        ("co",),
    ):
        command.opaque("it changes the files of the work tree")
    elif verb == ("pr", "merge") and any(arg.text in ("-d", "--delete-branch") for arg in command.args):
        command.opaque("it may switch branches")
    elif verb[:1] in (("alias",), ("config",), ("auth",)) and set(words[1:2]) & {
        "set",
        "delete",
        "login",
        "logout",
    }:
        command.opaque("it changes its own configuration")
    elif verb[:1] in (("codespace",), ("cs",)) and "cp" in words:
        command.opaque("it may copy files to this machine")


def _gh_download(command: Command, words: Sequence[str | None]) -> None:
    outputs = _values(command.args, "-O", "--output")
    directories = _values(command.args, "-D", "--dir")
    patterns = _values(command.args, "-p", "--pattern")
    for value in outputs:
        if value.text != "-":
            command.write(value, via="gh release download -O")
    if outputs:
        return
    names = [value.text for value in patterns]
    plain = names and all(name and not set(name) & set("*?[") for name in names)
    if plain and words[0] == "release":
        for name in names:
            directory = directories[-1].text if directories else "."
            if directory is None:
                command.opaque("the directory is not known")
            else:
                command.write(field(f"{directory}/{name}"), via="gh release download")
    elif directories:
        command.write(directories[-1], recursive=True)
    else:
        command.opaque("the release names the files", remedy="name the file with `-O`")


_SCHEMES = ("s3://", "gs://", "azure://", "http://", "https://", "r2://")


def aws(command: Command) -> None:
    """`aws`, `gsutil`, `gcloud`, `rclone`: only copies to a local name change files here."""
    words = [arg for arg in command.args if not arg.prefix.startswith("-")]
    texts = [word.text for word in words]
    dry = any(arg.text in ("--dryrun", "--dry-run", "-n") for arg in command.args)
    verbs = [
        text
        for text in texts[:3]
        if text in ("cp", "mv", "sync", "rsync", "copy", "copyto", "move", "moveto", "get-object")
    ]
    if dry or not verbs:
        configures = bool(set(texts[:1]) & {"configure", "config", "init", "auth"})
        if configures and not set(texts[1:2]) & {"list", "get", "print-access-token", "show"}:
            command.opaque("it changes its own configuration")
        return
    if "get-object" in verbs:
        command.write(words[-1])
        return
    destination = words[-1]
    remote = destination.prefix.startswith(_SCHEMES) or (command.name == "rclone" and is_remote(destination))
    if not remote and destination.text != "-":
        command.write(destination, recursive=True)
    source = words[-2] if words[2:] else None
    if source is not None and verbs[0] in ("mv", "move", "moveto") and not source.prefix.startswith(_SCHEMES):
        command.write(source, "delete", recursive=True)


def redis(command: Command) -> None:
    """`redis-cli`: the server is elsewhere; `--rdb` writes a dump here."""
    for value in _values(command.args, "--rdb", "--functions-rdb"):
        command.write(value, via="redis-cli --rdb")


def elsewhere(command: Command) -> None:
    """A program whose effects are on another machine whatever its options are."""


HANDLERS: Mapping[str, Callable[[Command], None]] = {
    **dict.fromkeys(("ssh", "mosh", "autossh"), ssh),
    **dict.fromkeys(("docker", "podman", "nerdctl"), docker),
    "docker-compose": lambda command: _compose(command, command.args),
    **dict.fromkeys(("kubectl", "oc", "k"), kubectl),
    "gh": gh,
    "redis-cli": redis,
    **dict.fromkeys(("aws", "gsutil", "gcloud", "rclone", "s3cmd", "mc"), aws),
    **dict.fromkeys(
        ("doctl", "linode-cli", "mail",
         "sendmail", "mutt", "mysqladmin", "rabbitmqctl", "stripe", "twilio", "mongosh", "mongo", "cqlsh", "clickhouse-client", "sqlcmd", "bq", "influx",
         "slack", "telnet", "ssh-add", "pbcopy", "xclip", "xsel", "wl-copy", "clip",
         "open", "xdg-open", "grpcurl", "websocat", "ab", "wrk", "hey", "siege"),
        elsewhere,
    ),
}  # fmt: skip
