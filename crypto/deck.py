"""The deck of one epoch as every peer sees it: the steps that made it, the keys that open it (PROTOCOL.md, "The deck").

Its verbs know no rule of the game. Every `take_…` checks completely before it changes anything, so a failed call leaves
the deck as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import escrow, lock, shuffle
from .cards import card_point, cards_hash, deck_points
from .context import Context, EpochId
from .epoch_secrets import EpochSecrets
from .errors import DeckError, VerificationError
from .escrow import Pledge
from .group import ORDER, Point, inverse, join_points, mul_base
from .hashing import digest, u64
from .lock import LockStep
from .shuffle import ShuffleStep

__all__ = ["EpochDeck", "EpochId", "EpochSecrets"]


class EpochDeck:
    """The public side of an epoch.

    cards: card ids in ascending order; seats: in seat order, those who shuffle and lock. Positions count from 0.
    """

    def __init__(self, where: EpochId, edition: str, cards: Sequence[int], seats: Sequence[int]) -> None:
        if not cards or list(cards) != sorted(set(cards)) or cards[0] < 0:
            raise DeckError("a deck is a list of different card ids in ascending order")
        if not seats or len(set(seats)) != len(seats):
            raise DeckError("a deck needs seats, each once")
        self.where = where
        self.edition = edition
        self.cards = tuple(cards)
        self.seats = tuple(seats)
        self.n = len(self.cards)
        self._hash = cards_hash(edition, self.cards)
        self._current = deck_points(edition, self.cards)
        self._faces = {point.data: card for point, card in zip(self._current, self.cards, strict=True)}
        self._masks: dict[int, Point] = {}
        self._tags: dict[int, tuple[Point, ...]] = {}
        # Of each lock: its weights and where it locked what, by which pledges are opened.
        self._lock_sums: dict[int, tuple[list[int], bytes]] = {}
        self._keys: dict[tuple[int, int], int] = {}
        self._commitments: dict[tuple[int, int], Point] = {}

    # Making the deck.

    def context(self, seat: int, slot: int) -> Context:
        """The context of an entry of this seat in this epoch."""
        where = self.where
        return Context(where.table, where.round, where.epoch, where.attempt, seat, slot, self.n, self._hash)

    @property
    def current(self) -> tuple[Point, ...]:
        """The points after the last step taken; the next step's input."""
        return self._current

    @property
    def input_hash(self) -> bytes:
        """The hash of the next step's input: what a seed is bound to before it shuffles."""
        return digest("epoch input", join_points(self._current))

    def lock_place(self, slot: int) -> bytes:
        """What blinds of escrow depend on: the slot and the input of the next lock.

        With the attempt and its secrets they fix all that the weights of that lock depend on.
        """
        return u64(slot) + self.input_hash

    @property
    def next_shuffle(self) -> int | None:
        """The seat whose shuffle is awaited, or None when all have shuffled."""
        return self.seats[len(self._masks)] if len(self._masks) < len(self.seats) else None

    @property
    def next_lock(self) -> int | None:
        """The seat whose lock is awaited, or None while there are shuffles to come and when all have locked."""
        if self.next_shuffle is not None or self.locked:
            return None
        return self.seats[len(self._tags)]

    @property
    def locked(self) -> bool:
        """All shuffles and locks are in: positions exist now."""
        return len(self._tags) == len(self.seats)

    def has_shuffled(self, seat: int) -> bool:
        """Whether this seat's shuffle is in."""
        return seat in self._masks

    def mask_key(self, seat: int) -> Point:
        """K of this seat's shuffle; DeckError before it is in."""
        if seat not in self._masks:
            raise DeckError(f"seat {seat} has not shuffled")
        return self._masks[seat]

    def take_shuffle(self, seat: int, slot: int, data: bytes, *, verified: bool = False) -> None:
        """Decode and verify the next seat's `ShuffleStep`, then make it the deck.

        verified: skip the proof (never the decoding), for an entry that this peer has verified before and kept.
        DecodeError, VerificationError; DeckError if it is another seat's turn.
        """
        if seat != self.next_shuffle:
            raise DeckError(f"a shuffle of seat {seat} is not awaited")
        step = ShuffleStep.decode(self.n, data)
        if not verified:
            shuffle.verify(self.context(seat, slot), self._current, step)
        self._masks[seat] = step.key
        self._current = step.deck

    def take_lock(
        self, seat: int, slot: int, data: bytes, pledges: Sequence[Pledge] = (), *, verified: bool = False
    ) -> None:
        """Decode and verify the next seat's `LockStep`, then make it the deck; errors as for `take_shuffle`.

        pledges: with escrow, what the lock pledges to each holder; checked against its tags.
        """
        if seat != self.next_lock:
            raise DeckError(f"a lock of seat {seat} is not awaited")
        step = LockStep.decode(self.n, data)
        ctx, key = self.context(seat, slot), self._masks[seat]
        pledged = escrow.pledged([(pledge.commitment, pledge.blind) for pledge in pledges])
        if verified:
            rho = lock.weights(ctx, self._current, key, step, pledged=pledged)
        else:
            rho, tags_sum = lock.verify(ctx, self._current, key, step, pledged=pledged)
            if pledges:
                escrow.check_sum(tags_sum, pledges)
        self._tags[seat] = step.tags
        self._lock_sums[seat] = rho, self.lock_place(slot)
        self._current = step.deck

    # Opening it.

    def tags(self, seat: int) -> tuple[Point, ...]:
        """S of all this seat's keys, by position; DeckError before its lock is in."""
        if seat not in self._tags:
            raise DeckError(f"seat {seat} has not locked")
        return self._tags[seat]

    def open_pledge(self, giver: int, holder: int, pledge: Pledge, sigma: bytes) -> list[int]:
        """The pieces of the giver's keys that σ gives this holder; errors as for `escrow.open_pledge`, and DeckError
        before the giver's lock is in."""
        if giver not in self._lock_sums:
            raise DeckError(f"seat {giver} has not locked")
        return escrow.open_pledge(sigma, pledge, *self._lock_sums[giver], self.where, giver, holder, self.n)

    def tag(self, seat: int, position: int) -> Point:
        """S = s·G of this seat's key for this position."""
        self._check(seat, position)
        return self._tags[seat][position]

    def take_key(self, seat: int, position: int, key: int) -> None:
        """Remember a published key; VerificationError("key share") unless key·G = S."""
        self._check_key(seat, position, key, "key share")
        self._keys[seat, position] = key

    def key_of(self, seat: int, position: int) -> int | None:
        """The key of this seat for this position, if it is known."""
        self._check(seat, position)
        return self._keys.get((seat, position))

    def missing(self, position: int) -> frozenset[int]:
        """The seats whose key for this position is not known."""
        self._check(self.seats[0], position)
        return frozenset(seat for seat in self.seats if (seat, position) not in self._keys)

    def commitment(self, position: int, owner: int) -> Point:
        """Y = s_owner·M_c, what is left of the position when all other seats' keys are taken off.

        It commits the owner to the card. DeckError while another seat's key is not known.
        """
        self._check(owner, position)
        known = self._commitments.get((owner, position))
        if known is None:
            known = self._without(position, [seat for seat in self.seats if seat != owner])
            self._commitments[owner, position] = known
        return known

    def face(self, position: int) -> int:
        """The card id at a position whose keys are all known; DeckError if one is missing or it is no card."""
        self._check(self.seats[0], position)
        return self.card_at(self._without(position, self.seats))

    def card_at(self, point: Point) -> int:
        """The card id of an unmasked point. DeckError if it is none: then a proof was unsound, stop the match."""
        card = self._faces.get(point.data)
        if card is None:
            raise DeckError("a position holds no card of this deck: a proof was unsound")
        return card

    def check_show(self, seat: int, position: int, card: int, key: int) -> None:
        """Check that the owner of a position shows its true card, then remember the key.

        VerificationError("shown key") unless key·G = S, ("shown face") unless key·M_card = Y. Both are needed: S makes
        the key unique, and only then does Y fix the card. DeckError while another seat's key is not known.
        """
        committed = self.commitment(position, seat)
        self._check_key(seat, position, key, "shown key")
        if card not in self._faces.values() or key * card_point(self.edition, card) != committed:
            raise VerificationError("shown face", f"position {position} is not card {card}")
        self._keys[seat, position] = key

    def _check(self, seat: int, position: int) -> None:
        if not self.locked:
            raise DeckError("the deck is not locked yet")
        if seat not in self._tags:
            raise DeckError(f"seat {seat} has no part in this deck")
        if not 0 <= position < self.n:
            raise DeckError(f"there is no position {position} in a deck of {self.n}")

    def _check_key(self, seat: int, position: int, key: int, check: str) -> None:
        tag = self.tag(seat, position)
        if not 0 < key < ORDER or mul_base(key) != tag:
            raise VerificationError(check, f"seat {seat}, position {position}")

    def _without(self, position: int, seats: Sequence[int]) -> Point:
        product = 1
        for seat in seats:
            key = self._keys.get((seat, position))
            if key is None:
                raise DeckError(f"the key of seat {seat} for position {position} is not known")
            product = product * key % ORDER
        # With one seat alone there is nothing to take off.
        return self._current[position] if product == 1 else inverse(product) * self._current[position]
