"""Card points and the generators of commitments: all by hash to group, so nobody knows a relation between any two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .group import Point, hash_to_point, mul_base
from .hashing import digest, u64
from .products import sum_of_products


@lru_cache(maxsize=1024)
def card_point(edition: str, card: int) -> Point:
    """M_c = hash to group of ("card", edition, card id)."""
    return hash_to_point("card", edition.encode(), u64(card))


def deck_points(edition: str, cards: Sequence[int]) -> tuple[Point, ...]:
    """D_0: the points of these card ids, in their order."""
    return tuple([card_point(edition, card) for card in cards])


def cards_hash(edition: str, cards: Sequence[int]) -> bytes:
    """32 bytes that stand for a list of card ids of an edition."""
    return digest("cards", edition.encode(), b"".join([u64(card) for card in cards]))


@lru_cache(maxsize=512)
def generator(index: int) -> Point:
    """H_index, index from 1: independent of G, of each other and of the cards."""
    return hash_to_point("generator", u64(index))


@lru_cache(maxsize=256)
def generators(count: int) -> tuple[Point, ...]:
    """H_1 … H_count."""
    return tuple([generator(index) for index in range(1, count + 1)])


def commit(values: Sequence[int], blinding: int) -> Point:
    """com(x; r) = r·G + Σ x_i·H_i (Pedersen), len(values) multiplications and additions and one multiplication by G."""
    return sum_of_products(values, generators(len(values)), mul_base(blinding))
