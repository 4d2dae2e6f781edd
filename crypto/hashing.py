"""One hash for everything, with a label for each use (PROTOCOL.md, "Hash").

H64(label, p1, …, pk) = SHA-512(F("nodealer v1 " + label) ‖ F(p1) ‖ … ‖ F(pk)) with F(x) = u64be(len(x)) ‖ x;
H is its first 32 bytes.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION: Final = "nodealer v1"
EXPAND_LIMIT: Final = 255 * 64
"""Most bytes that one HKDF-SHA512 gives (RFC 5869)."""


def u64(value: int) -> bytes:
    """An integer 0 … 2^64-1 as eight bytes, big endian; OverflowError otherwise."""
    return value.to_bytes(8, "big")


def framed(data: bytes) -> bytes:
    """F(data): the length in eight bytes, then the data; so no two lists of parts give the same bytes."""
    return len(data).to_bytes(8, "big") + data


def digest64(label: str, *parts: bytes) -> bytes:
    """H64 of the parts under a label, 64 bytes."""
    return hashlib.sha512(b"".join([framed(f"{VERSION} {label}".encode()), *map(framed, parts)])).digest()


def digest(label: str, *parts: bytes) -> bytes:
    """H of the parts under a label, 32 bytes."""
    return digest64(label, *parts)[:32]


def expand(seed: bytes, label: str, length: int, info: bytes = b"") -> bytes:
    """HKDF-SHA512 (RFC 5869, no salt) of a secret seed; info = F("nodealer v1 " + label) ‖ F(info).

    At most `EXPAND_LIMIT` bytes, ValueError beyond.
    """
    bound = framed(f"{VERSION} {label}".encode()) + framed(info)
    return HKDF(algorithm=SHA512(), length=length, salt=None, info=bound).derive(seed)
