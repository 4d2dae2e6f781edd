"""The comparison with the stored figures tells what is worse, and our side of the race runs."""

from __future__ import annotations

import copy
import json

from nodealer.p2p.bench.deal import counts

from benchmarks import compare, rivals


def test_the_stored_counts_are_those_of_the_program():
    """Counts alone: times are for `make bench`."""
    baseline = json.loads(compare.BASELINE.read_text())
    assert counts("four-colors", 2) == baseline["deals"]["four-colors 2"]
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


def test_our_side_of_the_race():
    steps, size = rivals.ours()
    for step in steps.values():
        step()
    assert size() == 32 + 32 * (2 * rivals.N + 9)
