"""A whole hand: from each key to what it brings about at everybody, going on after a lost line, and what comes later.

The hand is played twice by the same players on the machines of `machines.py`, one for each. Once steps take no time:
then the time from a key to its effect, divided by a message's, is the number of messages that came one after the other.
Once they take what they take: then the busiest peer's processor time between the two is the work of one peer. A key is
pressed when everything before it has come to rest.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nodealer import engine
from nodealer.crypto import cores
from nodealer.crypto.bench import multiplication
from nodealer.engine import EDITIONS, CardKind

from ..events import DecisionNeeded
from ..options import TableOptions
from ..slots import SlotKind
from .deal import options_of
from .machines import DELAY, Machines, eager, machines
from .rounds import resuming, verifying

TABLES = (("four-colors", 4), ("despicable-me-4", 10))
SPECIAL = {
    CardKind.DRAW_TWO: "draw two",
    CardKind.WILD_DRAW_FOUR: "wild draw four",
    CardKind.MINIONS: "minions",
    CardKind.OHANA: "ohana",
}
THINK = 0.4
"""Seconds before each key: longer than an UNO window, shorter than anybody's patience."""
LOST_AFTER = 12
"""Keys before somebody's lines break."""
LOST_FOR = 20.0
"""Seconds until they are back; the others play on until they need that player."""
LIMIT = 100_000.0


@dataclass(slots=True)
class Effect:
    """What came of one key: seconds and work until the whole table has taken it, and until it has come to rest."""

    what: str
    at: float
    slot: int
    before: list[float]
    taken: dict[int, tuple[float, float]] = field(default_factory=dict)
    rest: dict[int, tuple[float, float]] = field(default_factory=dict)
    reshuffled: bool = False


class Hand(Machines):
    """A table that notes what comes of each key."""

    effects: list[Effect]
    keys: int
    _open: Effect | None
    _last: int

    def watch(self) -> None:
        self.effects, self.keys, self._open, self._last = [], 0, None, 0

    def on_press(self, index: int, action: engine.Action, at: float) -> None:
        match = self.match_of(index)
        self._last = index
        self.keys += 1
        if match is not None and match.state is not None and not self.away:
            self._open = Effect(_name(match.state, action), at, match.slot.number, list(self.cpu))

    def on_step(self, index: int, at: float) -> None:
        effect, match = self._open, self.match_of(index)
        if effect is None or match is None or match.slot.number <= effect.slot:
            return
        now = (at - effect.at, self.cpu[index] - effect.before[index])
        effect.taken.setdefault(index, now)
        shuffling = match.slot.kind is SlotKind.SHUFFLE
        if effect.what != "last card":
            effect.reshuffled |= shuffling
            shuffling = False
        if match.over or match.slot.rule.person or shuffling:
            effect.rest.setdefault(index, now)
        if len(effect.rest) == len(self.peers):
            self.effects.append(effect)
            self._open = None

    def lose_and_find(self) -> dict[str, Any]:
        """Who has pressed last loses its lines; when the others wait for it, they come back. What that takes."""
        lost = self._last
        self.run(THINK / 2)
        self._open = None
        self.take_away(lost)
        self.run(LOST_FOR)
        before, begun, behind = list(self.cpu), self.now, self._slot(0 if lost else 1) - self._slot(lost)
        self.bring_back(lost)
        self.run(LOST_FOR, until=lambda: len({self._slot(index) for index in range(len(self.peers))}) == 1)
        return {
            "slots_behind": behind,
            "seconds": self.finished - begun,
            "work": max(now - then for now, then in zip(self.cpu, before, strict=True)),
        }

    def _slot(self, index: int) -> int:
        match = self.match_of(index)
        return -1 if match is None else match.slot.number


def _name(state: engine.State, action: engine.Action) -> str:
    """What a key is called in the table of figures."""
    if not isinstance(action, engine.PlayCard):
        return type(action).__name__.lower()
    if any(len(hand) == 1 and action.handle in hand for hand in state.hands):
        return "last card"
    return SPECIAL.get(state.rules.cards[action.card].kind, "play")


def keen(asked: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Challenges always, and likes what has a special effect."""
    challenge = engine.Challenge()
    if challenge in asked.legal:
        return challenge
    cards = EDITIONS[asked.view.options.edition].cards
    special = [a for a in asked.legal if isinstance(a, engine.PlayCard) and cards[a.card].kind in SPECIAL]
    if special and rng.random() < 0.5:
        return eager(replace(asked, legal=tuple(special)), rng)
    return eager(asked, rng)


def _hand(options: TableOptions, *, free: bool) -> tuple[Hand, dict[str, Any]]:
    with machines() as serial:
        table = Hand(options, serial, free=free, think=THINK, choose=keen, journal=True)
        table.watch()
        table.form()
        table.run(LIMIT, until=lambda: table.keys >= LOST_AFTER)
        back = table.lose_and_find()
        table.run(LIMIT, until=lambda: all(peer.ended is not None for peer in table.peers))
    return table, back


def play(edition: str, seats: int, *, timed: bool = True) -> dict[str, Any]:
    """One hand. Keys: `keys`, a row for each kind of key: `times` it was pressed, `delays` until the whole table has
    taken it, `delays_rest` until the table waits for a person again; and where ``timed`` `work_ms` and `work_ms_rest`
    of the busiest peer (medians), `work_ms_most`, `ms_rest` with a machine each. `reconnect`, `verify`, `resume`.
    """
    # Nobody is dropped and no clock presses a key: lines are lost here for longer than that.
    options = replace(options_of(edition, seats), turn_clock=0, grace=600)
    table, back = _hand(options, free=True)
    rows: dict[str, dict[str, Any]] = {}
    for what, effects in _by_name(table.effects).items():
        rows[what] = {
            "times": len(effects),
            "delays": max(_delays(effect.taken) for effect in effects),
            "delays_rest": max(_delays(effect.rest) for effect in effects),
        }
    reconnect = {"slots_behind": back["slots_behind"], "delays": round(back["seconds"] / DELAY)}
    told: dict[str, Any] = {"edition": edition, "seats": seats, "keys": rows, "reconnect": reconnect}
    if not timed:
        return told
    table, back = _hand(options, free=False)
    for what, effects in _by_name(table.effects).items():
        taken = [max(work for _, work in effect.taken.values()) * 1e3 for effect in effects]
        rest = [max(work for _, work in effect.rest.values()) * 1e3 for effect in effects]
        rows.setdefault(what, {}).update(
            work_ms=_median(taken),
            work_ms_rest=_median(rest),
            work_ms_most=max(rest),
            ms_rest=_median([max(at for at, _ in effect.rest.values()) * 1e3 for effect in effects]),
        )
    reconnect.update(ms=back["seconds"] * 1e3, work_ms=back["work"] * 1e3)
    entries, _, spent = verifying(table.records)
    return {
        **told,
        "verify": {"ms": spent * 1e3, "entries": entries},
        "resume": {"ms": resuming(table) * 1e3, "records": len(table.kept)},
    }


def _by_name(effects: Sequence[Effect]) -> dict[str, list[Effect]]:
    found: dict[str, list[Effect]] = defaultdict(list)
    for effect in effects:
        found["reshuffle" if effect.reshuffled else effect.what].append(effect)
    return dict(sorted(found.items()))


def _delays(when: dict[int, tuple[float, float]]) -> int:
    return round(max(at for at, _ in when.values()) / DELAY)


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def measure_play(tables: Sequence[tuple[str, int]] = TABLES) -> dict[str, Any]:
    """Keys: `mul_us`, and `hands`, what `play` tells of each table."""
    with cores.using(1):
        mul = multiplication()
    hands = [play(edition, seats) for edition, seats in tables]
    return {"mul_us": min(mul, multiplication()) * 1e6, "hands": hands}
