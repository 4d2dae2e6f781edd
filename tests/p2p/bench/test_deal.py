"""Simulated deals: counts are exact and the same again, and the times add up as the model says."""

from __future__ import annotations

import pytest
from nodealer.p2p.bench.deal import counts, deal, exponent, measure_deals


def test_a_deal_takes_what_its_parts_take():
    own = deal("four-colors", 3)
    one = deal("four-colors", 3, shared=1)
    n = 108
    proofs = 3 * ((3 * n - 1) + (4 * n - 1) + 2 * (3 * n + 6) + 2 * n + 2 * (3 * n + 2))
    # Beside the proofs: the boxes of the pieces, and each hand's seven cards.
    assert own["ops"]["mul"] == one["ops"]["mul"]
    assert proofs + 3 * 7 < own["ops"]["mul"] < proofs + 3 * 7 + 60
    # Its steps are a chain for one machine each; with one core for all nothing runs beside anything.
    assert 0 < own["cpu"] <= own["seconds"] <= one["seconds"]
    assert one["cpu_all"] <= one["seconds"] < one["cpu_all"] + 0.1


@pytest.mark.parametrize("seats", [2, 3])
def test_what_is_counted_is_the_same_again(seats):
    """A message for each shuffle and each lock, one for `epoch ok` and one for the keys."""
    found = counts("four-colors", seats)
    assert found == counts("four-colors", seats)
    assert found["delays"] == 2 * seats + 2
    # To each of the others: its own shuffle and lock, `epoch ok` and keys; a ping may come beside.
    others = seats - 1
    assert 4 * others <= found["messages"] <= 6 * others
    assert 21_000 * others < found["bytes"] < 26_000 * others


def test_growth_with_the_players():
    assert exponent([(2, 8.0), (4, 32.0), (10, 200.0)]) == pytest.approx(2)
    found = measure_deals((("lilo-stitch", 2), ("lilo-stitch", 3)))
    assert [row["seats"] for row in found["tables"]] == [2, 3]
    assert set(found["grows"]) == {"lilo-stitch"}
    assert found["grows"]["lilo-stitch"]["bytes"] > 1
    assert found["mul_us"] > 0
