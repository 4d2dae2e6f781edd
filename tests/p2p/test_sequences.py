"""Random sequences of entries from a writer with its own key: nobody else is blamed, nothing breaks.

A sample of `make soak-sequences`, which plays 100,000 of them.
"""

from __future__ import annotations

import random

import pytest
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.slots import SlotKind

from examples.liar import CheatTable
from tests.helpers import sequences, table_sequences
from tests.helpers.sequences import Made


@pytest.mark.parametrize("match", range(2))
def test_the_machine_whatever_one_writer_signs(match):
    """At every slot of a match; the same feeds come to the same in another order."""
    orders, ends = 0, set()
    for number, scene in enumerate(sequences.scenes(("sample", match))):
        made = sequences.make(one := scene.again(), random.Random(number))
        outcome = sequences.play(one, made, random.Random(number))
        ends.add((len(outcome.out), outcome.blame is not None))
        if made.any_order:
            another = scene.again()
            made = sequences.make(another, random.Random(number))
            assert sequences.play(another, made, random.Random(-number - 1)) == outcome
            orders += 1
    assert orders > 5
    assert len(ends) > 1, "nothing ever comes of it"


def test_an_honest_feed_that_contradicts_itself_would_be_told():
    """The check itself: who is called honest and is not is found."""
    for scene in sequences.scenes(("sample", 0)):
        if scene.match.slot.kind is SlotKind.COIN:
            break
    again = scene.again()
    tapes = again.tapes()
    tapes[1].sign(again.match, "coin", b"nonsense")
    for writer in scene.coming.keys() - {1}:
        for entry in scene.coming[writer]:
            tapes[writer].add(entry)
    with pytest.raises(AssertionError):
        sequences.play(again, Made(0, tapes, True), random.Random(1))
    # The scene itself is as it was.
    assert scene.match.blame is None
    assert all(len(feed.entries) == feed.position for feed in scene.match.feeds)


def test_a_call_that_was_heard_and_is_denied_ends_the_window_at_once():
    """With two players the proof alone decides: the slot that it lay in is not closed any more."""
    for scene in sequences.scenes(("call", 5)):
        heard = [w for w, entries in scene.coming.items() if any(e.header.kind == "heard" for e in entries)]
        if heard:
            break
    [honest] = heard
    owner = 1 - honest
    again = scene.again()
    tapes = again.tapes()
    tapes[owner].sign(again.match, "quiet", NOTHING)
    for entry in scene.coming[honest]:
        tapes[honest].add(entry)
    outcome = sequences.play(again, Made(owner, tapes, True), random.Random(1))
    assert owner in again.match.forks.proofs
    assert [writer for writer, *_ in outcome.out] == [owner]


@pytest.mark.parametrize("seed", range(3))
def test_a_whole_table_whatever_one_of_it_sends(seed):
    rng = random.Random(seed)
    table = CheatTable(players=3, seed=("sequence", seed), escrow=bool(seed % 2))
    table.form()
    for _ in range(rng.choice((20, 80, 200))):
        table.step()
    assert table_sequences.play(table, rng)
