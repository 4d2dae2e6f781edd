"""How each proof grows with the number of cards.

The times on one core for decks of several sizes, and for each step the line a + b·n through them (least squares): what
a proof costs in itself, and what each card adds. How the deal grows with the players is told by `deal.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nodealer.crypto.bench import measure

SIZES = (28, 56, 84, 112, 168, 224)
OF_A_HAND = "verdict"
"""Steps whose name begins so are about a hand and a set of candidates, not about the deck."""


def line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """(a, b) of the line y = a + b·x that is nearest to the points; ValueError for fewer than two x."""
    count = len(points)
    if len({x for x, _ in points}) < 2:
        raise ValueError("a line needs two places")
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return mean_y - slope * mean_x, slope


def measure_growth(sizes: Sequence[int] = SIZES, repeat: int = 3) -> dict[str, Any]:
    """By step: milliseconds for each size, and the line through them."""
    runs = {n: measure(n, repeat)["ms"] for n in sizes}
    steps = [step for step in runs[sizes[0]] if not step.startswith(OF_A_HAND)]
    return {
        step: {"ms": {n: runs[n][step] for n in sizes}, "line": line([(n, runs[n][step]) for n in sizes])}
        for step in steps
    }
