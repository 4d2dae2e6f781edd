"""Cheats with the pieces of one's keys, and with complaints about them."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.crypto.box import seal
from nodealer.crypto.escrow import Pledge
from nodealer.crypto.group import encode_scalar
from nodealer.p2p.wire import decode, encode

from examples.liar import Lie, LyingPlayer, Trick, when

Pieces = list[list[bytes]]


def pieces(change: Callable[[LyingPlayer, Pieces], None]) -> Trick:
    """The honest lock with other pieces."""

    def lie(player: LyingPlayer, body: bytes) -> Lie:
        data, given = decode(body, max_bytes=1 << 17)
        change(player, given)
        return Lie(body=encode([data, given]))

    return when("lock", lie)


def reseal(player: LyingPlayer, given: Pieces, plaintext: bytes, holder: int | None = None) -> None:
    """Another plaintext in the box of this holder (None: of the first)."""
    escrow, slot = player._escrow_being_made(), player.match.slot.number
    holders = escrow.holders(player.seat)
    holder = holders[0] if holder is None else holder
    ctx = escrow.deck.context(player.seat, slot)
    given[holders.index(holder)][1] = seal(ctx, holder, escrow._box_keys[holder], plaintext).encode()


def changed(given: Pieces, holder: int, commitment: bytes = b"", blind: bytes = b"", more: int = 0) -> None:
    """Another pledge to one holder."""
    old = Pledge.decode(given[holder][0])
    answer = encode_scalar(old.answer + more)
    given[holder][0] = (commitment or old.commitment) + (blind or old.blind.data) + answer


def complaint(make: Callable[[LyingPlayer, int], bytes], giver: int | None = None) -> Trick:
    """Instead of *epoch ok*, a complaint about an honest giver's box."""

    def lie(player: LyingPlayer, body: bytes) -> Lie:
        escrow = player._escrow_being_made()
        about = escrow.holders(player.seat)[0] if giver is None else giver
        return Lie(kind="escrow complaint", body=encode([about, make(player, about)]))

    return when("epoch ok", lie)


def true_opening(player: LyingPlayer, about: int) -> bytes:
    """What opens an honest giver's box, rightly proven: a complaint for nothing."""
    escrow = player._escrow_being_made()
    return escrow.complain(player.seat, player.match.slot.number, about, player._box_secret)
