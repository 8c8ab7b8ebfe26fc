"""Settings: the only reader of the environment and of the configuration file.

Flags win over `PHASEGATE_*` variables, these over the TOML file (`--config`, else
`$PHASEGATE_CONFIG`, else `$XDG_CONFIG_HOME/phasegate/phasegate.toml`). A key that is
not known is an error that names the key and where it stands: a misspelt `mod = "strict"`
must not leave a service advisory.
"""

from __future__ import annotations

import ipaddress
import ntpath
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from phasegate.errors import SettingsError

PREFIX = "PHASEGATE_"
DEFAULT_PORT = 8787
DEFAULT_HOST = "127.0.0.1"
LOG_SCHEME = "sqlite:///"
_CONFIG_BYTES = 256 * 1024
_TOKEN_BYTES = 4096
_NAME_LENGTH = 128

# Variables that are read elsewhere or by other programs of ours.
_OTHER_VARIABLES = frozenset({"CONFIG", "URL", "RUN_ID", "FAILURE_MODE", "TIMEOUT"})

Mode = Literal["strict", "advisory"]


@dataclass(frozen=True, slots=True)
class WorkspaceSetting:
    """A served directory and the name that records show instead of its path."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Where a client finds the running service; `source` names the setting that said so."""

    uds: str | None = None
    url: str | None = None
    token: str | None = None
    run_id: str | None = None

    @property
    def configured(self) -> bool:
        return self.uds is not None or self.url is not None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a service needs to know before it starts. Paths are absolute."""

    workspaces: tuple[WorkspaceSetting, ...]
    workspace_root: Path | None
    mode: Mode
    host: str
    port: int | None
    uds: Path | None
    uds_group: str | None
    log: str
    data: Path
    token: str | None
    maps: tuple[tuple[str, str], ...]
    read_receipts: Literal["accept-v1", "sealed"]
    entry_every_phase: bool
    plane_freeze: bool
    seal_locks: bool
    mirror: bool
    max_concurrency: int
    max_header_bytes: int
    allowed_hosts: tuple[str, ...]
    config: Path | None
    home: str | None

    @property
    def log_path(self) -> Path:
        return Path(self.log.removeprefix(LOG_SCHEME))


def _split(separator: str) -> Any:
    def split(value: Any) -> Any:
        if isinstance(value, str):
            return [part.strip() for part in value.split(separator) if part.strip()]
        return list(value) if isinstance(value, tuple) else value

    return BeforeValidator(split)


Paths = Annotated[list[Annotated[str, Field(min_length=1)]], _split(os.pathsep)]
Words = Annotated[list[Annotated[str, Field(min_length=1)]], _split(",")]


class _Model(BaseModel):
    """The keys of the TOML file; variables are the same names in capitals after `PHASEGATE_`."""

    model_config = ConfigDict(extra="forbid")

    workspace: Paths = []
    workspace_root: str | None = None
    mode: Mode = "strict"
    host: str | None = None
    port: int | None = Field(default=None, ge=0, le=65535)
    uds: str | None = None
    uds_group: str | None = None
    log: str | None = None
    data: str | None = None
    token: str | None = None
    token_file: str | None = None
    map: Paths = []
    read_receipts: Literal["accept-v1", "sealed"] = "accept-v1"
    entry_every_phase: bool = False
    plane_freeze: bool = False
    seal_locks: bool = False
    mirror: bool = False
    max_concurrency: int = Field(default=512, ge=1, le=65536)
    max_header_bytes: int = Field(default=65536, ge=1024, le=1024 * 1024)
    allowed_hosts: Words = []


def load_settings(flags: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """Merge the three sources and check them.

    *flags* holds what was given on the command line; None and empty collections count
    as not given. Raises `SettingsError` naming the key and its source.
    """
    env = os.environ if environ is None else environ
    explicit = flags.get("config") or env.get(PREFIX + "CONFIG")
    config = _config_path(explicit, env)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, found in (
        (f"`{config}`", _from_file(config)),
        ("the environment", _from_environment(env)),
        ("the command line", _from_flags(flags)),
    ):
        values.update(found)
        sources.update(dict.fromkeys(found, source))
    if sources.get("token", "").startswith("`"):
        raise SettingsError(
            f"`token` in {sources['token']} would put a secret in a file that gets shared; use `token_file`"
        )
    settings = _build(_validated(values, sources), env)
    return _checked(replace(settings, config=config))


def client_settings(environ: Mapping[str, str] | None = None) -> ClientSettings:
    """The running service's address as `PHASEGATE_UDS` or `PHASEGATE_URL` give it; the socket wins."""
    env = os.environ if environ is None else environ
    return ClientSettings(
        uds=env.get(PREFIX + "UDS") or None,
        url=env.get(PREFIX + "URL") or None,
        token=env.get(PREFIX + "TOKEN") or None,
        run_id=env.get(PREFIX + "RUN_ID") or None,
    )


def _config_path(explicit: str | None, env: Mapping[str, str]) -> Path | None:
    """The configuration file to read. A default one that is absent is no error."""
    if explicit:
        path = Path(explicit).absolute()
        if not path.is_file():
            raise SettingsError(f"configuration file `{explicit}` is not a file")
        return path
    base = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME", "/")) / ".config")
    path = Path(base) / "phasegate" / "phasegate.toml"
    return path if path.is_file() else None


def _from_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        text = _read_bounded(path, _CONFIG_BYTES).decode()
        return tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"configuration file `{path}` can't be read: {error}") from error


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in env.items():
        if not name.startswith(PREFIX) or _is_service_link(name, value):
            continue
        key = name.removeprefix(PREFIX)
        if key in _OTHER_VARIABLES or value == "":
            continue
        if key.lower() not in _Model.model_fields or key != key.upper():
            raise SettingsError(f"unknown variable `{name}`; known are {_known()}")
        found[key.lower()] = value
    return found


def _is_service_link(name: str, value: str) -> bool:
    """Kubernetes injects these for every Service; one that is called `phasegate` is not a setting."""
    rest = name.removeprefix(PREFIX)
    return rest.startswith(("SERVICE_", "PORT_")) or (rest == "PORT" and "://" in value)


def _from_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in flags.items() if key != "config" and value not in (None, (), [])}


def _validated(values: Mapping[str, Any], sources: Mapping[str, str]) -> _Model:
    try:
        return _Model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = str(first["loc"][0])
        source = sources.get(key, "the settings")
        if first["type"] == "extra_forbidden":
            raise SettingsError(f"unknown key `{key}` in {source}; known are {_known()}") from error
        problem = first["msg"][:1].lower() + first["msg"][1:]
        raise SettingsError(f"`{key}` in {source} is not usable: {problem}") from error


def _known() -> str:
    return ", ".join(f"`{name}`" for name in _Model.model_fields)


def _build(model: _Model, env: Mapping[str, str]) -> Settings:
    data = Path(model.data or _default_data(env)).absolute()
    listens = model.uds is None or model.host is not None or model.port is not None
    return Settings(
        workspaces=tuple(_workspaces(model.workspace)),
        workspace_root=_directory(model.workspace_root, "workspace_root") if model.workspace_root else None,
        mode=model.mode,
        host=model.host or DEFAULT_HOST,
        port=(DEFAULT_PORT if model.port is None else model.port) if listens else None,
        uds=Path(model.uds).absolute() if model.uds else None,
        uds_group=model.uds_group,
        log=_log_url(model.log, data),
        data=data,
        token=_token(model),
        maps=tuple(_maps(model.map)),
        read_receipts=model.read_receipts,
        entry_every_phase=model.entry_every_phase,
        plane_freeze=model.plane_freeze,
        seal_locks=model.seal_locks,
        mirror=model.mirror,
        max_concurrency=model.max_concurrency,
        max_header_bytes=model.max_header_bytes,
        allowed_hosts=tuple(host.lower() for host in model.allowed_hosts),
        config=None,
        home=env.get("HOME") or None,
    )


def _default_data(env: Mapping[str, str]) -> Path:
    state = env.get("XDG_STATE_HOME") or str(Path(env.get("HOME", "/")) / ".local" / "state")
    return Path(state) / "phasegate"


def _workspaces(entries: list[str]) -> Iterator[WorkspaceSetting]:
    seen: dict[str, Path] = {}
    for entry in entries:
        name, separator, rest = entry.partition("=")
        named = bool(separator) and "/" not in name
        path = _directory(rest if named else entry, "workspace")
        label = name if named else path.name or "root"
        if not label.isprintable() or not label.strip() or len(label) > _NAME_LENGTH:
            raise SettingsError(
                f"workspace name `{label[:_NAME_LENGTH]}` is blank, too long or not printable"
            )
        if label in seen:
            raise SettingsError(
                f"two workspaces are called `{label}`; give one another name: `--workspace NAME={path}`"
            )
        seen[label] = path
        yield WorkspaceSetting(label, path)


def _directory(text: str, key: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_dir():
        raise SettingsError(f"`{key}` names `{text}`, which is not a directory")
    return path.resolve()


def _maps(entries: list[str]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        host, separator, local = entry.partition("=")
        absolute = host.startswith("/") or _is_windows_path(host)
        if not separator or not absolute or not local.startswith("/"):
            raise SettingsError(f"`map` entry `{entry}` is not HOST=LOCAL with two absolute paths")
        yield host.rstrip("/\\") or "/", local.rstrip("/") or "/"


def _is_windows_path(text: str) -> bool:
    r"""Whether *text* is `C:\...`, `C:/...` or a share: the agent may run on another system than we."""
    drive, rest = ntpath.splitdrive(text)
    return bool(drive) and (drive.startswith("\\\\") or rest[:1] in {"\\", "/"})


def _log_url(text: str | None, data: Path) -> str:
    if text is None:
        return f"{LOG_SCHEME}{data / 'decisions.db'}"
    path = text.removeprefix(LOG_SCHEME)
    if path == text or not path.startswith("/"):
        raise SettingsError(f"`log` is `{text}`; it has to be `{LOG_SCHEME}/absolute/path`")
    return text


def _token(model: _Model) -> str | None:
    if model.token_file is None:
        return model.token or None
    try:
        token = _read_bounded(Path(model.token_file), _TOKEN_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"`token_file` `{model.token_file}` can't be read: {error}") from error
    if not token:
        raise SettingsError(f"`token_file` `{model.token_file}` is empty")
    return token


def _checked(settings: Settings) -> Settings:
    """Refuse what would be unsafe to run with."""
    if settings.port is not None and not _is_loopback(settings.host) and settings.token is None:
        raise SettingsError(
            f"`host` `{settings.host}` can be reached from other machines and no token is set; "
            "set `PHASEGATE_TOKEN` or `token_file`, or listen on `127.0.0.1` or a Unix socket"
        )
    served = [space.path for space in settings.workspaces]
    if settings.workspace_root is not None:
        served.append(settings.workspace_root)
    own = [("data", settings.data), ("log", settings.log_path), ("config", settings.config)]
    for key, path in own:
        for root in served:
            if path is not None and path.resolve().is_relative_to(root):
                raise SettingsError(
                    f"`{key}` `{path}` lies inside the workspace `{root}`, where an agent could edit it; "
                    "put it elsewhere"
                )
    return settings


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_bounded(path: Path, limit: int) -> bytes:
    with path.open("rb") as stream:
        text = stream.read(limit + 1)
    if len(text) > limit:
        raise SettingsError(f"`{path}` is over {limit} bytes")
    return text
