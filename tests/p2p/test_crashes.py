"""A peer that dies at any step and starts again from its journal plays on: the same end for all, no number twice."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from nodealer.p2p import journal
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import Ended, Outcome, Resumed
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.sitting import Sitting
from nodealer.p2p.verify import Status

from examples.liar import report_of
from examples.table import FAST, seeded
from tests.helpers.crash import SIDES, CrashTable

THREE = replace(FAST, seats=3, grace=60)
TWO = replace(TableOptions.defaults("four-colors", seats=2, target=0).fast(), grace=60)


@pytest.mark.parametrize("victim", [0, 1, 3])
@pytest.mark.parametrize("side", SIDES)
def test_a_crash_at_a_step_of_the_deal_or_of_play(side, victim):
    rng = random.Random(f"{side} {victim}")
    table = CrashTable(4, replace(FAST, grace=60), seed=("crash", side, victim))
    table.form()
    table.crash_at(victim, side, rng.randrange(30), again=1)
    table.run()
    assert table.crashes >= 1
    table.check()
    assert report_of(table.seats[victim]).digest == table.seats[victim].ended.digest


@pytest.mark.parametrize("edition", ["despicable-me-4", "lilo-stitch"])
def test_a_victim_that_dies_again_and_again_in_other_editions(edition):
    options = replace(TableOptions.defaults(edition, seats=3, target=0).fast(), grace=60)
    table = CrashTable(3, options, seed=edition)
    table.form()
    table.crash_at(1, "after sending", 31, again=4)
    table.run()
    assert table.crashes >= 1
    table.check()


@pytest.mark.parametrize("torn", [1, 2])
def test_a_disk_that_keeps_a_part_of_what_was_not_synced(torn):
    table = CrashTable(2, TWO, seed=torn, torn=torn)
    table.form()
    table.crash_at(1, "before sending", 23, again=3)
    table.run()
    assert table.crashes >= 1
    table.check()


def test_all_die_at_once_and_start_again():
    table = CrashTable(3, THREE, seed="all")
    table.form()
    table.run(until=lambda: all(seated.peer.match.slot.number > 30 for seated in table.seats))
    for index in range(3):
        table.kill(index)
    for index in range(3):
        table.disks[index].lose()
        table.seats[index].down = False
        for other in range(3):
            table.heal(index, other)
    for index in range(3):
        table.start_again(index)
    table.run()
    table.check()


def resumed(table: CrashTable, index: int) -> list[Resumed]:
    return [event for event in table.seats[index].told if isinstance(event, Resumed)]


def stopped(seed: str, slots: int = 25) -> CrashTable:
    """Three players, the second of whom has died in the middle of a round."""
    table = CrashTable(3, THREE, seed=seed)
    table.form()
    table.run(until=lambda: all(seated.peer.match.slot.number > slots for seated in table.seats))
    table.kill(1)
    return table


def come_back(table: CrashTable) -> None:
    table.seats[1].down = False
    for other in (0, 2):
        table.heal(1, other)
    table.start_again(1)


def test_a_late_return_within_the_grace():
    table = stopped("late")
    table.run(40)
    assert not any(table.seats[index].ended for index in (0, 2))
    come_back(table)
    table.run()
    table.check()
    assert [event.catching_up for event in resumed(table, 1)] == [True, False]


def test_nothing_is_signed_before_somebody_has_answered():
    table = stopped("alone")
    table.seats[1].down = False
    table.start_again(1)
    length = len(table.seats[1].peer.match.feeds[table.seats[1].peer._sitting.me].entries)
    table.run(20, until=lambda: False)
    assert [event.catching_up for event in resumed(table, 1)] == [True]
    assert len(table.seats[1].peer.match.feeds[table.seats[1].peer._sitting.me].entries) == length


def test_a_journal_that_ends_before_the_feed_takes_over_what_the_others_have():
    """A disk that kept the seeds and lost the last entries (no disk does; a copy of a folder may)."""
    table = stopped("behind", 40)
    me = table.seats[1].peer._sitting.me
    disk = table.disks[1]
    records = journal.read(disk.records).history
    own = [record for record in records if isinstance(record, Entry) and record.header.writer == me]
    cut = disk.records.index(next(r for r in disk.records if own[-2].encode() in r))
    del disk.records[cut:]
    disk.synced = cut
    come_back(table)
    table.run()
    table.check()


@pytest.mark.parametrize("slots", [3, 12, 20, 30])
def test_who_comes_back_when_the_others_have_gone_on_signs_nothing_more_once_it_knows(slots, monkeypatch):
    endings = []
    write = Sitting._write

    def watched(sitting, kind, body, now):
        endings.append(sitting.ended)
        write(sitting, kind, body, now)

    monkeypatch.setattr(Sitting, "_write", watched)
    table = CrashTable(4, replace(FAST, grace=3), seed=("too late", slots))
    table.form()
    table.run(until=lambda: all(seated.peer.match.slot.number > slots for seated in table.seats))
    table.kill(1)
    others = (0, 2, 3)
    table.run(3000, until=lambda: all(table.seats[index].ended for index in others))
    # One of them tells it all that has come, before it may sign: for that it must hear the others too.
    table.seats[1].down = False
    table.heal(1, 0)
    table.start_again(1)
    table.run(2)
    for other in others[1:]:
        table.heal(1, other)
    table.run(30)
    ended = table.seats[1].ended
    assert isinstance(ended, Ended)
    assert ended.outcome is Outcome.GONE
    assert "gone on without you" in ended.sentence
    assert set(endings) == {None}
    report = report_of(table.seats[1])
    assert report.status in (Status.COMPLETE, Status.UNFINISHED), report
    assert [(gone.name, gone.reason) for gone in report.out] in ([], [("Player 1", "dropped")])


def test_a_journal_without_the_seeds_of_its_own_shuffle():
    table = stopped("set back", 40)
    me = table.seats[1].peer._sitting.me
    disk = table.disks[1]
    cut = next(i for i, r in enumerate(disk.records) if r[:6] == b"\x97\xa4seed")
    del disk.records[cut:]
    disk.synced = cut
    come_back(table)
    table.run(30)
    ended = table.seats[1].ended
    assert ended is not None
    assert ended.outcome is Outcome.ELSEWHERE
    assert "used elsewhere" in ended.sentence
    assert me == table.seats[1].peer._sitting.me


def test_an_identity_that_signed_elsewhere_stops():
    """Somebody else has gone on with a copy of the journal: the others hold what ours contradicts."""
    table = stopped("copy", 40)
    copy = list(table.disks[1].records)
    come_back(table)
    table.run(20)
    # The copy now starts from the older state, has nobody to ask, and is made to sign all the same.
    other = Peer.resume(table.seats[1].peer.own.identity, journal.read(copy), table.now, seeded("copy"))
    other._sitting._catching = None
    other._sitting.say("I am the other one", table.now)
    disk = table.disks[1]
    disk.records = copy + list(other.to_keep().records)
    disk.synced = len(disk.records)
    table.kill(1)
    table.signed.clear()
    come_back(table)
    table.run(30)
    ended = table.seats[1].ended
    assert isinstance(ended, Ended)
    assert ended.outcome is Outcome.ELSEWHERE


def test_another_identity_and_foreign_secrets_are_refused():
    table = stopped("foreign")
    saved = journal.read(table.disks[1].records)
    with pytest.raises(journal.NoJournal, match="another identity"):
        Peer.resume(table.seats[0].peer.own.identity, saved, table.now)
    saved.seat = replace(saved.seat, coin_share=bytes(32))
    with pytest.raises(journal.NoJournal, match="not those of this table"):
        Peer.resume(table.seats[1].peer.own.identity, saved, table.now)
