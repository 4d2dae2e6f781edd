"""Tells a match as lines beginning "* ": who sits where, how the shuffle goes, what was played, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.leaving import sentence as out_sentence
from nodealer.p2p.names import clean_chat, clean_name, clean_text

from .acquaintance import given_name
from .words import WAITS, Words, count, listed

# After so long people want to know whom they wait for, and again as long afterwards.
WAIT_TOLD_S = 5.0
EPOCH_SLOTS = ("shuffle", "lock", "epoch ok")


@dataclass(slots=True)
class _Waiting:
    """The open slot: whom it waits for, since when, and when that is told next."""

    kind: str
    seats: tuple[int, ...]
    since: float
    told_next: float


class Narrator:
    """An observer of one peer. ``write`` gets each line without its end; ``strangers`` gives the keys of those whose
    name is known with another key, of the players at a table, given one's own seat."""

    def __init__(
        self,
        write: Callable[[str], None],
        strangers: Callable[[Sequence[p2p.PlayerInfo], int | None], frozenset[bytes]] = lambda players, seat: (
            frozenset()
        ),
    ) -> None:
        self._write = write
        self._strangers = strangers
        self.words: Words | None = None
        self.scores: list[int] = []
        self._lobby: tuple[str, ...] = ()
        self._waiting: _Waiting | None = None
        self._steps = 0
        self._window = False
        self._epoch: tuple[int, int] | None = None
        self._hand: dict[engine.Handle, int] = {}

    def tell(self, line: str) -> None:
        self._write(f"* {line}")

    @property
    def hand(self) -> tuple[int, ...]:
        return tuple(self._hand.values())

    def next_deadline(self) -> float | None:
        return self._waiting.told_next if self._waiting is not None else None

    def tick(self, now: float) -> None:
        """Say whom the table waits for, when that has taken long."""
        waiting, words = self._waiting, self.words
        if waiting is None or words is None or now < waiting.told_next:
            return
        waiting.told_next = now + WAIT_TOLD_S
        others = [seat for seat in waiting.seats if seat != words.seat]
        if others:
            seconds = round(now - waiting.since)
            self.tell(
                f"Waiting for {words.people(others)} {WAITS.get(waiting.kind, waiting.kind)}: {seconds} s so far."
            )

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        match event:
            case p2p.LobbyChanged():
                self._lobby_changed(event)
            case p2p.TableMade():
                self._table_made(event)
            case p2p.SlotOpened():
                self._slot_opened(event, now)
            case p2p.StepVerified():
                self._step_verified(event)
            case p2p.GameEvent(event=fact):
                self._game(fact)
            case p2p.HandChanged(cards=cards):
                self._hand_changed(dict(cards))
            case p2p.DecisionOver(kind=kind, by_clock=True) if kind is not engine.Kind.WINDOW:
                self.tell("The clock ran out; your program answered for you.")
            case p2p.ChatSaid(seat=seat, name=name, text=text):
                words = self.words
                who = f"{clean_name(name)} says" if words is None else words.does(seat, "say", "says")
                self.tell(f"{who}: {clean_chat(text)}")
            case p2p.PeerMissing(name=name):
                self.tell(f"No line to {clean_name(name)} at the moment.")
            case p2p.PlayerOut():
                self.tell(clean_chat(out_sentence(event)))
            case p2p.PeerBack(name=name):
                self.tell(f"{clean_name(name)} is back.")
            case p2p.Resumed(catching_up=catching_up):
                behind = "That is the match as far as this program knows it; the others are asked how far it is."
                self.tell(behind if catching_up else "You are back at the table.")
            case p2p.WatchersChanged(count=number):
                self.tell(watching(number))
            case p2p.Notice(text=text):
                self.tell(clean_chat(text))
            case p2p.Ended():
                self._ended(event)

    def _lobby_changed(self, event: p2p.LobbyChanged) -> None:
        names = tuple(clean_text(player.name) for player in event.players)
        if names != self._lobby:
            self._lobby = names
            self.tell(f"{len(names)} of {event.options.seats} seats are taken: {listed(names)}.")

    def _table_made(self, event: p2p.TableMade) -> None:
        names = [display_name(player) for player in event.players]
        self.words = words = Words(event.options.edition, names, event.seat)
        self.scores = [0] * len(names)
        title = words.edition.title
        self.tell(f"{title}, {goal(event.options.target)}{', with stacking' if event.options.stacking else ''}.")
        seats = [with_key(words.who(seat), player) for seat, player in enumerate(event.players)]
        self.tell(f"Seats, each to the left of the one before: {listed(seats)}.")
        strangers = self._strangers(event.players, event.seat)
        for player in event.players:
            if player.key in strangers:
                name = clean_name(given_name(player))
                self.tell(f"Beware: you know another {name}; the key {player.fingerprint} is new to you.")

    def _slot_opened(self, event: p2p.SlotOpened, now: float) -> None:
        self._waiting = _Waiting(event.kind, event.seats, now, now + WAIT_TOLD_S)
        if event.kind == "shuffle" and (event.round, event.epoch) != self._epoch:
            self._epoch = (event.round, event.epoch)
            if event.epoch == 0:
                self.tell(f"Round {event.round + 1}: everybody shuffles the deck in turn, then locks every card.")
            else:
                self.tell("The draw pile is empty: everybody shuffles the discard pile, all but its top card.")
        if event.kind not in EPOCH_SLOTS:
            self._steps = 0

    def _step_verified(self, event: p2p.StepVerified) -> None:
        words = self.words
        if words is None or event.what not in ("shuffle", "lock"):
            return
        seats = len(words.names)
        done = self._steps % seats + 1
        self._steps += 1
        whose = "Your" if event.seat == words.seat else f"{words.names[event.seat]}'s"
        what = (
            f"the same {count(event.cards, 'card')}, newly ordered"
            if event.what == "shuffle"
            else "a key for each card"
        )
        mine = "proof sent" if event.seat == words.seat else "proof checked"
        self.tell(f"{whose} {event.what} ({done} of {seats}): {mine}; {what}.")

    def _game(self, fact: engine.Event) -> None:
        words = self.words
        if words is None:
            return
        # A call that came with the play is told with the play.
        late = self._window
        self._window = isinstance(fact, engine.WindowOpened)
        line = None if isinstance(fact, engine.UnoCalled) and not late else words.event(fact)
        if line is not None:
            self.tell(line)
        match fact:
            case engine.RoundStarted():
                self._hand = {}
            case engine.RoundWon(seat=seat, points=points):
                self.scores[seat] += points
                self.tell(f"Scores: {self._scores()}.")
            case engine.RoundDrawn() | engine.RoundLost():
                self.tell(f"Scores: {self._scores()}.")

    def _hand_changed(self, hand: dict[engine.Handle, int]) -> None:
        words, new = self.words, [card for handle, card in hand.items() if handle not in self._hand]
        first = not self._hand
        self._hand = hand
        if words is None or not new:
            return
        if first:
            self.tell(f"Your hand: {words.cards(hand.values())}.")
        else:
            self.tell(f"You drew {words.cards(new)}.")

    def _ended(self, event: p2p.Ended) -> None:
        self._waiting = None
        # The winner has been told; what a locked table wants is asked for, or the program's last word.
        if event.outcome not in (p2p.Outcome.COMPLETE, p2p.Outcome.LOCKED):
            self.tell(clean_chat(event.sentence))
        if self.words is not None and any(event.scores.values()):
            self.tell(
                "Final scores: " + ", ".join(f"{self.words.who(s)} {p}" for s, p in sorted(event.scores.items())) + "."
            )

    def points(self) -> str:
        """The points so far, in a sentence."""
        return "There are no points yet." if self.words is None else f"Scores: {self._scores()}."

    def _scores(self) -> str:
        words = self.words
        return (
            "" if words is None else ", ".join(f"{words.who(seat)} {points}" for seat, points in enumerate(self.scores))
        )


def watching(number: int) -> str:
    """How many watch, in a sentence."""
    if number == 1:
        return "One person watches the match."
    return f"{number} people watch the match." if number else "Nobody watches the match any more."


def goal(target: int) -> str:
    """What the match goes to."""
    return "one hand" if target == 0 else f"to {target} points"


def with_key(name: str, player: p2p.PlayerInfo) -> str:
    """A name with the fingerprint of its key, which stands there already where two players have one name."""
    key = f" ({player.fingerprint})"
    return name if name.endswith(key) else name + key


def display_name(player: p2p.PlayerInfo) -> str:
    """A player's name fit to be shown; nobody else can be called "you"."""
    name = clean_text(player.name)
    return f"{name} ({player.fingerprint})" if name.casefold() in ("", "you") else name
