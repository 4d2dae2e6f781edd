"""Helpers of these tests: places, small decks, and provers that do not keep to the protocol."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from nodealer.crypto import shuffle
from nodealer.crypto.cards import cards_hash, commit, deck_points
from nodealer.crypto.context import Context
from nodealer.crypto.group import (
    ORDER,
    Point,
    hash_to_point,
    inverse,
    mul_base,
    random_scalar,
)
from nodealer.crypto.products import sum_of_products
from nodealer.crypto.shuffle import ShuffleProof, ShuffleStep
from nodealer.crypto.transcript import Transcript

EDITION = "four-colors"
TABLE = b"t" * 32

Weakness = Literal["none", "late K", "no K", "late C_pi", "no C_pi"]


def place(n: int, **changes: int | bytes) -> Context:
    """A context for the first n cards."""
    ctx = Context(TABLE, 2, 1, 0, 3, 17, n, cards_hash(EDITION, range(n)))
    return replace(ctx, **changes)


def other_places(ctx: Context) -> list[Context]:
    """The same place with one thing changed, each thing once."""
    return [
        replace(ctx, table=b"u" * 32),
        replace(ctx, round=ctx.round + 1),
        replace(ctx, epoch=ctx.epoch + 1),
        replace(ctx, attempt=ctx.attempt + 1),
        replace(ctx, seat=ctx.seat + 1),
        replace(ctx, slot=ctx.slot + 1),
        replace(ctx, cards=b"c" * 32),
    ]


def deck(n: int) -> tuple[Point, ...]:
    return deck_points(EDITION, range(n))


def some_permutation(n: int) -> tuple[int, ...]:
    """A permutation that moves something, if anything can move."""
    order = list(range(n))
    random.Random(n).shuffle(order)
    return tuple(order[1:] + order[:1]) if order == sorted(order) else tuple(order)


def flip(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


class WeakTranscript(Transcript):
    """A transcript that holds one labelled point back until after challenge x, or for ever."""

    __slots__ = ("_for_ever", "_held", "_label")

    def __init__(self, label: str, for_ever: bool) -> None:
        super().__init__()
        self._label = label
        self._for_ever = for_ever
        self._held: Point | None = None

    def append_point(self, label: str, point: Point) -> None:
        if label == self._label:
            self._held = point
        else:
            super().append_point(label, point)

    def challenges(self, label: str, count: int) -> list[int]:
        result = super().challenges(label, count)
        if label == "x" and self._held is not None and not self._for_ever:
            super().append_point(self._label, self._held)
        return result


def weak_transcript(weakness: Weakness):
    """A replacement of `Context.transcript` with the named weakness."""
    when, label = weakness.split()
    honest = Context.transcript

    def transcript(ctx: Context, statement: str) -> Transcript:
        weak = WeakTranscript(label, when == "no")
        weak._hash = honest(ctx, statement)._hash
        return weak

    return transcript


def square_root(value: int) -> int | None:
    """A square root mod ORDER, which is 5 mod 8, or None."""
    value %= ORDER
    root = pow(value, (ORDER + 3) // 8, ORDER)
    if root * root % ORDER != value:
        root = root * pow(2, (ORDER - 1) // 4, ORDER) % ORDER
    return root if root * root % ORDER == value else None


def forge_on_related(
    ctx: Context,
    alpha: Sequence[int],
    beta: Sequence[int],
    weakness: Weakness,
    k: int | None = None,
    in_u: Sequence[int] | None = None,
    in_c_pi: Sequence[int] | None = None,
) -> tuple[list[Point], ShuffleStep]:
    """(A, a step) for A_j = alpha_j·P and B_i = beta_i·P, which need not be a shuffle of each other.

    It follows the protocol except where the named weakness lets it choose K or C_π after it has seen u, λ and x, and
    may commit to one order of u in C_u and to another in C_π.
    """
    n = ctx.n
    in_u, in_c_pi = in_u or range(n), in_c_pi or range(n)
    base = hash_to_point("test base")
    a = [value * base for value in alpha]
    b = tuple([value * base for value in beta])
    transcript = ctx.transcript(shuffle.STATEMENT)
    transcript.append_points("A", a)
    transcript.append_points("B", b)
    k = k or random_scalar()
    if not weakness.endswith(" K"):
        transcript.append_point("K", mul_base(k))
    r_pi, r_u, r_d, r_delta, r_a, w = (random_scalar() for _ in range(6))
    if not weakness.endswith("C_pi"):
        c_pi = commit([image + 1 for image in in_c_pi], r_pi)
        transcript.append_point("C_pi", c_pi)
    u = transcript.challenges("u", n)
    c_u = commit([u[image] for image in in_u], r_u)
    transcript.append_point("C_u", c_u)
    lam, x = transcript.challenge("lambda"), transcript.challenge("x")
    m = [(value + lam * index) % ORDER for index, value in enumerate(u, 1)]
    m_prime = [(u[i] + lam * (j + 1)) % ORDER for i, j in zip(in_u, in_c_pi, strict=True)]
    target = sum(x_ * y for x_, y in zip(m, alpha, strict=True)) % ORDER
    if weakness.endswith(" K"):
        # The one mask for which the weighted sums agree.
        k = sum(x_ * y for x_, y in zip(m_prime, beta, strict=True)) * inverse(target) % ORDER
        if weakness == "late K":
            transcript.append_point("K", mul_base(k))
    if weakness.endswith("C_pi"):
        # Any m' with the one product and the one weighted sum that x and V4 ask for; no permutation at all.
        m_prime = solve(m, x, beta, k * target % ORDER)
        c_pi = commit([(after - before) * inverse(lam) for after, before in zip(m_prime, u, strict=True)], r_pi)
        if weakness == "late C_pi":
            transcript.append_point("C_pi", c_pi)
    d = [random_scalar() for _ in range(n)]
    delta = [d[0], *[random_scalar() for _ in range(n - 2)], 0]
    c_d = commit(d, r_d)
    c_delta = commit([-delta[i] * d[i + 1] for i in range(n - 1)], r_delta)
    product, inner = m_prime[0] - x, []
    for i in range(n - 1):
        inner.append(delta[i + 1] - (m_prime[i + 1] - x) * delta[i] - product * d[i + 1])
        product = product * (m_prime[i + 1] - x) % ORDER
    c_a = commit(inner, r_a)
    t = sum_of_products(d, b) - w * sum_of_products(m, a)
    for label, point in (("C_d", c_d), ("C_delta", c_delta), ("C_a", c_a), ("T", t), ("T_K", mul_base(w))):
        transcript.append_point(label, point)
    e = transcript.challenge("e")
    proof = ShuffleProof(
        c_pi,
        c_u,
        c_d,
        c_delta,
        c_a,
        t,
        mul_base(w),
        f=tuple((e * m_prime[i] + d[i]) % ORDER for i in range(n)),
        g=tuple((e * inner[i] - delta[i] * d[i + 1]) % ORDER for i in range(n - 1)),
        z=(e * (r_u + lam * r_pi) + r_d) % ORDER,
        z_prime=(e * r_a + r_delta) % ORDER,
        z_k=(w + e * k) % ORDER,
    )
    return a, ShuffleStep(b, mul_base(k), proof)


def solve(m: list[int], x: int, beta: list[int], total: int) -> list[int]:
    """m' with ∏(m'_i - x) = ∏(m_i - x) and Σ beta_i·m'_i = total: all but two at random, those by a quadratic.

    With two cards only there may be no solution, every second time: ArithmeticError.
    """
    product = 1
    for value in m:
        product = product * (value - x) % ORDER
    while True:
        rest = [random_scalar() for _ in m[2:]]
        c, s = product, (total - x * sum(beta)) % ORDER
        for value, weight in zip(rest, beta[2:], strict=True):
            c = c * inverse(value) % ORDER
            s = (s - weight * value) % ORDER
        # y_1·y_2 = c and beta_1·y_1 + beta_2·y_2 = s.
        root = square_root(s * s - 4 * beta[0] * beta[1] * c)
        if root is not None:
            y_1 = (s + root) * inverse(2 * beta[0]) % ORDER
            return [(x + y) % ORDER for y in (y_1, c * inverse(y_1), *rest)]
        if not rest:
            raise ArithmeticError
