"""Whole tables from which somebody disappears: the rest drop it and play on, or say who is missing and stop."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from nodealer import engine
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import DecisionNeeded, Ended, Notice, Outcome, PlayerOut
from nodealer.p2p.feed import Added
from nodealer.p2p.transcript import parse_record, record_entry
from nodealer.p2p.verify import MAX_LISTED, Status

from examples.liar import CheatTable, forge, report_of, sitting_of
from examples.table import FAST, Seated, Table


def dropped(table: Table, who: int) -> list[PlayerOut]:
    name = table.seats[who].peer.own.name
    return [
        event
        for index, seated in enumerate(table.seats)
        if index != who
        for event in seated.told
        if isinstance(event, PlayerOut) and event.reason == "dropped" and event.name == name
    ]


def ended_well(table: Table, but: tuple[int, ...]) -> list[Ended]:
    found = [seated.ended for index, seated in enumerate(table.seats) if index not in but]
    assert all(ended is not None and ended.outcome is Outcome.COMPLETE for ended in found), found
    assert len({ended.digest for ended in found if ended}) == 1
    return [ended for ended in found if ended]


def four_at_play(seed: object) -> Table:
    """A table of four in the middle of the first round."""
    table = Table(4, replace(FAST, seats=4), seed=seed)
    table.form()
    table.run(20, until=lambda: (m := table.seats[3].peer.match) is not None and m.slot.number > 16)
    return table


@pytest.mark.parametrize(
    ("players", "moment"), [(3, "shuffle"), (4, "lock"), (3, "epoch ok"), (4, "keys"), (3, "turn up"), (4, "move")]
)
def test_a_killed_player_is_dropped_and_the_others_play_on(players, moment):
    table = CheatTable(players=players, mute=frozenset({moment}), escrow=True, seed=moment)
    if moment == "move":
        table.seats[1].choose = lambda decision, rng: None
    table.form()
    table.until(lambda match: match.slot.kind.value == moment and table.liar.owes(), 60)
    table.kill(1)
    killed = table.now
    table.run(60, until=lambda: len(dropped(table, 1)) == players - 1)
    assert len(dropped(table, 1)) == players - 1
    # The grace of this table is three seconds, its turn clock five.
    assert table.now - killed <= 25
    table.run(3000)
    ended_well(table, (1,))
    for seated in table.honest:
        report = report_of(seated)
        assert report.status is Status.COMPLETE, report
        assert [(gone.name, gone.reason) for gone in report.out] == [("Player 1", "dropped")]


@pytest.mark.parametrize("kind", ["shuffle", "keys"])
def test_a_player_that_keeps_back_what_it_owes_is_dropped_although_it_is_there(kind):
    table = CheatTable(mute=frozenset({kind}), escrow=True)
    table.form()
    table.run(60, until=lambda: len(dropped(table, 1)) == 3)
    assert len(dropped(table, 1)) == 3
    table.run(3000)
    ended_well(table, (1,))
    # It is told so.
    own = table.seats[1].ended
    assert own is not None
    assert own.outcome is Outcome.GONE
    assert "gone on without you" in own.sentence


def test_what_the_dropped_one_wrote_beyond_its_cut_is_ignored_and_listed():
    table = CheatTable(players=3, mute=frozenset({"keys"}), escrow=True)
    table.form()
    table.run(60, until=lambda: len(dropped(table, 1)) == 2)
    mute = table.liar
    late = forge(mute, "keys", b"")
    assert table.seats[0].peer.match is not None
    assert table.seats[0].peer.match.offer(late) is Added.BEYOND
    table.run(3000)
    ended_well(table, (1,))
    seated = table.seats[0]
    at = next(n for n, r in enumerate(seated.records) if r == record_entry(last_vote(seated)))
    seated.records.insert(at + 1, record_entry(late))
    report = report_of(seated)
    assert report.status is Status.COMPLETE, report
    assert report.ignored == [("Player 1", late.header.number)]
    assert "count for nothing: 1." in report.sentence
    # However often it stands there, the list of them does not grow with the file.
    seated.records[at + 1 : at + 1] = [record_entry(late)] * (MAX_LISTED + 1)
    report = report_of(seated)
    assert report.status is Status.COMPLETE
    assert (report.beyond, len(report.ignored)) == (MAX_LISTED + 2, MAX_LISTED)
    assert f"count for nothing: {MAX_LISTED + 2}." in report.sentence


def last_vote(seated: Seated) -> Entry:
    assert seated.peer.match is not None
    said = [entry for feed in seated.peer.match.feeds for entry in feed.entries if entry.header.kind == "ready"]
    return max(said, key=lambda entry: seated.records.index(record_entry(entry)))


def test_one_after_the_other_until_one_is_left():
    # Nobody decides anything: the turn clock does, so that the match lasts.
    table = Table(4, replace(FAST, seats=4), seed="falling", choose=lambda decision, rng: None)
    table.form()
    for index in (1, 2):
        table.run(20, until=lambda: table.seats[0].peer.match is not None)
        table.run(5)
        table.kill(index)
        table.run(60, until=lambda index=index: bool(dropped(table, index)))
        assert dropped(table, index)
    table.run(5)
    table.kill(3)
    table.run(120)
    own = table.seats[0].ended
    assert own is not None
    assert own.outcome is Outcome.GONE
    assert own.sentence.endswith("wins by default, unconfirmed.")


def test_two_of_four_cannot_drop_the_others():
    table = CheatTable(escrow=True)
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.kill(1)
    table.kill(2)
    gone = table.now
    table.run(120)
    for index in (0, 3):
        ended = table.seats[index].ended
        assert ended is not None
        assert ended.outcome is Outcome.GONE
        assert ended.sentence.startswith("Interrupted, unconfirmed: ")
        assert "Player 1" in ended.sentence
        assert "Player 2" in ended.sentence
        assert "3 of 4 are needed" in ended.sentence
        said = [event.text for event in table.seats[index].told if isinstance(event, Notice)]
        assert any("3 of 4 are needed" in text for text in said)
        assert not [event for event in table.seats[index].told if isinstance(event, PlayerOut)]
    assert table.now - gone < 20


def test_who_has_left_cannot_help_to_drop_another():
    """One is gone for whom the slot waits, and another leaves, which no slot has taken: two of four are left."""
    table = CheatTable(escrow=True, mute=frozenset({"keys"}))
    table.form()
    table.until(lambda match: match.slot.kind.value == "keys" and table.liar.owes())
    table.kill(1)
    # It has written its own keys already, so its `leave` waits for a later slot.
    table.run(1)
    table.seats[2].peer.leave(table.now)
    table._drain(2)
    table.run(1)
    table.kill(2)
    table.run(120)
    for index in (0, 3):
        match = table.seats[index].peer.match
        assert match is not None
        assert match.slot.kind.value == "keys"
        ended = table.seats[index].ended
        assert ended is not None
        assert ended.outcome is Outcome.GONE
        assert ended.sentence.startswith("Interrupted, unconfirmed: ")
        assert "3 of 4 are needed" in ended.sentence
        assert all(name in ended.sentence for name in ("Player 1", "Player 2"))


def test_three_against_one_the_three_go_on_and_the_one_is_told_when_it_comes_back():
    table = four_at_play("partition")
    for other in (0, 1, 2):
        table.disconnect(3, other)
    sitting_of(table.seats[3]).patient = True
    table.run(60, until=lambda: len(dropped(table, 3)) == 3)
    assert len(dropped(table, 3)) == 3
    assert table.seats[3].ended is None
    for other in (0, 1, 2):
        table.heal(3, other)
    table.run(3000)
    ended_well(table, (3,))
    own = table.seats[3].ended
    assert own is not None
    assert "gone on without you" in own.sentence
    # What it saw ends there, and accuses nobody.
    report = report_of(table.seats[3])
    assert (report.status, report.check, report.out) == (Status.UNFINISHED, None, []), report


def test_who_went_on_by_itself_has_a_history_that_nobody_is_blamed_for():
    """Cut off, it moves; the others drop it without having heard that. Its file holds both, and what they did next."""
    table = Table(4, replace(FAST, seats=4), seed="stray")
    mover, asked = table.seats[3], list[DecisionNeeded]()

    def choose(decision: DecisionNeeded, rng: Random) -> engine.Action | None:
        asked.append(decision)
        return None

    mover.choose = choose
    table.form()
    table.run(60, until=lambda: bool(asked) and asked[-1].kind is engine.Kind.MOVE)
    for other in (0, 1, 2):
        table.disconnect(3, other)
    sitting_of(mover).patient = True
    mover.peer.act(next(a for a in asked[-1].legal if isinstance(a, engine.PlayCard | engine.Draw)), table.now)
    table._drain(3)
    table.run(60, until=lambda: len(dropped(table, 3)) == 3)
    moved = [parse_record(record) for record in mover.records if record not in table.seats[0].records]
    assert [entry.header.writer for entry in moved if isinstance(entry, Entry)] == [sitting_of(mover).me]
    table.run(3000)
    ended_well(table, (3,))
    report = report_of(mover)
    assert report.status is Status.UNFINISHED, report
    # As the others' words would have come to it.
    mover.records += [record for record in table.seats[0].records if record not in mover.records]
    report = report_of(mover)
    assert (report.status, report.check, report.out) == (Status.UNFINISHED, None, []), report
    assert "the others went on without Player 3" in report.sentence


def test_two_against_two_nobody_is_dropped_and_the_match_goes_on_when_the_cable_is_back():
    table = four_at_play("halves")
    for one in (0, 1):
        for two in (2, 3):
            table.disconnect(one, two)
    for seated in table.seats:
        sitting_of(seated).patient = True
    table.run(60)
    assert all(seated.ended is None for seated in table.seats)
    for one in (0, 1):
        for two in (2, 3):
            table.heal(one, two)
    table.run(3000)
    ended_well(table, ())
    assert not any(isinstance(event, PlayerOut) for seated in table.seats for event in seated.told)


def test_a_line_that_comes_back_during_the_vote_costs_nothing_or_the_seat_but_never_two_histories():
    for cut in (3.0, 4.0, 6.0):
        table = four_at_play(("back", cut))
        for other in (0, 1, 2):
            table.disconnect(3, other)
        table.run(cut)
        for other in (0, 1, 2):
            table.heal(3, other)
        table.run(3000)
        ended_well(table, (3,))
        own = table.seats[3].ended
        assert own is not None
        if not dropped(table, 3):
            assert own.outcome is Outcome.COMPLETE
