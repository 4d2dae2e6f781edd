"""Who signs two histories is out; the round is void for all, and the others deal anew from where they all were one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from nodealer.p2p.events import Outcome
from nodealer.p2p.match import Match
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.verify import Status
from nodealer.p2p.wire import encode

from examples.cheats import verdict
from examples.liar import CHEAT, CheatTable, LyingPlayer, forge, report_of, share_memory, sitting_of
from examples.table import FAST, Table
from examples.two_faces import TwoFaces
from tests.helpers.crash import SIDES, CrashTable
from tests.helpers.forks import FORK, at_random, dealt_anew, face, fork, options_for, outs, played_on, said, show, twin


def moment(table: Table, kind: SlotKind | None = None, least: int = 12, seat: int = 0) -> None:
    """Play until one peer is in a slot of this kind."""

    def there() -> bool:
        match = table.seats[seat].peer.match
        return match is not None and match.slot.number > least and kind in (None, match.slot.kind)

    table.run(60, until=there)
    assert there()


# Players, the slot of the forked entry, who sees the other face.
PLACES = [
    (3, "shuffle", {2}),
    (4, "lock", {0, 3}),
    (5, "epoch ok", {0, 4}),
    (3, "keys", {0}),
    (4, "turn up", {2}),
    (3, "move", {2}),
    (4, "move", {0, 2}),
    (3, "draw", {0}),
    (4, "open", {2, 3}),
    (3, "end", {2}),
    (4, "end", {0, 2}),
]


@pytest.mark.parametrize(("players", "slot", "victims"), PLACES, ids=lambda value: str(value).strip("{}"))
def test_two_faces_in_any_slot_and_the_others_play_on(players, slot, victims):
    faces = TwoFaces(face(slot), victims, lists=len(victims) > 1)
    table = faces.seat(players=players, options=options_for(players), seed=(slot, 0))
    table.meddle = at_random(table, faces.meddle, slot)
    table.form()
    table.run(600, until=lambda: faces.shown is not None)
    assert faces.shown is not None
    if slot == "end":
        table.run(60)
        played_on(table, (CHEAT, "cheat", FORK))
    else:
        dealt_anew(table, CHEAT)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("slot", [kind.value for kind in SlotKind if kind not in (SlotKind.START, SlotKind.COIN)])
def test_two_faces_in_many_places(players, slot, seed):
    rng = random.Random(repr((players, slot, seed)))
    others = [index for index in range(players) if index != CHEAT]
    faces = TwoFaces(face(slot), set(rng.sample(others, rng.randrange(1, players - 1))), lists=rng.random() < 0.5)
    table = faces.seat(players=players, options=options_for(players), seed=(slot, seed), escrow=rng.random() < 0.3)
    table.meddle = at_random(table, faces.meddle, seed)
    table.form()
    table.run(3000)
    if faces.shown is not None:
        played_on(table, (CHEAT, "cheat", FORK))


def parts(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
    return player.parting() if kind == "play" else None


def lies(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
    return ("play", encode([])) if kind == "play" else None


@pytest.mark.parametrize(("other", "reason"), [(parts, "left"), (lies, "cheat")], ids=["leave", "invalid"])
@pytest.mark.parametrize("victims", [{2}, {0, 3}, {0, 2, 3}], ids=["one", "two", "all"])
def test_a_face_that_puts_its_writer_out(victims, other, reason):
    """Who has seen it is rid of the forker already when the other face comes to light."""
    faces = TwoFaces(other, victims, lists=True)
    table = faces.seat(seed=("out", reason, len(victims)))
    table.form()
    table.run(600, until=lambda: faces.shown is not None)
    assert faces.shown is not None
    table.run(3000)
    stay = [seated for index, seated in enumerate(table.seats) if index != CHEAT]
    for seated in stay:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        ((name, why, _),) = outs(seated)
        assert name == "Player 1"
        assert why in ("cheat", reason)
        report = report_of(seated)
        assert (report.status, report.digest) == (Status.COMPLETE, seated.ended.digest)
        assert {gone.name for gone in report.out} == {"Player 1"}
    assert len({seated.ended.digest for seated in stay if seated.ended is not None}) == 1


def die_in_a_void(side, victim, at):
    """One of four forks, and another dies at this step from there on, and comes back."""
    table = CrashTable(4, replace(FAST, grace=60), seed=("void", victim))
    table.form()
    moment(table, SlotKind.MOVE)
    table.forkers = {sitting_of(table.seats[1]).me}
    table.crash_at(victim, side, at)
    fork(table, 1, 0)
    table.run(3000)
    assert table.crashes == 1
    if any(sitting_of(seated).match.forks.proofs for seated in table.seats):
        played_on(table, (1, "cheat", FORK))
    else:
        # The only evidence was lost with the disk, before anybody else had heard of it.
        assert (victim, at) == (0, 0)
        table.check()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("victim", [0, 3])
def test_a_crash_while_the_round_is_voided(side, victim):
    die_in_a_void(side, victim, random.Random(f"{side} {victim} void").randrange(24))


@pytest.mark.soak
@pytest.mark.parametrize("at", range(60))
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("victim", [0, 2, 3])
def test_a_crash_at_any_step_of_a_void(side, victim, at):
    die_in_a_void(side, victim, at)


def test_a_verdict_with_two_faces():
    faces = TwoFaces(face("verdict"), {0})
    table = verdict.table(verdict.INNOCENT, faces.trick)
    faces.table, table.meddle = table, faces.meddle
    table.form()
    table.run(600, until=lambda: faces.shown is not None)
    assert faces.shown is not None
    dealt_anew(table, table.cheat)


# -- when it comes to light ------------------------------------------------------------------------------------------


def test_a_fork_of_an_entry_of_long_ago_voids_the_round_that_is_played():
    table = CheatTable(players=3, seed="old")
    table.form()
    moment(table, SlotKind.MOVE)
    fork(table, 1, 0, back=5)
    table.run(3000)
    played_on(table, (1, "cheat", FORK))


def test_what_earlier_rounds_have_come_to_stands():
    table = CheatTable(players=3, options=replace(FAST, target=500), seed="rounds")
    table.form()
    table.run(3000, until=lambda: (m := table.seats[0].peer.match) is not None and rounds(m) == 1)
    match = sitting_of(table.seats[0]).match
    scores = match.playing().scores
    assert any(scores)
    table.run(10, until=lambda: match.slot.kind is SlotKind.MOVE)
    fork(table, 1, 2)
    table.run(60, until=lambda: all(outs(table.seats[index]) for index in (0, 2)))
    dealt_anew(table, 1)
    assert match.playing().scores == scores
    assert rounds(match) == 2


def rounds(match: Match) -> int:
    return 0 if match.state is None else match.state.round


def test_who_was_away_when_it_came_to_light_learns_of_it():
    table = CheatTable(options=replace(FAST, grace=20), seed="away")
    table.form()
    moment(table)
    for other in (0, 1, 2):
        table.disconnect(3, other)
    fork(table, 1, 0)
    table.run(5)
    assert said(table.seats[2], "signed two entries")
    assert not said(table.seats[3], "signed two entries")
    for other in (0, 2):
        table.heal(3, other)
    dealt_anew(table, 1)


def test_the_branches_meet_only_when_a_cut_line_is_there_again():
    faces = TwoFaces(face("move"), {0})
    table = faces.seat(seed="meet", options=replace(FAST, grace=20))
    table.form()
    moment(table, least=16)
    for one, two in ((0, 2), (0, 3)):
        table.disconnect(one, two)
    table.run(8)
    for one, two in ((0, 2), (0, 3)):
        table.heal(one, two)
    table.run(3000)
    played_on(table, (CHEAT, "cheat", FORK))


def test_a_forker_that_goes_on_sending_is_ignored():
    table = CheatTable(players=3)
    table.form()
    table.until(lambda match: match.slot.number > 14)
    liar = table.liar
    fork(table, CHEAT, 0)
    table.run(60, until=lambda: all(map(outs, table.honest)))
    held = [len(sitting_of(seated).match.feeds[liar.writer].entries) for seated in table.honest]
    for text in ("one", "two", "three"):
        table.say_now("entry", forge(liar, "chat", encode([text])).encode())
        for index in (0, 2):
            show(table, twin(table.seats[CHEAT], 3, text), index, CHEAT)
    table.run(3000)
    played_on(table, (CHEAT, "cheat", FORK))
    assert held == [len(sitting_of(seated).match.feeds[liar.writer].entries) for seated in table.honest]


# -- not alone -------------------------------------------------------------------------------------------------------


def test_two_forkers_at_once():
    table = Table(5, options_for(5), seed="two")
    share_memory([seated.peer for seated in table.seats])
    table.form()
    moment(table, SlotKind.EPOCH_OK, 0)
    for who, to in ((1, 0), (3, 2)):
        fork(table, who, to)
    # Of five four must agree, so that nobody can go on; it is said who is to blame.
    table.run(3000)
    for index in (0, 2, 4):
        ended = table.seats[index].ended
        assert ended is not None
        assert ended.outcome is Outcome.GONE
        assert ended.sentence.startswith("Interrupted, unconfirmed: ")
        assert "signed two entries that contradict each other, and 4 of 5 are needed" in ended.sentence
        assert all(f"Player {who}" in ended.sentence for who in (1, 3))
        assert report_of(table.seats[index]).writer in ("Player 1", "Player 3")


def test_one_fork_after_the_other():
    table = CheatTable(seed="falls")
    table.form()
    moment(table, SlotKind.MOVE)
    fork(table, 1, 0)
    table.run(60, until=lambda: len(outs(table.seats[0])) == 1)
    moment(table, SlotKind.MOVE, 2)
    fork(table, 2, 3)
    table.run(3000)
    played_on(table, (1, "cheat", FORK), (2, "cheat", FORK))


def test_of_three_with_two_forkers_the_third_wins():
    table = CheatTable(players=3, seed="third")
    table.form()
    moment(table, SlotKind.MOVE)
    for who in (1, 2):
        show(table, twin(table.seats[who], 5), 0, who)
    table.run(600)
    ended = table.seats[0].ended
    assert ended is not None
    assert ended.outcome is Outcome.CHEAT
    assert ended.sentence.endswith("Player 0 wins by default.")
    report = report_of(table.seats[0])
    assert (report.status, report.digest) == (Status.COMPLETE, ended.digest)
    assert {(gone.name, gone.check) for gone in report.out} == {("Player 1", FORK), ("Player 2", FORK)}


@pytest.mark.parametrize("least", [2, 12], ids=["in the deal", "in play"])
def test_with_two_seats_the_match_ends_by_default(least):
    table = CheatTable(players=2, seed="pair")
    table.form()
    moment(table, least=least)
    fork(table, 1, 0)
    table.run(600)
    ended = table.seats[0].ended
    assert ended is not None
    assert (ended.outcome, ended.check) == (Outcome.CHEAT, FORK)
    assert ended.winner == sitting_of(table.seats[0]).match.seat_of(sitting_of(table.seats[0]).me)
    report = report_of(table.seats[0])
    assert report.status is Status.COMPLETE
    assert [(gone.name, gone.check) for gone in report.out] == [("Player 1", FORK)]


def test_a_leave_that_stands_is_taken_with_the_void():
    table = CheatTable(seed="leaves")
    table.form()
    moment(table, SlotKind.MOVE)
    # Its `leave` is on all tapes, and no slot has taken it when the fork is found.
    table.seats[3].peer.leave(table.now)
    table._drain(3)
    fork(table, 1, 0)
    table.run(3000)
    played_on(table, (1, "cheat", FORK), (3, "left", None))


def test_a_fork_that_is_found_while_somebody_is_being_dropped():
    table = Table(5, options_for(5), seed="vote")
    share_memory([seated.peer for seated in table.seats])
    table.form()
    moment(table, SlotKind.EPOCH_OK, 0)
    table.kill(4)
    table.run(60, until=lambda: said(table.seats[0], "A vote is under way to go on without Player 4"))
    assert not outs(table.seats[0])
    fork(table, 1, 0)
    table.run(60)
    gone = {tuple(sorted(outs(table.seats[index]))) for index in (0, 2, 3)}
    assert len(gone) == 1
    # Four of five must agree: either the drop came first and three of four void the round, or nobody can go on.
    assert ("Player 4", "dropped", None) in next(iter(gone)) or said(table.seats[0], "4 of 5 are needed")


def test_an_honest_player_that_saw_another_branch_and_fell_silent_is_dropped_and_no_cheat():
    """It wrote on a history that nobody else has, and is gone before anybody could compare."""
    faces = TwoFaces(face("move"), {2})
    table = faces.seat(seed="victim")
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.run(60, until=lambda: faces.shown is not None)
    for other in (0, 3):
        table.disconnect(2, other)
    table.run(1)
    table.kill(2)
    table.run(3000)
    for index in (0, 3):
        assert ("Player 2", "dropped", None) in outs(table.seats[index]) or said(table.seats[index], "are needed")
        assert not [out for out in outs(table.seats[index]) if out[0] == "Player 2" and out[1] == "cheat"]
        assert all(gone.reason != "cheat" for gone in report_of(table.seats[index]).out if gone.name == "Player 2")
