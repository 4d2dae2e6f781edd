"""The lock and its proof: k·L'_j = s_j·L_j, S_j = s_j·G, K = k·G for all j (PROTOCOL.md, "P2 Lock").

It takes the seat's common mask k off every position and puts a key of its own, s_j, on each. The proof is one of
knowledge of k and all s_j, sound for any L and L' without an assumption.

k·L'_j = s_j·L_j is shown position by position, and fixes every s_j; the tags are then compared in one sum with weights
ρ_j that depend on all of them. L_j and K are never folded into one base: that is forged by whoever knows the logarithm
between them, and so is a sum over the positions themselves (tests/crypto).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .context import Context
from .errors import DeckError, DecodeError, VerificationError
from .group import (
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    RandBytes,
    Reader,
    difference,
    encode_scalar,
    inverse,
    join_points,
    join_scalars,
    mul_base,
)
from .products import base_multiples, differences, multiples, sum_of_products
from .transcript import Transcript

STATEMENT: Final = "lock"


@dataclass(frozen=True, slots=True)
class LockProof:
    """Challenge e, responses z_k and z_1 … z_n."""

    e: int
    z_k: int
    z: tuple[int, ...]

    @staticmethod
    def size(n: int) -> int:
        return (n + 2) * SCALAR_BYTES

    def encode(self) -> bytes:
        return join_scalars((self.e, self.z_k, *self.z))

    @classmethod
    def read(cls, reader: Reader, n: int) -> LockProof:
        return cls(reader.scalar(), reader.scalar(), reader.scalars(n))


@dataclass(frozen=True, slots=True)
class LockStep:
    """What one seat adds: the deck L' under its own keys, the tags S_j = s_j·G, and the proof."""

    deck: tuple[Point, ...]
    tags: tuple[Point, ...]
    proof: LockProof

    @staticmethod
    def size(n: int) -> int:
        """Bytes of a step for n cards."""
        return 2 * n * POINT_BYTES + LockProof.size(n)

    def encode(self) -> bytes:
        return join_points(self.deck) + join_points(self.tags) + self.proof.encode()

    @classmethod
    def decode(cls, n: int, data: bytes) -> LockStep:
        """DecodeError for a wrong length, a bad point or scalar, or a point twice in the deck."""
        reader = Reader(data, cls.size(n))
        deck = reader.points(n)
        tags = reader.points(n)
        proof = LockProof.read(reader, n)
        reader.end()
        if len(set(deck)) != n:
            raise DecodeError("a point occurs twice in the deck")
        return cls(deck, tags, proof)


def prove(
    ctx: Context,
    deck: Sequence[Point],
    key: Point,
    k: int,
    keys: Sequence[int],
    randbytes: RandBytes = os.urandom,
    *,
    tags: Sequence[Point] | None = None,
    pledged: bytes = b"",
) -> LockStep:
    """Lock and prove: 2n mul, n+2 by G, or 2 by G when the tags s_j·G were made ahead.

    `key` is the K of this seat's shuffle, `keys` the s_j; `pledged` what the weights depend on besides (`escrow.py`).
    DeckError for wrong lengths or a key that is zero or not reduced.
    """
    if len(deck) != ctx.n or len(keys) != ctx.n:
        raise DeckError(f"{len(deck)} cards and {len(keys)} keys where {ctx.n} are expected")
    if not all(0 < scalar < ORDER for scalar in (k, *keys)):
        raise DeckError("a key is not a scalar other than zero")
    one_over_k = inverse(k)
    locked = multiples([s * one_over_k for s in keys], deck)
    tags = base_multiples(keys) if tags is None else tags
    proof = prove_statement(_transcript(ctx, pledged), deck, locked, tags, key, k, keys, randbytes)
    return LockStep(tuple(locked), tuple(tags), proof)


def prove_statement(
    transcript: Transcript,
    deck: Sequence[Point],
    locked: Sequence[Point],
    tags: Sequence[Point],
    key: Point,
    k: int,
    keys: Sequence[int],
    randbytes: RandBytes = os.urandom,
) -> LockProof:
    """The proof alone, for a transcript that holds the context: n mul, 2 by G."""
    rho = _weights(transcript, deck, locked, tags, key)
    w_k, *w = transcript.nonces(encode_scalar(k) + join_scalars(keys), "lock", len(deck) + 1, randbytes)
    # t_j = w_k·L'_j - w_j·L_j with L'_j = (s_j/k)·L_j: one multiplication.
    ratio = w_k * inverse(k) % ORDER
    t = multiples([ratio * s - w_j for s, w_j in zip(keys, w, strict=True)], deck)
    e = _challenge(transcript, t, mul_base(_weighted(rho, w)), mul_base(w_k))
    z = tuple([(w_j + e * s) % ORDER for w_j, s in zip(w, keys, strict=True)])
    return LockProof(e, (w_k + e * k) % ORDER, z)


def verify(
    ctx: Context, deck: Sequence[Point], key: Point, step: LockStep, *, pledged: bytes = b""
) -> tuple[list[int], Point]:
    """VerificationError unless step.deck and step.tags are deck locked with the k of `key` taken off.

    Gives the weights ρ and Σ ρ_j·S_j, which `escrow.py` goes on with.
    """
    n = ctx.n
    if not len(deck) == len(step.deck) == len(step.tags) == n:
        raise VerificationError("lock length", f"{n} cards are expected")
    if len(set(step.deck)) != n:
        raise VerificationError("lock points", "a point occurs twice")
    return verify_statement(_transcript(ctx, pledged), deck, step.deck, step.tags, key, step.proof, STATEMENT)


def weights(ctx: Context, deck: Sequence[Point], key: Point, step: LockStep, *, pledged: bytes = b"") -> list[int]:
    """The weights ρ of a step, for one's own and for one that was verified before."""
    return _weights(_transcript(ctx, pledged), deck, step.deck, step.tags, key)


def verify_statement(
    transcript: Transcript,
    deck: Sequence[Point],
    locked: Sequence[Point],
    tags: Sequence[Point],
    key: Point,
    proof: LockProof,
    check: str,
) -> tuple[list[int], Point]:
    """The proof alone, for a transcript that holds the context: 3n+2 mul, 2 by G, 2n+1 add."""
    if not len(deck) == len(locked) == len(tags) == len(proof.z):
        raise VerificationError(f"{check} length")
    if key.is_identity or any(point.is_identity for point in (*deck, *locked, *tags)):
        raise VerificationError(f"{check} points", "the identity is not allowed")
    if proof.e == 0:
        raise VerificationError(f"{check} challenge", "it is zero")
    rho = _weights(transcript, deck, locked, tags, key)
    e, z, z_k = proof.e, proof.z, proof.z_k
    t = differences([z_k] * len(z), locked, z, deck)
    tags_sum = sum_of_products(rho, tags)
    t_prime = difference(_weighted(rho, z), None, e, tags_sum)
    if _challenge(transcript, t, t_prime, difference(z_k, None, e, key)) != e:
        raise VerificationError(f"{check} proof")
    return rho, tags_sum


def _transcript(ctx: Context, pledged: bytes) -> Transcript:
    transcript = ctx.transcript(STATEMENT)
    if pledged:
        transcript.append("pledges", pledged)
    return transcript


def _weights(
    transcript: Transcript, deck: Sequence[Point], locked: Sequence[Point], tags: Sequence[Point], key: Point
) -> list[int]:
    """Absorb the whole statement; then the weights, which nobody knows before all tags stand."""
    transcript.append_points("L", deck)
    transcript.append_points("L'", locked)
    transcript.append_points("S", tags)
    transcript.append_point("K", key)
    return transcript.challenges("rho", len(deck))


def _weighted(rho: Sequence[int], scalars: Sequence[int]) -> int:
    return sum([weight * scalar for weight, scalar in zip(rho, scalars, strict=True)]) % ORDER


def _challenge(transcript: Transcript, t: Sequence[Point], t_prime: Point, t_k: Point) -> int:
    transcript.append_points("t", t)
    transcript.append_point("t'", t_prime)
    transcript.append_point("t_K", t_k)
    return transcript.challenge_nonzero("e")
