"""The transition table: for each kind of owed action, what may be done, how it is checked, what happens then.

A slot waits for all the seats that it names; the answers come in any order and count in seat order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    Silent,
    Take,
    Verdict,
)
from .checks import check_discard, check_name_colour, check_open, check_play, check_show, check_verdict
from .draft import Draft
from .errors import IllegalAction
from .events import CardKept, ColourNamed, DrawReason, StackTaken, TurnPassed
from .ids import Seat
from .plays import play
from .rounds import draw_round, end_match, next_round, take_open
from .specials import finish_minions, finish_ohana
from .state import Kind, NeedActions, Step, Task
from .wild_four import accept, challenge, seen, verdict
from .window import close_window

Answers = dict[Seat, Action]


@dataclass(frozen=True, slots=True)
class Slot:
    """A row of the table: the allowed types of action, and what the complete answers do."""

    allowed: tuple[type, ...]
    resolve: Callable[[Draft, Answers], None]


def check(d: Draft, kind: Kind, seat: Seat, action: Action) -> Action:
    """The action as it is kept. Raises IllegalAction."""
    if type(action) not in SLOTS[kind].allowed:
        raise IllegalAction(f"This is not what is asked now ({kind}).")
    match action:
        case PlayCard():
            return check_play(d, kind, seat, action)
        case Draw() if kind is Kind.MOVE and not d.available:
            raise IllegalAction("Nothing is left to draw: play or pass.")
        case Pass() if d.available:
            raise IllegalAction("Passing is possible only where nothing is left to draw.")
        case NameColour():
            return check_name_colour(d, action)
        case Verdict():
            return check_verdict(action)
        case Called() | Quiet() if seat != d.window:
            raise IllegalAction("Only the owner of the window can have called.")
        case Heard() | Caught() | Silent() if seat == d.window:
            raise IllegalAction("Nobody catches or hears itself.")
        case ShowCards():
            return check_show(d, seat, action)
        case Discard():
            return check_discard(d, seat, action)
        case OpenHand():
            return check_open(d, seat, action)
        case _:
            return action


def complete(d: Draft, pending: NeedActions) -> None:
    """If all that the slot names have answered, close it and let the answers take effect, in seat order."""
    if len(d.answers) < len(pending.seats):
        return
    answers = dict(sorted(d.answers.items()))
    d.pending = None
    d.answers = {}
    SLOTS[pending.kind].resolve(d, answers)


def _one(d: Draft, answers: Answers) -> None:
    """Slots that one seat owes: a card, or a word of the turn, the stack or the start."""
    for seat, action in answers.items():
        match action:
            case PlayCard():
                play(d, seat, action)
            case Draw():
                d.passes = 0
                d.agenda = [Task(Step.DEAL, deals=((seat, 1),)), Task(Step.DRAWN, seat), Task(Step.NEXT)]
            case Pass():
                _pass(d, seat)
            case Keep():
                d.drawn = None
                d.emit(CardKept(seat))
            case Take():
                d.emit(StackTaken(seat, d.stack))
                d.agenda = [Task(Step.DEAL, deals=((seat, d.stack),)), Task(Step.SKIP, seat), Task(Step.NEXT)]
                d.stack = 0
            case NameColour():
                d.colour = action.colour
                d.emit(ColourNamed(seat, action.colour))


def _pass(d: Draft, seat: Seat) -> None:
    d.passes += 1
    d.emit(TurnPassed(seat))
    d.agenda = [Task(Step.NEXT)]
    if d.passes >= len(d.seats_in):
        draw_round(d, DrawReason.ALL_PASSED)


def _challenge(d: Draft, answers: Answers) -> None:
    case = d.challenge
    if case is None:
        return
    for action in answers.values():
        match action:
            case Accept():
                accept(d, case)
            case Challenge():
                challenge(d, case)
            case Verdict():
                verdict(d, case, action.guilty)
            case Seen():
                seen(d, case)


def _draws_said(d: Draft, answers: Answers) -> None:
    """All have said "I draw"; the agenda deals."""


def _round_agreed(d: Draft, answers: Answers) -> None:
    next_round(d)


def _match_agreed(d: Draft, answers: Answers) -> None:
    end_match(d)


SLOTS: dict[Kind, Slot] = {
    Kind.COLOUR: Slot((NameColour,), _one),
    Kind.MOVE: Slot((PlayCard, Draw, Pass), _one),
    Kind.DRAWN: Slot((PlayCard, Keep), _one),
    Kind.ANSWER: Slot((PlayCard, Take), _one),
    Kind.DRAW: Slot((Draw,), _draws_said),
    Kind.WINDOW: Slot((Called, Quiet, Heard, Caught, Silent), close_window),
    Kind.ACCEPT: Slot((Accept, Challenge), _challenge),
    Kind.VERDICT: Slot((Verdict,), _challenge),
    Kind.SEEN: Slot((Seen,), _challenge),
    Kind.SHOW: Slot((ShowCards,), finish_minions),
    Kind.CHOOSE: Slot((Discard,), finish_ohana),
    Kind.OPEN: Slot((OpenHand,), take_open),
    Kind.ROUND_END: Slot((Agree,), _round_agreed),
    Kind.END: Slot((Agree,), _match_agreed),
}
