"""Programs with verbs (package managers, build tools, cloud tools): which verbs only read.

Everything else that these programs do is opaque: scripts of the project run, trees are
built, caches and lock files are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from phasegate.targets.shell.text import Field, field
from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

_ASKING = ("--version", "--help", "-V", "version", "help")


def _verbs(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


READING: Mapping[str, frozenset[tuple[str, ...]]] = {
    "npm": _verbs(
        "audit,ls,list,ll,la,view,info,show,v,outdated,whoami,search,ping,root,prefix,bin,config get,config list,config ls,get,"
        "pkg get,doctor,docs,explain,why,query,fund,owner ls,access list,team ls,dist-tag ls,dist-tags,bugs,repo,home,"
        "help-search,completion,audit signatures,sbom,profile get,token list,c get,c list,diff,star,stars,-v"
    ),
    "pnpm": _verbs("ls,list,why,outdated,root,bin,config get,config list,licenses list,store path,-v,audit"),
    "yarn": _verbs(
        "list,info,why,outdated,config get,config list,versions,licenses list,bin,workspaces info,-v"
    ),
    "bun": _verbs("pm ls,pm bin,pm hash,outdated,--revision,-v"),
    "pip": _verbs(
        "list,show,freeze,check,search,index versions,config list,config get,cache dir,cache list,debug,inspect,hash"
    ),
    "uv": _verbs(
        "pip list,pip show,pip freeze,pip check,pip tree,tree,python list,python find,python dir,cache dir,tool list"
    ),
    "pipx": _verbs("list,environment"),
    "poetry": _verbs("show,check,env info,env list,config --list,about,search"),
    "pdm": _verbs("list,show,info,config"),
    "hatch": _verbs("env show,status,dep show,project metadata"),
    "conda": _verbs("activate,deactivate,list,info,search,env list,config --show,config --show-sources"),
    "mamba": _verbs("activate,deactivate,list,info,search,env list"),
    "gem": _verbs(
        "list,search,info,which,environment,env,outdated,contents,dependency,specification,query,-v"
    ),
    "bundle": _verbs("list,show,info,outdated,check,config list,env,platform,-v"),
    "cargo": _verbs("tree,metadata,search,locate-project,pkgid,--list,read-manifest,verify-project,info,-V"),
    "rustup": _verbs("show,which,toolchain list,target list,component list,doc"),
    "go": _verbs("version,env,list,doc,mod graph,mod why,mod verify,vet,tool nm,tool objdump,help"),
    "mvn": _verbs("-v,--version,help:effective-pom"),
    "gradle": _verbs("-v,tasks,projects,properties,dependencies"),
    "composer": _verbs(
        "show,info,outdated,validate,licenses,search,why,depends,why-not,diagnose,check-platform-reqs,config --list"
    ),
    "dotnet": _verbs("--info,--list-sdks,--list-runtimes,list,nuget list,sln list,tool list"),
    "brew": _verbs(
        "list,ls,info,search,outdated,deps,uses,config,doctor,--prefix,--cellar,cat,desc,home,leaves,log,missing,"
        "services list,tap-info,--repository,--cache"
    ),
    "apt": _verbs("list,search,show,policy,depends,rdepends"),
    "apt-get": _verbs("changelog,check,--print-uris"),
    "apt-cache": _verbs("show,search,policy,depends,rdepends,pkgnames,stats,madison,showpkg"),
    "dpkg": _verbs(
        "-l,-L,-s,-S,--list,--listfiles,--status,--search,--print-architecture,-c,-I,--get-selections,--compare-versions"
    ),
    "dpkg-query": _verbs("-l,-L,-s,-S,-W,--show,--list"),
    "rpm": _verbs("-q,-qa,-qi,-ql,-qf,-V,--query"),
    "yum": _verbs("list,info,search,provides,repolist,check-update,history"),
    "dnf": _verbs("list,info,search,provides,repolist,check-update,history,repoquery"),
    "apk": _verbs("info,list,search,policy,version"),
    "pacman": _verbs("-Q,-Qi,-Ql,-Qs,-Qo,-Ss,-Si,-Qe,-Qm,-Qu"),
    "snap": _verbs("list,info,find,services,version"),
    "flatpak": _verbs("list,info,search,remotes"),
    "terraform": _verbs(
        "plan,show,output,validate,providers schema,graph,state list,state show,workspace list,workspace show,version,"
        "fmt -check"
    ),
    "tofu": _verbs(
        "plan,show,output,validate,providers schema,graph,state list,state show,workspace list,workspace show"
    ),
    "pulumi": _verbs("preview,stack ls,stack output,config get,whoami,about,logs"),
    "helm": _verbs(
        "list,ls,get,status,history,show,search,template,lint,env,version,repo list,diff,dependency list,verify,"
        "upgrade,install,uninstall,delete,rollback,test,push,registry login"
    ),
    "heroku": _verbs(
        "ps,logs,config,config:get,info,apps,releases,status,addons,run,pg:info,domains,regions"
    ),
    "fly": _verbs("status,logs,list,info,apps list,version,releases,ssh console,machine list,secrets list"),
    "flyctl": _verbs("status,logs,list,info,apps list,version,releases,ssh console"),
    "netlify": _verbs("status,sites:list,env:list,env:get,open"),
    "vercel": _verbs("ls,list,whoami,logs,inspect,env ls,projects ls"),
    "glab": _verbs(
        "mr list,mr view,mr create,mr diff,issue list,issue view,issue create,ci status,ci view,ci list,repo view,api"
    ),
    "hub": _verbs("pr list,issue,browse,ci-status,api"),
    "minikube": _verbs("status,ip,profile list,service list,logs,addons list,version"),
    "kind": _verbs("get clusters,get nodes,version"),
    "vault": _verbs("kv get,kv list,status,read,list,token lookup,version"),
    "consul": _verbs("members,kv get,catalog,info,monitor,operator"),
    "nomad": _verbs("status,job status,node status,alloc status,logs"),
    "etcdctl": _verbs("get,put,del,member list,endpoint health,endpoint status,watch"),
    "timedatectl": _verbs("status,show,list-timezones,timesync-status"),
    "hostnamectl": _verbs("status"),
    "localectl": _verbs("status,list-locales,list-keymaps"),
    "nmcli": _verbs("device,device status,connection show,general status,radio"),
    "update-alternatives": _verbs("--list,--display,--query,--get-selections"),
    "ldconfig": _verbs("-p"),
    "fc": _verbs("-l,-ln"),
    "rfkill": _verbs("list"),
    "xdg-mime": _verbs("query"),
    "java": _verbs("-version,--version,-XshowSettings"),
    "ansible-playbook": _verbs("--syntax-check,--list-tasks,--list-hosts,--list-tags"),
    "ansible": _verbs("--list-hosts"),
    "vagrant": _verbs("status,global-status,box list,ssh-config,port,validate"),
    "systemctl": _verbs(
        "status,list-units,list-unit-files,is-active,is-enabled,is-failed,show,cat,list-timers,list-sockets,"
        "list-dependencies,get-default,list-jobs,show-environment"
    ),
    "service": _verbs("--status-all"),
    "crontab": _verbs("-l"),
    "at": _verbs("-l"),
    "launchctl": _verbs("list,print"),
    "defaults": _verbs("read,domains,find,read-type"),
    "tmux": _verbs(
        "ls,list-sessions,list-windows,list-panes,display-message,show-options,has-session,capture-pane -p,info,lsk,lsc"
    ),
    "screen": _verbs("-ls,-list"),
    "make": _verbs("-v"),
    "cmake": _verbs("--system-information,-E capabilities"),
    "ctest": _verbs("-N,--show-only"),
    "just": _verbs("-l,--list,--summary,--show,--dump,--evaluate,--variables,-n,--dry-run"),
    "task": _verbs("-l,--list,-a,--list-all,--summary,-n,--dry"),
    "tox": _verbs("-l,list,-a,config"),
    "nox": _verbs("-l,--list"),
    "pre-commit": _verbs("validate-config,validate-manifest"),
    "nvm": _verbs("ls,list,current,ls-remote,which,version"),
    "fnm": _verbs("list,current,ls-remote,env"),
    "pyenv": _verbs("versions,version,which,whence,root,commands,prefix"),
    "rbenv": _verbs("versions,version,which,root"),
    "asdf": _verbs("list,current,where,which,plugin list,info"),
    "mise": _verbs("ls,list,current,where,which,doctor,env"),
    "direnv": _verbs("status,version"),
    "svn": _verbs("status,st,log,diff,di,info,list,ls,cat,blame,annotate,proplist,propget"),
    "hg": _verbs(
        "status,st,log,diff,summary,sum,branch,branches,tags,cat,annotate,blame,heads,identify,id,paths,parents,"
        "manifest,files,grep,showconfig,config"
    ),
    "jj": _verbs(
        "log,st,status,diff,show,op log,branch list,bookmark list,file list,file show,config list,root"
    ),
    "sccache": _verbs("--show-stats,-s"),
    "ccache": _verbs("-s,--show-stats,-p"),
    "stack": _verbs("ls,path,query"),
    "cabal": _verbs("list,info"),
    "mix": _verbs("help,hex.info,deps.tree"),
    "rails": _verbs("routes,stats,about"),
    "bazel": _verbs("query,cquery,aquery,info"),
    "nx": _verbs("show,list,report"),
    "turbo": _verbs("ls,query"),
    "lerna": _verbs("ls,list,changed,diff"),
    "dvc": _verbs("status,diff,list,dag,metrics show,params diff"),
    "airflow": _verbs("dags list,tasks list,version"),
    "firebase": _verbs("projects:list,apps:list"),
    "supabase": _verbs("status,projects list,migration list"),
    "prisma": _verbs("validate,migrate status"),
    "alembic": _verbs("current,history,heads,branches,show,check"),
    "flask": _verbs("routes"),
    "django-admin": _verbs("check,version"),
    "code": _verbs("--list-extensions,--status,-s"),
    "az": _verbs("account show,account list,group list,vm list,version,ad signed-in-user"),
    "xcodebuild": _verbs("-list,-showsdks,-showBuildSettings,-version"),
    "adb": _verbs("devices,logcat,shell getprop"),
    "pg_ctl": _verbs("status"),
    "nginx": _verbs("-t,-T,-v"),
    "apachectl": _verbs("-t,-S,configtest"),
    "caddy": _verbs("validate,list-modules,environ"),
    "certbot": _verbs("certificates"),
    "ufw": _verbs("status"),
    "iptables": _verbs("-L,-S,--list"),
    "protoc": _verbs(""),
    "buf": _verbs("lint,breaking,ls-files"),
    "golangci-lint": _verbs("run,linters,config path,cache status"),
    "mount": _verbs("-l"),
}
"""First words with which a program only reads, by program."""

_DRY = frozenset({"--dry-run", "--dryrun", "--no-act", "--simulate", "--just-print", "--recon", "--question"})
_DRY_SHORT: Mapping[str, tuple[str, ...]] = {
    "make": ("-n", "-q"), "gmake": ("-n", "-q"), "apt-get": ("-s",), "apt": ("-s",), "ninja": ("-n",), "just": ("-n",),
    "task": ("-n",), "mvn": (), "goreleaser": (), "ansible-playbook": ("--check", "-C"), "ansible": ("--check",),
    "cargo": ("--check",), "terraform": (), "pip": (), "gem": (), "twine": (), "scons": ("-n", "-c"), "rake": ("-n", "-T", "-P"),
    "pytest": ("--collect-only", "--co", "--fixtures", "--markers"), "py.test": ("--collect-only", "--co"), "tsc": ("--noEmit",),
    "jest": ("--listTests", "--showConfig"), "vitest": (), "invoke": ("-l", "--list"), "meson": (), "b2": ("-n",),
}  # fmt: skip

RUNNERS: Mapping[str, int] = {
    "npx": 0, "bunx": 0, "pnpx": 0, "yarn": 1, "pnpm": 1, "bundle": 1, "uvx": 0, "pipx": 1, "poetry": 1, "pdm": 1, "uv": 1,
    "rye": 1, "hatch": 1, "pipenv": 1, "npm": 1, "conda": 1, "micromamba": 1, "dotnet": 1, "mise": 1, "asdf": 1, "rbenv": 1,
    "pyenv": 1,
}  # fmt: skip
"""Programs that run another one, and how many verbs (`exec`, `run`) come before it."""

_RUN_VERBS = frozenset({"exec", "run", "dlx", "x"})
_RUN_VALUES = words(
    "-p --package -c --call -w --workspace --with --python --project --directory --env-file -n --name -e --extra --group --from --spec --cwd -C --filter"
)


_SHOWING = frozenset(
    {"npm", "cargo", "go", "pip", "timedatectl", "hostnamectl", "localectl", "nmcli", "mount"}
)
"""Programs that only show something when they get no arguments."""


def verbs(command: Command) -> None:
    """Let the reading verbs pass, follow a program that is run, and take the rest for opaque."""
    name = command.name
    words = [arg.text for arg in command.args]
    if not words and name in _SHOWING:
        return
    if words and ((words[0] in _ASKING and not _sets_version(words)) or "--help" in words):
        return
    if _is_dry(name, words) or _only_reads(name, words):
        _written(command)
        return
    if name in _SCRIPT_RUNNERS and words in (["run"], ["run", "--list"]):
        # Without a script's name they list the scripts there are.
        return
    if name in RUNNERS and _run(command):
        return
    if _known_write(command, words):
        return
    command.opaque(f"what `{' '.join([name, *_first_words(words)])[:60]}` changes is not known")


def _sets_version(words: list[str | None]) -> bool:
    """`npm version patch`, `uv version --bump minor`: the version of the project is written."""
    writes = any(word is None or not word.startswith("-") or word.startswith("--bump") for word in words[1:])
    return words[0] == "version" and writes


def _first_words(words: list[str | None]) -> list[str]:
    return [word for word in words[:2] if word and not word.startswith("-")][:1]


def _is_dry(name: str, words: list[str | None]) -> bool:
    if any(word in _DRY for word in words) and name != "npm":
        return True
    if name == "npm" and any(word == "--dry-run" for word in words):
        return words[0] not in ("run", "test", "start", "exec", "run-script")
    short = _DRY_SHORT.get(name, ())
    if any(word in short and words[at + 1 : at + 2] != ["false"] for at, word in enumerate(words)):
        return True
    # Make bundles its letters: `-sn`, `-nB`.
    return name in ("make", "gmake") and any(
        word and word[0] == "-" and word[1:2] != "-" and "n" in word and word[1:2] not in "CfIoWlj"
        for word in words
    )


_WRITES: Mapping[str, tuple[str, ...]] = {
    "terraform": ("-out", "--out"),
    "tofu": ("-out", "--out"),
    "helm": ("--output-dir",),
    "pulumi": ("--save-plan",),
    "pip": ("--log", "--report"),
    "go": ("-o",),
    "hg": ("-o", "--output"),
}
"""Options that name a file or directory written by a verb that otherwise reads."""


def _written(command: Command) -> None:
    """Report the files of such options."""
    for at, arg in enumerate(command.args):
        name, equals, _ = arg.prefix.partition("=")
        if name not in _WRITES.get(command.name, ()):
            continue
        following = command.args[at + 1] if at + 1 < len(command.args) else None
        value = arg.cut(len(name) + 1) if equals else following
        if value is not None:
            command.write(value, via=f"{command.name} {name}", recursive=name == "--output-dir")


def _only_reads(name: str, words: list[str | None]) -> bool:
    phrases = READING.get(name, frozenset())
    plain = [word for word in words if word is not None and not word.startswith("-")]
    if None in words[:2] or (name == "go" and "-w" in words):
        return False
    if any(tuple(plain[:length]) in phrases for length in (1, 2, 3) if len(plain) >= length):
        return "fix" not in plain[:2] and "--fix" not in words
    known = [word or "" for word in words]
    return any(tuple(known[:length]) in phrases for length in (1, 2) if len(known) >= length)


def _run(command: Command) -> bool:
    """Run the program behind `npx`, `uv run` and their kin; false when there is none to follow."""
    args = _without_verbs(command)
    while args and args[0].prefix.startswith("-"):
        text = args.pop(0).text
        if text == "--":
            break
        if text in ("-c", "--call"):
            return False
        if text in _RUN_VALUES and args:
            args.pop(0)
    inner = args[0].text if args else None
    if inner is None:
        return False
    if inner.endswith((".py", ".sh", ".js", ".ts")):
        return _script(command, args)
    name = inner.partition("@")[0] if not inner.startswith("@") else inner
    if command.shell.context.handler_of(name) is None:
        return False
    command.run([field(name, args[0].typed), *args[1:]])
    return True


def _without_verbs(command: Command) -> list[Field]:
    """The arguments after `exec` or `run`; none when the verb is another one."""
    args = list(command.args)
    if command.name in _SCRIPT_RUNNERS and args and args[0].text == "run":
        # These run scripts of the project's own file.
        return []
    count = RUNNERS[command.name]
    while count and args:
        text = args.pop(0).text
        if text in _RUN_VALUES and args:
            args.pop(0)
        elif text in _RUN_VERBS:
            count -= 1
        elif text is None or not text.startswith("-"):
            return []
    return args


_SCRIPT_RUNNERS = frozenset({"npm", "yarn", "pnpm", "bun"})


def _script(command: Command, args: list[Field]) -> bool:
    """A script started through its interpreter (`uv run x.py`)."""
    inner = args[0].text
    if inner is None or not inner.endswith(".py"):
        return False
    command.run([field("python3"), *args])
    return True


def _known_write(command: Command, words: list[str | None]) -> bool:
    """The few verbs whose file is known."""
    if command.name == "npm" and words[:2] in (["pkg", "set"], ["pkg", "delete"], ["pkg", "fix"]):
        command.write(field("package.json"), via="npm pkg")
        return True
    if command.name == "npm" and words[0] == "init":
        command.write(field("package.json"), via="npm init")
        return any(word in ("-y", "--yes") for word in words) and not words[2:]
    if command.name == "go" and words[0] == "build":
        return _go_build(command)
    return False


def _go_build(command: Command) -> bool:
    for at, arg in enumerate(command.args):
        if arg.text == "-o" and at + 1 < len(command.args):
            command.write(command.args[at + 1], via="go build -o")
            return True
    return False


NAMES = frozenset(READING) | frozenset(_DRY_SHORT) | frozenset(RUNNERS)
