"""What one player may see: the public state, and of hidden cards only its own."""

from __future__ import annotations

from dataclasses import dataclass

from .ids import Handle, Seat
from .legal import Known
from .options import Options
from .state import ChallengeCase, Pending, State


@dataclass(frozen=True, slots=True)
class View:
    """The table as `seat` sees it; `seat` None is a spectator. Per-seat tuples have one entry a seat."""

    options: Options
    seat: Seat | None
    hand: tuple[tuple[Handle, int | None], ...]
    """The own hand in its order; a card is None while its keys are still to come."""
    counts: tuple[int, ...]
    seats_in: tuple[Seat, ...]
    round: int
    dealer: Seat
    top: int | None
    colour: int | None
    direction: int
    turn: Seat
    drawn: Handle | None
    stack: int
    draw_count: int
    discard: tuple[int, ...]
    reshuffles: int
    uno: tuple[bool, ...]
    window: Seat | None
    challenge: ChallengeCase | None
    opened: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    round_winner: Seat | None
    winner: Seat | None
    by_default: bool
    pending: Pending
    owing: tuple[Seat, ...]


def view(state: State, seat: Seat | None, known: Known) -> View:
    """The view of this seat, which can read `known`; other hands' handles in `known` are not looked at."""
    hand = () if seat is None else state.hands[seat]
    return View(
        options=state.options,
        seat=seat,
        hand=tuple((handle, known.get(handle)) for handle in hand),
        counts=tuple(len(h) for h in state.hands),
        seats_in=state.seats_in,
        round=state.round,
        dealer=state.dealer,
        top=state.top,
        colour=state.colour,
        direction=state.direction,
        turn=state.turn,
        drawn=state.drawn,
        stack=state.stack,
        draw_count=len(state.draw),
        discard=state.discard,
        reshuffles=state.reshuffles,
        uno=state.uno,
        window=state.window,
        challenge=state.challenge,
        opened=state.opened,
        scores=state.scores,
        round_winner=state.round_winner,
        winner=state.winner,
        by_default=state.by_default,
        pending=state.pending,
        owing=state.owing,
    )
