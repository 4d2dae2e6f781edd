"""Screens set up by hand: a match of named players, a position in words, and what was told before."""

from __future__ import annotations

from dataclasses import replace

from nodealer import engine
from nodealer.cli.screen.look import Look
from nodealer.cli.screen.model import Glance
from nodealer.cli.screen.screen import Screen
from nodealer.cli.screen.spectator import Onlooker
from nodealer.cli.screen.text import plain
from nodealer.engine import EDITIONS, Handle, Kind, NeedActions, Options, Seat
from nodealer.p2p import events as p2p
from nodealer.p2p.options import TableOptions

from tests.helpers.open_table import OpenTable

NAMES = ("Ada", "Zoe", "Bea", "Cyd", "Dov", "Eve", "Fay", "Gus", "Hal", "Ivy")
NOW = 100.0


class Stage:
    """A screen and the state behind it. Seat 1 is one's own, or the one that a spectator looks at."""

    machine: type[Screen] | type[Onlooker] = Screen

    def __init__(self, edition: str = "four-colors", seats: int = 4, target: int | None = None, **options: object):
        self.screen = self.machine()
        self.now = NOW
        self.edition = EDITIONS[edition]
        self.options = replace(TableOptions.defaults(edition, seats, target), **options)
        self.me = Seat(1)
        table = OpenTable(Options(edition, seats, self.options.target, self.options.stacking), 5, checked=False)
        while not isinstance(table.state.pending, NeedActions) or table.state.pending.kind is not Kind.MOVE:
            table.step(lambda t, s: engine.legal_actions(t.state, s, t.known(s))[0])
        self.state = table.state
        self.known: dict[Handle, int] = {}
        players = tuple(p2p.PlayerInfo(name, f"lamp-{name.lower()}-stone", name.encode() * 8) for name in NAMES[:seats])
        seat = self.me if self.machine is Screen else None
        self.give(p2p.TableMade(b"t" * 32, self.options, players, seat))
        self.give(p2p.SlotOpened(0, "move", (0,), 0, 0))

    def give(self, *events: object) -> Stage:
        for event in events:
            self.screen.take(event, self.now)  # type: ignore[arg-type]
        return self

    def facts(self, *facts: engine.Event) -> Stage:
        return self.give(*(p2p.GameEvent(fact) for fact in facts))

    def card(self, label: str, taken: list[int] | tuple[int, ...] = ()) -> int:
        return next(c.id for c in self.edition.cards if c.label(self.edition) == label and c.id not in taken)

    def deal(self, hand: str, top: str, colour: str | None = None, counts: tuple[int, ...] = (), **fields: object):
        """One's own hand and the pile in words; ``counts`` are the sizes of all hands."""
        taken: list[int] = [self.card(top)]
        for label in filter(None, (word.strip() for word in hand.split(","))):
            taken.append(self.card(label, taken))
        mine = taken[1:]
        sizes = list(counts) or [7] * self.options.seats
        sizes[self.me] = len(mine)
        handles, place = [], 0
        for size in sizes:
            handles.append(tuple(Handle(0, place + index) for index in range(size)))
            place += size
        self.known = dict(zip(handles[self.me], mine, strict=True))
        face = self.edition.cards[taken[0]].colour
        active = face if colour is None else self.edition.colours.index(colour)
        under = tuple(card.id for card in self.edition.cards if card.id not in taken)[:11]
        draw = tuple(Handle(0, index) for index in range(place, len(self.edition.cards) - 12))
        self.state = replace(
            self.state, hands=tuple(handles), discard=(*under, taken[0]), colour=active, draw=draw, **fields
        )
        self.give(p2p.HandChanged(tuple(self.known.items())))
        return self.look_at()

    def look_at(self, waiting: tuple[int, ...] = ()) -> Stage:
        view = engine.view(self.state, self.me, self.known)
        return self.give(Glance(view, waiting, 41, bytes(range(32)), 163))

    def wait(self, kind: str, *seats: int, turn: int | None = None) -> Stage:
        """The table waits for these seats."""
        if turn is not None:
            self.state = replace(self.state, turn=Seat(turn))
        self.give(p2p.SlotOpened(41, kind, seats, 0, 0))
        return self.look_at(seats)

    def ask(self, kind: Kind, seconds: float | None = 47.0, **fields: object) -> Stage:
        """A decision of one's own."""
        turn = fields.pop("turn", self.me if kind is not Kind.WINDOW else self.state.turn)
        seats = tuple(Seat(seat) for seat in range(self.options.seats)) if kind is Kind.WINDOW else (self.me,)
        self.state = replace(self.state, turn=turn, pending=NeedActions(kind, seats), **fields)
        self.give(p2p.SlotOpened(42, kind.value, seats, 0, 0)).look_at(seats)
        legal = engine.legal_actions(self.state, self.me, self.known)
        if kind is Kind.WINDOW:
            legal = tuple(action for action in legal if isinstance(action, engine.Called | engine.Caught))
        deadline = None if seconds is None else self.now + seconds
        return self.give(p2p.DecisionNeeded(kind, engine.view(self.state, self.me, self.known), legal, deadline))

    def press(self, *keys: str) -> list[object]:
        for key in keys:
            self.screen.press(key, self.now)
        return self.screen.wishes()

    def show(self, columns: int = 80, rows: int = 24, look: Look | None = None) -> str:
        return plain(self.screen.render(columns, rows, look or Look(edition=self.edition.name), self.now))
