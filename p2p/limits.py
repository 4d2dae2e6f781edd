"""How long a peer waits for others before it gives up (table.md T4, "Limits"), on one peer's own clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from .options import TableOptions
from .slots import Slot, SlotKind

# What one player may delay the automatic slots of one round in all.
ROUND_DELAY = 60.0
# A program that is connected and owes what needs no person.
AUTOMATIC_LIMIT = 10.0
# Added to the agreed clocks, for delay and slow machines.
PERSON_MARGIN = 15.0
WINDOW_MARGIN = 10.0
# Time to confirm a roster.
START_LIMIT = 15.0
# After the end a peer stays this long for those who have not got everything yet.
LINGER = 3.0
# For a player whose line is lost, who may be starting again, at most so long (and no longer than the grace).
LINGER_FOR_MISSING = 10.0
# A gap in one's own time: this machine slept, nobody else did.
SLEPT = 5.0


class Standing(IntEnum):
    """What a line's far end is to the table, and so how much it may cost."""

    STRANGER = 0
    """Nobody yet: it may ask and knock, and does not stay."""
    GUEST = 1
    """It has a place, and little to say: a seat at a table that is being filled, or one among those who watch."""
    PLAYER = 2
    """A player of the match, or the host that one wants to sit down with."""


def slot_limit(slot: Slot, options: TableOptions) -> float | None:
    """Seconds that the writers of this slot have; None where no clock was agreed."""
    if slot.kind is SlotKind.START:
        return START_LIMIT
    if slot.kind is SlotKind.WINDOW:
        return options.uno_window_ms / 1000 + WINDOW_MARGIN
    if slot.rule.person:
        return options.turn_clock + PERSON_MARGIN if options.turn_clock else None
    return AUTOMATIC_LIMIT


@dataclass(slots=True)
class Patience:
    """Since when each player cannot be reached, since when the open slot waits, and so whose time is up."""

    slot_since: float = 0.0
    # Since when each player is missing, for people, and the same on the clock that stands still without a quorum.
    unreached_since: dict[int, float] = field(default_factory=dict)
    back_at: dict[int, float] = field(default_factory=dict)
    _clock: dict[int, float] = field(default_factory=dict)
    _delays: dict[int, float] = field(default_factory=dict)
    last_tick: float | None = None

    @property
    def unreached(self) -> frozenset[int]:
        """Whom nobody reaches now."""
        return frozenset(self.unreached_since)

    def tick(self, now: float, *, quorum: bool = True) -> None:
        """After a sleep of one's own machine all clocks start anew, without a quorum they stand still."""
        gap = 0.0 if self.last_tick is None else now - self.last_tick
        if gap > SLEPT:
            self.slot_since = now
            self.unreached_since = dict.fromkeys(self.unreached_since, now)
            self._clock = dict.fromkeys(self._clock, now)
            self.back_at = {}
        elif not quorum:
            self.slot_since += gap
            self._clock = {writer: since + gap for writer, since in self._clock.items()}
        self.last_tick = now

    def slot_opened(self, now: float) -> None:
        self.slot_since = now

    def round_began(self) -> None:
        """What a player has delayed is counted for each round."""
        self._delays = {}

    def wrote(self, writer: int, now: float) -> None:
        """An automatic entry that the open slot had waited for has come."""
        self._delays[writer] = self._delays.get(writer, 0.0) + max(0.0, now - self._since(writer))

    def note_reached(self, reached: frozenset[int], everybody: range, me: int, now: float) -> None:
        """Who can be reached now, on one's own lines or another's."""
        for writer in everybody:
            if writer == me or writer in reached:
                if self.unreached_since.pop(writer, None) is not None:
                    self._clock.pop(writer, None)
                    self.back_at[writer] = now
            else:
                self.unreached_since.setdefault(writer, now)
                self._clock.setdefault(writer, now)

    def gone(self, now: float, grace: float) -> int | None:
        """A player that no line has reached, one's own or another's, for the agreed grace; the longest first."""
        late = [(since, writer) for writer, since in self.unreached_since.items() if now - since >= grace]
        return min(late)[1] if late else None

    def _since(self, writer: int) -> float:
        return max(self.slot_since, self.back_at.get(writer, self.slot_since), self._clock.get(writer, self.slot_since))

    def overdue(self, slot: Slot, options: TableOptions, owed: frozenset[int], now: float) -> frozenset[int]:
        """Of those whom the open slot waits for, the ones whose limit has passed (table.md T4, "Limits")."""
        return frozenset(writer for writer in owed if self._is_late(writer, slot, options, now))

    def _is_late(self, writer: int, slot: Slot, options: TableOptions, now: float) -> bool:
        waited, limit = now - self._since(writer), slot_limit(slot, options)
        if writer in self.unreached_since:
            # Who starts again within the grace plays on; a person's clock runs besides.
            return waited >= options.grace and not (slot.rule.person and now - self.slot_since < (limit or 0.0))
        if slot.rule.person and limit is not None:
            return now - self.slot_since >= limit
        delayed = not slot.rule.person and self._delays.get(writer, 0.0) + waited >= ROUND_DELAY
        return delayed or (limit is not None and waited >= limit)
