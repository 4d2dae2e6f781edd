"""The comparison with the stored figures tells what is worse, and our side of the race runs."""

from __future__ import annotations

import copy
import json
import subprocess

import pytest
from nodealer.p2p.bench.deal import counts

from benchmarks import compare, mental_poker, rivals


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


STEPS = {"keys", "cards", "shuffle", "lock", "read"}


def test_our_side_of_a_whole_deal():
    """Both open all cards that were dealt, or they raise; what is proven is more work than what is not."""
    bare, proven = mental_poker.without_proofs(), mental_poker.whole()
    assert set(bare) == set(proven) == STEPS
    assert proven["shuffle"] > bare["shuffle"] > 0
    assert proven["lock"] > bare["lock"] > 0


def test_a_whole_deal_side_by_side(monkeypatch):
    def answer(code: int, out: str, err: str = ""):
        monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, code, out, err))

    answer(0, json.dumps({"compiled": False, "ms": dict.fromkeys(STEPS, 1e6)}))
    figures = mental_poker.race(2)
    assert figures["ms"]["mental-poker"]["all"] == 5e6
    assert figures["ratio"]["without proofs"] > figures["ratio"]["with proofs"] > 1
    assert mental_poker.told(figures)[0].endswith("arithmetic is in JavaScript.")
    answer(1, "", "Error: Cannot find module 'mental-poker'")
    with pytest.raises(mental_poker.NotInstalled, match="mental-poker"):
        mental_poker.theirs()
    answer(1, "", "Error: a card did not open")
    with pytest.raises(RuntimeError, match="did not open"):
        mental_poker.theirs()


def test_what_is_not_installed_is_said(monkeypatch, capsys):
    def missing(rounds: int):
        raise mental_poker.NotInstalled("node")

    monkeypatch.setattr("sys.argv", ["rivals"])
    monkeypatch.setattr(mental_poker, "race", missing)
    monkeypatch.setattr(rivals, "curdleproofs", lambda: __import__("curdleproofs_that_is_not_there"))
    assert rivals.main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "curdleproofs_that_is_not_there is not installed here" in said.err
    assert "node is not installed here" in said.err
