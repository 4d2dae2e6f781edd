"""A table whose deals and moves are written down in words; everything else, keys and proofs and entries, is real.

The cards lie as wanted because of a permutation: seat 0's shuffle is the wanted order, the others leave the deck as it
is. Nothing else is touched, so every proof is made and checked as in any match, and no seed has to be searched for.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

from nodealer import engine
from nodealer.crypto.epoch_secrets import EpochSecrets
from nodealer.crypto.identity import Identity
from nodealer.engine import Handle, Kind
from nodealer.p2p.events import DecisionNeeded, GameEvent, HandSeen
from nodealer.p2p.match import Match
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.player import Player

from .liar import CheatTable, Lie, LyingPeer, LyingPlayer, Trick, sitting_of
from .table import Chooser, Seated, Table

DM, LS = "despicable-me-4", "lilo-stitch"
HAND = 7
# Decisions after the script's end; a match in which nobody wants to win would go on for hours.
ENOUGH = 600

SIMPLE: dict[str, engine.Action] = {
    "draw": engine.Draw(),
    "pass": engine.Pass(),
    "keep": engine.Keep(),
    "take": engine.Take(),
    "accept": engine.Accept(),
    "challenge": engine.Challenge(),
    "call": engine.Called(),
    "catch": engine.Caught(),
}
WINDOW = ("call", "catch", "quiet")


def cards_of(text: str) -> list[str]:
    """Labels from words: "wild, red 1 2 2" is wild, red 1, red 2, red 2."""
    labels = []
    for word in (word.strip() for word in text.split(",") if word.strip()):
        first, *rest = word.split()
        if rest and all(number.isdigit() for number in rest):
            labels += [f"{first} {number}" for number in rest]
        else:
            labels.append(word)
    return labels


@dataclass(frozen=True)
class Deal:
    """Hands by seat, the cards turned up, and the next cards of the draw pile, in words.

    A hand of fewer than seven words is filled up with numbers, and so is what is drawn after ``draw``; ``dealer`` is
    the seat that deals this round.
    """

    edition: str
    hands: Sequence[str]
    top: str
    draw: str = ""
    dealer: int = 0

    def order(self) -> tuple[int, ...]:
        """The deck's cards by position: dealt one at a time from the left of the dealer on, turned up, drawn."""
        rules = engine.EDITIONS[self.edition]
        free = {card.id: card for card in rules.cards}

        def take(labels: Iterable[str]) -> list[int]:
            return [free.pop(next(i for i, card in free.items() if card.label(rules) == label)).id for label in labels]

        # Numbers first, each colour in turn, so that what fills up a hand changes no challenge by many cards.
        tops = take(cards_of(self.top))
        hands = [take(cards_of(hand)) for hand in self.hands]
        drawn = take(cards_of(self.draw))
        for hand in hands:
            numbers = [i for i, card in free.items() if card.number is not None]
            hand += [free.pop(i).id for i in numbers[: HAND - len(hand)]]
        seats = len(hands)
        dealt = [hands[(self.dealer + 1 + place) % seats][turn] for turn in range(HAND) for place in range(seats)]
        rest = sorted(free, key=lambda i: (free[i].number is None, i))
        return (*dealt, *tops, *drawn, *rest)


class Script:
    """What each seat does, in words and in order; when its words are used up, ``after`` decides.

    A word is a simple action ("draw", "challenge", "catch"), "quiet", "discard red 1 2" for Ohana, "wait" (`Rigged.act`
    answers then), or a play: the card's label, "-> colour" after a wild, "uno" at its end to call.
    """

    def __init__(self, steps: Mapping[int, Sequence[str]], after: Chooser) -> None:
        self.left = defaultdict(list, {seat: list(words) for seat, words in steps.items()})
        self.after = after
        self.beyond = 0

    def __call__(self, decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
        view = decision.view
        assert view.seat is not None
        left = self.left[view.seat]
        self.beyond += not left
        assert self.beyond < ENOUGH, "the match does not come to its end"
        if decision.kind is Kind.WINDOW:
            word = left.pop(0) if left and left[0] in WINDOW else "quiet" if left else ""
            if not word:
                return self.after(decision, rng)
            return None if word == "quiet" else SIMPLE[word]
        if not left:
            return self.after(decision, rng)
        word = left.pop(0)
        return None if word == "wait" else said(view, word)


def said(view: engine.View, word: str) -> engine.Action:
    """The action of these words for this view."""
    if word in SIMPLE:
        return SIMPLE[word]
    rules = view.options.rules
    held = {handle: rules.cards[card].label(rules) for handle, card in view.hand if card is not None}

    def find(label: str) -> Handle:
        found = next((handle for handle, held_label in held.items() if held_label == label), None)
        assert found is not None, f"seat {view.seat} holds no {label}: {sorted(held.values())}"
        del held[found]
        return found

    known = dict(view.hand)
    if word.startswith("discard "):
        handles = sorted(find(label) for label in cards_of(word.removeprefix("discard ")))
        return engine.Discard(tuple((handle, known[handle] or 0) for handle in handles))
    text, uno = word.removesuffix(" uno"), word.endswith(" uno")
    label, _, colour = (part.strip() for part in text.partition("->"))
    handle = find(label)
    last = len(view.hand) == 1
    named = rules.colours.index(colour) if colour else None
    return engine.PlayCard(handle, known[handle] or 0, named, None if last else uno)


def plain(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Does what the turn clock would do, and neither calls nor catches."""
    if decision.kind is Kind.WINDOW:
        return None
    for action in decision.legal:
        if isinstance(action, engine.Draw | engine.Pass | engine.Keep | engine.Take | engine.Accept):
            return action
    return decision.legal[0]


@dataclass
class Rig:
    """Makes `EpochSecrets` shuffle to the orders that are wanted, by (round, epoch)."""

    orders: Mapping[tuple[int, int], tuple[int, ...]]
    made: list[EpochSecrets] = field(default_factory=list)

    def patch(self) -> Any:
        honest = EpochSecrets.__init__

        def made(secrets: EpochSecrets, *args: Any, **options: Any) -> None:
            honest(secrets, *args, **options)
            order = self.orders.get((secrets.where.round, secrets.where.epoch))
            if order is not None:
                assert len(order) == secrets.n
                secrets._permutation = order if secrets.seat == 0 else tuple(range(secrets.n))
            self.made.append(secrets)

        return mock.patch.object(EpochSecrets, "__init__", made)


class Rigged(CheatTable):
    """A table with stacked decks. The peer in ``cheat_seat`` may lie by ``trick`` once the cards are dealt.

    Unlike its base it names the cheat by its seat, which the coin gives to one of the peers.
    """

    def __init__(
        self,
        deals: Deal | Sequence[Deal],
        steps: Mapping[int, Sequence[str]],
        *,
        trick: Trick | None = None,
        cheat_seat: int = 1,
        after: Chooser = plain,
        options: TableOptions | None = None,
        target: int = 0,
        seed: object = 0,
    ) -> None:
        deals = [deals] if isinstance(deals, Deal) else deals
        players = len(deals[0].hands)
        if options is None:
            options = TableOptions.defaults(deals[0].edition, players, target).fast()
            options = replace(options, escrow=False, turn_clock=0)
        self.rig = Rig({(number, 0): deal.order() for number, deal in enumerate(deals)})
        self.script = Script(steps, after)
        self.cheat_seat = cheat_seat

        def only_there(player: LyingPlayer, kind: str, body: bytes) -> Lie | None:
            if trick is None or player.match.state is None or player.seat != cheat_seat:
                return None
            return trick(player, kind, body)

        def make(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
            kind = LyingPeer if trick is not None else Peer
            peer = kind.host(identity, name, options, stream) if index == 0 else kind.join(identity, name, stream)
            if isinstance(peer, LyingPeer):
                peer.trick = only_there
            return peer

        Table.__init__(self, players, options, seed=seed, choose=self.script, make=make)

    @property
    def cheat(self) -> int:  # type: ignore[override]
        """The index of the peer in the cheat's seat; -1 before there are seats."""
        if any(seated.peer.match is None or seated.peer.match.state is None for seated in self.seats):
            return -1
        return self.seats.index(self.at(self.cheat_seat))

    def at(self, seat: int) -> Seated:
        """The peer in this seat."""
        return next(seated for seated in self.seats if seated.peer.seat == seat)

    def others(self, *but: int) -> list[Seated]:
        """All peers but those in these seats."""
        return [seated for seated in self.seats if seated.peer.seat not in but]

    def player(self, seat: int) -> Player:
        return sitting_of(self.at(seat)).player

    def matches(self) -> list[Match]:
        return [sitting_of(seated).match for seated in self.seats]

    def form(self) -> None:
        with self.rig.patch():
            super().form()

    def run(self, seconds: float = 3600.0, until: Callable[[], bool] | None = None) -> None:
        with self.rig.patch():
            super().run(seconds, until)

    def reach(self, moment: Callable[[engine.State], bool], seconds: float = 60.0) -> engine.State:
        """Play until the state at every peer is at this moment; the state, the same everywhere."""

        def here() -> bool:
            states = [match.state for match in self.matches()]
            return all(state is not None and moment(state) for state in states)

        if not self.seats[0].peer.match:
            self.form()
        self.run(seconds, until=here)
        assert here(), "the moment has not come"
        (state,) = {engine.digest(match.playing()): match.playing() for match in self.matches()}.values()
        return state

    def act(self, seat: int, word: str) -> None:
        """Answer for a seat whose script waits."""
        seated = self.at(seat)
        seated.peer.act(said(self.player(seat).view(), word), self.now)
        self._drain(self.seats.index(seated))

    def happened(self, kind: type) -> list[Any]:
        """The game's facts of this type, as every peer was told them."""
        told = [
            [event.event for event in seated.told if isinstance(event, GameEvent) and isinstance(event.event, kind)]
            for seated in self.seats
        ]
        assert all(events == told[0] for events in told)
        return told[0]

    def hands_seen(self, seat: int) -> list[HandSeen]:
        return [event for event in self.at(seat).told if isinstance(event, HandSeen)]

    def labels(self, cards: Iterable[int]) -> list[str]:
        rules = self.matches()[0].playing().rules
        return [rules.cards[card].label(rules) for card in cards]


def asks(kind: Kind, seat: int | None = None) -> Callable[[engine.State], bool]:
    """The moment when (this seat among others) owes an action of this kind."""

    def moment(state: engine.State) -> bool:
        pending = state.pending
        return (
            isinstance(pending, engine.NeedActions) and pending.kind is kind and (seat is None or seat in pending.seats)
        )

    return moment
