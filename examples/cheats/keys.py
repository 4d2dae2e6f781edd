"""Cheats with the keys that are owed: for the deal, a draw, the card that is turned up."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.p2p.bodies import keys_body
from nodealer.p2p.wire import decode

from examples.liar import Lie, LyingPlayer, Trick, when


def shares(kind: str, change: Callable[[list[bytes]], list[bytes]], *, least: int = 1, after: int = 0) -> Trick:
    """A trick that changes the keys of the first such entry from slot ``after`` on that holds at least so many."""

    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        (data,) = decode(body, max_bytes=1 << 16)
        keys = [data[i : i + 32] for i in range(0, len(data), 32)]
        if len(keys) < least or player.match.slot.number < after:
            return None
        return Lie(body=keys_body(change(keys)))

    return when(kind, lie)


def add(amount: int) -> Callable[[list[bytes]], list[bytes]]:
    def change(keys: list[bytes]) -> list[bytes]:
        value = int.from_bytes(keys[-1], "little") + amount
        return [*keys[:-1], value.to_bytes(32, "little")]

    return change
