"""What a peer that starts again asks of the others before it signs anything (table.md T6.3).

Its journal may end before its feed does: a disk that was set back, a second copy of the folder. Whoever holds more of
one's own feed than the journal has sends it, signed as it is; what fits is taken over, what contradicts shows that this
identity was used elsewhere. A claim alone, which nothing signed follows, counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from .feed import Feed
from .proposal import admissible

# How long one waits for the answers of all before those that came must do.
ANSWER_WITHIN = 5.0


def needed(seats: int) -> int:
    """How many others must have answered: one, and from four seats up a quorum less oneself."""
    return next((others for others in range(1, seats) if admissible(seats, others + 1)), 1) if seats >= 4 else 1


class CatchUp:
    """The answers so far: how far each other player has one's own feed, and the hash of the last entry of it."""

    def __init__(self, feed: Feed, now: float) -> None:
        self._feed = feed
        self._until = now + ANSWER_WITHIN
        self._answers: dict[int, tuple[int, bytes]] = {}

    def deadline(self, after: float, before: float) -> float | None:
        """When fewer answers than all may do, if that is still to come after the one and before the other moment."""
        return self._until if after < self._until < before else None

    def waits(self, now: float) -> bool:
        """Whether the time for answers is not over."""
        return now < self._until

    def answered(self, writer: int, count: int, last: bytes) -> None:
        """This player says how far it has one's own feed."""
        self._answers[writer] = (count, last)

    def confirmed(self) -> frozenset[int]:
        """Those whose whole tape of one's own feed is on one's own."""
        feed = self._feed
        return frozenset(
            writer
            for writer, (count, last) in self._answers.items()
            if count <= feed.head[0] and feed.hash_at(count) == last
        )

    def done(self, others: Iterable[int], now: float) -> bool:
        """Whether one may sign again: all others agree, or enough of them and no more came in time."""
        left = frozenset(others)
        confirmed = self.confirmed() & left
        if confirmed == left:
            return True
        return now >= self._until and len(confirmed) >= needed(len(left) + 1)
