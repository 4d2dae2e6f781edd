"""What a player answers in an UNO window (rules.md U3): a matter of what reached it first, and of its own clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nodealer import engine

from . import bodies
from .entry import Entry, SignedHeader
from .match import Match
from .player import Player

First = Literal["nothing", "called", "caught"]


@dataclass(slots=True)
class WindowWatch:
    """One open window as one player lives it. ``until`` is when it ends on the player's own clock."""

    slot: int
    owner: int
    until: float
    first: First = "nothing"
    call: SignedHeader | None = None

    @classmethod
    def begin(cls, match: Match, now: float) -> WindowWatch:
        """The window of the open slot, which began now; answers that came early count as coming now."""
        state = match.state
        if state is None or state.window is None:
            raise RuntimeError("no window is open")
        watch = cls(match.slot.number, state.window, now + match.roster.options.uno_window_ms / 1000)
        # The owner's call before anybody's catch: which of two early ones came first is not known, the call is safer.
        for seat in (state.window, *match.slot.owed):
            entry = match.feed_of(seat).waiting()
            if entry is not None:
                watch.saw(match, seat, entry)
        return watch

    def saw(self, match: Match, seat: int, entry: Entry) -> None:
        """An answer of this seat to this window has come."""
        header = entry.header
        if self.first != "nothing" or header.slot != self.slot or header.digest != match.slot.digest:
            return
        if entry is not match.feed_of(seat).waiting() or entry.body != bodies.NOTHING:
            # The slot will take something else from this seat, or judge this as malformed: who carries it as a call
            # would be blamed before its owner is.
            return
        if header.kind == "caught" and seat != self.owner:
            self.first = "caught"
        elif header.kind == "called" and seat == self.owner:
            self.first, self.call = "called", entry.signed

    def pressed(self, player: Player) -> tuple[str, bytes]:
        """One's own key: the owner calls, an opponent catches (if the call was not heard before)."""
        if player.seat == self.owner:
            return player.decided(engine.Called())
        if self.first == "called" and self.call is not None:
            return player.heard(self.call)
        return player.decided(engine.Caught())

    def answer(self, player: Player, now: float) -> tuple[str, bytes] | None:
        """What is due now without any key; None while the window is still open for this player."""
        over = now >= self.until
        if player.seat == self.owner:
            return player.decided(engine.Quiet()) if over or self.first == "caught" else None
        if self.first == "caught":
            return player.decided(engine.Caught())
        if self.first == "called" and self.call is not None:
            return player.heard(self.call)
        return player.decided(engine.Silent()) if over else None
