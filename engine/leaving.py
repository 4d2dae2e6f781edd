"""A seat leaves the match, or is put out of it (N2, N3)."""

from __future__ import annotations

from .actions import SeatLeft
from .draft import Draft
from .errors import IllegalAction


def seat_left(d: Draft, action: SeatLeft) -> None:
    raise IllegalAction("Leaving in the middle of a match is not possible yet.")
