"""A state being changed. `apply` works on a draft that nobody else sees, so an illegal action leaves no trace."""

from __future__ import annotations

from .actions import Action
from .editions import Card, Edition
from .events import Event
from .ids import Handle, Seat
from .state import ChallengeCase, Kind, NeedActions, Pending, State, Task, available


class Draft:
    """The fields of a `State`, changeable, and the events so far. `pending` is None while the agenda runs."""

    __slots__ = (
        "agenda",
        "answers",
        "by_default",
        "challenge",
        "colour",
        "dealer",
        "direction",
        "discard",
        "draw",
        "drawn",
        "epoch",
        "events",
        "hands",
        "opened",
        "options",
        "origin",
        "passes",
        "pending",
        "reshuffles",
        "round",
        "round_winner",
        "rules",
        "scores",
        "seats_in",
        "stack",
        "turn",
        "uno",
        "window",
        "winner",
    )

    def __init__(self, state: State) -> None:
        self.options = state.options
        self.rules: Edition = state.options.rules
        self.round = state.round
        self.dealer = state.dealer
        self.seats_in = state.seats_in
        self.hands = list(state.hands)
        self.draw = state.draw
        self.discard = state.discard
        self.origin = state.origin
        self.colour = state.colour
        self.direction = state.direction
        self.turn = state.turn
        self.epoch = state.epoch
        self.reshuffles = state.reshuffles
        self.stack = state.stack
        self.drawn: Handle | None = state.drawn
        self.uno = list(state.uno)
        self.passes = state.passes
        self.window: Seat | None = state.window
        self.challenge: ChallengeCase | None = state.challenge
        self.opened = list(state.opened)
        self.round_winner: Seat | None = state.round_winner
        self.scores = list(state.scores)
        self.winner: Seat | None = state.winner
        self.by_default = state.by_default
        self.pending: Pending | None = state.pending
        self.answers: dict[Seat, Action] = dict(state.answers)
        self.agenda: list[Task] = list(state.agenda)
        self.events: list[Event] = []

    def freeze(self, pending: Pending) -> State:
        """The state as it is now, waiting for `pending`."""
        return State(
            options=self.options,
            round=self.round,
            dealer=self.dealer,
            seats_in=self.seats_in,
            hands=tuple(self.hands),
            draw=self.draw,
            discard=self.discard,
            origin=self.origin,
            colour=self.colour,
            direction=self.direction,
            turn=self.turn,
            epoch=self.epoch,
            reshuffles=self.reshuffles,
            stack=self.stack,
            drawn=self.drawn,
            uno=tuple(self.uno),
            passes=self.passes,
            window=self.window,
            challenge=self.challenge,
            opened=tuple(self.opened),
            round_winner=self.round_winner,
            scores=tuple(self.scores),
            winner=self.winner,
            by_default=self.by_default,
            pending=pending,
            answers=tuple(sorted(self.answers.items(), key=lambda item: item[0])),
            agenda=tuple(self.agenda),
        )

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def ask(self, kind: Kind, *seats: Seat) -> None:
        """Wait for one action of this kind from each of these seats."""
        self.pending = NeedActions(kind, tuple(sorted(seats)))

    def after(self, seat: Seat) -> Seat:
        """The next seat in the direction of play that is still in; counts places, so `seat` itself may be gone."""
        return self.step(seat, self.direction)

    def step(self, seat: Seat, direction: int) -> Seat:
        """The next seat from here that is still in."""
        n = self.options.seats
        for distance in range(1, n + 1):
            other = Seat((seat + direction * distance) % n)
            if other in self.seats_in:
                return other
        return seat

    def in_order(self, last: Seat) -> list[Seat]:
        """All seats still in, in the direction of play, ending with `last` if it is still in."""
        n = self.options.seats
        ring = [Seat((last + self.direction * distance) % n) for distance in range(1, n + 1)]
        return [seat for seat in ring if seat in self.seats_in]

    @property
    def top(self) -> Card:
        """The card on top of the discard pile, which must not be empty."""
        return self.rules.cards[self.discard[-1]]

    @property
    def available(self) -> int:
        return available(self.draw, self.discard, self.reshuffles)

    def remove(self, seat: Seat, handles: set[Handle]) -> None:
        """These cards leave this hand."""
        self.hands[seat] = tuple(h for h in self.hands[seat] if h not in handles)
