"""Identities: signatures under labels, keys that are no keys, fingerprints in words."""

from __future__ import annotations

import pytest
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.identity import Identity, check_public, fingerprint, verify
from nodealer.crypto.words import WORDS

from tests.helpers.cheating import flip


def test_signatures():
    alice, bob = Identity.from_seed(b"a" * 32), Identity.generate()
    signature = alice.sign("entry", b"message")
    assert len(signature) == 64
    verify(alice.public, "entry", b"message", signature)
    for public, label, message, wrong in (
        (bob.public, "entry", b"message", signature),
        (alice.public, "offer", b"message", signature),
        (alice.public, "entry", b"massage", signature),
        (alice.public, "entry", b"message", flip(signature, 0)),
        (alice.public, "entry", b"message", flip(signature, 40)),
        (alice.public, "entry", b"message", signature[:-1]),
        (alice.public, "entry", b"message", b""),
        (alice.public, "entry", b"message", bytes(64)),
    ):
        with pytest.raises(VerificationError) as caught:
            verify(public, label, message, wrong)
        assert caught.value.check == "signature"


# Points of order 1, 2, 4 and 8, a non-canonical one, no point at all, and wrong lengths.
BAD_KEYS = [
    (1).to_bytes(32, "little"),
    bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes(32),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    b"\x02" + bytes(31),
    bytes(31),
    bytes(33),
    b"",
]


@pytest.mark.parametrize("public", BAD_KEYS)
def test_keys_under_which_anybody_can_sign_are_refused(public):
    with pytest.raises(DecodeError):
        check_public(public)
    with pytest.raises(DecodeError):
        verify(public, "entry", b"message", b"\x01" + bytes(63))


def test_a_key_with_a_part_of_order_2_is_refused():
    """A + (0, -1) = (-x, -y): another key for which signatures of A's owner can be made to fit or not."""
    prime = 2**255 - 19
    number = int.from_bytes(Identity.from_seed(b"a" * 32).public, "little")
    y, sign = number % 2**255, number >> 255
    with pytest.raises(DecodeError):
        check_public(((prime - y) | (1 - sign) << 255).to_bytes(32, "little"))


def test_seeds():
    assert Identity.from_seed(b"a" * 32).public == Identity.from_seed(b"a" * 32).public
    assert Identity.generate(lambda n: b"a" * n).public == Identity.from_seed(b"a" * 32).public
    with pytest.raises(DecodeError):
        Identity.from_seed(b"a" * 31)


def test_fingerprints_and_repr():
    alice = Identity.from_seed(b"a" * 32)
    words = fingerprint(alice.public).split("-")
    assert len(words) == 4
    assert set(words) <= set(WORDS)
    assert fingerprint(Identity.from_seed(b"b" * 32).public) != fingerprint(alice.public)
    assert (b"a" * 32).hex() not in repr(alice)
    assert "-".join(words) in repr(alice)


def test_the_words():
    assert len(set(WORDS)) == 256
    assert all(word.isascii() and word.isalpha() and word.islower() and 2 <= len(word) <= 7 for word in WORDS)
    assert not [(a, b) for a in WORDS for b in WORDS if a != b and b.startswith(a)]
