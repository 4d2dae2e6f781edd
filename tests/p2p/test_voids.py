"""What a void comes to depends on what stands on the tapes, and not on the order in which it is read."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache

import pytest
from nodealer.p2p.entry import NO_HASH, Entry, body_hash
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.match import Match
from nodealer.p2p.offer import Roster
from nodealer.p2p.options import TableOptions
from nodealer.p2p.proposal import Base, Cut, Mode, Proposal, encode_name
from nodealer.p2p.transcript import MAGIC, frame, parse_record, record_entry, record_fork
from nodealer.p2p.verify import Report, verify
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, sitting_of
from examples.table import FAST

SIX = TableOptions.defaults("despicable-me-4", seats=6, target=0).fast()
Said = Entry | ForkProof


@cache
def table_of(players: int) -> CheatTable:
    """A table at which the first shuffle has been made."""
    table = CheatTable(players=players, options=SIX if players > 4 else FAST, seed=("voids", players))
    table.form()
    table.until(lambda match: match.slot.number > 2)
    return table


class Tapes:
    """The tapes of a match whose coin has just fallen; what its writers sign from there on is put on them by a test."""

    def __init__(self, players: int) -> None:
        self.table = table_of(players)
        parsed = [parse_record(record) for record in self.table.seats[0].records]
        entries = [entry for entry in parsed if isinstance(entry, Entry)]
        (self.roster,) = (one for one in parsed if isinstance(one, Roster))
        self.begun = [entry for entry in entries if entry.header.slot < 2]
        self.shuffle = next(entry for entry in entries if entry.header.slot == 2)
        self.first = self.shuffle.header.writer
        self._last = {entry.header.writer: entry for entry in self.begun if entry.header.kind == "coin"}
        self._identity = {
            sitting.me: sitting.player.identity
            for sitting in map(sitting_of, self.table.seats)
            if sitting.me is not None
        }
        coin = self._last[0].header
        self.base = Base(coin.slot, coin.digest)

    def write(self, writer: int, kind: str, body: bytes, **header: object) -> Entry:
        last, now = self._last[writer], self.shuffle.header
        values = {"slot": now.slot, "digest": now.digest, **header}
        made = replace(
            now, writer=writer, number=last.header.number + 1, previous=last.hash, kind=kind, body_hash=body_hash(body)
        )
        entry = Entry.make(self._identity[writer], replace(made, **values), body)  # type: ignore[arg-type]
        self._last[writer] = entry
        return entry

    def agree(self, writer: int, proposal: Proposal) -> list[Said]:
        name = proposal.name(self.roster.table)
        return [self.write(writer, "vote", proposal.encode()), self.write(writer, "ready", encode_name(name))]

    def proof(self, writer: int) -> ForkProof:
        """Two entries of this writer with the number of its coin."""
        coin = next(e for e in self.begun if e.header.writer == writer and e.header.kind == "coin")
        body = encode(["or not"])
        other = Entry.make(self._identity[writer], replace(coin.header, kind="chat", body_hash=body_hash(body)), body)
        return ForkProof(coin.signed, other.signed)

    def void(self, *leavers: int, base: Base | None = None) -> Proposal:
        view = tuple(range(len(self._identity)))
        return Proposal(view, 0, Mode.VOID, tuple(Cut(w, 0, NO_HASH) for w in sorted(leavers)), base or self.base)

    def read(self, said: list[Said], *, keep_entries: bool) -> Match:
        match = Match(self.roster, keep_entries=keep_entries)
        for one in (*self.begun, *said):
            if isinstance(one, ForkProof):
                match.convict(one)
            else:
                match.offer(one)
            match.advance()
        return match

    def verified(self, said: list[Said]) -> Report:
        first = self.table.seats[0].records[0]
        rest = [record_fork(one) if isinstance(one, ForkProof) else record_entry(one) for one in (*self.begun, *said)]
        return verify(io.BytesIO(MAGIC + b"".join(map(frame, (first, *rest)))))


@pytest.mark.parametrize("keep_entries", [True, False])
def test_a_slot_takes_next_what_stands_after_ready_whatever_was_taken_meanwhile(keep_entries):
    tapes = Tapes(3)
    forker, third = (writer for writer in range(3) if writer != tapes.first)
    void, proof = tapes.void(forker), tapes.proof(forker)
    ready = tapes.agree(tapes.first, void)
    after = tapes.write(tapes.first, "shuffle", tapes.shuffle.body)
    other = tapes.agree(third, void)
    slots = set()
    for order in ([*ready, after, proof, *other], [proof, *ready, after, *other], [*other, *ready, proof, after]):
        match = tapes.read(order, keep_entries=keep_entries)
        assert match.forks.voids == 1
        # It was written for the void round, and is no shuffle of the new one.
        gone = match.leaving.out[match.seat_of(tapes.first)]
        assert (gone.number, gone.check) == (after.header.number, "digest")
        slots.add(match.slot)
    assert len(slots) == 1


@pytest.mark.parametrize("keep_entries", [True, False])
def test_a_void_with_fewer_electors_takes_the_place_of_the_one_from_which_they_turned(keep_entries):
    """The last of five is ready when the others have given it up already."""
    tapes = Tapes(6)
    forker, late = 5, 4
    larger, smaller = tapes.void(forker), tapes.void(forker, late)
    word = tapes.agree(late, larger)
    stay = [one for writer in range(4) for one in tapes.agree(writer, larger)]
    turn = [one for writer in range(4) for one in tapes.agree(writer, smaller)]
    proof = tapes.proof(forker)
    seen = tapes.read([proof, *stay, *turn], keep_entries=True)
    assert seen.forks.voids == 1
    for order in ([*word, *stay, *turn], [*stay, *turn, *word], [*stay, *word, *turn]):
        match = tapes.read([proof, *order], keep_entries=keep_entries)
        assert (match.slot, match.attempt, match.view) == (seen.slot, seen.attempt, seen.view)
        assert match.forks.removed == {forker, late}


def test_without_a_proof_no_void_is_in_force():
    tapes = Tapes(3)
    forker, third = (writer for writer in range(3) if writer != tapes.first)
    said = [one for writer in (tapes.first, third) for one in tapes.agree(writer, tapes.void(forker))]
    assert tapes.read(said, keep_entries=True).forks.voids == 0
    assert tapes.read([*said, tapes.proof(third)], keep_entries=True).forks.voids == 0
    assert tapes.read([*said, tapes.proof(forker)], keep_entries=True).forks.voids == 1


def test_a_void_from_a_boundary_of_another_history_blames_none_of_those_who_agreed_on_it():
    tapes = Tapes(3)
    forker, third = (writer for writer in range(3) if writer != tapes.first)
    elsewhere = tapes.void(forker, base=replace(tapes.base, digest=bytes(32)))
    said: list[Said] = [tapes.proof(forker)]
    said += [one for writer in (tapes.first, third) for one in tapes.agree(writer, elsewhere)]
    said.append(tapes.write(tapes.first, "shuffle", tapes.shuffle.body, digest=b"\1" * 32))
    report = tapes.verified(said)
    names = [signed.offer.name for signed in tapes.roster.offers]
    assert (report.check, report.writer) == ("equivocation", names[forker])
