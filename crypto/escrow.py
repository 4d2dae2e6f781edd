"""Pieces of keys, one for each other seat, so that a round survives who leaves it (PROTOCOL.md, "P3 Escrow").

For each holder q the giver i draws σ_iq (32 bytes); t_ijq = PRF(σ_iq; place, j) and s_ij = Σ_q t_ijq. The lock entry
carries T_ijq = t_ijq·G and σ_iq sealed to q. All check Σ_q T_ijq = S_ij, and q that its box gives the T.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .context import EpochId
from .errors import DecodeError, VerificationError
from .group import ORDER, POINT_BYTES, Point, Reader, join_points, mul_base
from .hashing import framed, u64
from .transcript import secret_scalars

SIGMA_BYTES: Final = 32


def pieces(sigma: bytes, where: EpochId, giver: int, holder: int, n: int) -> list[int]:
    """t_j for all n positions: what `holder` keeps of the keys of `giver`. DecodeError for a σ of another length."""
    if len(sigma) != SIGMA_BYTES:
        raise DecodeError(f"an escrow seed is {SIGMA_BYTES} bytes, not {len(sigma)}")
    info = framed(where.table) + b"".join(
        [u64(number) for number in (where.round, where.epoch, where.attempt, giver, holder, n)]
    )
    return secret_scalars(sigma, "escrow piece", info, n)


def tags(shares: Sequence[int]) -> tuple[Point, ...]:
    """T_j = t_j·G: n multiplications of G."""
    return tuple([mul_base(share) for share in shares])


def encode_tags(points: Sequence[Point]) -> bytes:
    return join_points(points)


def decode_tags(n: int, data: bytes) -> tuple[Point, ...]:
    """n points; DecodeError for a wrong length or a bad point."""
    return Reader(data, n * POINT_BYTES).points(n)


def check_sum(key_tags: Sequence[Point], piece_tags: Sequence[Sequence[Point]]) -> None:
    """VerificationError("escrow sum") unless Σ_q T_jq = S_j for all j; piece_tags has one list for each holder."""
    if not piece_tags or any(len(column) != len(key_tags) for column in piece_tags):
        raise VerificationError("escrow length")
    for position, expected in enumerate(key_tags):
        total = piece_tags[0][position]
        for column in piece_tags[1:]:
            total = total + column[position]
        if total != expected:
            raise VerificationError("escrow sum", f"position {position}")


def open_pieces(
    sigma: bytes, piece_tags: Sequence[Point], where: EpochId, giver: int, holder: int, n: int
) -> list[int]:
    """The pieces of a σ from a box or a publication; VerificationError("escrow piece") unless t·G = T for all n."""
    shares = pieces(sigma, where, giver, holder, n)
    if len(piece_tags) != n:
        raise VerificationError("escrow length")
    for position, (share, tag) in enumerate(zip(shares, piece_tags, strict=True)):
        if mul_base(share) != tag:
            raise VerificationError("escrow piece", f"position {position}")
    return shares


def join_keys(shares: Sequence[Sequence[int]]) -> list[int]:
    """s_j = Σ_q t_jq from the pieces of all holders."""
    return [sum(column) % ORDER for column in zip(*shares, strict=True)]
