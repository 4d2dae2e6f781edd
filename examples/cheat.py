"""Every kind of cheat, tried at a table of real peers: who cheats, what it sends, which check finds it at whom, and
what the offline verifier says of the transcript afterwards.

    python examples/cheat.py            all of them
    python examples/cheat.py --list     their names
    python examples/cheat.py face UNO   some

One peer of the table lies once; the others keep to the protocol (`liar.py`, `cheats/`). The tests play the same
cheats, and many variants of each.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from examples.cheats.catalogue import CATALOGUE, Cheat
from examples.liar import CheatTable, caught, report_of
from examples.program import exit_code


def sent(table: CheatTable) -> str:
    """The false entry as its writer signed it."""
    entry = table.liar.told
    if entry is None:
        own = table.liar.match.feeds[table.liar.writer].entries
        entry = own[-1] if own else None
    if entry is None:
        return "nothing that is signed"
    header = entry.header
    return f"{header.kind!r}, number {header.number} of its feed, for slot {header.slot}, {len(entry.body)} bytes"


def try_out(cheat: Cheat) -> None:
    """Play it and tell it; AssertionError if a single honest peer, or its transcript, does not name the cheat."""
    table = cheat.table()
    caught(table, cheat.check, transcript="" if cheat.shown else None)
    liar = table.seats[table.cheat].peer
    honest = ", ".join(seated.peer.own.name for seated in table.honest)
    print(f"{cheat.name}: {liar.own.name} {cheat.told}")
    print(f"  sent: {cheat.sent or sent(table)}")
    print(f"  failed check: {cheat.check}, at {honest}, each by itself")
    verdict = report_of(table.honest[0]).sentence if cheat.shown else "what is not signed is in no transcript"
    print(f"  verifier: {verdict}")
    print()


def main(words: list[str] | None = None) -> int:
    """Try the cheats that are named, or all; 0 if each was found by everybody."""
    parser = argparse.ArgumentParser(description="Each kind of cheat, and how it is found.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of them (all)")
    parser.add_argument("--list", action="store_true", help="tell the names and end")
    args = parser.parse_args(words)
    if args.list:
        for cheat in CATALOGUE:
            print(f"{cheat.name}: {cheat.told}")
        return 0
    known = {cheat.name: cheat for cheat in CATALOGUE}
    unknown = [name for name in args.names if name not in known]
    if unknown:
        parser.error(f"there is no cheat called {unknown[0]!r}; see --list")
    for cheat in [known[name] for name in args.names] or CATALOGUE:
        try_out(cheat)
    return 0


if __name__ == "__main__":
    raise SystemExit(exit_code(main))
