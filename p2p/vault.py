"""The secrets of one seat in one match: each is drawn once, recorded before its first use, and found again after a
crash. Nothing else in the program draws a secret that an entry depends on.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from nodealer import engine
from nodealer.crypto.context import EpochId
from nodealer.crypto.group import random_scalar

from .book import Book
from .entry import HASH
from .errors import LocalProtocolError
from .journal import Saved, record_challenge, record_choice, record_seed

SEED = 32


class UsedElsewhere(LocalProtocolError):
    """This seat's secrets or feed were used by another program, or by this one before its disk was set back."""


class Vault:
    """Secrets by what they are for. ``randbytes`` is the operating system's randomness; tests give their own."""

    def __init__(self, book: Book, randbytes: Callable[[int], bytes] = os.urandom, saved: Saved | None = None) -> None:
        self.randbytes = randbytes
        self._book = book
        self._seeds: dict[EpochId, bytes] = {}
        # What each seed has shuffled: recorded, and refused for any other deck.
        self._inputs: dict[EpochId, bytes] = {}
        self.challenge: int | None = None
        self.choice: tuple[bytes, engine.Shown] | None = None
        if saved is not None:
            self._seeds = {where: seed for where, (_, seed) in saved.seeds.items()}
            self._inputs = {where: deck for where, (deck, _) in saved.seeds.items()}
            self.challenge, self.choice = saved.challenge, saved.choice

    def __repr__(self) -> str:
        return "Vault(…)"

    def seed(self, where: EpochId) -> bytes:
        """The seed of this attempt at this epoch, which serves no other. It stays in memory until ``commit``."""
        if where not in self._seeds:
            # A round's seeds serve until its hands are opened; those of earlier rounds are dropped.
            self._seeds = {old: seed for old, seed in self._seeds.items() if old.round >= where.round - 1}
            self._seeds[where] = self.randbytes(SEED)
        return self._seeds[where]

    def commit(self, where: EpochId, deck: bytes) -> None:
        """Record the seed with the hash of the deck that it is about to shuffle; raises ``UsedElsewhere``."""
        before = self._inputs.get(where)
        if before is None:
            self._inputs[where] = deck
            self._book.private(record_seed(where, deck, self.seed(where)))
        elif before != deck:
            raise UsedElsewhere("The seed of this shuffle was made for another deck")

    def knows(self, where: EpochId) -> bool:
        """Whether this attempt has been shuffled for."""
        return where in self._inputs

    def new_challenge(self, slot: int) -> int:
        """A one-time key for a challenge in this slot."""
        self.challenge = random_scalar(self.randbytes)
        self._book.private(record_challenge(slot, self.challenge))
        return self.challenge

    def new_choice(self, slot: int, cards: engine.Shown) -> bytes:
        """The salt that seals this choice."""
        salt = self.randbytes(HASH)
        self.choice = (salt, cards)
        self._book.private(record_choice(slot, salt, cards))
        return salt
