"""The history is a function of the feeds: one result, in whatever order their entries come, doubled and relayed."""

from __future__ import annotations

import random
from functools import cache

from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import Entry
from nodealer.p2p.feed import Added
from nodealer.p2p.match import Match
from nodealer.p2p.offer import Roster
from nodealer.p2p.slots import SlotKind

from examples.liar import CheatTable, play_out

ORDERS = 1000
ORDERS_WITH_A_CHEAT = 200


class Tapes:
    """The feeds of a match that was played at a table, and what was verified of them."""

    def __init__(self, match: Match) -> None:
        self.roster: Roster = match.roster
        self.feeds = [list(feed.entries) for feed in match.feeds]
        # Verified once, remembered by hash for all machines of this process.
        self.remembered: set[bytes] = set()
        self.reference = Match(self.roster, remembered=self.remembered)
        for feed in self.feeds:
            for entry in feed:
                self.reference.offer(entry)
        self.reference.advance()

    def play(self, rng: random.Random) -> Match:
        """Feed a fresh machine in a random order, with doubles; what comes too early in its feed comes again later."""
        match = Match(self.roster, remembered=self.remembered)
        pending: list[Entry] = [entry for feed in self.feeds for entry in feed]
        pending += rng.choices(pending, k=rng.randrange(len(pending)))
        rng.shuffle(pending)
        # Some orders are wild, some nearly that of the table, some one feed after the other.
        style = rng.randrange(3)
        if style == 1:
            pending.sort(key=lambda entry: entry.header.slot + rng.uniform(0, 12))
        elif style == 2:
            writers = list(range(len(self.feeds)))
            rng.shuffle(writers)
            pending.sort(key=lambda entry: (writers.index(entry.header.writer), entry.header.number))
        every = rng.choice([1, 3, 1000])
        while pending:
            late = []
            for at, entry in enumerate(pending):
                if match.offer(entry) is Added.GAP:
                    late.append(entry)
                if at % every == 0:
                    match.advance()
            pending = late
        match.advance()
        return match


@cache
def honest() -> Tapes:
    table = CheatTable(players=3, seed="order")
    play_out(table)
    match = table.seats[0].peer.match
    assert match is not None
    assert match.complete
    return Tapes(match)


@cache
def with_an_early_entry() -> Tapes:
    """A feed in which one entry was written out of turn, several slots before the writer's turn came."""
    table = CheatTable(players=4, seed="early")
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed)
    table.write_now("draw", NOTHING)
    play_out(table)
    match = table.seats[0].peer.match
    assert match is not None
    assert match.complete
    return Tapes(match)


def test_a_thousand_orders_give_one_history():
    tapes = honest()
    assert tapes.reference.complete
    expected = (tapes.reference.result_digest, tapes.reference.state_digest, tapes.reference.slot.number)
    for seed in range(ORDERS):
        match = tapes.play(random.Random(seed))
        assert match.complete
        assert (match.result_digest, match.state_digest, match.slot.number) == expected, seed


def test_an_entry_out_of_turn_is_judged_only_by_the_slot_that_takes_it():
    tapes = with_an_early_entry()
    (gone,) = tapes.reference.leaving.out.values()
    assert gone.number is not None
    early = tapes.feeds[gone.writer][gone.number]
    assert (gone.reason, gone.check, early.header.kind) == ("cheat", "slot", "draw")
    assert tapes.reference.complete
    for seed in range(ORDERS_WITH_A_CHEAT):
        match = tapes.play(random.Random(seed))
        assert match.leaving.out == tapes.reference.leaving.out, seed
        assert match.complete
        assert match.result_digest == tapes.reference.result_digest


def test_the_early_entry_lies_there_unjudged():
    tapes = with_an_early_entry()
    (gone,) = tapes.reference.leaving.out.values()
    match = Match(tapes.roster, remembered=tapes.remembered)
    # All of the cheat's feed first: nothing happens but that the first slot waits for the others.
    for entry in tapes.feeds[gone.writer]:
        assert match.offer(entry) is Added.NEW
    match.advance()
    assert not match.leaving.out
    assert match.slot.number == 0
    others = [entry for feed in tapes.feeds for entry in feed if entry.header.writer != gone.writer]
    for entry in sorted(others, key=lambda entry: entry.header.slot):
        match.offer(entry)
        match.advance()
        # Not before the slot in which everybody else has written.
        assert not match.leaving.out or entry.header.slot > tapes.feeds[gone.writer][gone.number].header.slot
    assert match.leaving.out == tapes.reference.leaving.out
    assert match.complete
