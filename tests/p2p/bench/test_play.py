"""The bench of play: what was promised of a play and of a draw is counted exactly, on a hand that is the same again."""

from __future__ import annotations

import pytest
from nodealer.p2p.bench.play import play


def test_a_play_is_one_message_and_a_draw_one_round_trip():
    hand = play("four-colors", 3, timed=False)
    assert hand == play("four-colors", 3, timed=False)
    keys = hand["keys"]
    assert (keys["play"]["delays"], keys["play"]["delays_rest"]) == (1, 1)
    assert (keys["draw"]["delays"], keys["draw"]["delays_rest"]) == (1, 2)
    assert keys["keep"]["delays_rest"] == 1
    # The last card, the hands of the others, and the round's end.
    assert keys["last card"]["delays_rest"] == 3
    assert all(row["delays"] == 1 and row["times"] > 0 for row in keys.values())
    # How far each has every feed goes there, and what is lacking comes back.
    assert 0 < hand["reconnect"]["delays"] <= 4


@pytest.mark.parametrize("edition", ["despicable-me-4", "lilo-stitch"])
def test_a_hand_is_told_whole(edition):
    hand = play(edition, 3)
    assert {"play", "draw", "last card"} <= set(hand["keys"])
    special = {"challenge", "minions", "ohana"} & set(hand["keys"])
    assert special
    for name, row in hand["keys"].items():
        if "work_ms" in row and "delays" in row:
            assert 0 < row["work_ms"] <= row["work_ms_rest"] <= row["work_ms_most"], name
            assert row["delays"] <= row["delays_rest"]
    # Its proofs are checked again, by either.
    assert hand["verify"]["entries"] > 20
    assert hand["verify"]["ms"] > 0
    assert hand["resume"]["records"] > hand["verify"]["entries"]
    assert hand["reconnect"]["work_ms"] > 0
