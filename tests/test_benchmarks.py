"""The benchmarks work: counts are exact and the same again, a worse figure is told, the model adds up."""

from __future__ import annotations

import copy
import json

import pytest
from nodealer.crypto import cores, products
from nodealer.crypto.cores import Ahead

from benchmarks import compare, growth, rivals
from benchmarks.deal import deal, play
from benchmarks.simulate import Clock


def test_the_stored_counts_are_those_of_the_program():
    """Counts alone: times are for `make bench`."""
    baseline = json.loads(compare.BASELINE.read_text())
    assert compare.operations("four-colors", 2) == baseline["deals"]["four-colors 2"]
    assert set(baseline) == {"ops", "bytes", "ratio", "deals"}


def test_a_change_is_told(monkeypatch):
    baseline = json.loads(compare.BASELINE.read_text())
    monkeypatch.setattr(compare, "measure", lambda: baseline)
    assert compare.complaints(baseline, copy.deepcopy(baseline)) == []
    worse = copy.deepcopy(baseline)
    worse["ops"]["verify"]["mul"] += 1
    worse["bytes"]["lock"] -= 1
    del worse["deals"]["four-colors 4"]
    assert len(compare.complaints(baseline, worse)) == 3
    slow = copy.deepcopy(baseline)
    slow["ratio"]["prove"] *= 2
    assert compare.complaints(baseline, copy.deepcopy(slow)) == []  # measured again, it was not so
    monkeypatch.setattr(compare, "measure", lambda: slow)
    (told,) = compare.complaints(baseline, copy.deepcopy(slow))
    assert told.startswith("ratio: prove")


def test_a_deal_takes_what_its_parts_take():
    own = deal("four-colors", 3, shared=None, threads=1)
    one = deal("four-colors", 3, shared=1, threads=1)
    n = 108
    proofs = 3 * ((3 * n - 1) + (4 * n - 1) + 2 * (3 * n + 6) + 2 * n + 2 * (3 * n + 2))
    # Beside the proofs: the boxes of the pieces, and each hand's seven cards.
    assert own["ops"]["mul"] == one["ops"]["mul"]
    assert proofs + 3 * 7 < own["ops"]["mul"] < proofs + 3 * 7 + 60
    # Its steps are a chain for one machine each; with one core for all nothing runs beside anything.
    assert 0 < own["cpu"] <= own["seconds"] <= one["seconds"]


def test_play_is_told_by_what_was_awaited():
    hand = play("four-colors", 2)
    assert {"shuffle", "lock", "keys", "move", "open"} <= set(hand["work_ms"])
    assert hand["verify"]["entries"] > 20


def test_the_clock_takes_the_longest_share():
    clock, spun = Clock(), []

    def work(start: int, end: int) -> int:
        spun.append((start, end))
        return sum(range(200_000))

    with clock.running(4):
        assert products.split == clock.split
        began = clock.now()
        assert len(products.split(work, 4 * cores.MIN_SHARE)) == len(spun) == 4
        shared = clock.now() - began
    assert products.split == cores.split
    assert Ahead.begin.__module__ == "nodealer.crypto.cores"
    assert 0 < shared < clock._spared  # three of the four are spared


def test_our_side_of_the_race():
    steps, size = rivals.ours()
    for step in steps.values():
        step()
    assert size() == 32 + 32 * (2 * rivals.N + 9)


def test_lines_and_growth():
    assert growth.line([(1, 5.0), (2, 7.0), (4, 11.0)]) == pytest.approx((3.0, 2.0))
    with pytest.raises(ValueError, match="two places"):
        growth.line([(1, 1.0), (1, 2.0)])
    figures = growth.grow((8, 64), 1)
    assert {"shuffle", "prove_ahead", "prove", "verify", "lock_ahead", "lock", "lock_verify"} == set(figures)
    assert all(row["ms"][64] > row["ms"][8] for row in figures.values())
