"""What a player does while others shuffle, and what it never does: mask a deck that it has not verified itself."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from nodealer.crypto import shuffle
from nodealer.crypto.cores import Ahead
from nodealer.crypto.deck import EpochDeck, EpochSecrets
from nodealer.crypto.shuffle import Prepared
from nodealer.p2p.slots import SlotKind

from examples.table import FAST, Table

OPTIONS = replace(FAST, seats=4, escrow=True)


def until_the_deal(table: Table) -> None:
    table.form()
    table.run(600, until=lambda: all(_kind(seated.peer) is SlotKind.KEYS for seated in table.seats))
    assert all(_kind(seated.peer) is SlotKind.KEYS for seated in table.seats)


def _kind(peer) -> SlotKind | None:
    return peer.match.slot.kind if peer.match is not None else None


def test_who_waits_prepares_its_shuffle_and_its_tags(monkeypatch):
    begun: list[Ahead] = []
    honest = Ahead.begin

    def begin(self: Ahead) -> None:
        if self not in begun:
            begun.append(self)
        honest(self)

    given: list[Prepared | None] = []
    prove = shuffle.prove

    def proving(ctx, deck, k, permutation, prepared=None, *rest):
        given.append(prepared)
        return prove(ctx, deck, k, permutation, prepared, *rest)

    monkeypatch.setattr(Ahead, "begin", begin)
    monkeypatch.setattr(shuffle, "prove", proving)
    until_the_deal(Table(4, OPTIONS, seed="prepare"))
    # The first has nobody to wait for; the others were ready. Each seat's tags are begun, beside that.
    assert [prepared is not None for prepared in given] == [False, True, True, True]
    assert len(begun) == 3 + 4


def test_a_player_masks_and_locks_only_what_it_has_verified_itself(monkeypatch):
    verified: dict[int, list[tuple[str, int]]] = defaultdict(list)
    made: list[tuple[str, int]] = []
    alive = []

    def spy_take(name: str) -> None:
        honest = getattr(EpochDeck, name)

        def take(self, seat, *rest, verified_before=verified, **more):
            honest(self, seat, *rest, **more)
            alive.append(self)
            verified_before[id(self)].append((name, seat if not more.get("verified") else -1))

        monkeypatch.setattr(EpochDeck, name, take)

    def spy_make(name: str, wanted) -> None:
        honest = getattr(EpochSecrets, name)

        def make(self, deck, *rest):
            assert verified[id(deck)] == wanted(self.seat), name
            made.append((name, self.seat))
            return honest(self, deck, *rest)

        monkeypatch.setattr(EpochSecrets, name, make)

    spy_take("take_shuffle")
    spy_take("take_lock")

    # Of its own step alone a player keeps that it is right (-1: not checked again).
    def own(name: str, mine: int, seats: range) -> list[tuple[str, int]]:
        return [(name, -1 if seat == mine else seat) for seat in seats]

    spy_make("make_shuffle", lambda seat: own("take_shuffle", seat, range(seat)))
    spy_make("make_lock", lambda seat: own("take_shuffle", seat, range(4)) + own("take_lock", seat, range(seat)))
    until_the_deal(Table(4, OPTIONS, seed="verify"))
    assert made == [(name, seat) for name in ("make_shuffle", "make_lock") for seat in range(4)]
