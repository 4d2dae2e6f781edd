"""Escrow of keys inside the lock: each other seat gets a sealed piece of every key, checked before the deal.

proofs §3: with it the round goes on without a seat that has gone, since the others' pieces sum up to its keys. Here is
what one epoch's givers gave, who may complain about it, and how a complaint is settled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nodealer.crypto.box import Box, Complaint, complain, open_box, open_shared, seal
from nodealer.crypto.context import Context
from nodealer.crypto.deck import EpochDeck, EpochSecrets
from nodealer.crypto.errors import CryptoError, VerificationError
from nodealer.crypto.escrow import SIGMA_BYTES, Pledge
from nodealer.crypto.group import Point


@dataclass(frozen=True, slots=True)
class Piece:
    """What a giver gave to one holder: what it said of the pieces in public, and the sealed seed they come from."""

    pledge: Pledge
    box: Box


class EpochEscrow:
    """The pieces of one epoch. ``box_keys`` holds every seat's Z; seats are those of the deck, in order."""

    def __init__(self, deck: EpochDeck, box_keys: Mapping[int, Point]) -> None:
        self.deck = deck
        self._box_keys = box_keys
        self._places: dict[int, Context] = {}
        self.given: dict[int, dict[int, Piece]] = {}

    def holders(self, giver: int) -> tuple[int, ...]:
        """The seats that hold a piece of this giver's keys, in the order in which its lock lists them."""
        return tuple(seat for seat in self.deck.seats if seat != giver)

    def give(
        self, secrets: EpochSecrets, giver: int, slot: int, randbytes: Callable[[int], bytes] = os.urandom
    ) -> list[list[bytes]]:
        """The pieces of one's own lock, once it is made, as they stand in its body: [pledge, box] for each holder."""
        ctx = self.deck.context(giver, slot)
        return [
            [
                secrets.pledge(holder).encode(),
                seal(ctx, holder, self._box_keys[holder], secrets.sigma(holder), randbytes).encode(),
            ]
            for holder in self.holders(giver)
        ]

    def take(self, giver: int, slot: int, pieces: Sequence[tuple[bytes, bytes]], *, verified: bool = False) -> None:
        """Check the pieces of a lock that the deck is about to take, but for their sum, which the lock itself shows.

        Raises the errors of `crypto`.
        """
        holders = self.holders(giver)
        if len(pieces) != len(holders):
            raise VerificationError("escrow length", f"{len(pieces)} pieces for {len(holders)} holders")
        ctx = self.deck.context(giver, slot)
        given = {
            holder: Piece(Pledge.decode(pledge), Box.decode(SIGMA_BYTES, box))
            for holder, (pledge, box) in zip(holders, pieces, strict=True)
        }
        if not verified:
            for holder, piece in given.items():
                piece.box.verify(ctx, holder, self._box_keys[holder])
        self.given[giver] = given
        self._places[giver] = ctx

    def pledges(self, giver: int) -> list[Pledge]:
        """What this giver's lock pledges, holder by holder."""
        return [piece.pledge for piece in self.given[giver].values()]

    def open_own(self, holder: int, giver: int, secret: int) -> bytes:
        """The seed sealed to oneself; raises ``CryptoError`` if it is not the one pledged: then complain."""
        piece = self.given[giver][holder]
        sigma = open_box(self._places[giver], holder, secret, piece.box)
        self.check_seed(giver, holder, sigma)
        return sigma

    def check_seed(self, giver: int, holder: int, sigma: bytes) -> list[int]:
        """The pieces that a seed stands for; raises ``CryptoError`` if they are not those pledged."""
        return self.deck.open_pledge(giver, holder, self.given[giver][holder].pledge, sigma)

    def complain(
        self, holder: int, slot: int, giver: int, secret: int, randbytes: Callable[[int], bytes] = os.urandom
    ) -> bytes:
        """A complaint about the giver's box to oneself."""
        ctx = self.deck.context(holder, slot)
        return complain(ctx, self._places[giver], secret, self.given[giver][holder].box, randbytes).encode()

    def upheld(self, holder: int, slot: int, giver: int, data: bytes) -> bool:
        """Whether a complaint is right; raises ``CryptoError`` if it is none at all."""
        complaint = Complaint.decode(data)
        piece, place, key = self.given[giver][holder], self._places[giver], self._box_keys[holder]
        complaint.verify(self.deck.context(holder, slot), place, key, piece.box)
        try:
            self.check_seed(giver, holder, open_shared(place, holder, key, piece.box, complaint.shared))
        except CryptoError:
            return True
        return False
