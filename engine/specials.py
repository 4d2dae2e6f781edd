"""Wild Mega Minions Power and Wild Ohana (§5)."""

from __future__ import annotations

from .actions import Action, Discard, ShowCards
from .draft import Draft
from .editions import OHANA_SIZE
from .events import CardsDiscarded
from .ids import Seat
from .state import Kind, Step, Task


def start_minions(d: Draft, seat: Seat) -> None:
    """All others show what they must discard, also those who have nothing."""
    d.ask(Kind.SHOW, *(other for other in d.seats_in if other != seat))


def finish_minions(d: Draft, shows: dict[Seat, Action]) -> None:
    """Discards from the next player on, by card id, each to the bottom; then as many draws, in the same order."""
    deals: list[tuple[Seat, int]] = []
    for seat in d.in_order(d.turn):
        cards = _discarded(d, seat, shows.get(seat))
        if cards:
            d.discard = cards[::-1] + d.discard
            deals.append((seat, len(cards)))
    d.agenda.insert(0, Task(Step.FORCED, deals=tuple(deals)))


def start_ohana(d: Draft, seat: Seat) -> None:
    """Who holds more than four chooses; the one who played it counts as well, after the card has left the hand."""
    d.uno = [False] * len(d.uno)
    choosers = [other for other in d.seats_in if len(d.hands[other]) > OHANA_SIZE]
    if choosers:
        d.ask(Kind.CHOOSE, *choosers)
    else:
        finish_ohana(d, {})


def finish_ohana(d: Draft, choices: dict[Seat, Action]) -> None:
    """Discards right under the Ohana card, then draws up to four: from the next player on, the one who played last."""
    order = d.in_order(d.turn)
    for seat in order:
        cards = _discarded(d, seat, choices.get(seat))
        d.discard = d.discard[:-1] + cards + d.discard[-1:]
    deals = tuple((seat, OHANA_SIZE - len(d.hands[seat])) for seat in order if len(d.hands[seat]) < OHANA_SIZE)
    d.agenda.insert(0, Task(Step.FORCED, deals=deals))


def _discarded(d: Draft, seat: Seat, action: Action | None) -> tuple[int, ...]:
    """Take the shown cards from the hand; their ids, ascending."""
    if not isinstance(action, ShowCards | Discard) or not action.cards:
        return ()
    d.remove(seat, {handle for handle, _ in action.cards})
    cards = tuple(sorted(card for _, card in action.cards))
    d.emit(CardsDiscarded(seat, cards))
    return cards
