"""Policy files: every defect is named and fails the whole policy."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.core.call import Effect
from phasegate.core.policy_text import MAX_POLICY_BYTES, parse_policy
from phasegate.errors import PolicyDefect
from support.cases import shipped_policy
from support.facts import BUILTIN

ALLOW = {"pattern": "*", "verdict": "allow", "reason": "ok"}


def parse(document):
    return parse_policy(json.dumps(document).encode(), BUILTIN)


def rule(**changes):
    return {"rules": [{**ALLOW, **changes}]}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"[" * 100_000, "nested"),
        (b'{"rules": 1' + b"0" * 5_000 + b"}", "absurd"),
        (b" " * (MAX_POLICY_BYTES + 1), "256 KiB"),
        (b"[]", "object"),
        (b'{"rules": [], "rules": []}', "`rules` stands twice"),
    ],
)
def test_refuses_a_text_that_is_no_policy(text, named):
    with pytest.raises(PolicyDefect, match=named):
        parse_policy(text, BUILTIN)


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"version": "1", "rules": [ALLOW]}, "version"),
        ({"version": True, "rules": [ALLOW]}, "version"),
        ({"version": 3, "rules": [ALLOW]}, "version"),
        ({"version": 1, "rules": [ALLOW], "modes": {}}, "modes"),
        ({"rules": [ALLOW], "bogus": 1}, "bogus"),
        ({"rules": [ALLOW], "defaults": []}, "defaults"),
        ({"rules": [ALLOW], "defaults": {"x": 1}}, "`x`"),
        ({"rules": [ALLOW], "defaults": {"no_match_verdict": "allow"}}, "no_match_verdict"),
        ({}, "rules"),
        ({"rules": {}}, "rules"),
        ({"rules": []}, "empty"),
        ({"rules": [7]}, "rule 1 must be an object"),
        (rule(predicate="x"), "predicate"),
        (rule(pattern="a."), "invalid pattern `a.`"),
        (rule(pattern=7), "invalid pattern `7`"),
        (rule(pattern="x" * 300), "…"),
        (rule(verdict="maybe"), "verdict"),
        (rule(verdict=["allow"]), "verdict"),
        (rule(reason="  "), "reason"),
        (rule(reason=None), "reason"),
        (rule(label=7), "label"),
        (rule(label=" "), "label"),
        (rule(label="phase_order"), "write `phase-order`"),
        (rule(label="Memory-Read"), "write `memory-read`"),
        (rule(label="none"), "reserved"),
        ({"version": 2, "rules_off": {"phase-order": ""}}, "phase-order"),
        ({"version": 2, "rules_off": {"phase-order": 3}}, "needs a reason"),
        ({"version": 2, "rules_off": {"phase_order": "x"}}, "no built-in rule"),
        ({"version": 2, "rules_off": {"control-plane": "x"}}, "can't be switched off"),
        ({"version": 2, "rules_off": []}, "rules_off"),
        ({"version": 2, "modes": {"phase-order": "loose"}}, "loose"),
        ({"version": 2, "modes": {"typo": "strict"}}, "typo"),
        ({"version": 2, "tools": {" ": "read"}}, "blank"),
        ({"version": 2, "tools": {"t": 7}}, "`t`"),
        ({"version": 2, "tools": {"t": {"effect": "fly"}}}, "effect"),
        ({"version": 2, "tools": {"t": {"effect": "read", "x": 1}}}, "`x`"),
        ({"version": 2, "tools": {"t": {"effect": "read", "paths": "p"}}}, "paths"),
        ({"version": 2, "tools": {"t": {"effect": "read", "command": 1}}}, "command"),
    ],
)
def test_refuses_a_defective_policy_and_names_the_key(document, named):
    with pytest.raises(PolicyDefect) as caught:
        parse(document)

    assert named in caught.value.detail


def test_first_defect_of_a_rule_is_reported_in_a_fixed_order():
    with pytest.raises(PolicyDefect, match="unknown key `x`"):
        parse({"rules": [{"x": 1, "pattern": "a.", "verdict": "no"}]})


def test_reads_the_file_that_the_peer_ships():
    policy = parse_policy(shipped_policy().encode(), BUILTIN)

    assert policy.source == "file"
    assert [entry.pattern for entry in policy.match("bash")] == ["bash", "bash", "bash", "*"]
    assert all(entry.conditional for entry in policy.match("bash")[:3])


def test_version_2_adds_switches_modes_and_tools():
    policy = parse(
        {
            "version": 2,
            "description": "ours",
            "rules_off": {"tdd-evidence": "no tests in this repository"},
            "modes": {"phase-order": "advisory"},
            "tools": {"Deploy": "execute", "save": {"effect": "write", "paths": ["where"], "command": "cmd"}},
        }
    )

    assert policy.description == "ours"
    assert policy.rules_off == {"tdd-evidence": "no tests in this repository"}
    assert policy.modes == {"phase-order": "advisory"}
    assert policy.tools["deploy"].effect is Effect.EXECUTE
    assert policy.tools["save"].paths == ("where",)
    assert [entry.verdict for entry in policy.match("anything")] == ["allow"]


def test_a_description_that_is_no_text_is_dropped():
    assert parse({"description": ["a"], "rules": [ALLOW]}).description is None


def test_a_free_label_on_an_absolute_rule_is_kept():
    assert parse(rule(label="house-rule")).patterns[0].label == "house-rule"


def test_digest_follows_the_bytes():
    one = parse_policy(b'{"rules":[{"pattern":"*","verdict":"allow","reason":"a"}]}', BUILTIN)
    two = parse_policy(b'{"rules":[{"pattern":"*","verdict":"allow","reason":"b"}]}', BUILTIN)

    assert one.digest != two.digest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["rules", "version", "pattern", "verdict", "tools", "modes", "label", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON | st.binary(max_size=60))
def test_any_text_is_a_policy_or_a_named_defect(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    assert _outcome(text)


def _outcome(text):
    try:
        return parse_policy(text, BUILTIN).source
    except PolicyDefect as defect:
        return defect.detail


def test_no_match_may_only_be_spelled_as_ask():
    assert parse({"rules": [ALLOW], "defaults": {"no_match_verdict": "ask"}}).source == "file"
