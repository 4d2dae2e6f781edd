"""The deal as a whole: how long, how much work, how many bytes, for each edition and number of players.

How the times come about is told in `machines.py`. `own` is a machine of two cores for every player, `one` is one such
machine for all; both in seconds from the first shuffle to the hand readable at the slowest. `cpu` is processor time of
the busiest peer, `ops` the group operations of all peers, `bytes` and `messages` what the busiest peer sends, `delays`
how many messages come one after the other. Divided by `mul_us`, the time of one multiplication in this run, the times
can be compared between machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from math import log
from typing import Any

from nodealer.crypto import cores
from nodealer.crypto.bench import multiplication
from nodealer.crypto.cards import deck_points, generators
from nodealer.crypto.group import counting
from nodealer.engine import EDITIONS

from ..options import MIN_ESCROW_SEATS, TableOptions
from ..slots import SlotKind
from .growth import line
from .machines import Machines, machines

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
LIMIT = 600.0
"""Simulated seconds in which a deal has ended, or something is wrong with it."""


def options_of(edition: str, seats: int) -> TableOptions:
    """One hand with escrow, where there can be one."""
    options = TableOptions.defaults(edition, seats=seats, target=0).fast()
    return replace(options, escrow=seats >= MIN_ESCROW_SEATS)


def deal(
    edition: str, seats: int, *, shared: int | None = None, threads: int = 1, free: bool = False
) -> dict[str, Any]:
    """One deal: from the first slot of a shuffle to every hand readable."""
    # Hashed to the group once in a process, not in each deal.
    count = len(EDITIONS[edition].cards)
    deck_points(edition, range(count))
    generators(count)
    with machines(threads) as serial, counting() as ops:
        table = Machines(options_of(edition, seats), serial, shared=shared, free=free)
        table.form()

        def slots() -> list[SlotKind]:
            """What is awaited, at each peer."""
            matches = [table.match_of(index) for index in range(seats)]
            return [SlotKind.START if match is None else match.slot.kind for match in matches]

        def dealt() -> bool:
            return MAKING.isdisjoint(slots())

        table.run(LIMIT, until=lambda: SlotKind.SHUFFLE in slots())
        begun, before = table.now, list(table.cpu)
        messages, sizes = list(table.messages), list(table.bytes)
        table.run(LIMIT, until=dealt)
        if not dealt():
            raise RuntimeError("the deal did not end")
    return {
        "seconds": table.finished - begun,
        "delays": round((table.finished - begun) / table.delay) if free else None,
        "cpu": max(now - then for now, then in zip(table.cpu, before, strict=True)),
        "cpu_all": sum(table.cpu) - sum(before),
        "ops": asdict(ops),
        "bytes": max(now - then for now, then in zip(table.bytes, sizes, strict=True)),
        "messages": max(now - then for now, then in zip(table.messages, messages, strict=True)),
    }


def counts(edition: str, seats: int) -> dict[str, Any]:
    """What is the same in every run: operations, bytes, messages, delays."""
    free = deal(edition, seats, free=True)
    return {name: free[name] for name in ("ops", "bytes", "messages", "delays")}


def both(edition: str, seats: int) -> dict[str, Any]:
    """A machine of two cores each, and one such machine for all."""
    own = deal(edition, seats, threads=2)
    one = deal(edition, seats, shared=2)
    return {
        "edition": edition,
        "seats": seats,
        "own": own["seconds"],
        "one": one["seconds"],
        **{name: one[name] for name in ("cpu", "cpu_all", "ops", "bytes", "messages")},
    }


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The b of y = a·x^b that is nearest to the points, all of them positive, on a logarithmic scale."""
    return line([(log(x), log(y)) for x, y in points])[1]


def measure_deals(tables: Sequence[tuple[str, int]] = TABLES) -> dict[str, Any]:
    """Keys: `mul_us`; `tables`, a row for each; `grows`, by edition: with which power of the players each grows."""
    with cores.using(1):
        mul = multiplication()
    rows = [both(edition, seats) for edition, seats in tables]
    grows = {}
    for edition in dict.fromkeys(edition for edition, _ in tables):
        mine = [row for row in rows if row["edition"] == edition]
        if len(mine) > 1:
            names = ("own", "one", "cpu", "bytes")
            grows[edition] = {name: exponent([(row["seats"], row[name]) for row in mine]) for name in names}
    return {"mul_us": min(mul, multiplication()) * 1e6, "tables": rows, "grows": grows}
