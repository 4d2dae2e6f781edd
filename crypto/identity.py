"""Who a peer is: an Ed25519 key, its signatures, and its fingerprint in words."""

from __future__ import annotations

import ctypes
import os
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from . import sodium
from .errors import DecodeError, VerificationError
from .group import ORDER, RandBytes
from .hashing import digest, digest64
from .words import WORDS

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_FINGERPRINT_WORDS: Final = 4


class Identity:
    """A lasting key pair. Signatures are over H64(label, message), so one label's signature is none of another's."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public: bytes = key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls, randbytes: RandBytes = os.urandom) -> Identity:
        """A new identity."""
        return cls.from_seed(randbytes(KEY_BYTES))

    @classmethod
    def from_seed(cls, seed: bytes) -> Identity:
        """The identity of a secret 32-byte seed; DecodeError for another length."""
        if len(seed) != KEY_BYTES:
            raise DecodeError(f"an identity seed is {KEY_BYTES} bytes, not {len(seed)}")
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    def sign(self, label: str, message: bytes) -> bytes:
        """64 bytes."""
        return self._key.sign(digest64(label, message))

    def __repr__(self) -> str:
        return f"Identity({fingerprint(self.public)})"


@lru_cache(maxsize=256)
def check_public(public: bytes) -> None:
    """DecodeError unless these are the canonical bytes of a key of prime order.

    Under a key of small order one signature fits many messages, so its owner could deny or be charged with anything.
    """
    if len(public) != KEY_BYTES:
        raise DecodeError(f"a public key is {KEY_BYTES} bytes, not {len(public)}")
    # (ℓ+1)·A = A tells what libsodium's own test overlooks, a part of order 2.
    result = ctypes.create_string_buffer(KEY_BYTES)
    if (
        sodium.is_valid_ed25519(public) != 1
        or sodium.multiply_ed25519(result, (ORDER + 1).to_bytes(KEY_BYTES, "little"), public) != 0
        or result.raw != public
    ):
        raise DecodeError("not a public key of the prime-order group")


def verify(public: bytes, label: str, message: bytes, signature: bytes) -> None:
    """VerificationError("signature") unless `public` signed this; DecodeError for bytes that are no public key."""
    check_public(public)
    if len(signature) != SIGNATURE_BYTES:
        raise VerificationError("signature", f"it is {len(signature)} bytes, not {SIGNATURE_BYTES}")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, digest64(label, message))
    except InvalidSignature:
        raise VerificationError("signature") from None


def fingerprint(public: bytes) -> str:
    """Four words for people to compare, such as "amber-otter-lake-fig".

    32 bits: enough against mix-ups, not against somebody who searches for a key with the same words.
    """
    return "-".join(WORDS[byte] for byte in digest("fingerprint", public)[:_FINGERPRINT_WORDS])
