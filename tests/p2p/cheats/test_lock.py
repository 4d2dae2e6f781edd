"""Peers that cheat with their lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from nodealer.crypto import lock
from nodealer.crypto.context import Context
from nodealer.crypto.group import Point, hash_to_point, inverse, mul_base
from nodealer.crypto.lock import LockStep
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, Lie, LyingPlayer, Trick, caught, when


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


@pytest.mark.parametrize("change", [another_key_than_its_tag, another_card, two_positions_exchanged, mask_left_on])
def test_a_wrong_lock(change):
    def make(locker: Locker) -> bytes:
        change(locker)
        return locker.prove()

    caught(CheatTable(locks(make)), "lock proof")


def test_a_lock_under_another_mask_than_the_shuffle():
    def make(locker: Locker) -> bytes:
        k = locker.k + 1
        locker.after = [s * inverse(k) * point for s, point in zip(locker.keys, locker.before, strict=True)]
        return locker.prove(key=mul_base(k), k=k)

    caught(CheatTable(locks(make)), "lock proof")


@pytest.mark.parametrize("field", ["table", "round", "seat"])
def test_a_proof_made_for_another_place(field):
    def make(locker: Locker) -> bytes:
        value = b"another table".ljust(32) if field == "table" else getattr(locker.ctx, field) + 1
        return locker.prove(replace(locker.ctx, **{field: value}))

    caught(CheatTable(locks(make)), "lock proof")


def test_the_lock_of_another_seat():
    def make(locker: Locker) -> bytes | None:
        if locker.player.seat == 0:
            return None
        earlier = locker.player.match.feed_of(0).entries
        (entry,) = [entry for entry in earlier if entry.header.kind == "lock"]
        return decode(entry.body, max_bytes=1 << 17)[0]

    caught(CheatTable(locks(make), seed="not the first seat"), "lock proof")


def test_a_key_of_zero():
    """The position would be the identity: a card that everybody can 'read'."""

    def make(locker: Locker) -> bytes:
        honest = locker.prove()
        tags = locker.deck.n * 32
        return bytes(32) + honest[32:tags] + bytes(32) + honest[tags + 32 :]

    caught(CheatTable(locks(make)), "encoding")


def test_two_equal_positions():
    def make(locker: Locker) -> bytes:
        locker.after[1] = locker.after[0]
        return locker.prove()

    caught(CheatTable(locks(make)), "encoding")
