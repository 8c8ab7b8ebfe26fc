"""Secrets don't get into records, whatever surrounds them."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.decision_log.record.redact import MARK, redact

ALNUM = string.ascii_letters + string.digits
PLAIN = st.text(ALNUM + " ./-_=:,", max_size=40)


def word(low: int = 8, high: int = 60, alphabet: str = ALNUM) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high)


TOKENS = st.one_of(
    st.text(string.ascii_uppercase + string.digits, min_size=16, max_size=16).map("AKIA{}".format),
    st.tuples(st.sampled_from("opsru"), word(20)).map(lambda p: f"gh{p[0]}_{p[1]}"),
    word(30).map("github_pat_{}".format),
    word(20).map("glpat-{}".format),
    word(12).map("xoxb-{}".format),
    word(20).map("sk-{}".format),
    word(20).map("sk-ant-{}".format),
    word(12).map("sk_live_{}".format),
    word(35).map("AIza{}".format),
    st.tuples(word(12), word(12), word(12)).map(lambda p: f"eyJ{p[0]}.{p[1]}.{p[2]}"),
)
NAMES = st.sampled_from(
    [
        *(
            "password",
            "PASSWORD",
            "passwd",
            "db_password",
            "PGPASSWORD",
            "FOO_SECRET",
            "client-secret",
            "token",
        ),
        *(
            "accessToken",
            "API_KEY",
            "apiKey",
            "x-api-key",
            "aws_secret_access_key",
            "secretKey",
            "private_key",
        ),
    ]
)
SHAPES = st.sampled_from(
    [
        "{name}={secret}",
        "export {name}={secret}",
        "{name}='{secret} x'",
        '{name}="{secret} x" make',
        "--{name} {secret}",
        "--{name}={secret}",
        "{name}: {secret}",
        '{{"{name}": "{secret}"}}',
        '{{"{name}":"{secret}","next":1}}',
        '{{\\"{name}\\": \\"{secret}\\"}}',
        "-H '{name}: {secret}'",
        "https://example.org/?{name}={secret}&x=1",
    ]
)


@given(PLAIN, TOKENS, PLAIN)
def test_masks_tokens_by_their_own_shape(before, token, after):
    assert token not in redact(f"{before} {token} {after}")


@given(PLAIN, SHAPES, NAMES, word(6), PLAIN)
def test_masks_what_is_assigned_to_a_telling_name(before, shape, name, secret, after):
    text = f"{before} {shape.format(name=name, secret=secret)} {after}"

    assert secret not in redact(text).replace(before, "").replace(after, "")


@given(word(3, 20, "bdfgxyz0123456789"), word(6), word(3, 20))
def test_masks_the_password_of_a_url_and_keeps_user_and_host(user, password, host):
    """A user whose name speaks of secrets has the rest masked too, which is another matter."""
    masked = redact(f"git clone https://{user}:{password}#1@{host}.example/x.git")

    assert masked == f"git clone https://{user}:[masked password]@{host}.example/x.git"


@given(word(6, 40, ALNUM + "._~+/-="))
def test_masks_a_bearer_token(token):
    for text in (f"curl -H 'Authorization: Bearer {token}' https://x", f"Authorization: bearer  {token}"):
        assert token not in redact(text).replace("https://x", "")


@given(st.text(ALNUM + "\n+/=", min_size=40, max_size=300), st.sampled_from(["RSA ", "", "OPENSSH ", "EC "]))
def test_masks_a_private_key_up_to_its_last_line(body, kind):
    key = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"

    assert redact(f"echo '{key}' > k") == "echo '[masked key block]' > k"
    assert body not in redact(f"echo '{key[:-30]}")


@given(st.text(max_size=300))
def test_masking_twice_changes_nothing(text):
    once = redact(text)

    assert redact(once) == once


@given(PLAIN, SHAPES, NAMES, word(6), TOKENS)
def test_masking_twice_changes_nothing_where_there_is_much_to_mask(before, shape, name, secret, token):
    assigned = shape.format(name=name, secret=secret)
    once = redact(f"{before} {assigned} {token} {assigned}")

    assert redact(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "pytest tests/test_tokens.py -q",
        "git commit -m 'rename the password form'",
        "docker run -u 1000:1000 image",
        "llm --max-tokens 4096 prompt.txt",
        "deploy --token $DEPLOY_TOKEN --password ${PASSWORD}",
        "cd $PWD && PWD=/srv/repo make",
        "kubectl get secrets",
        "git clone https://github.com/a/b.git",
        "ssh://git@github.com/a/b",
        "task-abcdefghijklmnopqrstuvwxyz",
        "the reviewer's key idea: lock first",
        "`00-requirements.md` is phase 0, still a draft",
    ],
)
def test_leaves_ordinary_text_alone(text):
    """A summary that is all masks tells nobody what happened."""
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("mysql --password hunter2 -u root", "mysql --password [masked value] -u root"),
        ("curl -u me:pw https://x", "curl -u me:[masked password] https://x"),
        ('curl -u "me:p w" https://x', 'curl -u "me:[masked password]" https://x'),
        ("sshpass -p hunter2 ssh x", "sshpass -p [masked password] ssh x"),
        ("password='it''s' make", "password=[masked value] make"),
        ("-H 'Cookie: a=b; c=d' x", "-H 'Cookie: [masked value]' x"),
        ('-d "user=me&password=a b" x', '-d "user=me&password=[masked value] b" x'),
        (
            "git push https://ghp_abcdefghijklmnop12@github.com/x",
            "git push https://[masked github]@github.com/x",
        ),
        ("npm_config=1 npm_abcdefghijklmnopqrstuv", "npm_config=1 [masked package]"),
    ],
)
def test_masks_the_secret_and_leaves_the_rest(text, masked):
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    ["password=" * 20_000, 'token: "' * 20_000, "-----BEGIN PRIVATE KEY" * 8_000, "://a:b" * 30_000,
     "eyJ" * 60_000, "sk-" * 60_000, "secret_" * 25_000, "authorization: \"'" * 10_000, "bearer " * 25_000,
     "--password " * 15_000, "-u a:" * 30_000, "AKIA" * 40_000, '"token' * 25_000, '\\"' * 50_000 + "token=\\"],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_reads_a_hostile_text_of_150_kilobytes_once(text):
    """A scanner that looks again and again would let one call stop the service."""
    started = time.monotonic()
    masked = redact(text)

    assert time.monotonic() - started < 5
    assert isinstance(masked, str)


def test_a_mask_is_recognised_by_its_mark():
    assert MARK in redact("password=hunter2")
