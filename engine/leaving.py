"""Seats leave the match, or are put out of it (N2, N3). May happen at any moment, a half-answered slot included."""

from __future__ import annotations

from .actions import OpenHand, RoundVoided, SeatLeft
from .checks import cards as checked_cards
from .draft import Draft
from .errors import IllegalAction
from .events import CardsDiscarded, DrawForgiven, HandOpened, RoundLost, SeatGone
from .ids import Seat
from .rounds import start_round, win_by_default
from .slots import complete
from .state import ChallengeCase, Kind, MatchOver, NeedActions, NeedEpoch, NeedKeys, Step, Task
from .wild_four import lose_turn, seen


def seat_left(d: Draft, action: SeatLeft) -> None:
    """Take the seat out, put its hand where it belongs, and let the rest go on as if its turn had been skipped.

    Raises IllegalAction if the seat is not in, or the hand is not shown as the moment asks.
    """
    seat = next((s for s in d.seats_in if s == action.seat), None)
    if seat is None or isinstance(d.pending, MatchOver):
        raise IllegalAction("This player is not in the match.")
    scored = isinstance(d.pending, NeedActions) and d.pending.kind in (Kind.ROUND_END, Kind.END)
    if not scored:
        _open_hand(d, seat, action)
    d.seats_in = tuple(s for s in d.seats_in if s != seat)
    d.emit(SeatGone(seat))
    if len(d.seats_in) < 2 and d.winner is None and (scored or d.round_winner is None):
        _stop(d)
        win_by_default(d)
        return
    d.uno[seat] = False
    d.passes = 0
    d.agenda = [_without(task, seat) for task in d.agenda if not (task.seat == seat and task.step in _OWN_STEPS)]
    if action.refuted and d.challenge is not None and d.challenge.accused == seat:
        d.challenge = d.challenge._replace(guilty=None)
    _release(d, seat)


def round_voided(d: Draft, action: RoundVoided) -> None:
    """A new deal by those who remain, with the same dealer if it is one of them; scores stand.

    Raises IllegalAction if a seat is not in, or once the round stands.
    """
    going = set(action.seats)
    if len(going) != len(action.seats) or not going <= set(d.seats_in) or isinstance(d.pending, MatchOver):
        raise IllegalAction("These players are not in the match.")
    if d.round_winner is not None or (isinstance(d.pending, NeedActions) and d.pending.kind is Kind.ROUND_END):
        raise IllegalAction("The round stands.")
    d.seats_in = tuple(seat for seat in d.seats_in if seat not in going)
    for seat in action.seats:
        d.emit(SeatGone(seat))
    d.emit(RoundLost())
    _stop(d)
    if len(d.seats_in) < 2:
        d.hands = [()] * d.options.seats
        d.draw = d.discard = ()
        win_by_default(d)
        return
    start_round(d, d.round + 1, d.dealer if d.dealer in d.seats_in else d.step(d.dealer, 1))


def keys_lost(d: Draft) -> None:
    """The cards on their way go back to the draw pile. Raises IllegalAction before a hand is empty."""
    if not isinstance(d.pending, NeedKeys):
        raise IllegalAction("No keys are awaited.")
    if d.round_winner is None:
        raise IllegalAction("The round does not stand without these keys.")
    for seat, handles in d.pending.deals:
        d.remove(seat, set(handles))
        d.draw = handles + d.draw
        d.emit(DrawForgiven(seat, len(handles)))
    d.agenda = [task for task in d.agenda if task.step not in (Step.FORCED, Step.DEAL)]
    d.pending = None


_OWN_STEPS = (Step.DRAWN, Step.WINDOW)
"""Steps that fall away with their seat. A SKIP stays: it moves the turn past the empty place."""


def _without(task: Task, seat: Seat) -> Task:
    return task._replace(deals=tuple(deal for deal in task.deals if deal[0] != seat)) if task.deals else task


def _open_hand(d: Draft, seat: Seat, action: SeatLeft) -> None:
    """Under the discard pile; or, once a hand is empty, to be counted as far as it could be opened."""
    shown = checked_cards(d, seat, action.cards)
    if d.round_winner is not None:
        given = d.answers.get(seat)
        if isinstance(given, OpenHand):
            shown = given.cards
        d.opened[seat] = tuple(card for _, card in shown)
        d.emit(HandOpened(seat, shown))
        return
    if tuple(handle for handle, _ in shown) != d.hands[seat]:
        raise IllegalAction("The whole hand of the player who leaves must be opened, in its order.")
    ids = tuple(sorted(card for _, card in shown))
    d.discard = ids[::-1] + d.discard
    d.hands[seat] = ()
    d.emit(CardsDiscarded(seat, ids))


def _stop(d: Draft) -> None:
    """Whatever was going on in the round is over."""
    d.agenda = []
    d.answers = {}
    d.stack = 0
    d.drawn = d.window = d.challenge = None


def _release(d: Draft, seat: Seat) -> None:
    """Nothing is owed by this seat any more."""
    pending = d.pending
    match pending:
        case NeedEpoch() if d.epoch:
            # The epoch starts anew without the seat, and with its hand.
            d.pending = NeedEpoch(tuple(sorted(d.discard[:-1])))
        case NeedKeys(deals):
            rest = tuple(deal for deal in deals if deal[0] != seat)
            d.pending = NeedKeys(rest) if rest else None
        case NeedActions(kind, seats):
            if d.challenge is not None and seat in (d.challenge.accused, d.challenge.challenger):
                _leave_challenge(d, seat, d.challenge)
            elif d.window == seat:
                d.window = None
                d.answers = {}
                d.pending = None
            elif seat in seats:
                _leave_slot(d, seat, NeedActions(kind, tuple(s for s in seats if s != seat)))


def _leave_slot(d: Draft, seat: Seat, rest: NeedActions) -> None:
    match rest.kind:
        case Kind.COLOUR:
            d.ask(Kind.COLOUR, d.after(seat))
        case Kind.MOVE | Kind.DRAWN | Kind.ANSWER:
            # An unanswered stack counts as taken, with nothing drawn.
            _stop(d)
            d.agenda = [Task(Step.NEXT)]
            d.pending = None
        case _:
            d.answers.pop(seat, None)
            d.pending = rest
            complete(d, rest)


def _leave_challenge(d: Draft, seat: Seat, case: ChallengeCase) -> None:
    """Without a verdict: the accused gone, the challenger takes a normal turn; the challenger gone, it counts as an
    accept with nothing drawn. A verdict that stands is carried out, as far as the one who draws is there."""
    if case.guilty is not None and seat == case.accused:
        return
    d.pending = None
    d.answers = {}
    if case.guilty:
        seen(d, case)
        return
    d.challenge = None
    if seat == case.challenger:
        lose_turn(d, seat)
