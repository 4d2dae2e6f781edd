"""What every proof, box and commitment absorbs first: where in which match it stands (PROTOCOL.md, "P0 Context")."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .hashing import VERSION
from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class EpochId:
    """One attempt at one shuffle of one round at one table."""

    table: bytes
    round: int
    epoch: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Context:
    """A place in a match. A proof made for one place verifies at no other.

    table: the table id; seat: the writer; slot: the slot that the entry answers; n: the number of cards the statement
    is about; cards: `cards_hash` of their list. Integers are 0 … 2^64-1 (OverflowError on use otherwise).
    """

    table: bytes
    round: int
    epoch: int
    attempt: int
    seat: int
    slot: int
    n: int
    cards: bytes

    def about(self, n: int, cards: bytes) -> Context:
        """The same place for a statement about another list of cards."""
        return replace(self, n=n, cards=cards)

    def transcript(self, statement: str) -> Transcript:
        """A fresh transcript that has absorbed protocol version, statement label and this place."""
        transcript = Transcript()
        transcript.append("protocol", VERSION.encode())
        transcript.append("statement", statement.encode())
        transcript.append("table", self.table)
        for label, value in (
            ("round", self.round),
            ("epoch", self.epoch),
            ("attempt", self.attempt),
            ("seat", self.seat),
            ("slot", self.slot),
            ("n", self.n),
        ):
            transcript.append_int(label, value)
        transcript.append("cards", self.cards)
        return transcript
