"""Everything that can be given to `apply`: what seats do, and what the table reports.

Actions carry the faces that they show. That a face is true is proven elsewhere (crypto); the engine refuses only
what cannot be true, such as a card that lies open already.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ids import Handle, Seat

Shown = tuple[tuple[Handle, int], ...]
"""Handles of one hand with their card ids."""


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play a card from the hand. `colour` is given for a wild and only then; `uno` calls UNO with the play.

    On a last card both are None.
    """

    handle: Handle
    card: int
    colour: int | None = None
    uno: bool | None = False


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw: by choice in a turn, or the "I draw" that a forced draw needs (N0)."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing in a turn; only where nothing is left to draw (T6)."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the card just drawn (T3)."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take the whole sum of the stack (§7)."""


@dataclass(frozen=True, slots=True)
class NameColour:
    """Name the colour of a Wild that was turned up at the start (S4)."""

    colour: int


@dataclass(frozen=True, slots=True)
class Accept:
    """Accept a Wild Draw Four (F6)."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Challenge a Wild Draw Four (F7, F8)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The accused says whether its Wild Draw Four was wrong; proven outside the engine."""

    guilty: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """The challenger has seen the hand and agrees with the verdict."""


@dataclass(frozen=True, slots=True)
class Called:
    """Window, the owner: UNO was called."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Window, the owner: nothing was called."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Window, an opponent: the call came first."""


@dataclass(frozen=True, slots=True)
class Caught:
    """Window, an opponent: a catch came first."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Window, an opponent: neither came."""


@dataclass(frozen=True, slots=True)
class ShowCards:
    """Mega Minions: all icon cards of the hand, sorted by handle; may be empty."""

    cards: Shown


@dataclass(frozen=True, slots=True)
class Discard:
    """Ohana: the cards to discard, sorted by handle."""

    cards: Shown


@dataclass(frozen=True, slots=True)
class OpenHand:
    """Round end: the whole hand, in hand order."""

    cards: Shown


@dataclass(frozen=True, slots=True)
class Agree:
    """The result of the round or of the match stands."""


Action = (
    PlayCard
    | Draw
    | Pass
    | Keep
    | Take
    | NameColour
    | Accept
    | Challenge
    | Verdict
    | Seen
    | Called
    | Quiet
    | Heard
    | Caught
    | Silent
    | ShowCards
    | Discard
    | OpenHand
    | Agree
)
"""What a seat can do."""


@dataclass(frozen=True, slots=True)
class SeatAction:
    """What this seat, which owes it, does."""

    seat: Seat
    action: Action


@dataclass(frozen=True, slots=True)
class EpochReady:
    """The joint shuffle that was asked for stands."""


@dataclass(frozen=True, slots=True)
class KeysReleased:
    """The new owners can read the cards that were dealt to them."""


@dataclass(frozen=True, slots=True)
class TurnUp:
    """The card that was to be turned up is this one."""

    card: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """This seat is out of the match (N2). `cards` is its whole hand in hand order as far as it could be opened.

    Before a hand of the round is empty that must be the whole hand; afterwards what is missing counts nothing.
    """

    seat: Seat
    cards: Shown = ()
    refuted: bool = False
    """The verdict that it has just given was found to be false: it counts as not given."""


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """These seats are out of the match, and what is still needed of their cards cannot be opened: nothing of this round
    counts. Possible until a hand is empty; from then on the round stands."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class KeysLost:
    """The awaited keys cannot be had any more: the cards are not drawn. Possible only once a hand is empty."""


Input = SeatAction | EpochReady | KeysReleased | TurnUp | SeatLeft | RoundVoided | KeysLost
"""What `apply` takes."""
