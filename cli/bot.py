"""A bot at the table: asks its policy, waits like a person, says UNO nearly always, and catches others.

The waits are part of the secrecy: the time before an answer must not tell what is in the hand. So a wait depends on
the kind of the question only; above all it is the same whether a card just drawn can be played or not (rules, T3).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from nodealer.engine import Action, Kind
from nodealer.p2p import events as p2p

from . import policy
from .player import Act, Wish

# Seconds before an answer, from and to, with the most likely value between them; one row a kind of question.
WAITS: dict[Kind, tuple[float, float, float]] = {
    Kind.COLOUR: (0.8, 2.5, 1.2),
    Kind.MOVE: (0.7, 2.8, 1.2),
    Kind.DRAWN: (0.5, 1.5, 0.9),
    Kind.ANSWER: (0.7, 2.5, 1.2),
    Kind.ACCEPT: (1.0, 3.0, 1.6),
    Kind.CHOOSE: (1.5, 4.0, 2.5),
}
DEFAULT_WAIT = (0.5, 1.5, 1.0)
# Parts of an UNO window: a late call comes early in it, a catch not before the half (rules, U3).
LATE_CALL = (0.15, 0.45)
CATCH = (0.55, 0.95)


@dataclass(slots=True)
class Bot:
    """One seat's bot, without input, output or a clock. ``fast``: it answers at once (windows excepted)."""

    rng: random.Random
    fast: bool = False
    style: policy.Style = policy.Style.SENSIBLE
    window_s: float = 5.0
    _asked: p2p.DecisionNeeded | None = None
    _action: Action | None = None
    _due: float | None = None
    _tries: int = field(default=0)

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        match event:
            case p2p.TableMade(options=options):
                self.window_s = options.uno_window_ms / 1000
            case p2p.DecisionNeeded():
                self._plan(event, now)
            case p2p.DecisionOver() | p2p.Ended():
                self._forget()

    def on_line(self, line: str | None, now: float) -> None:
        """A bot reads nothing."""

    def on_refusal(self, sentence: str, now: float) -> None:
        """The own peer refused: do what the turn clock would do, once; then leave it to the clock."""
        asked, self._tries = self._asked, self._tries + 1
        if asked is not None and self._tries == 1 and asked.kind is not Kind.WINDOW:
            self._action, self._due = policy.clock(asked.view, asked.legal), now

    def wants_line(self) -> bool:
        return False

    def next_deadline(self) -> float | None:
        return self._due

    def tick(self, now: float) -> list[Wish]:
        if self._due is None or self._action is None or now < self._due:
            return []
        action, self._action, self._due = self._action, None, None
        return [Act(action)]

    def _plan(self, asked: p2p.DecisionNeeded, now: float) -> None:
        self._forget()
        self._asked = asked
        if asked.kind is Kind.WINDOW:
            self._plan_window(asked, now)
        elif asked.legal:
            self._action = policy.decide(asked.kind, asked.view, asked.legal, self.rng, self.style)
            self._due = now + (0.0 if self.fast else self.rng.triangular(*WAITS.get(asked.kind, DEFAULT_WAIT)))

    def _plan_window(self, asked: p2p.DecisionNeeded, now: float) -> None:
        """Somebody has one card and did not say UNO: oneself (say it late, or not), or another (catch, or not)."""
        mine = asked.view.window == asked.view.seat
        reacts = policy.late_call(self.rng) if mine else policy.notices(self.rng)
        if reacts:
            self._action = policy.window_action(asked.view)
            self._due = now + self.window_s * self.rng.uniform(*(LATE_CALL if mine else CATCH))

    def _forget(self) -> None:
        self._asked = self._action = self._due = None
        self._tries = 0
