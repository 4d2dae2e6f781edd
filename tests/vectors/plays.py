"""Small matches that are played for the vectors: real peers in one process, all their "randomness" from labels."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from nodealer import engine
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.p2p.events import DecisionNeeded
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.player import Player
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import MAGIC, frame, parse_record

from examples.table import Table
from tests.helpers.forks import fork

from .common import Source


@dataclass(frozen=True)
class Plan:
    """A match to play; it is stopped ``more`` records after ``until`` (a moment of its state), if there is one.

    ``leaving``: somebody writes nonsense in the first round, and later somebody leaves. ``dropping``: somebody is gone
    without a word when it should move for the second time, and the others drop it by a vote. ``forking``: when all have
    moved somebody shows two entries with one number, and the others deal anew.
    """

    label: str
    options: TableOptions
    until: str | None = None
    more: int = 0
    names: tuple[str, ...] = ()
    leaving: bool = False
    dropping: bool = False
    forking: bool = False

    @property
    def file(self) -> str:
        return f"match-{self.label.split()[0]}.nodealer"


def _options(edition: str, seats: int, *, stacking: bool = False, escrow: bool = False) -> TableOptions:
    options = TableOptions.defaults(edition, seats, 0).fast()
    return replace(options, stacking=stacking, escrow=escrow, keep_delay_ms=0)


# The second word of a label is only there to find a short match in which much happens.
# As long as names may be, as short, and with characters beyond a single byte and beyond a single plane.
NAMES = ("W" * 24, "é", "日本 語", "\U00020bb7\U0001f3b4")
PLANS = (
    Plan("two 59", _options("four-colors", 2)),
    Plan("stacking 5", _options("four-colors", 3, stacking=True, escrow=True)),
    Plan("minions 2", _options("despicable-me-4", 3)),
    Plan("ohana 12", _options("lilo-stitch", 3)),
    Plan("reshuffle 2", _options("four-colors", 2), "reshuffled", 8),
    Plan("leaving 0", _options("lilo-stitch", 4, escrow=True), leaving=True),
    Plan("rounds 9", replace(_options("four-colors", 2), target=250), "second round", 3),
    Plan("last 4", _options("lilo-stitch", 4), names=NAMES),
    Plan("pass 0", _options("four-colors", 2), "passed", 3),
    Plan("drop 6", _options("four-colors", 3, escrow=True), dropping=True),
    Plan("fork 11", _options("four-colors", 3), forking=True),
)


class _Chooser:
    """Plays when it can, specials first; challenges, calls and catches now and then.

    ``hoards``: of eight turns in so many it draws. ``saves``: a Wild Draw Four is kept for the end.
    """

    def __init__(self, label: str, hoards: int, saves: bool) -> None:
        self._source = Source(label)
        self._hoards = hoards
        self._saves = saves

    def _below(self, limit: int) -> int:
        return int.from_bytes(self._source(8), "big") % limit

    def __call__(self, decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
        legal = decision.legal
        if decision.kind is engine.Kind.WINDOW:
            return (None, legal[0])[self._below(2)]
        if self._hoards and self._below(8) >= 8 - self._hoards:
            for action in legal:
                if isinstance(action, engine.Draw | engine.Keep | engine.Pass):
                    return action
        plays = [action for action in legal if isinstance(action, engine.PlayCard)]
        if not plays:
            return legal[self._below(len(legal))]
        cards = decision.view.options.rules.cards
        special = [play for play in plays if cards[play.card].kind in (engine.CardKind.MINIONS, engine.CardKind.OHANA)]
        fours = [play for play in plays if cards[play.card].kind is engine.CardKind.WILD_DRAW_FOUR]
        others = [play for play in plays if play not in fours]
        wanted = special or (others or plays if self._saves else fours or plays)
        play = wanted[self._below(len(wanted))]
        if play.uno is not None and len(decision.view.hand) == 2 and self._below(2):
            play = replace(play, uno=True)
        return play


@dataclass(frozen=True)
class Played:
    """A match that was played. ``identities`` and ``players`` in the order in which they joined."""

    plan: Plan
    records: tuple[bytes, ...]
    identities: tuple[Identity, ...]
    players: tuple[Player, ...]

    @property
    def data(self) -> bytes:
        return MAGIC + b"".join(frame(record) for record in self.records)

    def identity_of(self, key: bytes) -> Identity:
        return next(own for own in self.identities if own.public == key)

    def player_of(self, key: bytes) -> Player:
        return next(player for player in self.players if player.identity.public == key)


def seed(plan: Plan, index: int) -> bytes:
    return digest("vector match identity", plan.label.encode(), bytes([index]))


@cache
def play(plan: Plan) -> Played:
    identities: list[Identity] = []

    def make(index: int, _: Identity, name: str, __: Callable[[int], bytes]) -> Peer:
        own = Identity.from_seed(seed(plan, index))
        identities.append(own)
        stream = Source(f"{plan.label} peer {index}")
        name = plan.names[index] if plan.names else name
        return Peer.join(own, name, stream) if index else Peer.host(own, name, plan.options, stream)

    table = Table(plan.options.seats, plan.options, make=make)
    for index, seated in enumerate(table.seats):
        hoards = {"reshuffled": 7, "passed": 8}.get(plan.until or "", 0)
        seated.choose = _Chooser(f"{plan.label} choices {index}", hoards, bool(plan.names))
    table.form()
    end = None
    if plan.leaving:
        _let_go(table)
    if plan.dropping:
        _kill(table)
    if plan.forking:
        _fork(table)
    if plan.until is None:
        table.run()
    else:
        moment = _MOMENTS[plan.until]
        table.run(until=lambda: (state := _state(table)) is not None and moment(state))
        end = len(table.seats[0].records) + plan.more
        table.run(until=lambda: len(table.seats[0].records) >= end)
    players = []
    for seated in table.seats:
        sitting = seated.peer._sitting
        if sitting is None:
            raise RuntimeError("the table was not made")
        players.append(sitting.player)
    return Played(plan, tuple(table.seats[0].records[:end]), tuple(identities), tuple(players))


def _let_go(table: Table) -> None:
    """One writes what no slot takes, and is put out with its keys recovered; then one leaves and hands its own over."""
    cheat, leaver = table.seats[2], table.seats[3]
    table.run(until=lambda: _taken(table) > 60)
    sitting = cheat.peer._sitting
    if sitting is None:
        raise RuntimeError("the table was not made")
    sitting._write("draw", b"\xc1", table.now)
    table._drain(2)
    table.run(until=lambda: _taken(table) > 90)
    leaver.peer.leave(table.now)
    table._drain(3)


def _kill(table: Table) -> None:
    gone = table.seats[2]
    usual = gone.choose
    waits = []

    def choose(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
        if decision.kind is engine.Kind.MOVE and len(decision.view.hand) < 7:
            waits.append(decision)
            return None
        return usual(decision, rng)

    gone.choose = choose
    table.run(until=lambda: bool(waits))
    table.kill(2)


def _fork(table: Table) -> None:
    table.run(until=lambda: (match := table.seats[0].peer.match) is not None and match.slot.kind is SlotKind.MOVE)
    moved = _taken(table) + 3
    table.run(until=lambda: _taken(table) >= moved)
    fork(table, by=2, to=1)


def _taken(table: Table) -> int:
    match = table.seats[0].peer.match
    return 0 if match is None else match.taken


def _state(table: Table) -> engine.State | None:
    match = table.seats[0].peer.match
    return None if match is None else match.state


_MOMENTS: dict[str, Callable[[engine.State], bool]] = {
    "reshuffled": lambda state: state.reshuffles > 0,
    "second round": lambda state: state.round > 0,
    "passed": lambda state: state.passes > 0,
}


__all__ = ["PLANS", "Plan", "Played", "parse_record", "play", "seed"]
