"""What one lying peer or host cannot do: have the honest blame each other, make them wait for ever, or fill them."""

from __future__ import annotations

from dataclasses import replace

from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import NO_HASH
from nodealer.p2p.feed import Added
from nodealer.p2p.limits import AUTOMATIC_LIMIT
from nodealer.p2p.mesh import MAX_SERVED, Link
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.wire import decode, encode

from tests.helpers.cheat import CheatTable, Lie, LyingPlayer, forge, sitting_of
from tests.helpers.table import FAST, HOP


def test_a_dispute_ends_also_where_no_clock_was_agreed():
    """A move with a false digest, by one whose lists never let it be settled, cannot hold the table for ever."""

    def lie(player: LyingPlayer, kind: str, body: bytes) -> Lie | None:
        if player.match.slot.kind is SlotKind.MOVE:
            return Lie(header={"digest": b"x" * 32})
        return None

    table = CheatTable(lie, players=3, options=replace(FAST, turn_clock=0), seed="dispute")
    cheat = table.cheat

    def meddle(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        message = decode(data, max_bytes=1 << 20)
        if sender == cheat and table.seats[cheat].peer.match is not None and table.liar.told is not None:
            at = {"ping": 1, "entry": 2}.get(message[0])
            if at is not None and len(message) > at:
                message[at] = [[0, NO_HASH] for _ in message[at]]
        return [(HOP, encode(message))]

    table.meddle = meddle
    table.form()
    match = sitting_of(table.seats[0]).match
    table.until(lambda _: table.liar.told is not None)
    since = table.now
    table.run(120)
    assert match.disputed() or match.over
    for seated in table.honest:
        assert seated.ended is not None
        assert seated.ended.blamed == match.seat_of(match.roster.writer_of(table.seats[cheat].peer.key))
    assert table.now - since < AUTOMATIC_LIMIT + 10


def test_what_is_not_kept_is_not_remembered():
    """One writer can sign any number of gaps: they must leave nothing behind."""
    table = CheatTable(players=2, seed="gaps")
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE)
    match = sitting_of(table.seats[0]).match
    before = len(match._remembered)
    for number in range(1000, 1100):
        assert match.offer(forge(table.liar, "draw", NOTHING, number=number)) is Added.GAP
    assert len(match._remembered) == before


def test_requests_without_end_are_not_looked_up():
    link = Link(1, b"k" * 32, None)
    assert [link.may_be_served(5.0) for _ in range(2 * MAX_SERVED)].count(True) == MAX_SERVED
    assert link.may_be_served(6.0)
