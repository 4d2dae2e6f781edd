"""The shuffle and its proof: B_i = k·A_π(i) for all i, with K = k·G (PROTOCOL.md, "P1 Shuffle").

Groth's argument for a shuffle of known content (ePrint 2005/246) shows that the committed m' are a permutation of the
public m; the equation V4 with one pinned exponent k ties them to the deck. The names are those of the paper: u, λ, x, e
are challenges, d and Δ (delta) blind, f, g, z answer. Permutations here count from 0; m_i = u_i + λ·i from 1.

K and C_π are absorbed before u. With either left out of the first challenge, false statements pass (tests/crypto).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import equality
from .cards import commit, generators
from .context import Context
from .equality import EqualityProof
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
from .hashing import framed, u64
from .products import multiples, sum_of_products
from .transcript import Transcript, fresh, secret_scalars

STATEMENT: Final = "shuffle"


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """Seven commitments and the responses, for n ≥ 2 cards: f has n entries, g has n-1."""

    c_pi: Point
    c_u: Point
    c_d: Point
    c_delta: Point
    c_a: Point
    t: Point
    t_k: Point
    f: tuple[int, ...]
    g: tuple[int, ...]
    z: int
    z_prime: int
    z_k: int

    @staticmethod
    def size(n: int) -> int:
        """Bytes of the proof for n cards."""
        return 7 * POINT_BYTES + (2 * n + 2) * SCALAR_BYTES

    def encode(self) -> bytes:
        points = (self.c_pi, self.c_u, self.c_d, self.c_delta, self.c_a, self.t, self.t_k)
        return join_points(points) + join_scalars((*self.f, *self.g, self.z, self.z_prime, self.z_k))

    @classmethod
    def read(cls, reader: Reader, n: int) -> ShuffleProof:
        c_pi, c_u, c_d, c_delta, c_a, t, t_k = reader.points(7)
        f = reader.scalars(n)
        g = reader.scalars(n - 1)
        z, z_prime, z_k = reader.scalars(3)
        return cls(c_pi, c_u, c_d, c_delta, c_a, t, t_k, f, g, z, z_prime, z_k)


@dataclass(frozen=True, slots=True)
class ShuffleStep:
    """What one seat adds to the deck: the masked and permuted cards B, K = k·G, and the proof."""

    deck: tuple[Point, ...]
    key: Point
    proof: ShuffleProof | EqualityProof

    @staticmethod
    def size(n: int) -> int:
        """Bytes of a step for n cards."""
        return (n + 1) * POINT_BYTES + (equality.PROOF_BYTES if n == 1 else ShuffleProof.size(n))

    def encode(self) -> bytes:
        return join_points(self.deck) + self.key.data + self.proof.encode()

    @classmethod
    def decode(cls, n: int, data: bytes) -> ShuffleStep:
        """DecodeError for a wrong length, a bad point or scalar, or a point twice in the deck."""
        reader = Reader(data, cls.size(n))
        deck = reader.points(n)
        key = reader.point()
        proof = EqualityProof.read(reader) if n == 1 else ShuffleProof.read(reader, n)
        reader.end()
        if len(set(deck)) != n:
            raise DecodeError("a point occurs twice in the deck")
        return cls(deck, key, proof)


class Prepared:
    """The work that needs no input deck: C_π, C_d, C_Δ and their openings. For one statement of one attempt only.

    Lives in memory only. `take` gives it out once.
    """

    __slots__ = ("_content", "_permutation", "_place")

    def __init__(self, place: bytes, permutation: tuple[int, ...], content: _Opening) -> None:
        self._place = place
        self._permutation = permutation
        self._content = [content]

    def take(self, ctx: Context, permutation: Sequence[int]) -> _Opening:
        """The openings; DeckError for another attempt, another permutation, or the second time."""
        if self._place != _place(ctx) or self._permutation != tuple(permutation):
            raise DeckError("the prepared values belong to another shuffle")
        try:
            return self._content.pop()  # atomic, so two threads cannot both have it
        except IndexError:
            raise DeckError("the prepared values have been used") from None

    def __repr__(self) -> str:
        return "Prepared(…)"


@dataclass(frozen=True, slots=True, repr=False)
class _Opening:
    c_pi: Point
    r_pi: int
    d: list[int]
    delta: list[int]
    c_d: Point
    r_d: int
    c_delta: Point
    r_delta: int


def _place(ctx: Context) -> bytes:
    numbers = (ctx.round, ctx.epoch, ctx.attempt, ctx.seat, ctx.n)
    return framed(ctx.table) + b"".join([u64(number) for number in numbers]) + framed(ctx.cards)


def check_permutation(permutation: Sequence[int], n: int) -> None:
    """DeckError unless this is a permutation of 0 … n-1."""
    if sorted(permutation) != list(range(n)):
        raise DeckError(f"not a permutation of {n}")


def prepare(
    ctx: Context, permutation: Sequence[int], secret: bytes, randbytes: RandBytes = os.urandom, *, so_far: bytes = b""
) -> Prepared:
    """Do ahead what needs no input deck (3n-1 mul, 3 by G, 3n-1 add); the slot of ctx does not matter.

    secret: bytes only this peer knows. The values come from HKDF(secret ‖ 32 fresh bytes; label ‖ place ‖ so_far), the
    last being the transcript's state where the statement is known already.
    """
    n = ctx.n
    check_permutation(permutation, n)
    if n < 2:
        raise DeckError("nothing can be prepared for one card")
    place = _place(ctx)
    values = secret_scalars(secret + fresh(randbytes), "shuffle ahead", place + so_far, 2 * n + 1)
    r_pi, r_d, r_delta = values[:3]
    d = values[3 : n + 3]
    delta = [d[0], *values[n + 3 :], 0]
    c_pi = commit([image + 1 for image in permutation], r_pi)
    c_d = commit(d, r_d)
    c_delta = commit([-delta[i] * d[i + 1] for i in range(n - 1)], r_delta)
    return Prepared(place, tuple(permutation), _Opening(c_pi, r_pi, d, delta, c_d, r_d, c_delta, r_delta))


def mask(deck: Sequence[Point], k: int, permutation: Sequence[int]) -> tuple[tuple[Point, ...], Point]:
    """(B, K) with B_i = k·deck[permutation[i]] and K = k·G: n mul and one by G."""
    return tuple(multiples([k] * len(permutation), [deck[image] for image in permutation])), mul_base(k)


def prove(
    ctx: Context,
    deck: Sequence[Point],
    k: int,
    permutation: Sequence[int],
    prepared: Prepared | None = None,
    randbytes: RandBytes = os.urandom,
) -> ShuffleStep:
    """Mask, permute and prove. `deck` must have been verified: shuffling planted points gives the permutation away.

    DeckError for a wrong length, something that is no permutation, k = 0, or prepared values that do not fit.
    """
    if len(deck) != ctx.n:
        raise DeckError(f"{len(deck)} cards where {ctx.n} are expected")
    check_permutation(permutation, ctx.n)
    if not 0 < k < ORDER:
        raise DeckError("the mask is not a scalar other than zero")
    masked, key = mask(deck, k, permutation)
    return ShuffleStep(
        masked, key, prove_statement(ctx, STATEMENT, deck, masked, key, k, permutation, prepared, randbytes)
    )


def prove_statement(
    ctx: Context,
    statement: str,
    a: Sequence[Point],
    b: Sequence[Point],
    key: Point,
    k: int,
    permutation: Sequence[int],
    prepared: Prepared | None = None,
    randbytes: RandBytes = os.urandom,
) -> ShuffleProof | EqualityProof:
    """The proof alone, under a statement label (3n-1 mul, 3 by G, 3n-2 add when prepared)."""
    n = ctx.n
    if n == 1:
        return equality.prove(ctx.transcript(f"{statement}, one"), a[0], b[0], key, k, randbytes)
    transcript = _begin(ctx, statement, a, b, key)
    if prepared is None:
        # One d under two challenges e shows the permutation, so it must not come twice even if random bytes do.
        prepared = prepare(ctx, permutation, encode_scalar(k), randbytes, so_far=transcript.state())
    opening = prepared.take(ctx, permutation)
    d, delta = opening.d, opening.delta

    u = _first_challenges(transcript, opening.c_pi, n)
    secret = encode_scalar(k) + b"".join([u64(image) for image in permutation])
    r_u, r_a, w = transcript.nonces(secret, "shuffle", 3, randbytes)
    c_u = commit([u[image] for image in permutation], r_u)
    lam, x = _second_challenges(transcript, c_u)

    m = [(value + lam * index) % ORDER for index, value in enumerate(u, 1)]
    m_prime = [m[image] for image in permutation]
    c_a_values = []
    product = m_prime[0] - x
    for i in range(n - 1):
        step = m_prime[i + 1] - x
        c_a_values.append((delta[i + 1] - step * delta[i] - product * d[i + 1]) % ORDER)
        product = product * step % ORDER
    c_a = commit(c_a_values, r_a)
    # T = Σ d_i·B_i - w·Σ m_i·A_i with B_i = k·A_π(i): one product for each A_j instead of two.
    weights = [-w * value for value in m]
    for i, image in enumerate(permutation):
        weights[image] += k * d[i]
    t = sum_of_products(weights, a)
    t_k = mul_base(w)
    e = _third_challenge(transcript, opening.c_d, opening.c_delta, c_a, t, t_k)

    return ShuffleProof(
        opening.c_pi,
        c_u,
        opening.c_d,
        opening.c_delta,
        c_a,
        t,
        t_k,
        f=tuple([(e * m_prime[i] + d[i]) % ORDER for i in range(n)]),
        g=tuple([(e * c_a_values[i] - delta[i] * d[i + 1]) % ORDER for i in range(n - 1)]),
        z=(e * (r_u + lam * opening.r_pi) + opening.r_d) % ORDER,
        z_prime=(e * r_a + opening.r_delta) % ORDER,
        z_k=(w + e * k) % ORDER,
    )


def verify(ctx: Context, deck: Sequence[Point], step: ShuffleStep) -> None:
    """VerificationError naming the equation unless step.deck is deck, permuted and masked by log(step.key)."""
    verify_statement(ctx, STATEMENT, deck, step.deck, step.key, step.proof)


def verify_statement(
    ctx: Context,
    statement: str,
    a: Sequence[Point],
    b: Sequence[Point],
    key: Point,
    proof: ShuffleProof | EqualityProof,
) -> None:
    """The same under another statement label (3n+6 mul, 2 by G, 3n+4 add)."""
    n = ctx.n
    if len(a) != n or len(b) != n:
        raise VerificationError(f"{statement} length", f"{len(a)} cards became {len(b)}, {n} expected")
    if key.is_identity or any(point.is_identity for point in b):
        raise VerificationError(f"{statement} points", "the identity is not allowed")
    if len(set(b)) != n:
        raise VerificationError(f"{statement} points", "a point occurs twice")
    if n == 1:
        if not isinstance(proof, EqualityProof):
            raise VerificationError(f"{statement} length", "one card is proven by equality of logarithms")
        equality.verify(ctx.transcript(f"{statement}, one"), a[0], b[0], key, proof, f"{statement} one")
        return
    if not isinstance(proof, ShuffleProof) or len(proof.f) != n or len(proof.g) != n - 1:
        raise VerificationError(f"{statement} length", "the proof has another size")

    transcript = _begin(ctx, statement, a, b, key)
    u = _first_challenges(transcript, proof.c_pi, n)
    lam, x = _second_challenges(transcript, proof.c_u)
    e = _third_challenge(transcript, proof.c_d, proof.c_delta, proof.c_a, proof.t, proof.t_k)
    m = [(value + lam * index) % ORDER for index, value in enumerate(u, 1)]
    f, g, z_k = proof.f, proof.g, proof.z_k

    # V1: F_1 = f_1 - e·x;  e·F_{i+1} = F_i·(f_{i+1} - e·x) + g_i;  F_n = e·∏(m_i - x).
    ex = e * x
    one_over_e = inverse(e)
    product = (f[0] - ex) % ORDER
    expected = (m[0] - x) * e % ORDER
    for i in range(n - 1):
        product = (product * (f[i + 1] - ex) + g[i]) * one_over_e % ORDER
        expected = expected * (m[i + 1] - x) % ORDER
    if product != expected:
        raise VerificationError(f"{statement} V1")

    # V2 and V3 in one: com(f + ρ·g; z + ρ·z') = e·(C_u + λ·C_π) + C_d + ρ·(e·C_a + C_Δ).
    rho = _weight(transcript, proof)
    opened = sum_of_products(
        [f[i] + rho * g[i] for i in range(n - 1)] + [f[n - 1]], generators(n), mul_base(proof.z + rho * proof.z_prime)
    )
    committed = e * (proof.c_u + lam * proof.c_pi) + proof.c_d + rho * (e * proof.c_a + proof.c_delta)
    if opened != committed:
        raise VerificationError(f"{statement} V2+V3")

    # V4: Σ f_i·B_i - z_k·Σ m_i·A_i = T.
    if sum_of_products(f, b) - z_k * sum_of_products(m, a) != proof.t:
        raise VerificationError(f"{statement} V4")

    # V5: z_k·G - e·K = T_K.
    if difference(z_k, None, e, key) != proof.t_k:
        raise VerificationError(f"{statement} V5")


def _begin(ctx: Context, statement: str, a: Sequence[Point], b: Sequence[Point], key: Point) -> Transcript:
    """A transcript that has absorbed the whole statement."""
    transcript = ctx.transcript(statement)
    transcript.append_points("A", a)
    transcript.append_points("B", b)
    transcript.append_point("K", key)
    return transcript


def _first_challenges(transcript: Transcript, c_pi: Point, n: int) -> list[int]:
    transcript.append_point("C_pi", c_pi)
    return transcript.challenges("u", n)


def _second_challenges(transcript: Transcript, c_u: Point) -> tuple[int, int]:
    transcript.append_point("C_u", c_u)
    return transcript.challenge("lambda"), transcript.challenge("x")


def _third_challenge(transcript: Transcript, c_d: Point, c_delta: Point, c_a: Point, t: Point, t_k: Point) -> int:
    for label, point in (("C_d", c_d), ("C_delta", c_delta), ("C_a", c_a), ("T", t), ("T_K", t_k)):
        transcript.append_point(label, point)
    return transcript.challenge_nonzero("e")


def _weight(transcript: Transcript, proof: ShuffleProof) -> int:
    """ρ, the random weight that lets V2 and V3 be one equation; it depends on every response."""
    transcript.append_scalars("f", proof.f)
    transcript.append_scalars("g", proof.g)
    for label, scalar in (("z", proof.z), ("z'", proof.z_prime), ("z_k", proof.z_k)):
        transcript.append_scalar(label, scalar)
    return transcript.challenge("rho")
