"""The bench of rounds plays what it says and verifies what was played. What it takes is the machine's business."""

from __future__ import annotations

from nodealer.p2p import bench


def test_rows_for_players_and_for_rounds():
    rows = bench.measure_rounds((2,), (2,))
    assert [(row["players"], row["rounds"]) for row in rows] == [(2, 1), (3, 2)]
    for row in rows:
        assert row["entries"] > 20
        # A shuffle and a lock of each player in each round.
        assert row["bytes"] > row["players"] * row["rounds"] * 20_000
        assert row["live_ms"] > 0
        assert row["verify_ms"] == row["verify_ms_round"] * row["rounds"] > 0
        assert row["resume_ms"] > 0
