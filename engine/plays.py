"""A card is played, and what follows from it (§3, §7, §9). Each branch is the agenda of one kind of card."""

from __future__ import annotations

from .actions import PlayCard
from .draft import Draft
from .editions import DRAWS, CardKind
from .events import CardPlayed, DirectionReversed, StackRaised, TurnSkipped
from .ids import Seat
from .specials import start_minions, start_ohana
from .state import Step, Task
from .wild_four import ask_accept


def play(d: Draft, seat: Seat, action: PlayCard) -> None:
    """Carry out a checked play: move the card, set the colour, then the effect and the rest of the turn."""
    card = d.rules.cards[action.card]
    colour_before = d.colour
    d.remove(seat, {action.handle})
    d.discard = (*d.discard, action.card)
    d.uno[seat] = False
    d.drawn = None
    d.passes = 0
    if card.colour is not None:
        d.colour = card.colour
    elif action.colour is not None:
        d.colour = action.colour
    d.emit(CardPlayed(seat, action.handle, action.card, action.colour, bool(action.uno)))
    if not d.hands[seat]:
        _go_out(d, seat, card.kind)
        return

    following = d.after(seat)
    window = Task(Step.WINDOW, seat, flag=bool(action.uno))
    turn = Task(Step.NEXT)
    match card.kind:
        case CardKind.SKIP:
            d.agenda = [window, Task(Step.SKIP, following), turn]
        case CardKind.REVERSE:
            reverse(d)
            # With two players Reverse also skips (T8).
            skip = [Task(Step.SKIP, following)] if len(d.seats_in) == 2 else []
            d.agenda = [window, *skip, turn]
        case CardKind.DRAW_TWO | CardKind.WILD_DRAW_FOUR if d.options.stacking:
            raise_stack(d, seat, DRAWS[card.kind])
            d.agenda = [window, Task(Step.ANSWER)]
        case CardKind.WILD_DRAW_FOUR if d.rules.challenge and colour_before is not None:
            d.agenda = [window, turn]
            ask_accept(d, seat, following, colour_before)
        case CardKind.DRAW_TWO | CardKind.WILD_DRAW_FOUR:
            hit = Task(Step.FORCED, deals=((following, DRAWS[card.kind]),))
            d.agenda = [hit, window, Task(Step.SKIP, following), turn]
        case CardKind.MINIONS:
            d.agenda = [window, turn]
            start_minions(d, seat)
        case CardKind.OHANA:
            d.agenda = [window, turn]
            start_ohana(d, seat)
        case CardKind.NUMBER | CardKind.WILD:
            d.agenda = [window, turn]


def _go_out(d: Draft, seat: Seat, kind: CardKind) -> None:
    """The hand is empty: from here on the round stands (§9)."""
    d.round_winner = seat
    d.stack = 0
    d.agenda = [Task(Step.OPEN), Task(Step.SCORE)]
    if d.rules.last_card_draws and kind in DRAWS:
        d.agenda.insert(0, Task(Step.FORCED, deals=((d.after(seat), DRAWS[kind]),)))


def reverse(d: Draft) -> None:
    d.direction = -d.direction
    d.emit(DirectionReversed(d.direction))


def raise_stack(d: Draft, seat: Seat, count: int) -> None:
    d.stack += count
    d.emit(StackRaised(seat, d.stack))


def skip(d: Draft, seat: Seat) -> None:
    """This seat's turn goes by. It may have left meanwhile: then its place is passed over without a word."""
    d.turn = seat
    if seat in d.seats_in:
        d.emit(TurnSkipped(seat))
