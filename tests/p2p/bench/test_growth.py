"""A line through what was measured for decks of several sizes."""

from __future__ import annotations

import pytest
from nodealer.p2p.bench import growth


def test_lines_and_growth():
    assert growth.line([(1, 5.0), (2, 7.0), (4, 11.0)]) == pytest.approx((3.0, 2.0))
    with pytest.raises(ValueError, match="two places"):
        growth.line([(1, 1.0), (1, 2.0)])
    figures = growth.measure_growth((8, 64), 1)
    assert {"shuffle", "prove_ahead", "prove", "verify", "lock_ahead", "lock", "lock_verify"} == set(figures)
    assert all(row["ms"][64] > row["ms"][8] for row in figures.values())
