"""A transcript as a row of steps: what each slot brought, and the public state after it. Made by the verifier alone.

`Recorder` listens to `nodealer.p2p.verify`, so what stands in a step has been checked before. Nothing is hidden or
added: a card of a hand is known from the step that shows it on; ``later`` also counts what only a later step shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nodealer import engine
from nodealer.engine import Handle
from nodealer.p2p import events as p2p
from nodealer.p2p.match import Match
from nodealer.p2p.verify import Report, Status

from .narrator import Narrator


@dataclass(frozen=True, slots=True)
class Step:
    """One closed slot: its events, and the state, the open slot's number, the digest and the entries taken after it.

    ``lines`` are what a person is told of it, each beginning "* ".
    """

    events: tuple[p2p.PeerEvent, ...]
    lines: tuple[str, ...]
    state: engine.State | None
    slot: int
    digest: bytes
    entries: int

    def begins(self, kind: type) -> bool:
        """Whether a fact of this type happened in it."""
        return any(isinstance(event, p2p.GameEvent) and isinstance(event.event, kind) for event in self.events)


class Recorder:
    """Give ``on_event`` and ``on_step`` to the verifier; ``take`` gets every finished step."""

    def __init__(self, take: Callable[[Step], None]) -> None:
        self._take = take
        self._lines: list[str] = []
        self._events: list[p2p.PeerEvent] = []
        self._narrator = Narrator(self._lines.append)
        self._last: Match | None = None

    def on_event(self, event: p2p.PeerEvent) -> None:
        self._narrator.on_event(event, 0.0)
        self._events.append(event)

    def on_step(self, match: Match) -> None:
        self._last = match
        self._flush(match)

    def finish(self, report: Report) -> None:
        """What came after the last slot, and how the transcript ends; what it proves of a cheat ends it for all."""
        outcome = {Status.COMPLETE: p2p.Outcome.COMPLETE, Status.INVALID: p2p.Outcome.CHEAT}.get(report.status)
        if outcome is p2p.Outcome.COMPLETE or (outcome is not None and report.writer is not None):
            names = [player.name for player in report.players]
            blamed = names.index(report.writer) if report.writer in names else None
            scores = dict(enumerate(report.scores))
            self.on_event(
                p2p.Ended(outcome, report.sentence, scores, report.winner, report.digest, blamed, report.check)
            )
        elif report.sentence:
            self.on_event(p2p.Notice(report.sentence))
        if self._events:
            self._flush(self._last)

    def _flush(self, match: Match | None) -> None:
        events, lines = tuple(self._events), tuple(self._lines)
        self._events.clear()
        self._lines.clear()
        if match is None:
            self._take(Step(events, lines, None, 0, b"", 0))
        else:
            self._take(Step(events, lines, match.state, match.slot.number, match.slot.digest, match.taken))


@dataclass(slots=True)
class History:
    """The steps so far, and where among them something stands that one may want to go to."""

    steps: list[Step] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    challenges: list[int] = field(default_factory=list)
    # By round and handle: the card, and the step that showed it.
    _faces: dict[tuple[int, Handle], tuple[int, int]] = field(default_factory=dict)
    _round: int = -1

    def take(self, step: Step) -> None:
        """The next step."""
        at = len(self.steps)
        self.steps.append(step)
        if step.lines:
            self.stops.append(at)
        if step.begins(engine.TurnStarted):
            self.turns.append(at)
        if step.begins(engine.Challenged):
            self.challenges.append(at)
        for event in step.events:
            match event:
                case p2p.SlotOpened(kind="shuffle", round=number) if number != self._round:
                    self._round = number
                    self.rounds.append(at)
                case p2p.CardsOpened(cards=cards):
                    for handle, card in cards:
                        self._faces.setdefault((self._round, handle), (card, at))

    def known(self, at: int, seat: int, *, later: bool = False) -> Mapping[Handle, int]:
        """The cards of a seat's hand after step ``at`` that everybody knows (``later``: that any step shows)."""
        state = self.steps[at].state
        found: dict[Handle, int] = {}
        for handle in () if state is None else state.hands[seat]:
            face = self._faces.get((state.round, handle)) if state is not None else None
            if face is not None and (later or face[1] <= at):
                found[handle] = face[0]
        return found
