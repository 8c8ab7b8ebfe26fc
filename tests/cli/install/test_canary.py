"""The canary must be a payload that the runtime really sends, and its reading must be the runtime's."""

from __future__ import annotations

import pytest

from phasegate.cli.install.canary import Outcome, payload, refuses
from phasegate.cli.install.plan import supported
from phasegate.cli.install.register import REGISTRATIONS, hook_event
from phasegate.runtimes import PASS, Hint, deny, find, parse, render

EVENTS = [
    (name, event)
    for name in supported()
    for event in [
        hook_event(name, configured)
        for configured in (REGISTRATIONS[name].events if name in REGISTRATIONS else list(find(name).events))
    ]
    if find(name).capability(event).phase in {"before", "permission"}
]


def outcome(reply):
    body = reply.body.decode()
    out, err = ("", body) if reply.stream == "stderr" else (body, "")
    return Outcome(reply.exit_code, out, err)


@pytest.mark.parametrize(("name", "event"), EVENTS)
class TestCanary:
    def test_is_understood_as_a_write_of_the_target(self, name, event):
        runtime = find(name)
        request = parse(runtime, payload(name, event, "/repo/x.json", "/repo"), Hint(event=event))

        assert request.phase == runtime.capability(event).phase
        assert request.defect is None
        assert "/repo/x.json" in str(request.calls[0].args)

    def test_a_denial_is_read_as_one_and_a_pass_is_not(self, name, event):
        runtime = find(name)
        request = parse(runtime, payload(name, event, "/repo/x.json", "/repo"), Hint(event=event))

        assert refuses(name, event, outcome(render(runtime, request, deny("no"))))
        assert not refuses(name, event, outcome(render(runtime, request, PASS)))


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("claude-code", Outcome(1, "", "denied")),
        ("claude-code", Outcome(0, '{"permissionDecision":"deny"}')),
        ("claude-code", Outcome(0, "{}", http_status=403)),
        ("codex", Outcome(2, "", "")),
        (
            "codex",
            Outcome(
                0,
                '{"hookSpecificOutput":{"hookEventName":"X","permissionDecision":"deny",'
                '"permissionDecisionReason":"r"}}',
            ),
        ),
        ("cline-vscode", Outcome(2, "", "denied")),
        ("windsurf-cascade", Outcome(0, '{"decision":"deny"}')),
        ("copilot-cli", Outcome(0, '{"hookSpecificOutput":{"permissionDecision":"deny"}}')),
        ("gemini-cli", Outcome(0, 'Loading\n{"decision":"deny"}')),
    ],
)
def test_what_the_runtime_would_ignore_is_no_denial(name, reply):
    assert not refuses(name, "PreToolUse", reply)
