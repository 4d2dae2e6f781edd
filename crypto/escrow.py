"""Pieces of keys, one for each other seat, so that a round survives who leaves it (PROTOCOL.md, "P3 Escrow").

For each holder q the giver draws σ_q (32 bytes); PRF(σ_q; place) gives the pieces t_qj, and PRF(σ_q; place, where and
what is locked) a scalar b_q that blinds. s_j = Σ_q t_qj. With its lock the giver publishes for each holder a *pledge*:
a hash of σ_q, the point B_q = b_q·G, and v_q = b_q + Σ_j ρ_j·t_qj with the weights ρ of the lock, which depend on all
hashes, all B and all tags; and seals σ_q to q. All check Σ_q v_q·G = Σ_q B_q + Σ_j ρ_j·S_j, and q that its σ fits the
hash and v_q. No σ is shown by this: each v_q is blinded. Pieces that did not add up to the keys would fit for one
weight in ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .context import EpochId
from .errors import DecodeError, VerificationError
from .group import ORDER, POINT_BYTES, SCALAR_BYTES, Point, Reader, encode_scalar, mul_base
from .hashing import digest, framed, u64
from .transcript import secret_scalars

SIGMA_BYTES: Final = 32
HASH_BYTES: Final = 32
PLEDGE_BYTES: Final = HASH_BYTES + POINT_BYTES + SCALAR_BYTES


@dataclass(frozen=True, slots=True, repr=False)
class Seed:
    """σ of one giver for one holder, with the pieces that come of it. Secret."""

    sigma: bytes
    info: bytes
    pieces: tuple[int, ...]

    @classmethod
    def make(cls, sigma: bytes, where: EpochId, giver: int, holder: int, n: int) -> Seed:
        """DecodeError for a σ of another length."""
        if len(sigma) != SIGMA_BYTES:
            raise DecodeError(f"an escrow seed is {SIGMA_BYTES} bytes, not {len(sigma)}")
        info = framed(where.table) + b"".join(
            [u64(number) for number in (where.round, where.epoch, where.attempt, giver, holder, n)]
        )
        return cls(sigma, info, tuple(secret_scalars(sigma, "escrow piece", info, n)))

    @property
    def commitment(self) -> bytes:
        return digest("escrow seed", self.sigma, self.info)

    def blind(self, lock_place: bytes) -> int:
        """b, another one for every deck and slot: two sums under one blind would show what is between them."""
        return secret_scalars(self.sigma, "escrow blind", self.info + lock_place, 1)[0]

    def answer(self, rho: Sequence[int], lock_place: bytes) -> int:
        """v = b + Σ ρ_j·t_j."""
        hidden = sum([weight * t for weight, t in zip(rho, self.pieces, strict=True)])
        return (self.blind(lock_place) + hidden) % ORDER


@dataclass(frozen=True, slots=True)
class Pledge:
    """What a giver says in public of one holder's pieces: the hash of σ, B = b·G, and v."""

    commitment: bytes
    blind: Point
    answer: int

    def encode(self) -> bytes:
        return self.commitment + self.blind.data + encode_scalar(self.answer)

    @classmethod
    def decode(cls, data: bytes) -> Pledge:
        """DecodeError for a wrong length, a bad point or scalar."""
        reader = Reader(data, PLEDGE_BYTES)
        pledge = cls(reader.take(HASH_BYTES), reader.point(), reader.scalar())
        reader.end()
        return pledge


def pledged(parts: Sequence[tuple[bytes, Point]]) -> bytes:
    """(hash of σ, B) of all holders in order: what the weights of the lock depend on."""
    return b"".join([commitment + blind.data for commitment, blind in parts])


def check_sum(tags_sum: Point, pledges: Sequence[Pledge]) -> None:
    """VerificationError("escrow sum") unless Σ_q v_q·G = Σ_q B_q + Σ_j ρ_j·S_j.

    One multiplication of G, and an addition for each holder.
    """
    total = tags_sum
    for pledge in pledges:
        total = total + pledge.blind
    if mul_base(sum(pledge.answer for pledge in pledges)) != total:
        raise VerificationError("escrow sum")


def open_pledge(
    sigma: bytes,
    pledge: Pledge,
    rho: Sequence[int],
    lock_place: bytes,
    where: EpochId,
    giver: int,
    holder: int,
    n: int,
) -> list[int]:
    """The pieces of a σ from a box or a publication; VerificationError("escrow piece") unless they are those pledged.

    rho: the weights of the giver's lock; lock_place: where it locked what (`deck.py`). No group operation.
    """
    seed = Seed.make(sigma, where, giver, holder, n)
    if seed.commitment != pledge.commitment or seed.answer(rho, lock_place) != pledge.answer:
        raise VerificationError("escrow piece")
    return list(seed.pieces)


def join_keys(shares: Sequence[Sequence[int]]) -> list[int]:
    """s_j = Σ_q t_jq from the pieces of all holders."""
    return [sum(column) % ORDER for column in zip(*shares, strict=True)]
