"""The bench of rounds plays what it says and verifies what was played. What it takes is the machine's business."""

from __future__ import annotations

import json

from nodealer.cli import main as command
from nodealer.p2p import round_bench


def test_rows_for_players_and_for_rounds():
    rows = round_bench.measure_rounds((2,), (2,))
    assert [(row["players"], row["rounds"]) for row in rows] == [(2, 1), (3, 2)]
    for row in rows:
        assert row["entries"] > 20
        # A shuffle and a lock of each player in each round.
        assert row["bytes"] > row["players"] * row["rounds"] * 20_000
        assert row["live_ms"] > 0
        assert row["verify_ms"] == row["verify_ms_round"] * row["rounds"] > 0


def test_the_command(monkeypatch, capsys):
    row = {"players": 2, "rounds": 1, "entries": 99, "bytes": 99_000, "live_ms": 300.4, "verify_ms": 200.2}
    rows = [{**row, "verify_ms_round": 200.2}]
    monkeypatch.setattr("nodealer.cli.bench.measure_rounds", lambda: rows)
    assert command.main(["bench", "--rounds", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rounds": rows}
    assert command.main(["bench", "--rounds"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1].split() == ["2", "1", "99", "99", "kB", "300", "ms", "200", "ms", "200", "ms"]
