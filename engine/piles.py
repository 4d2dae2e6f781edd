"""Drawing, and making a new draw pile (§8, N0)."""

from __future__ import annotations

from .draft import Draft
from .editions import MAX_RESHUFFLES
from .events import CardsDealt, CardsDrawn, DrawForgiven, Reshuffled
from .ids import Handle, Seat
from .state import Kind, NeedEpoch, NeedKeys, Step, Task


def forced(d: Draft, task: Task) -> None:
    """Ask those who must draw to say so; only that releases keys (N0). Where nothing is left nobody is asked (P3)."""
    deals = tuple((seat, count) for seat, count in task.deals if count and seat in d.seats_in)
    if not deals:
        return
    if not d.available:
        _forgive(d, deals)
        return
    d.agenda.insert(0, Task(Step.DEAL, deals=deals))
    d.ask(Kind.DRAW, *(seat for seat, _ in deals))


def deal(d: Draft, task: Task) -> None:
    """Hand out what the pile holds in one go; the rest waits on the agenda for the reshuffle (P1, P2)."""
    if not any(count for _, count in task.deals):
        return
    if not d.draw:
        if not d.available:
            _forgive(d, task.deals)
            return
        d.agenda.insert(0, task)
        d.epoch += 1
        d.pending = NeedEpoch(tuple(sorted(d.discard[:-1])))
        return
    given: list[tuple[Seat, tuple[Handle, ...]]] = []
    rest: list[tuple[Seat, int]] = []
    for seat, count in task.deals:
        handles = d.draw[:count]
        d.draw = d.draw[count:]
        if handles:
            hand = d.hands[seat] + handles
            d.hands[seat] = hand
            # Mega Minions may have emptied the hand for a moment: back to one card the call still counts (§5).
            d.uno[seat] = d.uno[seat] and len(hand) == 1
            given.append((seat, handles))
        if len(handles) < count:
            rest.append((seat, count - len(handles)))
    if rest:
        d.agenda.insert(0, Task(Step.DEAL, deals=tuple(rest)))
    d.pending = NeedKeys(tuple(given))


def keys_released(d: Draft, deals: tuple[tuple[Seat, tuple[Handle, ...]], ...]) -> None:
    """The new owners can read their cards."""
    dealing = bool(d.agenda) and d.agenda[0].step is Step.TURN_UP
    for seat, handles in deals:
        d.emit(CardsDealt(seat, handles) if dealing else CardsDrawn(seat, handles))


def epoch_ready(d: Draft, cards: tuple[int, ...]) -> None:
    """These cards, jointly shuffled, are the draw pile."""
    d.draw = tuple([Handle(d.epoch, index) for index in range(len(cards))])
    origin = list(d.origin)
    for card in cards:
        origin[card] = d.epoch
    d.origin = tuple(origin)
    if d.epoch:
        d.discard = d.discard[-1:]
        d.reshuffles += 1
        d.emit(Reshuffled(d.epoch, len(cards)))


def exhausted(d: Draft) -> bool:
    """Has the round had all its reshuffles, and the last draw pile come to its end (P7)?"""
    return d.reshuffles >= MAX_RESHUFFLES and not d.draw


def _forgive(d: Draft, deals: tuple[tuple[Seat, int], ...]) -> None:
    for seat, count in deals:
        if count:
            d.emit(DrawForgiven(seat, count))
