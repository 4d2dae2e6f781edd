"""Each rule of one elector by the name that the protocol gives it, then what it says by itself, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.ballots import Ballots, Said
from nodealer.p2p.elector import FETCH_LIMIT, FIRST_WAIT, LAST_WAIT, Elector, Sight
from nodealer.p2p.proposal import (
    MAX_BALLOTS,
    Base,
    Cut,
    Mode,
    Proposal,
    Reason,
    Refusal,
    decode_name,
)

from tests.helpers.drops import BASE, TABLE, slot_entry
from tests.p2p.test_ballots import Tapes

FOUR = (0, 1, 2, 3)
SEVEN = tuple(range(7))
FIVE = slot_entry(3, 4, "draw")
SIX = slot_entry(3, 5, "draw")


def drop(*cuts: Cut, view=FOUR, ballot=0) -> Proposal:
    return Proposal(view, ballot, Mode.DROP, cuts)


AT_FIVE = Cut.at(3, FIVE)
P = drop(AT_FIVE)
NAME = P.name(TABLE)


def sight(last=FIVE, overdue=(3,), owed=(3,), forkers=(), bases=()) -> Sight:
    return Sight({3: last}, frozenset(owed), frozenset(overdue), frozenset(forkers), bases)


class Table(Tapes):
    """Ballots with tapes, and one elector on it."""

    def __init__(self, me: int = 0, view=FOUR, waits=()) -> None:
        super().__init__(view)
        self.bounds: list[float] = []
        self.elector = Elector(me, self.ballots, self._uniform)

    def _uniform(self, bound: float) -> float:
        self.bounds.append(bound)
        return bound

    def say(self, seen: Sight, now: float = 0.0) -> list[str]:
        """What the elector says, put on its tape, until it says no more."""
        said = []
        while (statement := self.elector.next(seen, now)) is not None:
            kind, body = statement
            said.append(kind)
            self.put(self.elector.me, kind, body)
            assert not self.ballots.faults
            assert len(said) < 20
        return said


# -- T4.1 vote ---------------------------------------------------------------------------------------------------------


def test_vote_when_silent_and_exactly_the_cut_is_held():
    assert Table().elector.may_vote(P, sight())


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (sight(overdue=()), "one's own limit has not passed"),
        (sight(last=SIX), "more than the cut is held"),
        (sight(last=slot_entry(3, 3, "draw")), "less than the cut is held: fetch first"),
        (sight(last=slot_entry(3, 4, "keep")), "another entry is held at the cut"),
        (sight(last=None), "nothing is held"),
        (sight(owed=(1,)), "the open slot waits for no leaver"),
    ],
)
def test_no_vote_when(seen, why):
    assert not Table().elector.may_vote(P, seen), why


def test_no_vote_by_a_leaver_twice_or_in_another_view():
    assert not Table(3).elector.may_vote(P, sight())
    table = Table()
    table.put(0, "vote", P)
    assert not table.elector.may_vote(P, sight())
    table = Table()
    table.put(0, "refuse", Refusal(NAME, Reason.VIEW))
    assert not table.elector.may_vote(P, sight())
    table = Table()
    table.ballots.new_view((0, 2, 3))
    assert not table.elector.may_vote(P, sight())


def test_no_vote_where_too_few_would_be_left():
    both = drop(Cut.at(2, None), AT_FIVE)
    assert not Table().elector.may_vote(both, sight(overdue=(2, 3), owed=(2, 3)))


def test_no_vote_when_something_is_in_force_in_this_view():
    table = Table()
    table.all_ready(P)
    table.ballots.settle(0)
    assert not table.elector.may_vote(drop(AT_FIVE, ballot=1), sight())


def test_a_vote_is_a_promise_only_a_larger_one_with_equal_cuts_may_follow():
    five, six, other = Cut.at(5, None), Cut.at(6, None), Cut.at(5, slot_entry(5, 0, "draw"))
    seen = Sight({}, frozenset({5, 6}), frozenset({5, 6}))
    table = Table(view=SEVEN)
    table.put(0, "vote", drop(five, view=SEVEN))
    assert table.elector.may_vote(drop(five, six, view=SEVEN), seen)
    assert not table.elector.may_vote(drop(six, view=SEVEN), seen)
    assert not table.elector.may_vote(drop(five, view=SEVEN, ballot=1), seen)
    moved = replace(seen, last={5: slot_entry(5, 0, "draw")})
    assert not table.elector.may_vote(drop(other, six, view=SEVEN), moved)
    table.put(0, "withdraw", drop(five, view=SEVEN))
    assert table.elector.may_vote(drop(six, view=SEVEN), seen)


# -- T4.2 refuse -------------------------------------------------------------------------------------------------------


def test_refuse_what_one_holds_more_of_with_the_entry_attached():
    table = Table()
    table.put(1, "vote", P)
    assert table.elector.refusal(NAME, sight()) is None
    found = table.elector.refusal(NAME, sight(last=SIX, overdue=()))
    assert found == Refusal(NAME, Reason.BEYOND, header=SIX)
    assert table.elector.refusal(NAME, sight(last=slot_entry(3, 3, "draw"))) is None


def test_refuse_another_entry_at_the_cut():
    table = Table()
    table.put(1, "vote", P)
    other = slot_entry(3, 4, "keep")
    assert table.elector.refusal(NAME, sight(last=other)) == Refusal(NAME, Reason.BEYOND, header=other)


def test_refuse_what_does_not_nest_with_an_own_standing_vote_which_is_named():
    other = drop(Cut.at(2, None))
    table = Table()
    table.put(0, "vote", other)
    table.put(1, "vote", P)
    assert table.elector.refusal(NAME, sight()) == Refusal(NAME, Reason.STANDING, other=other.name(TABLE))
    table.put(0, "withdraw", other)
    assert table.elector.refusal(NAME, sight()) is None


def test_refuse_always_when_another_is_in_force():
    table = Table()
    table.all_ready(P)
    table.ballots.settle(0)
    late = drop(Cut.at(2, None))
    table.put(3, "vote", late)
    found = table.elector.refusal(late.name(TABLE), sight(overdue=()))
    assert found == Refusal(late.name(TABLE), Reason.IN_FORCE, other=NAME)


def test_refuse_a_proposal_of_a_view_that_is_over():
    table = Table()
    table.put(1, "vote", P)
    table.ballots.new_view((0, 1, 3))
    assert table.elector.refusal(NAME, sight()) == Refusal(NAME, Reason.VIEW)


def test_a_proposal_of_a_view_not_yet_come_to_waits():
    table = Table()
    later = Proposal((0, 1, 3), 0, Mode.DROP, (AT_FIVE,))
    table.put(1, "vote", later)
    name = later.name(TABLE)
    assert table.elector.refusal(name, sight(last=SIX)) is None
    assert table.say(sight(overdue=())) == []
    table.ballots.new_view((0, 1, 3))
    assert table.say(sight()) == ["vote", "ready"]


def test_no_second_answer_and_none_by_a_leaver():
    table = Table()
    table.put(0, "vote", P)
    assert table.elector.refusal(NAME, sight(last=SIX)) is None
    table = Table(3)
    table.put(1, "vote", P)
    assert table.elector.refusal(NAME, sight(last=SIX)) is None


# -- T4.3 kept aside ---------------------------------------------------------------------------------------------------


def test_while_a_vote_stands_entries_beyond_the_cut_are_kept_aside():
    table = Table()
    assert not table.elector.keeps_aside(3, 5)
    table.put(0, "vote", P)
    assert table.elector.keeps_aside(3, 5)
    assert not table.elector.keeps_aside(3, 4)
    assert not table.elector.keeps_aside(2, 5)
    assert table.elector.bound
    table.put(0, "withdraw", P)
    assert not table.elector.keeps_aside(3, 5)
    assert not table.elector.bound


def test_of_one_who_was_dropped_nothing_more_is_taken():
    table = Table()
    table.all_ready(P)
    table.ballots.settle(0)
    assert table.elector.keeps_aside(3, 5)
    assert not table.elector.keeps_aside(3, 4)
    assert not table.elector.bound


# -- T4.4 withdraw -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ready", [False, True])
@pytest.mark.parametrize("against", [0, 1, 2])
def test_withdraw_for_one_other_and_once_ready_for_two(ready, against):
    table = Table()
    for writer in (0, 1, 2):
        table.put(writer, "vote", P)
    if ready:
        table.put(0, "ready", P)
    for writer in (1, 2)[:against]:
        table.put(writer, "withdraw", P)
    assert table.elector.may_withdraw(NAME) == (against >= (2 if ready else 1))


def test_a_refusal_counts_for_a_withdrawal_and_one_by_a_leaver_does_not():
    table = Table()
    table.put(0, "vote", P)
    table.put(3, "refuse", Refusal(NAME, Reason.VIEW))
    assert not table.elector.may_withdraw(NAME)
    table.put(1, "refuse", Refusal(NAME, Reason.VIEW))
    assert table.elector.may_withdraw(NAME)
    table.put(0, "withdraw", P)
    assert not table.elector.may_withdraw(NAME)


def test_what_is_in_force_is_not_withdrawn():
    table = Table()
    table.all_ready(P)
    table.ballots.settle(0)
    table.put(1, "withdraw", P)
    table.put(2, "withdraw", P)
    assert not table.elector.may_withdraw(NAME)


# -- T4.5 ready --------------------------------------------------------------------------------------------------------


def test_ready_when_all_electors_have_voted():
    table = Table()
    for writer in (0, 1, 2):
        assert not table.elector.may_be_ready(NAME, sight()) if writer else True
        table.put(writer, "vote", P)
    assert table.elector.may_be_ready(NAME, sight())
    table.put(0, "ready", P)
    assert not table.elector.may_be_ready(NAME, sight())


def test_not_ready_with_an_entry_beyond_the_cut_in_hand():
    table = Table()
    for writer in (0, 1, 2):
        table.put(writer, "vote", P)
    assert not table.elector.may_be_ready(NAME, sight(last=SIX))


def test_not_ready_after_withdrawing_or_with_a_larger_own_vote():
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = drop(five, view=SEVEN), drop(five, six, view=SEVEN)
    seen = Sight({}, frozenset({5, 6}), frozenset({5, 6}))
    table = Table(view=SEVEN)
    for writer in one.electors:
        table.put(writer, "vote", one)
    assert table.elector.may_be_ready(one.name(TABLE), seen)
    table.put(0, "vote", both)
    assert not table.elector.may_be_ready(one.name(TABLE), seen)
    table.put(0, "withdraw", both)
    assert table.elector.may_be_ready(one.name(TABLE), seen)
    table.put(0, "withdraw", one)
    assert not table.elector.may_be_ready(one.name(TABLE), seen)


# -- T5.2 a void -------------------------------------------------------------------------------------------------------

VOID = Proposal(FOUR, 0, Mode.VOID, (Cut.at(3, None),), BASE)
EARLIER = Base(3, b"e" * 32)
BASES = ((EARLIER, frozenset(FOUR)), (BASE, frozenset({0, 1, 2})))


def test_a_void_needs_a_proof_in_hand_and_the_latest_boundary_that_all_who_stay_have_signed():
    table = Table()
    assert table.elector.may_vote(VOID, sight(forkers=(3,), overdue=(), owed=(), bases=BASES))
    assert not table.elector.may_vote(VOID, sight(bases=BASES))
    assert not table.elector.may_vote(VOID, sight(forkers=(3,), bases=BASES[:1]))
    later = (*BASES, (Base(9, b"l" * 32), frozenset({0, 1})))
    assert table.elector.may_vote(VOID, sight(forkers=(3,), bases=later))
    later = (*BASES, (Base(9, b"l" * 32), frozenset({0, 1, 2})))
    assert not table.elector.may_vote(VOID, sight(forkers=(3,), bases=later))


def test_a_void_is_larger_than_a_vote_to_drop_and_takes_its_place():
    table = Table()
    table.put(0, "vote", drop(Cut.at(2, None)))
    assert table.elector.may_vote(VOID, sight(forkers=(3,), bases=BASES))
    table.put(0, "vote", VOID)
    assert not table.ballots.faults
    assert not table.elector.may_vote(P, sight(forkers=(3,), bases=BASES))


def test_refuse_a_void_from_an_earlier_boundary():
    table = Table()
    old = Proposal(FOUR, 0, Mode.VOID, (Cut.at(3, None),), EARLIER)
    table.put(1, "vote", old)
    found = table.elector.refusal(old.name(TABLE), sight(forkers=(3,), bases=BASES))
    assert found == Refusal(old.name(TABLE), Reason.BASE, base=BASE)


def test_who_holds_a_proof_proposes_a_void():
    table = Table()
    assert table.say(sight(forkers=(3,), overdue=(), owed=(), bases=BASES)) == ["vote"]
    assert table.ballots.standing(0) == [VOID]
    assert table.say(sight(forkers=(3,), bases=())) == []


# -- T4.8, T4.9: what it says by itself --------------------------------------------------------------------------------


def test_nothing_is_said_without_a_reason():
    assert Table().say(sight(overdue=())) == []


def test_three_electors_drop_the_fourth():
    tables = [Table(me) for me in (0, 1, 2)]
    assert [table.say(sight()) for table in tables] == [["vote"]] * 3
    for me in (0, 1, 2):
        for table in tables:
            if table.elector.me != me:
                table.put(me, "vote", P)
    assert [table.say(sight()) for table in tables] == [["ready"]] * 3
    assert tables[0].ballots.settle(0) is None
    tables[0].put(1, "ready", P)
    tables[0].put(2, "ready", P)
    assert tables[0].ballots.settle(0) == P
    assert tables[0].say(sight()) == []


def test_the_same_proposal_by_all_who_see_the_same():
    for me in (0, 1, 2):
        table = Table(me)
        table.say(sight())
        assert table.ballots.standing(me) == [P]


def test_the_union_of_all_who_are_silent_is_proposed_over_a_standing_vote():
    table = Table(view=SEVEN)
    seen = Sight({}, frozenset({5}), frozenset({5}))
    assert table.say(seen) == ["vote"]
    assert table.say(replace(seen, overdue=frozenset({5, 6}))) == ["vote"]
    assert [p.leavers for p in table.ballots.standing(0)] == [{5}, {5, 6}]


def test_after_a_failure_the_next_ballot_follows_a_random_wait_that_doubles():
    table = Table()
    now, waited = 0.0, []
    for ballot in range(8):
        assert table.say(sight(), now) == ["vote"]
        (mine,) = table.ballots.standing(0)
        assert mine.ballot == ballot
        table.put(1, "refuse", Refusal(mine.name(TABLE), Reason.VIEW))
        assert table.say(sight(), now) == ["withdraw"]
        waited.append(table.bounds[-1])
        assert table.say(sight(), now + table.bounds[-1] - 0.01) == []
        assert table.elector.next_deadline() == now + table.bounds[-1]
        now += table.bounds[-1]
    assert waited == [FIRST_WAIT, 4.0, 8.0, 16.0, 32.0, LAST_WAIT, LAST_WAIT, LAST_WAIT]


def test_no_more_ballots_than_a_view_has():
    table = Table()
    for _ in range(MAX_BALLOTS):
        now = table.elector.next_deadline()
        assert table.say(sight(), now) == ["vote"]
        (mine,) = table.ballots.standing(0)
        table.put(1, "refuse", Refusal(mine.name(TABLE), Reason.VIEW))
        assert table.say(sight(), now) == ["withdraw"]
    assert table.say(sight(), table.elector.next_deadline()) == []


def test_another_cut_of_the_same_leavers_is_fetched_first_but_not_for_ever():
    table = Table()
    table.put(1, "vote", drop(Cut.at(3, SIX)))
    assert table.say(sight(), 1.0) == []
    assert table.say(sight(), 1.0 + FETCH_LIMIT) == ["vote", "refuse"]
    table = Table()
    table.put(1, "vote", drop(Cut.at(3, SIX)))
    assert table.say(sight(last=SIX), 1.0) == ["vote"]


def test_with_more_in_hand_it_refuses_and_proposes_its_own_cut_with_the_next_ballot():
    table = Table()
    table.put(1, "vote", P)
    assert table.say(sight(last=SIX)) == ["refuse"]
    assert table.say(sight(last=SIX), table.elector.next_deadline()) == ["vote"]
    (mine,) = table.ballots.standing(0)
    assert (mine.ballot, mine.cuts) == (1, (Cut.at(3, SIX),))


def test_a_new_view_begins_with_ballot_0_and_no_wait():
    table = Table()
    table.say(sight(), 5.0)
    table.put(1, "refuse", Refusal(NAME, Reason.VIEW))
    table.say(sight(), 5.0)
    table.ballots.new_view((0, 1, 3))
    assert table.say(sight(), 5.0) == ["vote"]
    (mine,) = table.ballots.standing(0)
    assert (mine.view, mine.ballot) == ((0, 1, 3), 0)


def test_who_owes_an_answer_too_long_is_silent_too():
    table = Table()
    table.say(sight(), 0.0)
    table.put(1, "vote", P)
    assert table.elector.unanswered(10.0, 9.0) == frozenset()
    assert table.elector.unanswered(10.0, 10.0) == {2}
    table.put(2, "vote", P)
    table.say(sight(), 11.0)
    table.put(2, "ready", P)
    assert table.elector.unanswered(10.0, 11.0) == {1}
    assert table.ballots.about(0, NAME) == Said.VOTE | Said.READY


def test_stalled_while_too_few_are_left():
    table = Table()
    assert table.elector.stalled(sight()) is None
    assert table.elector.stalled(sight(overdue=())) is None
    found = table.elector.stalled(sight(overdue=(2, 3)))
    assert (found.missing, found.needed) == ({2, 3}, 3)
    assert table.say(sight(overdue=(2, 3))) == []
    two = Table(view=(0, 3))
    found = two.elector.stalled(sight())
    assert (found.missing, found.needed) == ({3}, None)
    assert two.say(sight()) == []


def test_a_withdrawal_names_what_was_voted_for():
    table = Table()
    table.say(sight())
    table.put(1, "refuse", Refusal(NAME, Reason.VIEW))
    kind, body = table.elector.next(sight(), 0.0)
    assert (kind, decode_name(body)) == ("withdraw", NAME)


def test_ballots_are_only_read_by_an_elector():
    """The rules change nothing: asking twice gives the same, and a copy is independent."""
    table = Table()
    table.put(1, "vote", P)
    twin = table.ballots.clone()
    assert table.elector.next(sight(), 0.0) == table.elector.next(sight(), 0.0)
    assert (twin.said, twin.view, twin.proposals) == (table.ballots.said, table.ballots.view, table.ballots.proposals)
    table.put(0, "vote", P)
    assert (0, NAME) not in twin.said
    assert isinstance(twin, Ballots)
