"""Deals by real processes: every player a process with real sockets on loopback, all on this machine; and how long the
command takes to start.

What is measured. Bots play a whole hand, as with ``nodealer bots``. Each notes when its slots open and its hand becomes
readable, by the clock that all processes of a machine share. ``whole`` is from the moment the host closes its table
(the last seat is taken; a person's key `s` does the same) until the last player can read its hand and has verified all
that leads to it: lines between all players, start, coin, shuffles, locks, keys. ``deal`` is the part from the first
shuffle's slot on, which is what the simulation tells. With ``journal`` every player brings its own entries to the disk
before they go out. Times vary with what else the machine does: the best and the median of some runs are told, and the
same for a multiplication of `REFERENCE_US`, each run by the multiplication right before and after it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nodealer.p2p.bench import multiplication

from .. import bots
from ..exits import Complaint, Exit
from ..report import slowest

REFERENCE_US = 49.0
TABLES = (
    ("four-colors", 4, False, 7),
    ("four-colors", 4, True, 5),
    ("despicable-me-4", 10, False, 3),
    ("despicable-me-4", 10, True, 3),
)
"""Edition, players, whether they keep journals, runs."""
STARTS = 15


def measure(tables: Sequence[tuple[str, int, bool, int]] = TABLES) -> list[dict[str, Any]]:
    """A row for each table. Seconds are {best, median}; `cpu` is the processor time of all players for the deal,
    `memory_mb` what the largest had resident at most, None where the system does not tell."""
    return [_row(*table) for table in tables]


def _row(edition: str, seats: int, journal: bool, count: int) -> dict[str, Any]:
    runs = [_run(edition, seats, journal) for _ in range(count)]
    memory = [run["memory_mb"] for run in runs if run["memory_mb"] is not None]
    return {
        "edition": edition,
        "seats": seats,
        "journal": journal,
        "runs": count,
        **{
            name: {"best": min(values), "median": sorted(values)[count // 2]}
            for name in ("whole", "deal", "whole_at_reference", "deal_at_reference", "cpu")
            if (values := [run[name] for run in runs])
        },
        "memory_mb": max(memory, default=None),
    }


def _run(edition: str, seats: int, journal: bool) -> dict[str, Any]:
    before = multiplication()
    with tempfile.TemporaryDirectory() as folder:
        results = asyncio.run(bots.hand(edition, seats, Path(folder) if journal else None))
    faster = REFERENCE_US * 1e-6 / ((before + multiplication()) / 2)
    return times(results, faster)


def times(results: Sequence[Mapping[str, Any]], faster: float) -> dict[str, Any]:
    """The figures of one run out of what each player has told; Complaint where the hand was not played to its end."""
    if not results or not all(result.get("complete") and result.get("deals") for result in results):
        raise Complaint("The bots did not play their hand to its end.", Exit.GONE)
    deal = slowest(results, "deals")[0]
    whole = max(result["deals"][0][1] for result in results) - min(result["started"] for result in results)
    memory = [result["memory_mb"] for result in results if result["memory_mb"] is not None]
    return {
        "whole": whole,
        "deal": deal,
        "whole_at_reference": whole * faster,
        "deal_at_reference": deal * faster,
        "cpu": sum(result["deal_work"][0] for result in results),
        "memory_mb": max(memory, default=None),
    }


def start_up(count: int = STARTS) -> dict[str, float]:
    """``python`` and ``version``: milliseconds from start to end of an empty program and of ``nodealer --version``, the
    best of some; ``ratio`` of the second to the first."""
    programs = {"python": ["-c", "pass"], "version": ["-m", "nodealer.cli", "--version"]}
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(count):
        for name, words in programs.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
            best[name] = min(best[name], (time.perf_counter() - began) * 1e3)
    return {**best, "ratio": best["version"] / best["python"]}
