"""``nodealer bench``: the speed of the deck on this machine, of the deal as a whole, of play, and how each grows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from nodealer.p2p import bench

from ..exits import Exit
from ..output import write_line
from ..progress import Progress
from ..screen import measure as screen
from . import processes, text

TAKES = "this takes a minute, or more where the machine is busy"


def run(args: argparse.Namespace) -> int:
    progress = Progress()
    figures: dict[str, Any] = {}
    lines: list[str] = []
    try:
        for title, measure, told in _sections(args):
            progress.show(f"Measuring {title}; {TAKES} …")
            found = measure()
            figures |= found
            lines += [*([""] if lines else []), *told(found)]
    finally:
        progress.clear()
    for line in [json.dumps(figures)] if args.json else lines:
        write_line(line)
    return Exit.COMPLETE


Section = tuple[str, Callable[[], dict[str, Any]], Callable[[dict[str, Any]], list[str]]]


def _sections(args: argparse.Namespace) -> list[Section]:
    """What is asked for: its name, how it is measured, how it is told. Without a word it is the proofs."""
    sections: list[tuple[bool, Section]] = [
        (args.deal, ("the deal", _deal, lambda found: text.deal(found["deal"]))),
        (args.play, ("play", _play, lambda found: text.play(found["play"]))),
        (
            args.rounds,
            ("rounds", lambda: {"rounds": bench.measure_rounds()}, lambda found: text.rounds(found["rounds"])),
        ),
        (
            args.growth,
            ("growth", lambda: {"growth": bench.measure_growth()}, lambda found: text.growth(found["growth"])),
        ),
    ]
    asked = [section for wanted, section in sections if wanted or args.all]
    if args.all or not asked:
        asked.insert(0, ("the proofs", lambda: _proofs(args.cards), text.proofs))
    return asked


def _proofs(cards: int) -> dict[str, Any]:
    return {**bench.measure(cards), "screen": screen.measure()}


def _deal() -> dict[str, Any]:
    return {"deal": {**bench.measure_deals(), "processes": processes.measure()}}


def _play() -> dict[str, Any]:
    return {"play": {**bench.measure_play(), "start_up": processes.start_up()}}
