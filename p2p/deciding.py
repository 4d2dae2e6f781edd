"""What a person decides: asked once a slot, answered by a key or by the agreed clock (rules.md T3, U3, N1)."""

from __future__ import annotations

from nodealer import engine

from .entry import Entry
from .errors import LocalProtocolError
from .events import DecisionNeeded, DecisionOver, PeerEvent
from .match import Match
from .player import Player
from .slots import SlotKind
from .window import WindowWatch

# An entry to be written: (kind, body).
Due = tuple[str, bytes]


class Decider:
    """The open decision of one player, if there is one. Events go to the list it was given."""

    def __init__(self, match: Match, player: Player, events: list[PeerEvent]) -> None:
        self._match = match
        self._player = player
        self._events = events
        self._slot_opened_at = 0.0
        self._asked_slot: int | None = None
        self._asked: engine.Kind | None = None
        self._until: float | None = None
        self._window: WindowWatch | None = None
        self._held_back: tuple[float, Due] | None = None

    def next_deadline(self) -> float | None:
        """When `answer` may have something that it has not now."""
        times = [self._until] if self._until is not None else []
        if self._window is not None:
            times.append(self._window.until)
        if self._held_back is not None:
            times.append(self._held_back[0])
        return min(times, default=None)

    def slot_opened(self, now: float) -> None:
        """A new slot is open; whatever was asked before is over."""
        self._slot_opened_at = now
        # After a void a number comes again.
        self._asked_slot = None
        self.close(by_clock=False)

    def close(self, *, by_clock: bool) -> None:
        """The decision is made, or no longer asked for."""
        if self._asked is not None:
            self._events.append(DecisionOver(self._asked, by_clock))
        self._asked = self._until = self._held_back = self._window = None

    def saw(self, entry: Entry) -> None:
        """An entry has reached this player; in a window it matters which came first."""
        match = self._match
        if self._window is not None and match.slot.kind is SlotKind.WINDOW:
            self._window.saw(match, match.seat_of(entry.header.writer), entry)

    def answer(self, now: float) -> Due | None:
        """What this player owes now without any key: by the window's or the turn's clock, or held back till now."""
        match, player = self._match, self._player
        if match.slot.kind is SlotKind.WINDOW:
            if self._window is None:
                self._window = WindowWatch.begin(match, now)
            self._ask(self._window.until)
            return self._window.answer(player, now)
        if self._held_back is not None:
            when, due = self._held_back
            return due if now >= when else None
        clock = match.roster.options.turn_clock
        self._ask(now + clock if clock else None)
        if self._until is not None and now >= self._until:
            self.close(by_clock=True)
            return player.decided(player.clock_action())
        return None

    def _ask(self, until: float | None) -> None:
        match, player = self._match, self._player
        state = match.state
        if self._asked_slot == match.slot.number or state is None or not isinstance(state.pending, engine.NeedActions):
            return
        self._asked_slot = match.slot.number
        self._asked = state.pending.kind
        self._until = until
        legal = player.legal()
        if self._asked is engine.Kind.WINDOW:
            # The rest of a window's answers follow from what was heard; only these two are a key.
            legal = tuple(action for action in legal if action in (engine.Called(), engine.Caught()))
        self._events.append(DecisionNeeded(self._asked, player.view(), legal, until))

    def act(self, action: engine.Action, now: float) -> Due | None:
        """Answer the open decision; None where the answer is held back. Raises ``LocalProtocolError``."""
        match, player = self._match, self._player
        if not player.owes() or not match.slot.rule.person or self._held_back is not None:
            raise LocalProtocolError("It is not your turn to decide anything.")
        due = player.decided(action)
        if match.slot.kind is SlotKind.WINDOW:
            if self._window is None or action not in (engine.Called(), engine.Caught()):
                raise LocalProtocolError("In an UNO window you can only call or catch.")
            return self._window.pressed(player)
        delay = match.roster.options.keep_delay_ms / 1000 if match.slot.kind is SlotKind.DRAWN else 0.0
        if now < self._slot_opened_at + delay:
            # How fast one answers must not tell whether the drawn card could be played (rules.md T3).
            self.close(by_clock=False)
            self._held_back = (self._slot_opened_at + delay, due)
            return None
        return due
