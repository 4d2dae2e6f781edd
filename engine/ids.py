"""Names for the numbers that the engine passes around."""

from __future__ import annotations

from typing import NamedTuple, NewType

Seat = NewType("Seat", int)
"""A place at the table, 0..N-1; left of seat i is i+1. A number keeps its meaning when others leave."""


class Handle(NamedTuple):
    """A hidden card: position `index` of the deck that epoch `epoch` of this round shuffled. Both are >= 0."""

    epoch: int
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a handle
