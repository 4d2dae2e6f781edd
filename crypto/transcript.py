"""The labelled transcript: the only way to a challenge (Fiat-Shamir), and the only way to a nonce.

Everything a proof says goes in by `append` in the order of its protocol; a challenge depends on all that came before.
The stream hashed is F("nodealer v1 transcript"), then per step F("append") F(label) F(data) or F("challenge") F(label)
F(u64 count): the first word fixes how many follow, so no two histories give the same stream.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from .errors import VerificationError
from .group import Point, RandBytes, encode_scalar, join_points, join_scalars, reduce_wide
from .hashing import VERSION, expand, framed, u64

FRESH_BYTES = 32
_BLOCK = 128
"""Scalars in one HKDF output (64 bytes each, at most 255)."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One step of a proof as whoever studies it may see it: nothing that is drawn here and not sent is in it.

    ``kind``: "append" (``size`` bytes of ``data``, which the other side knows or will get), "challenge" (``size``
    scalars, the first of them ``first``) or "nonces" (``size`` secret scalars, of which there is no more to see).
    """

    transcript: Transcript
    kind: str
    label: str
    size: int
    data: bytes = b""
    first: int = 0


_watcher: ContextVar[Callable[[ProofStep], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(see: Callable[[ProofStep], None]) -> Iterator[None]:
    """While this is open, ``see`` gets every step of every proof that is made or checked in this thread or task."""
    token = _watcher.set(see)
    try:
        yield
    finally:
        _watcher.reset(token)


class Transcript:
    """The statement and messages of one proof so far."""

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        self._hash = hashlib.sha512(framed(f"{VERSION} transcript".encode()))

    def append(self, label: str, data: bytes) -> None:
        """Absorb bytes under a label; both lengths are absorbed."""
        self._hash.update(framed(b"append") + framed(label.encode()) + framed(data))
        see = _watcher.get()
        if see is not None:
            see(ProofStep(self, "append", label, len(data), data))

    def append_int(self, label: str, value: int) -> None:
        """Absorb an integer 0 … 2^64-1."""
        self.append(label, u64(value))

    def append_point(self, label: str, point: Point) -> None:
        self.append(label, point.data)

    def append_points(self, label: str, points: Iterable[Point]) -> None:
        self.append(label, join_points(points))

    def append_scalar(self, label: str, scalar: int) -> None:
        self.append(label, encode_scalar(scalar))

    def append_scalars(self, label: str, scalars: Iterable[int]) -> None:
        self.append(label, join_scalars(scalars))

    def challenges(self, label: str, count: int) -> list[int]:
        """`count` scalars, each H64("challenge", state, u64(i)) mod ORDER."""
        self._hash.update(framed(b"challenge") + framed(label.encode()) + framed(u64(count)))
        # H64("challenge", state, u64(i)) with the common beginning hashed once.
        common = hashlib.sha512(framed(f"{VERSION} challenge".encode()) + framed(self._hash.digest()) + u64(8))
        scalars = []
        for index in range(count):
            one = common.copy()
            one.update(u64(index))
            scalars.append(reduce_wide(one.digest()))
        see = _watcher.get()
        if see is not None:
            see(ProofStep(self, "challenge", label, count, first=scalars[0] if scalars else 0))
        return scalars

    def challenge(self, label: str) -> int:
        """One scalar."""
        return self.challenges(label, 1)[0]

    def challenge_nonzero(self, label: str) -> int:
        """One scalar; zero, which no honest run ever sees, is refused."""
        challenge = self.challenge(label)
        if challenge == 0:
            raise VerificationError(f"challenge {label}", "it is zero")
        return challenge

    def state(self) -> bytes:
        """64 bytes that stand for everything absorbed so far; the transcript goes on unchanged."""
        return self._hash.digest()

    def nonces(self, secret: bytes, label: str, count: int, randbytes: RandBytes = os.urandom) -> list[int]:
        """`count` secret scalars for this statement only.

        HKDF(secret ‖ 32 fresh bytes; label ‖ transcript so far): still unpredictable if either the secret or the random
        source is good, and never the same for two statements even if the source repeats itself.
        """
        see = _watcher.get()
        if see is not None:
            see(ProofStep(self, "nonces", label, count))
        return secret_scalars(secret + fresh(randbytes), f"nonce {label}", self.state(), count)


def fresh(randbytes: RandBytes) -> bytes:
    """32 bytes from the given source; ValueError if it gives another number."""
    data = randbytes(FRESH_BYTES)
    if len(data) != FRESH_BYTES:
        raise ValueError(f"the random source gave {len(data)} bytes for {FRESH_BYTES}")
    return data


def secret_scalars(seed: bytes, label: str, info: bytes, count: int) -> list[int]:
    """`count` scalars other than zero from a secret seed, by HKDF in blocks of `_BLOCK`."""
    scalars: list[int] = []
    for block in range((count + _BLOCK - 1) // _BLOCK):
        size = min(_BLOCK, count - block * _BLOCK)
        stream = expand(seed, label, 64 * size, info + u64(block))
        # Zero would be refused on the wire; 1 in its place keeps this total, and nobody will ever see it happen.
        scalars += [reduce_wide(stream[at : at + 64]) or 1 for at in range(0, len(stream), 64)]
    return scalars
