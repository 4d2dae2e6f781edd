"""``bench`` asks for what was asked, and tells it as lines and as one object. Figures are the machine's business."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nodealer.cli import bench, bots
from nodealer.cli import main as command
from nodealer.cli.bench import processes
from nodealer.cli.exits import Complaint

ROUND = {"players": 2, "rounds": 1, "entries": 99, "bytes": 99_000, "live_ms": 300.4, "verify_ms": 200.2}
ROUNDS = [{**ROUND, "verify_ms_round": 200.2, "resume_ms": 180.0}]
OPS = {"mul": 3280, "mul_base": 270, "add": 2380, "hash_to_group": 0}
SIMULATED = {"own": 0.13, "one": 0.22, "cpu": 0.12, "cpu_all": 0.2, "ops": OPS, "bytes": 23_000, "messages": 5}
SPAN = {"best": 0.31, "median": 0.42}
PROCESSES = {
    **{"edition": "four-colors", "seats": 2, "journal": True, "runs": 3, "memory_mb": None},
    **dict.fromkeys(("whole", "deal", "whole_at_reference", "deal_at_reference", "cpu"), SPAN),
}
DEALS = {
    "mul_us": 50.0,
    "tables": [{"edition": "four-colors", "seats": 2, **SIMULATED}],
    "grows": {"four-colors": {"own": 1.02}},
}
KEY = {"times": 3, "delays": 1, "delays_rest": 2, "work_ms": 0.5, "work_ms_rest": 1.5, "work_ms_most": 1.6}
HAND = {
    **{"edition": "four-colors", "seats": 2, "keys": {"play": KEY}},
    "reconnect": {"slots_behind": 2, "delays": 2, "ms": 3.0, "work_ms": 2.0},
    "verify": {"ms": 200.0, "entries": 99},
    "resume": {"ms": 180.0, "records": 120},
}
PLAY = {"mul_us": 50.0, "hands": [HAND]}
START = {"python": 10.0, "version": 30.0, "ratio": 3.0}
GROWTH = {"lock": {"ms": {28: 3.0, 112: 12.0}, "line": (0.1, 0.1)}}
PROOFS = {"n": 8, "group_us": {"mul": 49.0}, "two_cores": {}, "ms": {"lock": 12.0}, "ops": {"lock": {"mul": 224}}}
SCREEN = {"frame_ms": 1.0, "frame_ms_99": 2.0, "key_ms_99": 3.0}


@pytest.fixture
def measured(monkeypatch) -> None:
    """What is measured takes no time here."""
    given: dict[str, Any] = {
        "measure": lambda cards: {**PROOFS, "ratio": {"lock": 1.1}},
        "measure_deals": lambda: DEALS,
        "measure_play": lambda: PLAY,
        "measure_rounds": lambda: ROUNDS,
        "measure_growth": lambda: GROWTH,
    }
    for name, function in given.items():
        monkeypatch.setattr(bench.bench, name, function)
    monkeypatch.setattr(bench.screen, "measure", lambda: SCREEN)
    monkeypatch.setattr(processes, "measure", lambda: [PROCESSES])
    monkeypatch.setattr(processes, "start_up", lambda: START)


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ([], {"n", "ms", "screen"}),
        (["--deal"], {"deal"}),
        (["--play"], {"play"}),
        (["--rounds"], {"rounds"}),
        (["--growth"], {"growth"}),
        (["--deal", "--rounds"], {"deal", "rounds"}),
        (["--all"], {"n", "ms", "screen", "deal", "play", "rounds", "growth"}),
    ],
    ids=lambda words: " ".join(sorted(words)),
)
def test_what_is_asked_is_told(words, keys, capsys) -> None:
    assert command.main(["bench", *words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert keys <= set(told)
    assert not {"n", "deal", "play", "rounds", "growth"} & set(told) - keys


@pytest.mark.usefixtures("measured")
def test_all_of_it_in_lines(capsys) -> None:
    assert command.main(["bench", "--all"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert max(map(len, told)) <= 120
    rows = [line.split() for line in told]
    for row in (
        "lock 12.0 ms 1.10 224 mul",
        "four-colors 2 0.13 0.22 0.12 3280 2380 23 5",
        "four-colors 2 disk 3 0.31 0.42 0.31 0.42 0.31 0.42 0.31 0.42 0.42 ?",
        "play 3 1 message 0.50 2 messages 1.50 1.60",
        "2 1 99 99 kB 300 ms 200 ms 200 ms 180 ms",
        "lock 3.0 12.0 +0.10 ms, 0.1000 a card",
    ):
        assert row.split() in rows
    assert "A play is applied everywhere after 1 message and 0.5 ms of work of one player." in told
    assert any("it did not happen in this hand" in line for line in told)
    assert "nodealer --version takes 30 ms, an empty Python 10 ms: 3.0 times." in told


def told_by(start: float, begin: float, end: float, work: float, memory: float | None = 50.0) -> dict[str, Any]:
    return {"complete": True, "started": start, "deals": [[begin, end]], "deal_work": [work], "memory_mb": memory}


def test_the_slowest_player_and_the_first_moment_count() -> None:
    found = processes.times([told_by(10.0, 10.2, 11.0, 0.3), told_by(10.1, 10.3, 11.4, 0.4, None)], 0.5)
    assert found == pytest.approx(
        {
            "whole": 1.4,
            "deal": 1.2,
            "whole_at_reference": 0.7,
            "deal_at_reference": 0.6,
            "cpu": 0.7,
            "memory_mb": 50.0,
        }
    )
    for unplayed in ([], [{**told_by(0, 1, 2, 1), "deals": []}], [{**told_by(0, 1, 2, 1), "complete": False}]):
        with pytest.raises(Complaint, match="did not play"):
            processes.times(unplayed, 1.0)


def test_real_processes_deal() -> None:
    """Two of them, with journals on the disk."""
    (row,) = processes.measure((("four-colors", 2, True, 1),))
    assert (row["edition"], row["seats"], row["journal"], row["runs"]) == ("four-colors", 2, True, 1)
    # Each shuffles, locks, and checks the other's: a tenth of a second of work of each, however fast the machine.
    assert row["cpu"]["best"] > 0
    assert 0 < row["deal"]["best"] <= row["whole"]["best"] == row["whole"]["median"]
    if row["memory_mb"] is not None:
        assert row["memory_mb"] > 10


async def test_bots_of_a_bench_keep_their_journals_where_they_are_told(tmp_path) -> None:
    results = await bots.hand("four-colors", 2, tmp_path)
    assert [result["complete"] for result in results] == [True, True]
    # The journals themselves go with the match.
    assert len(list(tmp_path.iterdir())) == 2


def test_starting_up_is_measured() -> None:
    found = processes.start_up(1)
    assert found["python"] > 0
    assert found["ratio"] == found["version"] / found["python"]
