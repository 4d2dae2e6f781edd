"""The UNO duty and its window (§6). One slot in which every seat owes one answer."""

from __future__ import annotations

from .actions import Action, Called, Caught, Heard
from .draft import Draft
from .editions import PENALTY
from .events import UnoCalled, UnoCaught, WindowClosed, WindowOpened
from .ids import Seat
from .state import Kind, Step, Task


def open_window(d: Draft, task: Task) -> None:
    """The play has resolved: with exactly one card left a call is owed, unless it came with the play (U1, U2, U8)."""
    seat = task.seat
    if len(d.hands[seat]) != 1:
        return
    if task.flag:
        d.uno[seat] = True
        d.emit(UnoCalled(seat))
        return
    d.window = seat
    d.emit(WindowOpened(seat))
    d.ask(Kind.WINDOW, *d.seats_in)


def close_window(d: Draft, answers: dict[Seat, Action]) -> None:
    """Count the answers (U3-U6)."""
    owner = d.window
    d.window = None
    if owner is None or owner not in answers:
        return
    by = tuple(seat for seat in sorted(answers) if isinstance(answers[seat], Caught))
    heard = sum(isinstance(answer, Heard) for answer in answers.values())
    called = isinstance(answers[owner], Called)
    caught = heard < len(by) if called else bool(by) or d.rules.quiet_is_caught
    if caught:
        d.emit(UnoCaught(owner, by))
        d.agenda.insert(0, Task(Step.FORCED, deals=((owner, PENALTY),)))
        return
    if called:
        d.uno[owner] = True
        d.emit(UnoCalled(owner))
    d.emit(WindowClosed(owner))
