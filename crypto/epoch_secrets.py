"""One seat's own secrets in one attempt at an epoch: mask, permutation and keys, all from one seed.

The seed is journalled before its first use and never serves another attempt: with the same mask and permutation on a
second input the permutation can be read off.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from . import escrow, lock, shuffle
from .context import EpochId
from .cores import Ahead
from .errors import DeckError
from .escrow import Pledge, Seed
from .group import RandBytes, inverse, mul_base
from .hashing import expand, framed, u64
from .permutation import permutation
from .products import base_multiples
from .shuffle import Prepared
from .transcript import fresh, secret_scalars

if TYPE_CHECKING:
    from .deck import EpochDeck

SEED_BYTES: Final = 32


class EpochSecrets:
    """The secret side of an epoch for one seat.

    seed: 32 secret bytes, drawn for this attempt alone. holders: with escrow, the other seats, each of which will hold
    one piece of every key; without, empty. Nothing of this is ever printed.
    """

    def __init__(self, seed: bytes, where: EpochId, seat: int, n: int, holders: Sequence[int] = ()) -> None:
        if len(seed) != SEED_BYTES:
            raise DeckError(f"an epoch seed is {SEED_BYTES} bytes, not {len(seed)}")
        if n < 1 or seat in holders or len(set(holders)) != len(holders):
            raise DeckError("an epoch needs cards, and other seats as holders")
        self.where = where
        self.seat = seat
        self.n = n
        self._seed = seed
        self._info = framed(where.table) + b"".join(
            [u64(number) for number in (where.round, where.epoch, where.attempt, seat, n)]
        )
        (self._k,) = secret_scalars(seed, "epoch mask", self._info, 1)
        self._permutation = permutation(seed, "epoch permutation", self._info, n)
        self._sigmas = {
            holder: expand(seed, "epoch escrow", escrow.SIGMA_BYTES, self._info + u64(holder)) for holder in holders
        }
        self._seeds = {holder: Seed.make(sigma, where, seat, holder, n) for holder, sigma in self._sigmas.items()}
        if holders:
            self._keys = escrow.join_keys([given.pieces for given in self._seeds.values()])
        else:
            self._keys = secret_scalars(seed, "epoch keys", self._info, n)
        # What needs no deck: half of the shuffle proof, and the tags of all keys.
        self._half_proof: Ahead[Prepared] | None = None
        self._tags = Ahead(partial(base_multiples, self._keys))
        self._pledges: dict[int, Pledge] = {}
        self._input: bytes | None = None

    def __repr__(self) -> str:
        return f"EpochSecrets(seat={self.seat}, …)"

    def prepare(self, deck: EpochDeck, randbytes: RandBytes = os.urandom) -> None:
        """Begin, in the background, what needs no input, while others shuffle. Kept in memory, for this attempt alone.

        Returns at once; `make_shuffle` and `make_lock` use what is ready, and wait for what is being made.
        """
        self._check(deck)
        if self.n > 1 and self._half_proof is None and self._input is None:
            ctx, randomness = deck.context(self.seat, 0), fresh(randbytes)
            make = partial(shuffle.prepare, ctx, self._permutation, self._seed, lambda _: randomness)
            self._half_proof = Ahead(make)
            self._half_proof.begin()
        self._tags.begin()

    def make_shuffle(self, deck: EpochDeck, slot: int, randbytes: RandBytes = os.urandom) -> bytes:
        """The bytes of this seat's `ShuffleStep` on the deck as it stands.

        The deck must have taken, hence verified, every step before; DeckError if it is not this seat's turn, or if
        these secrets have been used on another input.
        """
        self._check(deck)
        if deck.next_shuffle != self.seat:
            raise DeckError(f"it is not the turn of seat {self.seat} to shuffle")
        used = deck.input_hash
        if self._input is not None and self._input != used:
            raise DeckError("these secrets have shuffled another deck")
        self._input = used
        # The prepared values serve for one proof; a second one about the same deck makes its own.
        begun, self._half_proof = self._half_proof, None
        prepared = None if begun is None else begun.needed()
        ctx = deck.context(self.seat, slot)
        step = shuffle.prove(ctx, deck.current, self._k, self._permutation, prepared, randbytes)
        self._tags.begin()
        return step.encode()

    def make_lock(self, deck: EpochDeck, slot: int, randbytes: RandBytes = os.urandom) -> bytes:
        """The bytes of this seat's `LockStep` on the deck as it stands; DeckError if it is not this seat's turn.

        With escrow the `pledge` of every holder stands from now on.
        """
        self._check(deck)
        if deck.next_lock != self.seat:
            raise DeckError(f"it is not the turn of seat {self.seat} to lock")
        ctx, before, key = deck.context(self.seat, slot), deck.current, deck.mask_key(self.seat)
        tags = self._tags.needed()
        place = deck.lock_place(slot)
        blinds = {holder: mul_base(given.blind(place)) for holder, given in self._seeds.items()}
        pledged = escrow.pledged([(given.commitment, blinds[holder]) for holder, given in self._seeds.items()])
        step = lock.prove(ctx, before, key, self._k, self._keys, randbytes, tags=tags, pledged=pledged)
        if self._seeds:
            rho = lock.weights(ctx, before, key, step, pledged=pledged)
            self._pledges = {
                holder: Pledge(given.commitment, blinds[holder], given.answer(rho, place))
                for holder, given in self._seeds.items()
            }
        return step.encode()

    def key(self, position: int) -> int:
        """s_j, the key of a position; it leaves this peer only when the public state says so."""
        if not 0 <= position < self.n:
            raise DeckError(f"there is no position {position} in a deck of {self.n}")
        return self._keys[position]

    def read(self, deck: EpochDeck, position: int) -> int:
        """The card id of an own position; needs the others' keys. DeckError if one is missing or it is no card."""
        self._check(deck)
        return deck.card_at(inverse(self.key(position)) * deck.commitment(position, self.seat))

    def sigma(self, holder: int) -> bytes:
        """The 32 bytes from which this holder's pieces of all keys come (escrow); they are sealed to it."""
        if holder not in self._sigmas:
            raise DeckError(f"seat {holder} holds no pieces of this epoch")
        return self._sigmas[holder]

    def pledge(self, holder: int) -> Pledge:
        """What is published with the lock about this holder's pieces; DeckError before it is made."""
        if holder not in self._pledges:
            raise DeckError(f"nothing is pledged to seat {holder} in this epoch yet")
        return self._pledges[holder]

    def _check(self, deck: EpochDeck) -> None:
        if deck.where != self.where or deck.n != self.n or self.seat not in deck.seats:
            raise DeckError("these secrets belong to another epoch")
