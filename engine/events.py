"""What an action made happen, in the order in which it happened. Public facts only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .actions import Shown
from .ids import Handle, Seat

__all__ = [
    "Accepted",
    "CardKept",
    "CardPlayed",
    "CardTurned",
    "CardsDealt",
    "CardsDiscarded",
    "CardsDrawn",
    "ChallengeLost",
    "ChallengeWon",
    "Challenged",
    "ColourNamed",
    "DirectionReversed",
    "DrawForgiven",
    "DrawReason",
    "Event",
    "HandOpened",
    "MatchWon",
    "Reshuffled",
    "RoundDrawn",
    "RoundLost",
    "RoundStarted",
    "RoundWon",
    "SeatGone",
    "StackRaised",
    "StackTaken",
    "TurnPassed",
    "TurnSkipped",
    "TurnStarted",
    "UnoCalled",
    "UnoCaught",
    "WindowClosed",
    "WindowOpened",
]


class DrawReason(StrEnum):
    """Why a round ended without a winner."""

    ALL_PASSED = "all passed"  # T6
    TOO_MANY_RESHUFFLES = "too many reshuffles"  # P7


@dataclass(frozen=True, slots=True)
class RoundStarted:
    round: int
    dealer: Seat


@dataclass(frozen=True, slots=True)
class CardsDealt:
    seat: Seat
    handles: tuple[Handle, ...]


@dataclass(frozen=True, slots=True)
class CardTurned:
    """The first card; `ignored` when another is turned on top of it."""

    card: int
    ignored: bool


@dataclass(frozen=True, slots=True)
class TurnStarted:
    seat: Seat


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """`colour` is the colour chosen for a wild, `uno` a call that came with the play."""

    seat: Seat
    handle: Handle
    card: int
    colour: int | None
    uno: bool


@dataclass(frozen=True, slots=True)
class ColourNamed:
    seat: Seat
    colour: int


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    seat: Seat
    handles: tuple[Handle, ...]


@dataclass(frozen=True, slots=True)
class DrawForgiven:
    """Nothing is left for these `count` cards (P3)."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class CardKept:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnPassed:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    seat: Seat


@dataclass(frozen=True, slots=True)
class DirectionReversed:
    direction: int


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """`cards` cards of the discard pile are the new draw pile, shuffled as this epoch."""

    epoch: int
    cards: int


@dataclass(frozen=True, slots=True)
class StackRaised:
    """The next player must answer or take `total` cards."""

    seat: Seat
    total: int


@dataclass(frozen=True, slots=True)
class StackTaken:
    seat: Seat
    total: int


@dataclass(frozen=True, slots=True)
class WindowOpened:
    seat: Seat


@dataclass(frozen=True, slots=True)
class WindowClosed:
    """Nobody is caught: with a call, or without one where that is no fault."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class UnoCalled:
    """A call that counts."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class UnoCaught:
    """`by` are the seats that caught; empty where keeping quiet is enough to be caught."""

    seat: Seat
    by: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    seat: Seat


@dataclass(frozen=True, slots=True)
class Challenged:
    seat: Seat
    accused: Seat


@dataclass(frozen=True, slots=True)
class ChallengeWon:
    """The Wild Draw Four was wrong: the accused draws."""

    seat: Seat
    accused: Seat


@dataclass(frozen=True, slots=True)
class ChallengeLost:
    """The Wild Draw Four was correct: the challenger draws."""

    seat: Seat
    accused: Seat


@dataclass(frozen=True, slots=True)
class CardsDiscarded:
    """By Mega Minions, by Ohana, or by leaving; in the order in which they went to the pile."""

    seat: Seat
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandOpened:
    seat: Seat
    cards: Shown


@dataclass(frozen=True, slots=True)
class RoundWon:
    """`hands` holds what was opened, by seat."""

    seat: Seat
    points: int
    hands: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RoundDrawn:
    reason: DrawReason


@dataclass(frozen=True, slots=True)
class RoundLost:
    """Nothing of this round counts: cards of a seat that has gone could not be opened."""


@dataclass(frozen=True, slots=True)
class MatchWon:
    """`by_default`: everybody else has left (N3)."""

    seat: Seat
    by_default: bool


@dataclass(frozen=True, slots=True)
class SeatGone:
    seat: Seat


Event = (
    RoundStarted
    | CardsDealt
    | CardTurned
    | TurnStarted
    | CardPlayed
    | ColourNamed
    | CardsDrawn
    | DrawForgiven
    | CardKept
    | TurnPassed
    | TurnSkipped
    | DirectionReversed
    | Reshuffled
    | StackRaised
    | StackTaken
    | WindowOpened
    | WindowClosed
    | UnoCalled
    | UnoCaught
    | Accepted
    | Challenged
    | ChallengeWon
    | ChallengeLost
    | CardsDiscarded
    | HandOpened
    | RoundWon
    | RoundDrawn
    | RoundLost
    | MatchWon
    | SeatGone
)
