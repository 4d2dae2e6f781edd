"""What the screen knows of a match. It changes by events alone; rendering only reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer import engine
from nodealer.engine import Action, Handle, Kind, View
from nodealer.p2p import events as p2p
from nodealer.p2p.match import Match
from nodealer.p2p.names import clean_chat, clean_name
from nodealer.p2p.options import TableOptions

from ..narrator import EPOCH_SLOTS, Narrator
from ..words import Words

# Lines that are kept to be looked at again; what is older stands in the transcript.
MAX_LINES = 1000


@dataclass(frozen=True, slots=True)
class Glance:
    """The public state as it is now, taken where the peer lives: what the player may see, whom the open slot still
    waits for, the slot's number, the digest of everything so far, and how many entries were taken."""

    view: View | None
    waiting: tuple[int, ...]
    slot: int
    digest: bytes
    entries: int

    @classmethod
    def of(cls, match: Match, seat: int | None, known: Mapping[Handle, int]) -> Glance:
        """The public machine now; ``known`` are the readable cards of ``seat``'s hand (None: a spectator)."""
        at = None if seat is None else engine.Seat(seat)
        view = None if match.state is None else engine.view(match.state, at, dict(known))
        return cls(view, match.waiting_for(), match.slot.number, match.slot.digest, match.taken)


@dataclass(frozen=True, slots=True)
class Told:
    """A line of this program itself: where the table is open, where the transcript lies."""

    text: str


@dataclass(frozen=True, slots=True)
class Strangers:
    """Keys at this table whose name is known with another key. Comes before the players do."""

    keys: frozenset[bytes]


Happening = p2p.PeerEvent | Glance | Told | Strangers


@dataclass(frozen=True, slots=True)
class Ask:
    """The open decision, and since when it is open."""

    needed: p2p.DecisionNeeded
    since: float

    @property
    def kind(self) -> Kind:
        return self.needed.kind

    @property
    def view(self) -> View:
        return self.needed.view

    @property
    def legal(self) -> tuple[Action, ...]:
        return self.needed.legal

    @property
    def deadline(self) -> float | None:
        return self.needed.deadline

    @property
    def mine(self) -> bool:
        """In an UNO window: whether it is one's own."""
        return self.view.window == self.view.seat


@dataclass(frozen=True, slots=True)
class Waiting:
    """The open slot: what it is, who owes it, since when."""

    kind: str
    seats: tuple[int, ...]
    since: float


@dataclass(slots=True)
class Making:
    """A deck being made: the steps that were verified, as (what, seat), and how many there will be."""

    round: int
    epoch: int
    seats: int
    cards: int = 0
    steps: list[tuple[str, int]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return 2 * self.seats

    def done(self, what: str, seat: int) -> bool:
        return (what, seat) in self.steps


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended; ``seat`` is its winner, None without one; ``hands`` what was opened, by seat."""

    number: int
    seat: int | None
    points: int
    hands: tuple[tuple[int, ...], ...]
    reason: str = ""


class Model:
    """One match at one seat. ``host``: may start before all seats are taken."""

    def __init__(self, *, host: bool = False) -> None:
        self.host = host
        self.log: list[str] = []
        self.chat: list[tuple[str, str]] = []
        self.strangers: frozenset[bytes] = frozenset()
        self._narrator = Narrator(self._tell, lambda players, seat: self.strangers)
        self.lobby: p2p.LobbyChanged | None = None
        self.made: p2p.TableMade | None = None
        self.view: View | None = None
        self.glance: Glance | None = None
        self.hand: dict[Handle, int] = {}
        self.fresh: frozenset[Handle] = frozenset()
        self.ask: Ask | None = None
        self.by_clock = False
        self.waiting: Waiting | None = None
        self.making: Making | None = None
        self.last_made: Making | None = None
        self.proofs: Counter[tuple[str, int]] = Counter()
        self.verdicts: list[str] = []
        self.missing: dict[int, float] = {}
        self.out: dict[int, p2p.PlayerOut] = {}
        self.seen: p2p.HandSeen | None = None
        self.rounds: list[RoundResult] = []
        self.ended: p2p.Ended | None = None
        self.refusal = ""
        # Started again, and the others have not told yet how far the match is.
        self.catching_up = False

    # What can be read

    @property
    def words(self) -> Words | None:
        return self._narrator.words

    @property
    def options(self) -> TableOptions | None:
        told = self.made or self.lobby
        return None if told is None else told.options

    @property
    def seat(self) -> int | None:
        return None if self.made is None else self.made.seat

    @property
    def cards(self) -> list[tuple[Handle, int]]:
        """One's own readable cards as a person sorts them: by colour, numbers first, wilds last."""
        return sorted(self.hand.items(), key=lambda item: (item[1], item[0]))

    @property
    def suspects(self) -> frozenset[int]:
        """The seats whose name is known with another key."""
        players = () if self.made is None else self.made.players
        return frozenset(seat for seat, player in enumerate(players) if player.key in self.strangers)

    @property
    def may_start(self) -> bool:
        """Whether the host may start early now."""
        lobby = self.lobby
        return self.host and self.made is None and lobby is not None and 2 <= len(lobby.players) < lobby.options.seats

    def plays(self) -> dict[Handle, list[engine.PlayCard]]:
        """The plays that are legal now, by card."""
        found: dict[Handle, list[engine.PlayCard]] = {}
        if self.ask is not None:
            for action in self.ask.legal:
                if isinstance(action, engine.PlayCard):
                    found.setdefault(action.handle, []).append(action)
        return found

    def score(self, seat: int) -> int:
        """Points of a seat in the match."""
        if self.ended is not None and seat in self.ended.scores:
            return self.ended.scores[seat]
        scores = self._narrator.scores
        return scores[seat] if seat < len(scores) else 0

    # What happens

    def take(self, event: Happening, now: float) -> None:
        """One thing that happened."""
        if not isinstance(event, Glance | Told | Strangers | p2p.ChatSaid | p2p.StepVerified):
            # A shuffle's steps have a place of their own, and chat stands apart.
            self._narrator.on_event(event, now)
        match event:
            case Glance(view=view):
                self.glance = event
                self.view = view or self.view
            case Told(text=text):
                self._tell(text)
            case Strangers(keys=keys):
                self.strangers = keys
            case p2p.LobbyChanged():
                self.lobby = event
            case p2p.TableMade():
                self.made = event
            case p2p.Resumed(catching_up=catching_up):
                self.catching_up = catching_up
            case p2p.SlotOpened():
                self._slot_opened(event, now)
            case p2p.StepVerified(what=what, seat=seat, cards=cards):
                self.proofs[what, seat] += 1
                if self.making is not None and what in ("shuffle", "lock"):
                    self.making.steps.append((what, seat))
                    self.making.cards = cards
            case p2p.GameEvent(event=fact):
                self._game(fact)
            case p2p.HandChanged(cards=cards):
                held = dict(cards)
                if held.keys() - self.hand.keys():
                    self.fresh = frozenset(held.keys() - self.hand.keys()) if self.hand else frozenset()
                self.hand = held
            case p2p.HandSeen():
                self.seen = event
            case p2p.DecisionNeeded(view=view):
                self.ask = Ask(event, now)
                self.by_clock = False
                self.refusal = ""
                if self.view is None:
                    self.view = view
            case p2p.DecisionOver(by_clock=by_clock):
                self.ask = None
                self.by_clock = by_clock
            case p2p.ChatSaid(name=name, text=text):
                self.chat.append((clean_name(name), clean_chat(text)))
                del self.chat[:-MAX_LINES]
            case p2p.PeerMissing(seat=seat) if seat is not None:
                self.missing.setdefault(seat, now)
            case p2p.PlayerOut(seat=seat):
                self.missing.pop(seat, None)
                self.out[seat] = event
            case p2p.PeerBack(seat=seat) if seat is not None:
                self.missing.pop(seat, None)
            case p2p.Ended():
                self.ended = event
                self.ask = self.waiting = self.making = None

    def _tell(self, told: str) -> None:
        self.log.append(told.removeprefix("* "))
        del self.log[:-MAX_LINES]

    def _slot_opened(self, event: p2p.SlotOpened, now: float) -> None:
        self.waiting = Waiting(event.kind, event.seats, now)
        if event.kind not in EPOCH_SLOTS:
            self.making = None
            return
        making = self.making
        if making is None or (making.round, making.epoch) != (event.round, event.epoch):
            seats = 0 if self.made is None else len(self.made.players)
            making = Making(event.round, event.epoch, seats)
        self.making = self.last_made = making

    def _game(self, fact: engine.Event) -> None:
        match fact:
            case engine.RoundStarted():
                self.hand, self.fresh = {}, frozenset()
            case engine.CardPlayed(seat=seat):
                self.proofs["card", seat] += 1
                if seat == self.seat:
                    self.fresh = frozenset()
            case engine.HandOpened(seat=seat):
                self.proofs["hand", seat] += 1
            case engine.ChallengeWon() | engine.ChallengeLost():
                words = self.words
                told = None if words is None else words.event(fact)
                self.verdicts.append(told or "")
            case engine.RoundWon(seat=seat, points=points, hands=hands):
                self.rounds.append(RoundResult(len(self.rounds), seat, points, hands))
            case engine.RoundDrawn(reason=reason):
                self.rounds.append(RoundResult(len(self.rounds), None, 0, (), reason.value))
