"""Put a service together from its settings."""

from __future__ import annotations

from dataclasses import replace

from phasegate.core.change import HOOK_MARK
from phasegate.core.policy import builtin_policy
from phasegate.core.sealing import SealKey
from phasegate.core.workflow import Workflow
from phasegate.decision_log.mirrored import MirroredStore
from phasegate.decision_log.sqlite import SqliteStore
from phasegate.decision_log.store import DecisionStore
from phasegate.errors import FactsUnreadable, FileRefused, SettingsError, WorkspaceNotServed
from phasegate.files.keyfile import load_key
from phasegate.files.shfmt import ShfmtParser
from phasegate.files.view import DiskView
from phasegate.rules import discover
from phasegate.runtimes.places import CONFIGURATION_FILES
from phasegate.service.counters import Counters
from phasegate.service.judge import Judge
from phasegate.service.labels import Labels
from phasegate.service.recall import Recall
from phasegate.service.runs import RunParts
from phasegate.service.sites import Sites
from phasegate.service.stories import Service
from phasegate.settings import Settings
from phasegate.workspace.locate import Workspace, Workspaces
from phasegate.workspace.look_book import LookBook
from phasegate.workspace.policy_file import PolicyFiles
from phasegate.workspace.runs import Runs
from phasegate.workspace.snapshot import Snapshots
from phasegate.workspace.workflow_file import load_workflow


def open_service(settings: Settings) -> Service:
    """Everything that a settings file asks for, ready to start.

    Raises `SettingsError` when its data directory or log can't be used as they are.
    """
    workflow = load_workflow()
    base = replace(
        builtin_policy(workflow, discover()),
        mode=settings.mode,
        read_receipts=settings.read_receipts,
        entry_every_phase=settings.entry_every_phase,
        plane_freeze=settings.plane_freeze,
    )
    served = [Workspace(item.name, str(item.path)) for item in settings.workspaces]
    tree = None if settings.workspace_root is None else str(settings.workspace_root)
    workspaces = Workspaces(served, tree, control=workflow.layout.control)
    key = _key(settings)
    sites = Sites(
        workflow,
        key,
        entry_every_phase=settings.entry_every_phase,
        sealed_only=settings.read_receipts == "sealed",
        seal_locks=settings.seal_locks,
    )
    runs = Runs(workflow, key=key, plane_digest=lambda place: sites.memory(place).plane_digest())
    counters = Counters()
    policies = PolicyFiles(base)
    judge = Judge(
        workspaces,
        policies,
        runs,
        Snapshots(
            workspaces,
            workflow,
            runs,
            guard_paths=_own_files(settings),
            hook_files=CONFIGURATION_FILES,
            hook_mark=HOOK_MARK,
        ),
        ShfmtParser(),
        base,
        Recall(),
        lambda looks: DiskView(home=settings.home, looks=looks),
        counters.failed,
    )
    return Service(
        judge,
        _store(settings, workspaces, workflow),
        counters,
        Labels(),
        RunParts(runs, workflow, sites.of, sites.memory, LookBook(str(settings.data))),
    )


def _store(settings: Settings, workspaces: Workspaces, workflow: Workflow) -> DecisionStore:
    store = SqliteStore(settings.log_path)
    if not settings.mirror:
        return store

    def root(name: str) -> str | None:
        try:
            return workspaces.by_name(name).root
        except WorkspaceNotServed:
            return None

    return MirroredStore(store, root, workflow.layout.control, workflow.layout.logs)


def _key(settings: Settings) -> SealKey:
    try:
        return load_key(str(settings.data))
    except OSError as error:
        problem = error.strerror or str(error)
    except (FactsUnreadable, FileRefused) as error:
        problem = error.detail
    raise SettingsError(
        f"the data directory `{settings.data}` can't be used: {problem}",
        remedy="name another one with `--data`, or make it writable",
    )


def _own_files(settings: Settings) -> list[tuple[str, str]]:
    """The service's own files; a denial ends "which is ..."."""
    own = [
        (settings.data, "the guard's data directory"),
        (settings.log_path, "the guard's decision log"),
        (settings.config, "the guard's configuration file"),
        (settings.uds, "the guard's socket"),
    ]
    return [(str(path), what) for path, what in own if path is not None]
