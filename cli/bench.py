"""``nodealer bench``: the speed of the deck on this machine, on one core and on two."""

from __future__ import annotations

import argparse
import json
from typing import Any

from nodealer.p2p.bench import measure, measure_rounds

from .exits import Exit
from .output import write_line
from .progress import Progress
from .screen import measure as screen


def run(args: argparse.Namespace) -> int:
    progress = Progress()
    try:
        progress.show("Measuring; this takes a minute, or more where the machine is busy …")
        if args.rounds:
            rows = measure_rounds()
        else:
            figures: dict[str, Any] = measure(args.cards)
            figures["screen"] = screen.measure()
    finally:
        progress.clear()
    if args.rounds:
        return _rounds(rows, args.json)
    if args.json:
        write_line(json.dumps(figures))
        return Exit.COMPLETE
    group = ", ".join(f"{name} {micros:.1f} µs" for name, micros in figures["group_us"].items())
    write_line(f"{figures['n']} cards. Group: {group}.")
    two = figures["two_cores"].get("ms", {})
    write_line(f"{'':<21}{'one core':>12}{'two':>12}{'own':>7}   operations")
    for name, millis in figures["ms"].items():
        ops = ", ".join(f"{count} {kind}" for kind, count in figures["ops"][name].items() if count)
        other = f"{two[name]:>9.1f} ms" if name in two else f"{'':>12}"
        write_line(f"{name:<21}{millis:>9.1f} ms{other}{figures['ratio'][name]:>7.2f}   {ops}")
    write_line("own: the time divided by that of these operations alone, on one core.")
    painted = figures["screen"]
    write_line(
        f"screen, ten players: a frame {painted['frame_ms']:.1f} ms, 99 of 100 in {painted['frame_ms_99']:.1f} ms"
    )
    write_line(f"a key while proofs are checked: 99 of 100 are answered in {painted['key_ms_99']:.1f} ms")
    return Exit.COMPLETE


def _rounds(rows: list[dict[str, Any]], as_json: bool) -> int:
    if as_json:
        write_line(json.dumps({"rounds": rows}))
        return Exit.COMPLETE
    write_line("One core. A peer at the table: all its checks, and its own shuffles, locks and keys.")
    write_line("players  rounds  entries  transcript  a peer, live      verified  verified, a round")
    for row in rows:
        write_line(
            f"{row['players']:>7}{row['rounds']:>8}{row['entries']:>9}{row['bytes'] / 1000:>9.0f} kB"
            f"{row['live_ms']:>11.0f} ms{row['verify_ms']:>11.0f} ms{row['verify_ms_round']:>16.0f} ms"
        )
    return Exit.COMPLETE
