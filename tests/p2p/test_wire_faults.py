"""A wire that loses, doubles, delays, reorders, tampers; lines of the mesh that are cut. One history all the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from nodealer.p2p.events import Outcome
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.verify import Status

from examples.liar import report_of, share_memory
from examples.table import FAST, HOP, Meddler, Table
from tests.helpers.secured import SecuredTable

PLAIN = replace(FAST, escrow=False)


def table_of(players: int, seed: object, kind: type[Table] = Table) -> Table:
    table = kind(players, replace(PLAIN, seats=players), seed=seed)
    share_memory([seated.peer for seated in table.seats])
    return table


def all_complete(table: Table) -> None:
    endings = [seated.ended for seated in table.seats]
    assert all(ended is not None and ended.outcome is Outcome.COMPLETE for ended in endings), endings
    assert len({ended.digest for ended in endings if ended}) == 1
    assert all(report_of(seated).status is Status.COMPLETE for seated in table.seats)


def losing(rng: random.Random) -> Meddler:
    return lambda sender, receiver, frame: [] if rng.random() < 0.04 else [(HOP, frame)]


def doubling(rng: random.Random) -> Meddler:
    return lambda sender, receiver, frame: [(HOP * rng.randrange(1, 50), frame) for _ in range(rng.choice([1, 2, 3]))]


def reordering(rng: random.Random) -> Meddler:
    return lambda sender, receiver, frame: [(rng.uniform(0.001, 0.2), frame)]


def late(rng: random.Random) -> Meddler:
    """Now and then a frame takes more than a second, longer than what counts as lacking."""
    return lambda sender, receiver, frame: [(rng.choice([0.001] * 20 + [1.5]), frame)]


def everything(rng: random.Random) -> Meddler:
    """All of it at once, losses rarer: an entry lost twice takes the ten seconds that make its writer silent."""
    wires = [losing(rng)] + [doubling(rng), reordering(rng)] * 5
    return lambda sender, receiver, frame: rng.choice(wires)(sender, receiver, frame)


@pytest.mark.parametrize(
    ("fault", "players"),
    [
        (losing, 2),
        (losing, 4),
        (doubling, 3),
        (reordering, 2),
        (reordering, 4),
        (late, 3),
        (everything, 2),
        (everything, 4),
    ],
)
def test_a_bad_wire(fault: Callable[[random.Random], Meddler], players: int):
    table = table_of(players, ("wire", fault.__name__))
    table.form()
    table.meddle = fault(random.Random(fault.__name__))
    table.run(3600)
    all_complete(table)


@pytest.mark.parametrize("pair", [(0, 1), (1, 2)])
def test_one_line_of_the_mesh_is_never_there(pair):
    """Third peers pass on what the two cannot send each other."""
    table = table_of(3, ("cut", pair))
    table.form()
    table.disconnect(*pair)
    table.run(3600)
    all_complete(table)


def test_two_lines_are_cut_so_that_one_peer_holds_the_table_together():
    table = table_of(3, "one in the middle")
    table.form()
    table.run(60, until=lambda: all(s.peer.match is not None and s.peer.match.slot.number > 3 for s in table.seats))
    table.disconnect(0, 1)
    table.run(3600)
    all_complete(table)


def test_lines_that_come_and_go():
    rng = random.Random("come and go")
    table = table_of(4, "come and go")
    table.form()
    pairs = [(a, b) for a in range(4) for b in range(a)]
    for _ in range(60):
        table.run(0.02)
        pair = rng.choice(pairs)
        if frozenset(pair) in table.cut:
            table.heal(*pair)
        else:
            table.disconnect(*pair)
    for pair in pairs:
        table.heal(*pair)
    table.run(3600)
    all_complete(table)


def test_a_wire_that_swallows_a_peers_entries_on_one_line():
    """The line stands and pings pass, but no entry does: the others send what is lacking."""
    table = table_of(4, "swallow")
    table.form()

    def swallow(sender: int, receiver: int, frame: bytes) -> list[tuple[float, bytes]]:
        return [] if (sender, receiver) == (1, 2) and b"\xa5entry" in frame[:8] else [(HOP, frame)]

    table.meddle = swallow
    table.run(3600)
    all_complete(table)


@pytest.mark.parametrize("how", ["flip", "cut", "double", "drop", "swap"])
def test_tampering_below_the_secure_line_breaks_lines_and_nothing_else(how):
    rng = random.Random(how)
    table = table_of(3, "tamper", SecuredTable)
    table.form()
    held: list[bytes] = []
    tampered = 0

    def tamper(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        nonlocal tampered
        if rng.random() > 0.03:
            return [(HOP, data)]
        tampered += 1
        match how:
            case "flip":
                at = rng.randrange(len(data))
                return [(HOP, data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])]
            case "cut":
                return [(HOP, data[: rng.randrange(len(data))])]
            case "double":
                return [(HOP, data), (HOP, data)]
            case "drop":
                return []
            case _:
                # Another frame of another time, perhaps of another line.
                held.append(data)
                return [(HOP, rng.choice(held))]

    table.meddle = tamper
    table.run(3600)
    assert tampered > 2
    all_complete(table)


def test_the_last_entries_lost_on_the_way_take_longer_than_the_grace():
    """Who has ended and has what the other lacks is not gone: it is sent again, after five seconds."""
    table = Table(2, replace(PLAIN, seats=2, grace=3), seed="last words")
    table.form()
    lost: set[bytes] = set()

    def swallow(sender: int, receiver: int, frame: bytes) -> list[tuple[float, bytes]]:
        match = table.seats[0].peer.match
        last = match is not None and match.slot.kind is SlotKind.END
        if sender == 0 and last and b"\xa5entry" in frame[:8] and frame not in lost:
            lost.add(frame)
            return []
        return [(HOP, frame)]

    table.meddle = swallow
    table.run(3600)
    assert lost
    all_complete(table)
