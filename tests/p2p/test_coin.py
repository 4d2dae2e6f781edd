"""The coin: a permutation that all shares decide, uniform over all orders."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from nodealer.p2p.coin import coin_result, seating

TABLE = b"t" * 32


@pytest.mark.parametrize("players", range(2, 11))
def test_a_permutation(players):
    assert sorted(seating(coin_result(TABLE, [bytes(32)] * players), players)) == list(range(players))


def test_every_share_counts_and_its_place_too():
    shares = [bytes([i]) * 32 for i in range(3)]
    results = {coin_result(TABLE, shares), coin_result(b"u" * 32, shares), coin_result(TABLE, shares[::-1])}
    for at in range(3):
        results.add(coin_result(TABLE, [*shares[:at], b"x" * 32, *shares[at + 1 :]]))
    assert len(results) == 6


def test_equal_shares_do_not_cancel():
    """With an exclusive-or two equal shares would leave the third to decide alone."""
    one = coin_result(TABLE, [b"a" * 32, b"a" * 32, b"c" * 32])
    two = coin_result(TABLE, [b"b" * 32, b"b" * 32, b"c" * 32])
    assert one != two


@pytest.mark.parametrize("players", [2, 3, 4])
def test_uniform(players):
    """A chi-square test with a fixed seed, far from the bound."""
    trials = 4800
    counts = Counter(seating(coin_result(TABLE, [i.to_bytes(32, "big")]), players) for i in range(trials))
    orders = list(permutations(range(players)))
    expected = trials / len(orders)
    chi = sum((counts[order] - expected) ** 2 / expected for order in orders)
    # The 99.9th percentile for 23 degrees of freedom is 49.7.
    assert chi < 49.7
