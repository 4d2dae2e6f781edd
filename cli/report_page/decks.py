"""The decks of the running round as far as they are shown: which card lay where, and for whom.

When a round has ended with all hands open its decks go into the fairness sample and are forgotten but for a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nodealer import engine

from .fairness import Cells, Sample, class_names

# Pictures of decks on one page.
MAX_PICTURES = 60


@dataclass(slots=True)
class Deck:
    """An epoch's deck: its cards, the faces shown by position, and for whom each position was dealt."""

    round: int
    epoch: int
    cards: tuple[int, ...]
    faces: dict[int, int] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    # Positions are dealt from the front: so many are gone.
    dealt: int = 0


class Decks:
    """``samples`` by edition are shared by all transcripts of one run; a deck that is given twice counts once."""

    def __init__(self, samples: dict[str, Sample]) -> None:
        self.samples = samples
        self.pictures: list[Deck] = []
        self.not_pictured = 0
        self.seats: list[Cells] = []
        self._table = b""
        self._sample: Sample | None = None
        self._decks: list[Deck] = []

    def table_made(self, table: bytes, edition: str, seats: int) -> None:
        self._table = table
        rules = engine.EDITIONS[edition]
        self._sample = self.samples.setdefault(edition, Sample(rules))
        self.seats = [Cells.empty(len(class_names(rules))) for _ in range(seats)]

    def made(self, round: int, epoch: int, cards: tuple[int, ...]) -> None:
        self._decks.append(Deck(round, epoch, cards))
        if len(self.pictures) < MAX_PICTURES:
            self.pictures.append(self._decks[-1])
        else:
            self.not_pictured += 1

    def opened(self, cards: engine.Shown) -> None:
        for handle, card in cards:
            deck = self._decks[handle.epoch]
            deck.faces[handle.index] = card
            deck.dealt = max(deck.dealt, handle.index + 1)

    def dealt(self, seat: int, handles: Sequence[engine.Handle]) -> None:
        for handle in handles:
            deck = self._decks[handle.epoch]
            deck.owners[handle.index] = seat
            deck.dealt = max(deck.dealt, handle.index + 1)

    def round_ended(self, *, complete: bool) -> None:
        """``complete``: with a winner, and so with every hand opened."""
        sample = self._sample
        for deck in self._decks:
            if sample is None:
                break
            key = (self._table, deck.round, deck.epoch)
            if key in sample.seen:
                sample.doubles += 1
                continue
            owners = {place: self.seats[seat] for place, seat in deck.owners.items()}
            known = complete and sample.take(deck.cards, deck.faces, deck.dealt, owners)
            (sample.seen if known else sample.skipped).add(key)
        self._decks = []

    def finish(self) -> None:
        """The transcript ends: the decks of an unfinished round are left out."""
        if self._decks:
            self.round_ended(complete=False)
