"""The one way in: `apply(state, action)`. My own move and yours, and what the table reports, all go through here."""

from __future__ import annotations

from .actions import EpochReady, Input, KeysLost, KeysReleased, RoundVoided, SeatAction, SeatLeft, TurnUp
from .checks import claimed
from .draft import Draft
from .errors import IllegalAction
from .events import DrawReason, Event, TurnStarted
from .ids import Seat
from .leaving import keys_lost, round_voided, seat_left
from .piles import deal, epoch_ready, exhausted, forced, keys_released
from .plays import skip
from .rounds import ask_open, draw_round, first_deal, score, turn_up, turned_up
from .slots import check, complete
from .state import Kind, NeedActions, NeedEpoch, NeedFace, NeedKeys, State, Step, Task
from .window import open_window


def apply(state: State, action: Input) -> tuple[State, tuple[Event, ...]]:
    """The state after this action, and what happened. Raises IllegalAction; `state` is never changed."""
    d = Draft(state)
    match action:
        case SeatAction():
            _take_answer(d, state, action)
        case EpochReady():
            if not isinstance(state.pending, NeedEpoch):
                raise IllegalAction("No shuffle is awaited.")
            d.pending = None
            epoch_ready(d, state.pending.cards)
        case KeysReleased():
            if not isinstance(state.pending, NeedKeys):
                raise IllegalAction("No keys are awaited.")
            d.pending = None
            keys_released(d, state.pending.deals)
        case TurnUp():
            if not isinstance(state.pending, NeedFace):
                raise IllegalAction("No card is to be turned up.")
            card = claimed(d, state.pending.handle, action.card)
            d.pending = None
            turned_up(d, card.id)
        case SeatLeft():
            seat_left(d, action)
        case RoundVoided():
            round_voided(d, action)
        case KeysLost():
            keys_lost(d)
        case _:
            raise IllegalAction("The engine knows no such action.")
    return _run(d), tuple(d.events)


def _take_answer(d: Draft, state: State, action: SeatAction) -> None:
    """Keep this seat's answer; the last one resolves the slot."""
    pending = state.pending
    if not isinstance(pending, NeedActions):
        raise IllegalAction("No player is asked to act now.")
    seat = next((s for s in state.owing if s == action.seat), None)
    if seat is None:
        raise IllegalAction("This player is not asked to act now.")
    d.answers[seat] = check(d, pending.kind, seat, action.action)
    complete(d, pending)


def _run(d: Draft) -> State:
    """Work the agenda off until something must be waited for. It never runs dry: every list ends by asking."""
    while d.pending is None:
        if d.round_winner is None and exhausted(d):
            draw_round(d, DrawReason.TOO_MANY_RESHUFFLES)
            continue
        _step(d, d.agenda.pop(0))
    return d.freeze(d.pending)


def _step(d: Draft, task: Task) -> None:
    match task.step:
        case Step.FIRST_DEAL:
            first_deal(d)
        case Step.TURN_UP:
            turn_up(d)
        case Step.FORCED:
            forced(d, task)
        case Step.DEAL:
            deal(d, task)
        case Step.DRAWN:
            d.drawn = d.hands[task.seat][-1]
            d.ask(Kind.DRAWN, task.seat)
        case Step.WINDOW:
            open_window(d, task)
        case Step.ANSWER:
            d.turn = d.after(d.turn)
            d.ask(Kind.ANSWER, d.turn)
        case Step.SKIP:
            skip(d, task.seat)
        case Step.NEXT:
            next_turn(d, d.after(d.turn))
        case Step.OPEN:
            ask_open(d)
        case Step.SCORE:
            score(d)


def next_turn(d: Draft, seat: Seat) -> None:
    d.turn = seat
    d.emit(TurnStarted(seat))
    d.ask(Kind.MOVE, seat)
