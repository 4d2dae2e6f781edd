"""The deal as a whole, and play: how long, how much work, how many bytes, for each edition and number of players.

    .venv/bin/python -m benchmarks.deal [--json] [--edition NAME] [--seats N …] [--play]

How the times come about is told in `simulate.py`. `own` is a machine for every player, `one` is one machine with two
cores for all; both in seconds from the first shuffle to the hand readable at the slowest. `cpu` is processor time of
the busiest peer, `ops` the group operations of all peers, `kB` and `messages` what the busiest peer sends. Divided by
`mul_us`, the time of one multiplication in this run, the times can be compared between machines.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from dataclasses import asdict, replace
from typing import Any

from nodealer.crypto import cores
from nodealer.crypto.group import counting, hash_to_point, random_scalar
from nodealer.engine import EDITIONS
from nodealer.p2p.options import TableOptions
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import MAGIC, frame
from nodealer.p2p.verify import verify

from benchmarks.simulate import DELAY, Clock, Machines, counted

MAKING = {SlotKind.START, SlotKind.COIN, SlotKind.SHUFFLE, SlotKind.LOCK, SlotKind.EPOCH_OK, SlotKind.KEYS}
TABLES = (
    ("four-colors", 2),
    ("four-colors", 4),
    ("despicable-me-4", 2),
    ("despicable-me-4", 4),
    ("despicable-me-4", 10),
    ("lilo-stitch", 2),
    ("lilo-stitch", 4),
    ("lilo-stitch", 10),
)


def multiplication() -> float:
    """Seconds of one multiplication, the best of some rounds."""
    point, scalar, best = hash_to_point("bench"), random_scalar(), 1.0
    for _ in range(30):
        start = time.thread_time()
        for _ in range(20):
            scalar * point
        best = min(best, (time.thread_time() - start) / 20)
    return best


def options_of(edition: str, seats: int, escrow: bool) -> TableOptions:
    return replace(TableOptions.defaults(edition, seats=seats, target=0).fast(), escrow=escrow)


def deal(edition: str, seats: int, *, shared: int | None, threads: int, escrow: bool = True) -> dict[str, Any]:
    """One deal: from the first slot of a shuffle to every hand readable."""
    clock = Clock()
    with clock.running(threads), counting() as ops:
        options = options_of(edition, seats, escrow and seats > 2)
        table = Machines(options, clock, shared, ("deal", edition, seats), DELAY)
        table.form()

        def slots() -> list[SlotKind]:
            """What is awaited, at each peer."""
            matches = [seated.peer.match for seated in table.seats]
            return [SlotKind.START if match is None else match.slot.kind for match in matches]

        def shuffling() -> bool:
            return SlotKind.SHUFFLE in slots()

        def dealt() -> bool:
            return MAKING.isdisjoint(slots())

        table.run(600, until=shuffling)
        begun, before = table.now, list(table.cpu)
        table.run(600, until=dealt)
        if not dealt():
            raise RuntimeError("the deal did not end")
        seconds = max(table._peer_free) - begun
    messages, sizes = counted(table)
    return {
        "seconds": seconds,
        "cpu": max(now - then for now, then in zip(table.cpu, before, strict=True)),
        "ops": asdict(ops),
        "kB": max(sizes.values()) / 1000,
        "messages": max(messages.values()),
    }


def both(edition: str, seats: int) -> dict[str, Any]:
    """A machine of two cores each, and one such machine for all."""
    own = deal(edition, seats, shared=None, threads=2)
    one = deal(edition, seats, shared=2, threads=1)
    return {
        "edition": edition,
        "seats": seats,
        "own": own["seconds"],
        "one": one["seconds"],
        "cpu": one["cpu"],
        **{name: one[name] for name in ("ops", "kB", "messages")},
    }


def play(edition: str, seats: int) -> dict[str, Any]:
    """A whole hand: the work of one peer for what is told to it, by what was awaited, and verifying all of it."""
    clock = Clock()
    with clock.running(1):
        table = Machines(options_of(edition, seats, seats > 2), clock, None, ("play", edition, seats), DELAY)
        table.play()
        records = table.seats[0].records
        file = io.BytesIO(MAGIC + b"".join(frame(record) for record in records))
        start = clock.now()
        report = verify(file)
        verifying = clock.now() - start
    if report.status.value != 0:
        raise RuntimeError(report.sentence)
    return {
        "edition": edition,
        "seats": seats,
        "work_ms": {
            kind: {"median": 1e3 * sorted(spent)[len(spent) // 2], "most": 1e3 * max(spent), "steps": len(spent)}
            for kind, spent in sorted(table.work.items())
        },
        "verify": {"seconds": verifying, "entries": report.entries},
    }


def slope(points: list[tuple[float, float]]) -> float:
    """The exponent b of y = a·x^b through the first and the last point."""
    from math import log

    (x0, y0), (x1, y1) = points[0], points[-1]
    return log(y1 / y0) / log(x1 / x0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--edition", choices=sorted(EDITIONS))
    parser.add_argument("--seats", type=int, nargs="*")
    parser.add_argument("--play", action="store_true", help="a whole hand too: the work for each kind of step")
    args = parser.parse_args()
    with cores.using(1):
        mul = multiplication()
    tables = [
        (edition, seats)
        for edition, seats in TABLES
        if args.edition in (None, edition) and (not args.seats or seats in args.seats)
    ]
    deals = [both(edition, seats) for edition, seats in tables]
    hands = [play(edition, seats) for edition, seats in tables] if args.play else []
    figures = {"mul_us": mul * 1e6, "deals": deals, "play": hands}
    if args.json:
        print(json.dumps(figures))
        return
    print(f"One multiplication: {mul * 1e6:.1f} µs.")
    heads = ("own s", "one s", "cpu s", "mul", "add", "kB", "messages")
    print(f"{'edition':<18}seats" + "".join(f"{head:>9}" for head in heads))
    for row in deals:
        ops = row["ops"]
        print(
            f"{row['edition']:<18}{row['seats']:>5}{row['own']:>9.2f}{row['one']:>9.2f}{row['cpu']:>9.2f}"
            f"{ops['mul']:>9}{ops['add']:>9}{row['kB']:>9.0f}{row['messages']:>9}"
        )
    for edition in dict.fromkeys(edition for edition, _ in tables):
        rows = [row for row in deals if row["edition"] == edition]
        if len(rows) > 1:
            grows = {name: slope([(row["seats"], row[name]) for row in rows]) for name in ("own", "one", "cpu", "kB")}
            print(f"{edition} grows with the players like " + ", ".join(f"{k} ^{v:.2f}" for k, v in grows.items()))
    for hand in hands:
        print(f"{hand['edition']}, {hand['seats']} seats: milliseconds of one peer for a message, by what was awaited")
        for kind, work in hand["work_ms"].items():
            print(f"  {kind:<12}{work['median']:>9.2f} median{work['most']:>9.2f} most{work['steps']:>7} messages")
        checked = hand["verify"]
        print(f"  verifying its transcript: {checked['seconds']:.2f} s for {checked['entries']} entries")


if __name__ == "__main__":
    main()
