"""A position set up by hand: hands, pile and draw pile in words, then moves in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    EDITIONS,
    Action,
    Discard,
    Draw,
    EpochReady,
    Event,
    Handle,
    IllegalAction,
    Input,
    KeysReleased,
    Kind,
    NeedActions,
    NeedEpoch,
    NeedKeys,
    OpenHand,
    Options,
    PlayCard,
    Seat,
    SeatAction,
    ShowCards,
    TurnUp,
    new_match,
)

from .open_table import OpenTable

SEATS = tuple(Seat(i) for i in range(10))


class Scene(OpenTable):
    """A match in the middle of a round, seat `turn` to move.

    `hands`: one text a seat, such as "red 7, wild". `top` lies on the pile; `colour` is the active colour, by default
    the top's. `draw` are the next cards of the draw pile. All other cards follow in the draw pile, or with
    `rest="discard"` lie under the top.
    """

    def __init__(
        self,
        edition: str,
        hands: list[str],
        top: str = "",
        *,
        colour: str | None = None,
        draw: str = "",
        rest: str = "draw",
        turn: int = 0,
        direction: int = 1,
        target: int = 0,
        stacking: bool = False,
    ) -> None:
        super().__init__(Options(edition, len(hands), target, stacking), seed=1)
        self.edition = EDITIONS[edition]
        self.events: list[Event] = []
        self._free = list(range(len(self.edition.cards)))
        self._next = 0
        tops = [self._take(label) for label in words(top)]
        held = [tuple(self._handle(self._take(label)) for label in words(hand)) for hand in hands]
        pile = [self._handle(self._take(label)) for label in words(draw)]
        if rest == "draw":
            pile += [self._handle(card) for card in self._free]
            below: list[int] = []
        elif rest == "discard":
            below = self._free
        active = self.edition.cards[tops[-1]].colour if colour is None else self.edition.colours.index(colour)
        self.state = replace(
            new_match(self.state.options),
            hands=tuple(held),
            draw=tuple(pile),
            discard=(*below, *tops),
            origin=(0,) * len(self.edition.cards),
            colour=active,
            direction=direction,
            turn=Seat(turn),
            pending=NeedActions(Kind.MOVE, (Seat(turn),)),
            agenda=(),
        )

    def _take(self, label: str) -> int:
        card = next(c for c in self._free if self.edition.cards[c].label(self.edition) == label)
        self._free.remove(card)
        return card

    def _handle(self, card: int) -> Handle:
        handle = Handle(0, self._next)
        self._next += 1
        self.faces[handle] = card
        return handle

    def apply(self, action: object) -> tuple[Event, ...]:
        events = super().apply(action)
        self.events += events
        return events

    def act(self, seat: int, action: Action) -> tuple[Event, ...]:
        return self.apply(SeatAction(Seat(seat), action))

    def find(self, seat: int, label: str) -> Handle:
        for handle in self.state.hands[seat]:
            if self.label(self.faces[handle]) == label:
                return handle
        raise LookupError(f"seat {seat} holds no {label}")

    def label(self, card: int) -> str:
        return self.edition.cards[card].label(self.edition)

    def card(self, seat: int, label: str, colour: str | None = None, uno: bool = False) -> PlayCard:
        """The play of this card from this hand, spelled as the size of the hand asks."""
        handle = self.find(seat, label)
        last = len(self.state.hands[seat]) == 1
        named = None if colour is None else self.edition.colours.index(colour)
        return PlayCard(handle, self.faces[handle], named, None if last else uno)

    def play(self, seat: int, label: str, colour: str | None = None, uno: bool = False) -> tuple[Event, ...]:
        return self.act(seat, self.card(seat, label, colour, uno))

    def shown(self, seat: int, labels: str) -> tuple[tuple[Handle, int], ...]:
        return tuple(sorted((handle, self.faces[handle]) for handle in (self.find(seat, w) for w in words(labels))))

    def show(self, seat: int, labels: str) -> tuple[Event, ...]:
        return self.act(seat, ShowCards(self.shown(seat, labels)))

    def discard(self, seat: int, labels: str) -> tuple[Event, ...]:
        return self.act(seat, Discard(self.shown(seat, labels)))

    def open(self, seat: int) -> tuple[Event, ...]:
        return self.act(seat, OpenHand(tuple((h, self.faces[h]) for h in self.state.hands[seat])))

    def window(self, answers: dict[int, Action]) -> None:
        assert self.asked == (Kind.WINDOW, tuple(answers))
        for seat, answer in answers.items():
            self.act(seat, answer)

    def settle(self, *, draws: bool = True) -> list[str]:
        """Give what needs no person: shuffles, keys and the "I draw". Returns what it was, in words."""
        log: list[str] = []
        while True:
            match self.state.pending:
                case NeedEpoch(cards):
                    log.append(f"epoch {len(cards)}")
                    self.apply(self._epoch(cards))
                case NeedKeys(deals):
                    log += [f"keys {seat}:{len(handles)}" for seat, handles in deals]
                    self.apply(KeysReleased())
                case NeedActions(Kind.DRAW, _) if draws:
                    log.append(f"draw {self.state.owing[0]}")
                    self.act(self.state.owing[0], Draw())
                case _:
                    return log

    def _epoch(self, cards: tuple[int, ...]) -> Input:
        for index, card in enumerate(cards):
            self.faces[Handle(self.state.epoch, index)] = card
        return EpochReady()

    @property
    def asked(self) -> tuple[Kind, tuple[int, ...]] | str:
        """What is awaited: kind and seats still owing, or the name of what the table owes."""
        pending = self.state.pending
        if isinstance(pending, NeedActions):
            return pending.kind, self.state.owing
        return type(pending).__name__

    def counts_of(self) -> list[int]:
        return [len(hand) for hand in self.state.hands]

    def pile(self) -> list[str]:
        """The discard pile, bottom to top, in words."""
        return [self.label(card) for card in self.state.discard]

    def hand(self, seat: int) -> list[str]:
        return [self.label(self.faces[handle]) for handle in self.state.hands[seat]]

    def colour(self) -> str | None:
        return None if self.state.colour is None else self.edition.colours[self.state.colour]

    def happened(self, kind: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]

    def refuse(self, seat: int, action: Action) -> None:
        """The action is refused and the state is the same value."""
        before = self.state
        with pytest.raises(IllegalAction):
            self.act(seat, action)
        assert self.state is before


class Deal(Scene):
    """A match from the first deal on, with the deck stacked: `first` are the cards turned up, in order."""

    def __init__(self, edition: str, seats: int, first: str, *, stacking: bool = False, dealt: str = "") -> None:
        super().__init__(edition, [""] * seats, "red 9" if edition != "despicable-me-4" else "blue 9")
        self.state = new_match(Options(edition, seats, 0, stacking))
        self._free = list(range(len(self.edition.cards)))
        start = [self._take(label) for label in words(first)]
        front = [self._take(label) for label in words(dealt)]
        front += [self._take_number() for _ in range(7 * seats - len(front))]
        self.order = [*front, *start, *self._free]

    def _take_number(self) -> int:
        card = next(c for c in self._free if self.edition.cards[c].number is not None)
        self._free.remove(card)
        return card

    def begin(self) -> None:
        """Deal, and turn up until a player is asked."""
        self.faces = {Handle(0, i): card for i, card in enumerate(self.order)}
        self.apply(EpochReady())
        self.apply(KeysReleased())
        while self.asked == "NeedFace":
            self.apply(TurnUp(self.faces[self.state.draw[0]]))


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
