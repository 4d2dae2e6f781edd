"""The coin flip that seats the players (PROTOCOL.md, "The coin").

A hash over all shares in roster order, never an exclusive-or: a copied commitment would cancel in that one.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.crypto.hashing import digest


def coin_result(table: bytes, shares: Sequence[bytes]) -> bytes:
    """The joint randomness (32 bytes) of all shares, in roster order."""
    return digest("coin result", table, *shares)


def seating(coin: bytes, players: int) -> tuple[int, ...]:
    """A uniform permutation: the i-th item is the roster number of seat i. Fisher-Yates, draws by rejection."""
    order = list(range(players))
    counter = 0
    for last in range(players - 1, 0, -1):
        limit = 256 - 256 % (last + 1)
        while True:
            byte = digest("seat", coin, counter.to_bytes(4, "big"))[0]
            counter += 1
            if byte < limit:
                break
        pick = byte % (last + 1)
        order[last], order[pick] = order[pick], order[last]
    return tuple(order)
