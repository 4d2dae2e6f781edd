"""The bench against a stored baseline: the counts must be the same, the ratios not much worse.

    .venv/bin/python -m benchmarks.compare           compare with benchmarks/baseline.json; exit 1 if something is worse
    .venv/bin/python -m benchmarks.compare --store   make the baseline anew

Compared are figures that other programs on the machine disturb little: operations, bytes and messages, which are exact,
and times divided by those of the group's own operations in the same run. A time over its limit is measured again before
it counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from nodealer.crypto.bench import measure
from nodealer.p2p.bench.deal import TABLES, counts

BASELINE = Path(__file__).with_name("baseline.json")
WORSE = 1.10
"""A ratio may be so many times the stored one."""
TRIES = 3


def exact() -> dict[str, Any]:
    """Whole deals: the operations of all peers together, what the busiest sends, and how often messages go one after
    the other. The same in every run."""
    return {f"{edition} {seats}": counts(edition, seats) for edition, seats in TABLES}


def take() -> dict[str, Any]:
    bench = measure()
    return {"ops": bench["ops"], "bytes": bench["bytes"], "ratio": bench["ratio"], "deals": exact()}


def complaints(baseline: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """A sentence for everything that is not as stored."""
    found = [
        f"{part}: {name} is {now[part].get(name)}, was {was}"
        for part in ("ops", "bytes", "deals")
        for name, was in baseline[part].items()
        if now[part].get(name) != was
    ]
    for _ in range(TRIES):
        slow = {name: was for name, was in baseline["ratio"].items() if now["ratio"].get(name, 99) > WORSE * was}
        if not slow:
            break
        again = measure()["ratio"]
        now["ratio"] = {name: min(value, again.get(name, value)) for name, value in now["ratio"].items()}
    return found + [
        f"ratio: {name} takes {now['ratio'][name]} times its own operations, was {was}"
        for name, was in baseline["ratio"].items()
        if now["ratio"].get(name, 99) > WORSE * was
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="store_true", help="make the baseline anew")
    args = parser.parse_args()
    now = take()
    if args.store:
        BASELINE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
        return 0
    found = complaints(json.loads(BASELINE.read_text()), now)
    for sentence in found:
        print(sentence)
    if not found:
        print("Counts as stored; no ratio is worse by a tenth.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
