"""What one lying peer or host cannot do: have the honest blame each other, make them wait for ever, or fill them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import NO_HASH, Entry, Header, body_hash
from nodealer.p2p.errors import WireError
from nodealer.p2p.events import Outcome, PlayerOut, Shunned
from nodealer.p2p.feed import Added
from nodealer.p2p.forming import HostTable
from nodealer.p2p.limits import AUTOMATIC_LIMIT
from nodealer.p2p.mesh import MAX_SERVED, Link
from nodealer.p2p.offer import Roster, roster_statement
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.verify import Status
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, Lie, LyingPlayer, forge, report_of, sitting_of
from examples.table import FAST, HOP, Table

FOUR = TableOptions("despicable-me-4", seats=5, target=0, escrow=False).fast()


class TwoListsHost(Peer):
    """Shows its last guest and one other the whole list, and the first a list without the last."""

    def start_short_and_long(self, now: float) -> None:
        hosting = self._hosting
        assert isinstance(hosting, HostTable)
        formed = hosting.form(self.port)
        lines = hosting.guests()
        guests = [guest.signed for guest in hosting._guests.values()]
        short = Roster.make(self.own.identity, [hosting._mine, *guests[:-1]])
        for line in lines:
            roster = short if line == lines[0] else formed.roster
            places = [["10.0.0.9", 1] for _ in roster.offers]
            self._mesh.send(line, "roster", roster.to_wire(), places, True)
        self._begin(formed, now)


def two_lists(seed: int) -> Table:
    """A table whose host has just shown its lists."""

    def make(index, identity, name, stream):
        kind = TwoListsHost if index == 0 else Peer
        return kind.host(identity, name, FOUR, stream) if index == 0 else kind.join(identity, name, stream)

    table = Table(4, FOUR, seed=("lists", seed), make=make)
    table.form()
    host = table.seats[0].peer
    assert isinstance(host, TwoListsHost)
    host.start_short_and_long(table.now)
    table._drain(0)
    return table


@pytest.mark.parametrize("seed", range(4))
def test_lists_of_different_length_convict_the_host_at_everybody(seed):
    """On evidence, not on the host's word, also at one who is not on the other list; and from the transcript alone."""
    table = two_lists(seed)
    table.run(60)
    for seated in table.seats[1:]:
        ended = seated.ended
        assert ended is not None
        assert (ended.outcome, ended.check) == (Outcome.CHEAT, "roster"), ended
        assert "Player 0 cheated" in ended.sentence
        report = report_of(seated)
        assert (report.status, report.check, report.writer) == (Status.INVALID, "roster", "Player 0")


def test_evidence_against_the_host_blames_it_after_the_start_too():
    """Who passes it on is honest: a peer that is still at the start may find it when the others are past it."""
    table = Table(3, replace(FAST, seats=3), seed="late evidence")
    table.form()
    table.run(60, until=lambda: all(sitting_of(s).match.slot.number > 4 for s in table.seats))
    host, witness, peer = (sitting_of(seated) for seated in table.seats)
    offer = host.match.roster.offers[0].offer
    other = b"another table".ljust(32, b".")
    identity = table.seats[0].peer.own.identity
    signature = identity.sign("roster", roster_statement(offer.host_nonce, other))
    header = Header(other, 0, 0, NO_HASH, 0, bytes(32), "start", body_hash(body := encode([other, signature])))
    entry = Entry.make(table.seats[1].peer.own.identity, header, body)
    line = next(link.line for link in peer._mesh.links.values() if link.writer == witness.me)
    table.seats[2].peer.receive(line, encode(["entry", entry.encode()]), table.now)
    ended = table.seats[2].ended
    assert ended is not None
    assert (ended.outcome, ended.check) == (Outcome.CHEAT, "roster")
    assert "Player 0 cheated" in ended.sentence


def test_a_start_for_another_table_without_the_hosts_signature_blames_its_sender_only():
    table = Table(3, replace(FAST, seats=3), seed="no evidence")
    table.form()
    table.run(60, until=lambda: all(sitting_of(s).match.slot.number > 4 for s in table.seats))
    other = b"another table".ljust(32, b".")
    header = Header(other, 0, 0, NO_HASH, 0, bytes(32), "start", body_hash(body := encode([other, bytes(64)])))
    entry = Entry.make(table.seats[1].peer.own.identity, header, body)
    peer = sitting_of(table.seats[2])
    line = next(link.line for link in peer._mesh.links.values() if link.writer == sitting_of(table.seats[1]).me)
    with pytest.raises(WireError):
        table.seats[2].peer.receive(line, encode(["entry", entry.encode()]), table.now)
    table._drain(2)
    told = [event.text for event in table.seats[2].told if isinstance(event, Shunned)]
    assert [text.startswith("Player 1's program sent what no honest program sends") for text in told] == [True]


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
    outs = [[e for e in seated.told if isinstance(e, PlayerOut)] for seated in table.honest]
    assert outs == [[], []]
    table.run(AUTOMATIC_LIMIT + 10)
    # It was silent about the dispute: whether it lied, or has seen a fork of another, nobody can tell.
    seat = match.seat_of(match.roster.writer_of(table.seats[cheat].peer.key))
    for seated in table.honest:
        (out,) = [e for e in seated.told if isinstance(e, PlayerOut)]
        assert (out.seat, out.reason, out.check) == (seat, "dropped", None)
    table.run(600)
    assert {seated.ended.outcome for seated in table.honest if seated.ended} == {Outcome.COMPLETE}
    for seated in table.honest:
        report = report_of(seated)
        assert [(out.reason, out.check) for out in report.out] == [("dropped", None)]
        assert report.status is Status.COMPLETE


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
