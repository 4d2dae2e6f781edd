"""What a seat may do, given the cards that it can read, and what the turn clock does for it (N1)."""

from __future__ import annotations

from collections.abc import Mapping

from .actions import (
    Accept,
    Action,
    Agree,
    Called,
    Caught,
    Challenge,
    Discard,
    Draw,
    Heard,
    Keep,
    NameColour,
    OpenHand,
    Pass,
    PlayCard,
    Quiet,
    Seen,
    ShowCards,
    Shown,
    Silent,
    Take,
    Verdict,
)
from .editions import ICONS, OHANA_SIZE, Card
from .errors import IllegalAction
from .ids import Handle, Seat
from .matching import answers, matches
from .state import Kind, NeedActions, State

Known = Mapping[Handle, int]
"""Card ids by handle, as far as a seat can read them."""


def legal_actions(state: State, seat: Seat, known: Known) -> tuple[Action, ...]:
    """Every action that this seat may take now; empty when it owes none.

    Two families are not spelled out. A play comes with `uno` False: with two cards in hand the same play with `uno`
    True is legal too. For CHOOSE one choice stands for all: any `surplus` cards may go. Where the rules leave one
    true answer (SHOW, OPEN, VERDICT) that one is given, or none while the cards cannot be read.
    """
    if not isinstance(state.pending, NeedActions) or seat not in state.owing:
        return ()
    hand = state.hands[seat]
    readable = all(handle in known for handle in hand)
    match state.pending.kind:
        case Kind.COLOUR:
            return tuple(NameColour(colour) for colour in range(len(state.rules.colours)))
        case Kind.MOVE:
            return (*_plays(state, seat, hand, known), Draw() if state.available else Pass())
        case Kind.DRAWN:
            return (*_plays(state, seat, hand[-1:], known), Keep())
        case Kind.ANSWER:
            return (*_plays(state, seat, hand, known), Take())
        case Kind.DRAW:
            return (Draw(),)
        case Kind.WINDOW:
            return (Called(), Quiet()) if seat == state.window else (Heard(), Caught(), Silent())
        case Kind.ACCEPT:
            return (Accept(), Challenge())
        case Kind.VERDICT:
            guilty = is_guilty(state, known)
            return () if guilty is None else (Verdict(guilty),)
        case Kind.SEEN:
            return (Seen(),)
        case Kind.SHOW:
            return (ShowCards(icons(state, seat, known)),) if readable else ()
        case Kind.CHOOSE:
            return (_choice(state, seat, known),) if readable else ()
        case Kind.OPEN:
            return (OpenHand(tuple((handle, known[handle]) for handle in hand)),) if readable else ()
        case Kind.ROUND_END | Kind.END:
            return (Agree(),)


def clock_action(state: State, seat: Seat, known: Known) -> Action:
    """What the seat's own program does when the turn clock runs out (N1).

    Raises IllegalAction when the seat owes nothing, or its answer depends on cards that it cannot read yet.
    """
    actions = legal_actions(state, seat, known)
    if not actions:
        raise IllegalAction("This player is not asked to act now, or cannot read its cards yet.")
    if isinstance(actions[0], NameColour):
        return NameColour(favourite_colour(state, seat, known))
    for action in actions:
        if isinstance(action, Draw | Pass | Keep | Take | Accept | Quiet | Silent):
            return action
    return actions[0]


def surplus(state: State, seat: Seat) -> int:
    """How many cards Ohana takes from this seat."""
    return max(len(state.hands[seat]) - OHANA_SIZE, 0)


def favourite_colour(state: State, seat: Seat, known: Known) -> int:
    """The most frequent colour in the hand, the lowest id on a tie."""
    held = [_card(state, known[handle]).colour for handle in state.hands[seat] if handle in known]
    return max(range(len(state.rules.colours)), key=lambda colour: (held.count(colour), -colour))


def is_guilty(state: State, known: Known) -> bool | None:
    """Was the open Wild Draw Four wrong (F1)? None while no case is open or the hand cannot be read."""
    case = state.challenge
    if case is None or any(handle not in known for handle in case.hand):
        return None
    held = [_card(state, known[handle]) for handle in case.hand]
    return any(card.wild or card.colour == case.colour for card in held)


def icons(state: State, seat: Seat, known: Known) -> Shown:
    """The cards that Mega Minions takes from this hand, sorted by handle."""
    hand = sorted(state.hands[seat])
    return tuple((handle, known[handle]) for handle in hand if _card(state, known[handle]).kind in ICONS)


def _plays(state: State, seat: Seat, handles: tuple[Handle, ...], known: Known) -> list[PlayCard]:
    top = _card(state, state.discard[-1])
    stacked = isinstance(state.pending, NeedActions) and state.pending.kind is Kind.ANSWER
    last = len(state.hands[seat]) == 1
    plays: list[PlayCard] = []
    for handle in handles:
        if handle not in known:
            continue
        card = _card(state, known[handle])
        if not (answers(card, top) if stacked else matches(card, top, state.colour)):
            continue
        if last:
            plays.append(PlayCard(handle, card.id, None, None))
        elif card.wild:
            plays += [PlayCard(handle, card.id, colour, False) for colour in range(len(state.rules.colours))]
        else:
            plays.append(PlayCard(handle, card.id, None, False))
    return plays


def _choice(state: State, seat: Seat, known: Known) -> Discard:
    """Ohana: highest points first, lowest id on a tie (N1)."""
    hand = sorted(state.hands[seat], key=lambda handle: (-_card(state, known[handle]).points, known[handle]))
    return Discard(tuple((handle, known[handle]) for handle in sorted(hand[: surplus(state, seat)])))


def _card(state: State, card: int) -> Card:
    return state.rules.cards[card]
