"""Peers that cheat with their lock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto.group import inverse, mul_base
from nodealer.p2p.wire import decode

from examples.cheats.lock import (
    Locker,
    another_card,
    another_key_than_its_tag,
    locks,
    mask_left_on,
    two_positions_exchanged,
)
from examples.liar import CheatTable, caught


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
