"""`log`: look decisions up, verify the chain, export records."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from phasegate.cli.connection import ask, read_lines
from phasegate.cli.output import answer_panel, json_option, print_json, table

PAGE = 500
EXIT_BROKEN = 5
FILTERS = (
    "run_id", "workspace", "rule", "kind", "verdict", "mode", "tool", "runtime", "session_id", "agent_id",
    "call_id", "target", "type", "since", "until", "q",
)  # fmt: skip


def filter_options(command: Any) -> Any:
    """One option for each filter of the API."""
    for name in reversed(FILTERS):
        command = click.option(f"--{name.replace('_', '-')}", name)(command)
    return command


@click.group()
def log() -> None:
    """Look decisions up and verify them."""


@log.command()
@click.option("-n", "--limit", type=click.IntRange(1, PAGE), default=20, show_default=True)
@filter_options
@json_option
def tail(as_json: bool, limit: int, **filters: str | None) -> None:
    """The newest decisions, newest last."""
    items = ask("GET", "/v1/decisions", params={"limit": limit, **filters}).document["items"]
    if as_json:
        print_json(items)
        return
    table(
        ("at", "kind", "rule", "run", "tool", "what", "id"),
        [
            (
                item["at"][:19],
                item["kind"] or item["type"],
                item["rule"],
                item["run_id"],
                item["tool"],
                _what(item),
                item["decision_id"],
            )
            for item in reversed(items)
        ],
    )


@log.command()
@click.argument("decision_id")
@json_option
def show(as_json: bool, decision_id: str) -> None:
    """One decision in full."""
    record = ask("GET", f"/v1/decisions/{decision_id}").document
    if as_json:
        print_json(record)
        return
    answer_panel(record)
    table(
        ("field", "value"), [(key, _plain(value)) for key, value in record.items() if value not in (None, [])]
    )


@log.command()
@json_option
def verify(as_json: bool) -> None:
    """Recompute the hash chain. Exit code 0 when it holds, 5 when it does not."""
    report = ask("GET", "/v1/decisions/verify").document
    if as_json:
        print_json(report)
    else:
        state = "intact" if report["ok"] else "BROKEN"
        click.echo(f"{state}: {report['checked']} records checked, head {report['head']}")
        for problem in report["problems"]:
            click.echo(f"  seq {problem['seq']}: {problem['kind']}: {problem['detail']}")
    sys.exit(0 if report["ok"] else EXIT_BROKEN)


@log.command()
@filter_options
@click.option(
    "-o", "--output", type=click.File("w", atomic=True), default="-", help="File; default: standard output."
)
def export(output: Any, **filters: str | None) -> None:
    """Write records as JSON lines, oldest first.

    Without filters: the whole log as it is hashed, its head last, which anybody can check
    (see the README). With filters: the matching records as `show` shows them.
    """
    if not any(filters.values()):
        for line in read_lines("/v1/decisions/export"):
            output.write(line + "\n")
        return
    records = list(_all(filters))
    for record in reversed(records):
        output.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def _all(filters: dict[str, str | None]) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        page = ask("GET", "/v1/decisions", params={"limit": PAGE, "cursor": cursor, **filters}).document
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def _what(item: dict[str, Any]) -> str:
    targets = [target.get("rel") or target.get("path") or "" for target in item.get("targets") or []]
    return ", ".join(targets[:3]) or item.get("summary") or ""


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
