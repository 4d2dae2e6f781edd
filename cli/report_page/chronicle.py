"""What the page tells of one match, kept while the verifier runs: an observer of the table's events.

It holds what the page shows and nothing else. Lines, marks of turns and samples of hands are bounded, so a transcript
of any length takes a bounded room; what is over a bound is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.options import TableOptions

from ..words import Words, listed
from .decks import Decks
from .fairness import Sample
from .markup import mark
from .series import Series

# A page with more lines than this, or more letters in them, is no pleasure in any browser.
MAX_LINES = 20_000
MAX_LETTERS = 1_000_000
# Decks whose proofs stand there one by one.
MAX_DECKS = 1_000
# Turns that a round's strip can show, and all strips together.
MAX_STRIP = 600
MAX_FIELDS = 50_000
MAX_ROUNDS = 2_000
# In place of a seat: what all together have shown, a card turned up.
ALL = -1
MAX_CHALLENGES = 2_000


@dataclass(slots=True)
class Step:
    """A proof that holds: what, whose, about how many cards, in which slot."""

    what: str
    seat: int
    cards: int
    slot: int


@dataclass(slots=True)
class Epoch:
    """One joint shuffle: its number in the round, and its steps as they were verified, unless there are too many."""

    number: int
    told: bool = True
    steps: list[Step] = field(default_factory=list)
    made: bool = False

    @property
    def cards(self) -> int:
        return self.steps[0].cards if self.steps else 0


@dataclass(slots=True)
class Turn:
    """The lines of one turn; ``seat`` is None before the first turn and after the last."""

    seat: int | None
    title: str = ""
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Challenge:
    """A Wild Draw Four that was challenged. ``guilty`` is None while there is no answer."""

    round: int
    turn: int
    challenger: int
    accused: int
    colour: int | None
    hand: int = 0
    slot: int = 0
    guilty: bool | None = None


@dataclass(slots=True)
class Round:
    """One round. ``strip`` has a byte a turn: its seat."""

    number: int
    dealer: int
    epochs: list[Epoch] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    taken: int = 0
    strip: bytearray = field(default_factory=bytearray)
    challenged: list[int] = field(default_factory=list)
    shuffled: list[int] = field(default_factory=list)
    keys: int = 0
    shown: int = 0
    winner: int | None = None
    points: int = 0
    ended: bool = False
    drawn: str = ""


class Chronicle:
    """Give ``on_event`` all that the verifier tells; read the rest afterwards."""

    def __init__(self, samples: dict[str, Sample] | None = None) -> None:
        self.table = b""
        self.options: TableOptions | None = None
        self.players: tuple[p2p.PlayerInfo, ...] = ()
        self.rounds: list[Round] = []
        self.ended_rounds = 0
        self.challenges: list[Challenge] = []
        self.hands = Series()
        self.scores: list[tuple[int, ...]] = []
        self.proven: dict[tuple[str, int], int] = {}
        self.lines = 0
        self.left_out = 0
        self._letters = 0
        self._decks_told = 0
        self._fields = 0
        self.won_match: int | None = None
        self.decks = Decks({} if samples is None else samples)
        self._words: Words | None = None
        self._slot = 0
        self._epoch = 0
        self._held: list[int] = []
        self._colour: int | None = None
        self._before: int | None = None
        self._open: Challenge | None = None
        self._window = False

    @property
    def round(self) -> Round:
        return self.rounds[-1]

    def on_event(self, event: p2p.PeerEvent) -> None:
        match event:
            case p2p.TableMade():
                self._table_made(event)
            case p2p.SlotOpened(slot=slot, epoch=epoch):
                self._slot, self._epoch = slot, epoch
            case p2p.StepVerified():
                self._step(event)
            case p2p.DeckMade(round=number, epoch=epoch, cards=cards):
                self.round.epochs[-1].made = True
                self.decks.made(number, epoch, cards)
            case p2p.CardsOpened(seat=seat, cards=cards):
                self.round.shown += len(cards)
                self._prove("card", seat, len(cards))
                self.decks.opened(cards)
            case p2p.ChatSaid(seat=seat, text=text):
                self._tell(f"{mark(seat)} says: \u201c{text}\u201d")
            case p2p.GameEvent(event=fact):
                self._game(fact)
            case _:
                pass

    def _table_made(self, event: p2p.TableMade) -> None:
        self.table, self.options, self.players = event.table, event.options, event.players
        seats = len(event.players)
        self._words = Words(event.options.edition, [mark(seat) for seat in range(seats)], None)
        self.scores.append((0,) * seats)
        self.decks.table_made(event.table, event.options.edition, seats)
        # The engine tells of every round's beginning but the first, which is the match's own.
        self._begin_round(0, 0)

    def _begin_round(self, number: int, dealer: int) -> None:
        if len(self.rounds) == MAX_ROUNDS:
            # The newest is kept, for what comes; the bound is far beyond any match.
            self.rounds.pop()
        self.rounds.append(Round(number, dealer, turns=[Turn(None, "The deal")]))
        self._held = [0] * len(self.players)
        self._colour = None
        self.hands.begin()

    def _prove(self, what: str, seat: int | None, number: int = 1) -> None:
        key = (what, ALL if seat is None else seat)
        self.proven[key] = self.proven.get(key, 0) + number

    def _step(self, event: p2p.StepVerified) -> None:
        what, seat, cards = event.what, event.seat, event.cards
        self._prove(what, seat, cards if what == "keys" else 1)
        current = self.round
        match what:
            case "shuffle" | "lock":
                if not current.epochs or current.epochs[-1].made:
                    current.epochs.append(Epoch(self._epoch, told=self._decks_told < MAX_DECKS))
                    current.shuffled.append(current.taken)
                    self._decks_told += current.epochs[-1].told
                if current.epochs[-1].told:
                    current.epochs[-1].steps.append(Step(what, seat, cards, self._slot))
            case "keys":
                current.keys += cards
            case "verdict" if self._open is not None:
                self._open.hand, self._open.slot = cards, self._slot
            case "kept":
                self._tell(f"Proven: none of the {cards} cards that {mark(seat)} keeps has an icon.")

    def _tell(self, line: str | None) -> None:
        if line is None or not self.rounds:
            return
        if self._full:
            self.left_out += 1
            return
        self.lines += 1
        self._letters += len(line)
        self.round.turns[-1].lines.append(line)

    def _turn(self, seat: int | None, title: str = "") -> None:
        if not self._full:
            self.round.turns.append(Turn(seat, title))

    @property
    def _full(self) -> bool:
        return self.lines >= MAX_LINES or self._letters >= MAX_LETTERS

    def _sample(self) -> None:
        self.hands.add(tuple(self._held))

    def _game(self, fact: engine.Event) -> None:
        words = self._words
        if words is None:
            return
        current = self.round
        # A call that came with the play is told with the play.
        late, self._window = self._window, isinstance(fact, engine.WindowOpened)
        line = None if isinstance(fact, engine.UnoCalled) and not late else words.event(fact)
        match fact:
            case engine.RoundStarted(round=number, dealer=dealer):
                self._begin_round(number, dealer)
            case engine.CardsDealt(seat=seat, handles=handles) | engine.CardsDrawn(seat=seat, handles=handles):
                self._held[seat] += len(handles)
                self.decks.dealt(seat, handles)
            case engine.CardTurned(card=card):
                self._colour = words.edition.cards[card].colour
            case engine.TurnStarted(seat=seat):
                self._sample()
                current.taken += 1
                if len(current.strip) < MAX_STRIP and self._fields < MAX_FIELDS:
                    current.strip.append(seat)
                    self._fields += 1
                self._turn(seat)
            case engine.CardPlayed(seat=seat, card=card, colour=colour):
                self._held[seat] -= 1
                self._before = self._colour
                self._colour = words.edition.cards[card].colour if colour is None else colour
            case engine.ColourNamed(colour=colour):
                self._colour = colour
            case engine.CardsDiscarded(seat=seat, cards=cards):
                self._held[seat] -= len(cards)
            case engine.Challenged(seat=seat, accused=accused):
                current.challenged.append(current.taken)
                self._open = Challenge(current.number, current.taken, seat, accused, self._before)
                if len(self.challenges) < MAX_CHALLENGES:
                    self.challenges.append(self._open)
            case engine.ChallengeWon() | engine.ChallengeLost():
                if self._open is not None:
                    self._open.guilty = isinstance(fact, engine.ChallengeWon)
                    line = f"{line} {self._proof_of(self._open)}"
                self._open = None
            case engine.HandOpened():
                if current.turns[-1].title != "The end of the round":
                    self._turn(None, "The end of the round")
            case engine.RoundWon(seat=seat, points=points):
                self._round_ended(seat, points, "")
            case engine.RoundDrawn(reason=reason):
                self._round_ended(None, 0, reason.value)
            case engine.MatchWon(seat=seat):
                self.won_match = seat
        self._tell(line)

    def against(self, case: Challenge) -> str:
        """The cards that make it a bluff, in words: "red or wild"."""
        words = self._words
        colour = "of the active colour" if words is None or case.colour is None else words.colour(case.colour)
        return listed([colour, "wild"]).replace(" and ", " or ")

    def _proof_of(self, case: Challenge) -> str:
        if case.guilty:
            return f"(At least one of {case.hand} hidden cards is {self.against(case)}; no card was shown.)"
        return f"(None of {case.hand} hidden cards is {self.against(case)}; no card was shown.)"

    def _round_ended(self, winner: int | None, points: int, drawn: str) -> None:
        self._sample()
        current = self.round
        current.winner, current.points, current.drawn, current.ended = winner, points, drawn, True
        self.ended_rounds += 1
        scores = list(self.scores[-1])
        if winner is not None:
            scores[winner] += points
        if len(self.scores) <= MAX_ROUNDS:
            self.scores.append(tuple(scores))
        else:
            self.scores[-1] = tuple(scores)
        self.decks.round_ended(complete=winner is not None)
