"""The public state of a match: one frozen value, the same at every peer.

Theory of operation. `State.pending` says what the state waits for; `State.agenda` lists what is still to happen once
that has come, first step first. A play puts its whole consequence on the agenda at once (draws, window, next turn);
the agenda runs until a step has to wait, which sets `pending`. So every rule about an order of events is the order of
a short list in `plays.py`, `wild_four.py`, `specials.py` or `rounds.py`, and everything still owed is in the digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple

from .actions import Action
from .editions import MAX_RESHUFFLES, Edition
from .ids import Handle, Seat
from .options import Options


class Kind(StrEnum):
    """What the named seats owe."""

    COLOUR = "colour"
    MOVE = "move"
    DRAWN = "drawn"
    DRAW = "draw"
    ANSWER = "answer"
    WINDOW = "window"
    ACCEPT = "accept"
    VERDICT = "verdict"
    SEEN = "seen"
    SHOW = "show"
    CHOOSE = "choose"
    OPEN = "open"
    ROUND_END = "round end"
    END = "end"


@dataclass(frozen=True, slots=True)
class NeedEpoch:
    """A joint shuffle of these card ids (sorted), as epoch `State.epoch`; then `EpochReady`."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NeedKeys:
    """These handles, already in these hands, are to be made readable for their owners; then `KeysReleased`."""

    deals: tuple[tuple[Seat, tuple[Handle, ...]], ...]


@dataclass(frozen=True, slots=True)
class NeedFace:
    """This card, the top of the draw pile, is turned up; then `TurnUp`."""

    handle: Handle


@dataclass(frozen=True, slots=True)
class NeedActions:
    """Each of these seats (ascending) owes one action of this kind; `State.owing` are those that have not acted."""

    kind: Kind
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class MatchOver:
    """Nothing more will happen."""


Pending = NeedEpoch | NeedKeys | NeedFace | NeedActions | MatchOver


class Step(IntEnum):
    """What can stand on the agenda. The comment names the arguments that a step uses."""

    FIRST_DEAL = 0  # seven cards each
    TURN_UP = 1  # the first card
    FORCED = 2  # deals: ask for "I draw", then DEAL
    DEAL = 3  # deals: hand cards out, reshuffling where the pile ends
    DRAWN = 4  # seat: play the drawn card or keep it
    WINDOW = 5  # seat, flag (called with the play): the UNO duty
    ANSWER = 6  # the next seat faces the stack
    SKIP = 7  # seat: loses its turn
    NEXT = 8  # the next seat's turn
    OPEN = 9  # the others open their hands
    SCORE = 10  # count what was opened


class Task(NamedTuple):
    """One step of the agenda with its arguments."""

    step: Step
    seat: Seat = Seat(-1)
    flag: bool = False
    deals: tuple[tuple[Seat, int], ...] = ()


class ChallengeCase(NamedTuple):
    """An open question about a Wild Draw Four: who played it, the rest of that hand at that moment, in order, and the
    colour that was active before. `guilty` is None until the verdict stands."""

    accused: Seat
    hand: tuple[Handle, ...]
    colour: int
    challenger: Seat
    guilty: bool | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Everything that all players know. Per-seat tuples have one entry a seat, gone or not."""

    options: Options
    round: int
    dealer: Seat
    seats_in: tuple[Seat, ...]
    """Seats that have not left, ascending."""
    hands: tuple[tuple[Handle, ...], ...]
    """In the order in which the cards came."""
    draw: tuple[Handle, ...]
    """The next card first."""
    discard: tuple[int, ...]
    """Bottom to top."""
    origin: tuple[int, ...]
    """By card id: the last epoch that shuffled it. A hidden card of epoch e can only be one with origin e."""
    colour: int | None
    """The active colour; None until the first card has given or been given one."""
    direction: int
    """1: to the left, -1: to the right."""
    turn: Seat
    """Whose turn it is; while a play is being resolved, its player."""
    epoch: int
    """The number of the newest epoch, the one being made included; 0 is the deal."""
    reshuffles: int
    """Finished in this round."""
    stack: int
    """Cards to take when the stack is not answered."""
    drawn: Handle | None
    """The card just drawn by choice, while it may be played."""
    uno: tuple[bool, ...]
    """Seats with one card whose call counts."""
    passes: int
    """Passes one directly after the other."""
    window: Seat | None
    """The owner of the open UNO window."""
    challenge: ChallengeCase | None
    opened: tuple[tuple[int, ...], ...]
    """At the end of a round: the cards of each hand."""
    round_winner: Seat | None
    """Whose hand is empty; set from that moment to the next deal."""
    scores: tuple[int, ...]
    winner: Seat | None
    """Of the match."""
    by_default: bool
    """The winner is the only one left."""
    pending: Pending
    answers: tuple[tuple[Seat, Action], ...]
    """What of a `NeedActions` has come, by seat."""
    agenda: tuple[Task, ...]

    @property
    def rules(self) -> Edition:
        """The edition's data."""
        return self.options.rules

    @property
    def owing(self) -> tuple[Seat, ...]:
        """The seats whose action is still awaited, ascending; empty where none is."""
        if not isinstance(self.pending, NeedActions):
            return ()
        if not self.answers:
            return self.pending.seats
        given = {seat for seat, _ in self.answers}
        return tuple(seat for seat in self.pending.seats if seat not in given)

    @property
    def top(self) -> int | None:
        """The card on top of the discard pile."""
        return self.discard[-1] if self.discard else None

    @property
    def available(self) -> int:
        """How many cards could be drawn now, reshuffles included."""
        return available(self.draw, self.discard, self.reshuffles)


def available(draw: tuple[Handle, ...], discard: tuple[int, ...], reshuffles: int) -> int:
    """How many cards these piles can give. The discard pile's top stays (P1)."""
    below = max(len(discard) - 1, 0) if reshuffles < MAX_RESHUFFLES else 0
    return len(draw) + below
