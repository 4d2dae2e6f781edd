"""Peers that are gone, leave, or keep back what they owe: a clean end, a clear sentence, nobody called a cheat."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.events import DecisionOver, Ended, Notice, Outcome, PeerBack, PeerMissing, PlayerOut
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.verify import Status

from examples.liar import CheatTable, play_out, report_of, sitting_of
from examples.table import FAST, Table


def endings(table: Table, but: int) -> list[Ended]:
    found = [seated.ended for index, seated in enumerate(table.seats) if index != but]
    assert all(found)
    return [ended for ended in found if ended is not None]


def named(table: Table, who: int, ended: Ended) -> bool:
    match = table.seats[who].peer.match
    assert match is not None
    writer = match.roster.writer_of(table.seats[who].peer.key)
    return ended.blamed == (None if match.state is None else match.seat_of(writer))


@pytest.mark.parametrize("moment", ["coin", "shuffle", "keys", "turn up"])
def test_a_killed_peer_at_a_table_of_two(moment):
    # It keeps back what it owes, so that the table stands still there; then it is gone.
    table = CheatTable(players=2, mute=frozenset({moment}))
    table.form()
    table.until(lambda match: match.slot.kind.value == moment and table.liar.owes(), 60)
    killed = table.now
    table.kill(1)
    table.run(120)
    for ended in endings(table, 1):
        assert ended.outcome in (Outcome.GONE, Outcome.DISSOLVED)
        assert "Player 1" in ended.sentence
        assert named(table, 1, ended)
        if moment != "coin":
            assert ended.sentence == "Player 1 is gone: Player 0 wins by default, unconfirmed."
            assert ended.winner is None
    assert table.now - killed <= 20
    assert any(isinstance(event, PeerMissing) for event in table.seats[0].told)
    for seated in table.honest:
        assert report_of(seated).status is Status.UNFINISHED


def test_until_the_coin_anybody_s_going_dissolves_the_table():
    table = CheatTable(mute=frozenset({"coin"}))
    table.form()
    table.until(lambda match: match.slot.kind.value == "coin" and table.liar.owes(), 60)
    table.kill(1)
    table.run(120)
    for ended in endings(table, 1):
        assert ended.outcome in (Outcome.GONE, Outcome.DISSOLVED)
        assert "Player 1" in ended.sentence
        assert named(table, 1, ended)


@pytest.mark.parametrize("kind", ["shuffle", "lock", "epoch ok", "keys", "turn up", "end", "open"])
def test_an_automatic_entry_kept_back_at_a_table_of_two(kind):
    table = CheatTable(mute=frozenset({kind}), players=2, seed="all kinds 2")
    play_out(table)
    for ended in endings(table, 1):
        assert ended.outcome is Outcome.GONE
        assert ended.sentence.startswith(f"Player 1 is silent, no {kind!r} has come from it: ")
        assert ended.sentence.endswith("wins by default, unconfirmed.")
        assert named(table, 1, ended)
        assert ended.check is None


def test_a_person_who_never_decides_is_moved_by_the_clock():
    table = CheatTable(choose=lambda decision, rng: None)
    table.form()
    table.run(120)
    # With a turn clock of five seconds: two dozen decisions by the clock, and nobody has lost patience.
    assert [seated.ended for seated in table.seats] == [None] * 4
    assert all(e.by_clock for e in table.seats[0].told if isinstance(e, DecisionOver))
    assert table.liar.match.slot.number > 14 + 24


def test_leaving():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.seats[1].peer.leave(table.now)
    table._drain(1)
    table.run(until=lambda: all(any(isinstance(e, PlayerOut) for e in seated.told) for seated in table.honest))
    for seated in table.honest:
        assert any(isinstance(event, PlayerOut) and event.name == "Player 1" for event in seated.told)
        assert not any(isinstance(event, PeerMissing) for event in seated.told)
    own = table.seats[1].ended
    assert own is not None
    assert "You left" in own.sentence
    with pytest.raises(LocalProtocolError):
        table.seats[1].peer.say("still here", table.now)


def test_leaving_before_the_start():
    table = Table(3, FAST, seed="early")
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    table.seats[0].peer.leave(table.now)
    table._drain(0)
    table._deliver_until(table.now + 0.01)
    assert [seated.ended.outcome for seated in table.seats[:2] if seated.ended] == [Outcome.DISSOLVED] * 2


def test_a_line_that_comes_back_in_time():
    table = CheatTable(options=replace(FAST, grace=10))
    table.form()
    table.until(lambda match: match.slot.number > 16)
    for other in (0, 2, 3):
        table.disconnect(1, other)
    table.run(6)
    for other in (0, 2, 3):
        table.heal(1, other)
    table.run(600)
    assert {ended.outcome for ended in endings(table, -1)} == {Outcome.COMPLETE}
    assert len({ended.digest for ended in endings(table, -1)}) == 1
    assert any(isinstance(event, PeerBack) for event in table.seats[0].told)


def test_a_machine_that_slept_blames_nobody():
    """Lid closed for an hour in the middle of a move; after it everything stands still on the sleeper's side alone."""
    table = CheatTable(choose=lambda decision, rng: None, options=replace(FAST, grace=10))
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE)
    sleeper = table.seats[0].peer
    woke = table.now + 3600
    sleeper.tick(woke)
    assert sleeper.ended is None
    # All lines are down when it wakes up; it still gives the others their time, a grace of ten seconds.
    for link in list(sleeper._mesh.links.values()):
        sleeper.line_down(link.line, "timeout", woke)
    for second in range(10):
        sleeper.tick(woke + second)
        assert sleeper.ended is None
    for second in range(10, 13):
        sleeper.tick(woke + second)
    assert sleeper.ended is not None
    assert sleeper.ended.outcome is Outcome.GONE
    assert sleeper.ended.sentence.startswith("Interrupted, unconfirmed: ")


def test_the_word_of_one_peer_about_another_ends_nothing():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    victim = sitting_of(table.seats[2]).me
    table.say_now("bye", "cheat", victim)
    table.run(600)
    assert {ended.outcome for ended in endings(table, 1)} == {Outcome.COMPLETE}
    said = [event.text for event in table.seats[0].told if isinstance(event, Notice)]
    assert "Player 1 has stopped: it says that Player 2 cheated." in said
