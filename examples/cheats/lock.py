"""Cheats with a lock."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.crypto import lock
from nodealer.crypto.context import Context
from nodealer.crypto.group import Point, hash_to_point, inverse, mul_base
from nodealer.crypto.lock import LockStep
from nodealer.p2p.wire import decode, encode

from examples.liar import Lie, LyingPlayer, Trick, when


class Locker:
    """What the cheat knows while it makes its lock."""

    def __init__(self, player: LyingPlayer) -> None:
        self.player = player
        self.deck = player._deck_being_made()
        secrets = player._secret(self.deck)
        self.k, self.keys = secrets._k, list(secrets._keys)
        self.ctx = self.deck.context(player.seat, player.match.slot.number)
        self.key = self.deck.mask_key(player.seat)
        self.before = self.deck.current
        self.tags = [mul_base(s) for s in self.keys]
        self.after = [s * inverse(self.k) * point for s, point in zip(self.keys, self.before, strict=True)]

    def prove(self, ctx: Context | None = None, *, key: Point | None = None, k: int | None = None) -> bytes:
        """The honest prover's program, told that this is the lock."""
        transcript = (ctx or self.ctx).transcript(lock.STATEMENT)
        key, k = key or self.key, k or self.k
        proof = lock.prove_statement(transcript, self.before, self.after, self.tags, key, k, self.keys)
        return LockStep(tuple(self.after), tuple(self.tags), proof).encode()


def locks(make: Callable[[Locker], bytes | None]) -> Trick:
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        data = make(Locker(player))
        pieces = decode(body, max_bytes=1 << 17)[1]
        return None if data is None else Lie(body=encode([data, pieces]))

    return when("lock", lie)


def another_key_than_its_tag(locker: Locker) -> None:
    locker.tags[7] = mul_base(locker.keys[7] + 1)


def another_card(locker: Locker) -> None:
    locker.after[7] = hash_to_point("a card of another deck")


def two_positions_exchanged(locker: Locker) -> None:
    locker.after[3], locker.after[4] = locker.after[4], locker.after[3]


def mask_left_on(locker: Locker) -> None:
    locker.after = [s * point for s, point in zip(locker.keys, locker.before, strict=True)]
