"""What a peer tells the program around it: facts, in the past tense, for a person, a bot or a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from nodealer import engine

from .options import TableOptions


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """A player as people see it: the name it gave itself and the words of its key's fingerprint."""

    name: str
    fingerprint: str
    key: bytes


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """The table is being filled: who sits there now. ``options`` are the host's."""

    host: str
    options: TableOptions
    players: tuple[PlayerInfo, ...]


@dataclass(frozen=True, slots=True)
class TableMade:
    """All start entries and the coin are in. ``players`` in seat order; ``seat`` is one's own, None for a spectator."""

    table: bytes
    options: TableOptions
    players: tuple[PlayerInfo, ...]
    seat: int | None


@dataclass(frozen=True, slots=True)
class SlotOpened:
    """The table now waits for ``seats`` to write an entry of ``kind`` (a name of PROTOCOL.md's slot table)."""

    slot: int
    kind: str
    seats: tuple[int, ...]
    round: int
    epoch: int


@dataclass(frozen=True, slots=True)
class StepVerified:
    """Something that ``seat`` had to prove was checked and holds; ``cards`` is how many cards it is about.

    ``what``: "shuffle", "lock" (the deck), "keys" (those dealt), "verdict" (the accused hand), "kept" (what Mega
    Minions left in a hand), "choice" (of an Ohana, the one that was committed to).
    """

    what: str
    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class DeckMade:
    """All shuffles and locks of an epoch stand: these card ids (sorted) lie there, in an order that nobody knows."""

    round: int
    epoch: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardsOpened:
    """These cards were shown, and each one opened to its place in the deck; ``seat`` is None for one turned up."""

    seat: int | None
    cards: engine.Shown


@dataclass(frozen=True, slots=True)
class GameEvent:
    """One public fact of the game, from the engine."""

    event: engine.Event


@dataclass(frozen=True, slots=True)
class HandChanged:
    """One's own cards that are readable now, in hand order."""

    cards: tuple[tuple[engine.Handle, int], ...]


@dataclass(frozen=True, slots=True)
class HandSeen:
    """One's own challenge has opened this seat's hand, to oneself alone: the cards of the moment of the play."""

    seat: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DecisionNeeded:
    """This peer owes an answer that a person (or a bot) decides: answer with ``Peer.act(action, now)``.

    In an UNO window the answer is optional: the owner may act ``Called``, the others ``Caught``, until it closes.
    ``deadline`` is the time (on the clock given to the peer) when the peer acts by itself, None without a clock.
    """

    kind: engine.Kind
    view: engine.View
    legal: tuple[engine.Action, ...]
    deadline: float | None


@dataclass(frozen=True, slots=True)
class DecisionOver:
    """The decision asked for last is no longer open (answered, or the clock ran out)."""

    kind: engine.Kind
    by_clock: bool


@dataclass(frozen=True, slots=True)
class ChatSaid:
    """A line of chat; the text is already free of control and direction characters."""

    seat: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PeerMissing:
    """No line of ours reaches this player now (its entries may still come by way of others)."""

    seat: int | None
    name: str


@dataclass(frozen=True, slots=True)
class PeerBack:
    """The line to this player is there again."""

    seat: int | None
    name: str


@dataclass(frozen=True, slots=True)
class PlayerOut:
    """This player is out of the match, and the table goes on without it.

    ``reason``: it left, an entry of it failed a check ("cheat"), or the others dropped it for its silence ("dropped").
    """

    seat: int
    name: str
    reason: Literal["left", "cheat", "dropped"]
    check: str | None = None
    detail: str | None = None


class Outcome(Enum):
    """How a peer's match ended; the value is the exit code of the command line."""

    COMPLETE = 0
    CHEAT = 3
    GONE = 4
    DISSOLVED = 5
    UNSOUND = 6
    LOCKED = 7
    ELSEWHERE = 8


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over at this peer. ``sentence`` is for people; scores by seat; ``digest`` of the final state."""

    outcome: Outcome
    sentence: str
    scores: Mapping[int, int]
    winner: int | None
    digest: bytes
    blamed: int | None = None
    check: str | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    """An unfinished match was read from its journal, whose story the events up to here have told.

    While ``catching_up`` the others are asked how far the match is; then it comes a second time, and play goes on.
    """

    records: int
    catching_up: bool


@dataclass(frozen=True, slots=True)
class WatchersChanged:
    """So many watch this match now without a seat, as far as this peer has been told."""

    count: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person may want to know (a name with another key, a refusal of the host, a stray message)."""

    text: str


@dataclass(frozen=True, slots=True)
class Shunned(Notice):
    """The line to this player brought what no honest program sends: there is no line to it any more."""

    seat: int


PeerEvent = (
    LobbyChanged
    | TableMade
    | SlotOpened
    | StepVerified
    | DeckMade
    | CardsOpened
    | GameEvent
    | HandChanged
    | HandSeen
    | DecisionNeeded
    | DecisionOver
    | ChatSaid
    | PeerMissing
    | PeerBack
    | PlayerOut
    | Ended
    | Resumed
    | WatchersChanged
    | Notice
)
