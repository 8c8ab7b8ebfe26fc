"""Keyed seals: fixed bytes, so that a seal of today can be checked by any later version."""

import hashlib
import hmac

import pytest

from phasegate.core.sealing import KEY_BYTES, SealKey, canonical, digest

KEY = SealKey(b"k" * KEY_BYTES)
RECORD = {"b": [1, None, True], "a": "caf\u00e9"}


def test_the_canonical_text_is_sorted_tight_and_ascii():
    assert canonical(RECORD) == b'{"a":"caf\\u00e9","b":[1,null,true]}'


def test_a_seal_covers_purpose_and_canonical_text():
    expected = hmac.new(
        b"k" * KEY_BYTES, b'read\n{"a":"caf\\u00e9","b":[1,null,true]}', hashlib.sha256
    ).hexdigest()

    assert KEY.seal("read", RECORD) == expected
    assert KEY.matches("read", RECORD, expected.upper())


@pytest.mark.parametrize(
    ("purpose", "record", "key"),
    [
        ("lock", RECORD, KEY),
        ("read", RECORD | {"a": "cafe"}, KEY),
        ("read", RECORD, SealKey(b"x" * KEY_BYTES)),
    ],
    ids=["another purpose", "another record", "another key"],
)
def test_a_seal_fits_nothing_else(purpose, record, key):
    assert not key.matches(purpose, record, KEY.seal("read", RECORD))


@pytest.mark.parametrize("seal", [None, 7, "", "0" * 64, b"x", "\u00e9" * 64, "\udc80"])
def test_what_is_no_seal_matches_nothing(seal):
    assert not KEY.matches("read", RECORD, seal)


def test_a_key_is_named_without_being_told():
    assert KEY.key_id == SealKey(b"k" * KEY_BYTES).key_id
    assert KEY.key_id != SealKey(b"l" * KEY_BYTES).key_id
    assert "kkkk" not in repr(KEY)


def test_a_number_that_json_has_no_form_for_is_refused():
    with pytest.raises(ValueError, match="Out of range"):
        canonical({"a": float("nan")})


def test_digests_carry_their_kind():
    assert digest(b"") == "sha256:" + hashlib.sha256(b"").hexdigest()
