"""What is said about a proposal, read off the tapes: forms, sizes, the order of words, what is in force."""

from __future__ import annotations

import pytest
from nodealer.p2p.ballots import MAX_REFUSALS, Ballots, Said
from nodealer.p2p.entry import NO_HASH, Entry
from nodealer.p2p.errors import WireError
from nodealer.p2p.proposal import (
    MAX_BALLOTS,
    MAX_STATEMENT,
    Base,
    Cut,
    Mode,
    Proposal,
    Reason,
    Refusal,
    admissible,
    decode_name,
    electors_needed,
    encode_name,
)
from nodealer.p2p.wire import encode

from tests.helpers.drops import BASE, TABLE, slot_entry, unsigned

FOUR = (0, 1, 2, 3)
AT = Cut.at(3, slot_entry(3, 4, "draw"))
DROP = Proposal(FOUR, 0, Mode.DROP, (AT,))
VOID = Proposal(FOUR, 0, Mode.VOID, (Cut.at(0, None),), BASE)
SEVEN = tuple(range(7))


class Tapes:
    """Ballots with a tape for each writer."""

    def __init__(self, view: tuple[int, ...] = FOUR) -> None:
        self.ballots = Ballots(TABLE, view)
        self._numbers = dict.fromkeys(view, 0)

    def entry(self, writer: int, kind: str, body: bytes) -> Entry:
        self._numbers[writer] += 1
        return unsigned(writer, self._numbers[writer], kind, body)

    def put(self, writer: int, kind: str, what: Proposal | Refusal | bytes) -> None:
        if isinstance(what, Proposal) and kind != "vote":
            body = encode_name(what.name(TABLE))
        else:
            body = what if isinstance(what, bytes) else what.encode()
        self.ballots.take(writer, self.entry(writer, kind, body))

    def all_ready(self, proposal: Proposal) -> None:
        for kind in ("vote", "ready"):
            for writer in proposal.electors:
                self.put(writer, kind, proposal)


def refusal(proposal: Proposal) -> Refusal:
    return Refusal(proposal.name(TABLE), Reason.BEYOND, header=slot_entry(3, 5, "draw"))


@pytest.mark.parametrize(
    ("seats", "needed"),
    [(2, None), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5), (8, 5), (9, 6), (10, 6)],
)
def test_how_many_must_agree(seats, needed):
    assert electors_needed(seats) == needed
    assert [admissible(seats, few) for few in range(1, seats)] == [
        needed is not None and few >= needed for few in range(1, seats)
    ]


def test_any_two_groups_that_may_drop_share_two_from_four_seats_up():
    for seats in range(4, 11):
        assert 2 * electors_needed(seats) - seats >= 2
    assert 2 * electors_needed(3) - 3 == 1


@pytest.mark.parametrize("proposal", [DROP, VOID, Proposal(FOUR, 63, Mode.DROP, (Cut.at(1, None),))])
def test_a_vote_is_read_as_it_was_written(proposal):
    assert Proposal.decode(proposal.encode()) == proposal


def test_statements_fit_a_control_entry():
    last = (1 << 32) - 1
    cuts = tuple(Cut(writer, last, b"h" * 32) for writer in range(6, 10))
    vote = Proposal(tuple(range(10)), 63, Mode.DROP, cuts)
    header = unsigned(9, last, "k" * 16).signed
    assert Proposal.decode(vote.encode()) == vote
    assert len(vote.encode()) <= MAX_STATEMENT
    assert len(Refusal(b"n" * 32, Reason.BEYOND, header=header).encode()) <= MAX_STATEMENT


@pytest.mark.parametrize(
    "made",
    [
        Refusal(b"n" * 32, Reason.BEYOND, header=slot_entry(3, 5, "draw")),
        Refusal(b"n" * 32, Reason.STANDING, other=b"o" * 32),
        Refusal(b"n" * 32, Reason.IN_FORCE, other=b"o" * 32),
        Refusal(b"n" * 32, Reason.BASE, base=Base(9, b"d" * 32)),
        Refusal(b"n" * 32, Reason.VIEW),
    ],
)
def test_a_refusal_is_read_as_it_was_written(made):
    assert Refusal.decode(made.encode()) == made


def vote(view=(0, 1, 2, 3), ballot=0, mode=0, cuts=((3, 5, b"h" * 32),), base=None) -> bytes:
    return encode([view, ballot, mode, cuts, base])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        encode([]),
        encode([1]),
        vote(view=(3, 2, 1, 0)),
        vote(view=(0, 1, 2, 2, 3)),
        vote(view=(0, 1, 2, 3, 10)),
        vote(view=(0, 1, True, 3)),
        vote(view=("0", 1, 2, 3)),
        vote(ballot=MAX_BALLOTS),
        vote(ballot=-1),
        vote(mode=2),
        vote(mode=-1),
        vote(cuts=()),
        vote(cuts=((4, 5, b"h" * 32),)),
        vote(cuts=((3, 5, b"h" * 32), (3, 5, b"h" * 32))),
        vote(view=SEVEN, cuts=((6, 5, b"h" * 32), (5, 5, b"h" * 32))),
        vote(cuts=((2, 5, b"h" * 32), (3, 5, b"h" * 32))),
        vote(cuts=((3, 5, b"h" * 31),)),
        vote(cuts=((3, 0, b"h" * 32),)),
        vote(cuts=((3, 5, NO_HASH),)),
        vote(cuts=((3, 1 << 32, b"h" * 32),)),
        vote(cuts=((3, 5),)),
        vote(cuts=(3,)),
        vote(view=(0, 1), cuts=((1, 5, b"h" * 32),)),
        vote(base=(7, b"d" * 32)),
        vote(mode=1, cuts=((0, 0, NO_HASH),)),
        vote(mode=1, cuts=((0, 5, b"h" * 32),), base=(7, b"d" * 32)),
        vote(mode=1, cuts=((0, 0, NO_HASH),), base=(7, b"d" * 31)),
        vote(mode=1, cuts=((0, 0, NO_HASH),), base=(7,)),
        vote() + b"\x00",
        b"\xc1" * 10,
        bytes(MAX_STATEMENT + 1),
    ],
)
def test_a_malformed_vote_is_refused_and_a_fault_of_its_tape(body):
    with pytest.raises(WireError):
        Proposal.decode(body)
    tapes = Tapes()
    tapes.put(0, "vote", body)
    assert tapes.ballots.faults[0].number == 1
    assert not tapes.ballots.proposals


@pytest.mark.parametrize(
    "body",
    [
        b"",
        encode([b"n" * 32]),
        encode([b"n" * 31, 4, None]),
        encode([b"n" * 32, 5, None]),
        encode([b"n" * 32, 4, b"x"]),
        encode([b"n" * 32, 0, b"o" * 32]),
        encode([b"n" * 32, 0, [b"raw", bytes(64)]]),
        encode([b"n" * 32, 1, [1, b"d" * 32]]),
        encode([b"n" * 32, 1, b"o" * 31]),
        encode([b"n" * 32, 3, [1, b"d" * 33]]),
        encode([b"n" * 32, 4, [[]]]),
    ],
)
def test_a_malformed_refusal_is_refused(body):
    with pytest.raises(WireError):
        Refusal.decode(body)


@pytest.mark.parametrize("body", [b"", encode([]), encode([b"n" * 31]), encode(["n"]), encode([b"n" * 32, 1])])
def test_a_malformed_name_is_refused(body):
    with pytest.raises(WireError):
        decode_name(body)


def test_the_name_binds_table_view_ballot_mode_and_cuts():
    other = [
        DROP.name(b"t" * 32),
        Proposal((0, 1, 3), 0, Mode.DROP, (AT,)).name(TABLE),
        Proposal(FOUR, 1, Mode.DROP, (AT,)).name(TABLE),
        Proposal(FOUR, 0, Mode.DROP, (Cut.at(3, None),)).name(TABLE),
        Proposal(FOUR, 0, Mode.VOID, (Cut.at(3, None),), BASE).name(TABLE),
    ]
    assert len({DROP.name(TABLE), *other}) == 6


def test_a_larger_proposal_drops_more_with_equal_cuts_and_a_void_is_larger_than_every_drop():
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = Proposal(SEVEN, 0, Mode.DROP, (five,)), Proposal(SEVEN, 3, Mode.DROP, (five, six))
    assert one.below(both)
    assert not both.below(one)
    assert not one.below(Proposal(SEVEN, 1, Mode.DROP, (five,)))
    assert not Proposal(SEVEN, 0, Mode.DROP, (Cut(5, 1, b"h" * 32),)).below(both)
    assert both.below(Proposal(SEVEN, 0, Mode.VOID, (Cut.at(0, None),), BASE))
    assert not Proposal(SEVEN, 0, Mode.VOID, (five,), BASE).below(both)
    assert not one.below(Proposal(tuple(range(8)), 0, Mode.DROP, (five, six)))


@pytest.mark.parametrize(
    "words",
    [
        ["vote", "vote"],
        ["vote", "refuse"],
        ["refuse", "vote"],
        ["refuse", "refuse"],
        ["ready"],
        ["withdraw"],
        ["refuse", "ready"],
        ["refuse", "withdraw"],
        ["vote", "ready", "ready"],
        ["vote", "withdraw", "ready"],
        ["vote", "withdraw", "withdraw"],
        ["vote", "withdraw", "vote"],
        ["vote", "ready", "withdraw", "withdraw"],
    ],
)
def test_two_answers_to_one_proposal_are_a_fault_and_the_first_counts(words):
    tapes = Tapes()
    for word in words[:-1]:
        tapes.put(0, word, refusal(DROP) if word == "refuse" else DROP)
    before = tapes.ballots.about(0, DROP.name(TABLE))
    assert not tapes.ballots.faults
    tapes.put(0, words[-1], refusal(DROP) if words[-1] == "refuse" else DROP)
    assert tapes.ballots.faults[0].number == len(words)
    assert tapes.ballots.about(0, DROP.name(TABLE)) == before


@pytest.mark.parametrize("words", [["vote", "ready", "withdraw"], ["vote", "withdraw"], ["refuse"]])
def test_the_ways_a_tape_may_go(words):
    tapes = Tapes()
    for word in words:
        tapes.put(0, word, refusal(DROP) if word == "refuse" else DROP)
    assert not tapes.ballots.faults


def test_after_a_fault_a_tape_says_nothing_more():
    tapes = Tapes()
    tapes.put(0, "ready", DROP)
    tapes.put(0, "vote", DROP)
    assert not tapes.ballots.about(0, DROP.name(TABLE))


def test_a_vote_of_a_leaver_about_itself_is_a_fault():
    tapes = Tapes()
    tapes.put(3, "vote", DROP)
    assert 3 in tapes.ballots.faults


def test_a_vote_stands_against_others_until_it_is_withdrawn():
    other = Proposal(FOUR, 0, Mode.DROP, (Cut.at(2, None),))
    tapes = Tapes()
    tapes.put(0, "vote", DROP)
    tapes.put(0, "withdraw", DROP)
    tapes.put(0, "vote", other)
    assert not tapes.ballots.faults
    assert tapes.ballots.standing(0) == [other]
    tapes.put(1, "vote", DROP)
    tapes.put(1, "vote", other)
    assert 1 in tapes.ballots.faults


def test_ready_for_less_than_what_one_stands_for_is_a_fault():
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = Proposal(SEVEN, 0, Mode.DROP, (five,)), Proposal(SEVEN, 0, Mode.DROP, (five, six))
    tapes = Tapes(SEVEN)
    tapes.put(0, "vote", one)
    tapes.put(0, "vote", both)
    assert tapes.ballots.standing(0) == [one, both]
    tapes.put(0, "ready", one)
    assert 0 in tapes.ballots.faults


def test_a_tape_does_not_go_back_to_a_view():
    tapes = Tapes()
    tapes.put(0, "vote", Proposal((0, 1, 3), 0, Mode.DROP, (AT,)))
    tapes.put(0, "vote", DROP)
    assert 0 in tapes.ballots.faults


def test_votes_and_refusals_are_bounded():
    tapes = Tapes()
    for ballot in range(MAX_BALLOTS):
        tapes.put(0, "vote", Proposal(FOUR, ballot, Mode.DROP, (AT,)))
        tapes.put(0, "withdraw", Proposal(FOUR, ballot, Mode.DROP, (AT,)))
    assert not tapes.ballots.faults
    tapes.put(0, "vote", Proposal(FOUR, 0, Mode.DROP, (Cut.at(2, None),)))
    assert 0 in tapes.ballots.faults
    for number in range(MAX_REFUSALS + 1):
        assert 1 not in tapes.ballots.faults
        tapes.put(1, "refuse", Refusal(number.to_bytes(32, "big"), Reason.VIEW))
    assert 1 in tapes.ballots.faults


def test_a_refusal_counts_before_its_proposal_is_known():
    tapes = Tapes()
    tapes.put(1, "refuse", refusal(DROP))
    tapes.put(0, "vote", DROP)
    assert tapes.ballots.against(DROP.name(TABLE), 0) == 1


def test_who_has_left_refuses_what_it_had_not_answered():
    tapes = Tapes()
    tapes.put(0, "vote", DROP)
    tapes.put(1, "vote", DROP)
    tapes.ballots.end(1)
    tapes.ballots.end(2)
    name = DROP.name(TABLE)
    assert tapes.ballots.about(1, name) == Said.VOTE
    assert tapes.ballots.about(2, name) == Said.REFUSE
    assert tapes.ballots.against(name, 0) == 1


def test_in_force_is_what_all_electors_are_ready_for():
    tapes = Tapes()
    for kind in ("vote", "ready"):
        for writer in (0, 1, 2):
            assert tapes.ballots.in_force() is None
            tapes.put(writer, kind, DROP)
    assert [tapes.ballots.in_force(me) for me in (None, 0, 1, 2)] == [DROP] * 4
    assert tapes.ballots.in_force(3) is None


def test_in_force_for_an_elector_needs_its_own_standing_vote_and_no_larger_one():
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = Proposal(SEVEN, 0, Mode.DROP, (five,)), Proposal(SEVEN, 0, Mode.DROP, (five, six))
    tapes = Tapes(SEVEN)
    tapes.all_ready(one)
    tapes.put(0, "vote", both)
    tapes.put(1, "withdraw", one)
    assert tapes.ballots.in_force() == one
    assert tapes.ballots.in_force(0) is None
    assert tapes.ballots.in_force(1) is None
    assert tapes.ballots.in_force(2) == one
    tapes.put(0, "withdraw", both)
    assert tapes.ballots.in_force(0) == one


def test_of_several_in_force_the_largest():
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = Proposal(SEVEN, 0, Mode.DROP, (five,)), Proposal(SEVEN, 0, Mode.DROP, (five, six))
    anew = Proposal(SEVEN, 0, Mode.VOID, (Cut.at(0, None),), BASE)
    tapes = Tapes(SEVEN)
    for proposal in (one, both, anew):
        tapes.all_ready(proposal)
        assert tapes.ballots.in_force() == proposal
    assert not tapes.ballots.faults


def test_votes_of_different_views_never_count_together():
    tapes = Tapes()
    later = Proposal((1, 2, 3), 0, Mode.DROP, (AT,))
    tapes.all_ready(later)
    assert tapes.ballots.in_force() is None
    tapes.ballots.new_view((1, 2, 3))
    assert tapes.ballots.in_force() == later


def test_settling_makes_the_electors_the_next_view():
    tapes = Tapes()
    assert tapes.ballots.settle() is None
    tapes.all_ready(DROP)
    assert tapes.ballots.settle(1) == DROP
    assert tapes.ballots.view == (0, 1, 2)
    assert tapes.ballots.dropped == {3: AT}
    assert tapes.ballots.settle(1) is None
    tapes.ballots.new_view((1, 2, 3))
    assert tapes.ballots.view == (1, 2)
    assert tapes.ballots.settled == [DROP]


def test_for_others_a_larger_one_follows_on_a_smaller_one_of_its_view():
    """Who was ready for both goes by the larger one; that is seen when the smaller one is in force here already."""
    five, six = Cut.at(5, None), Cut.at(6, None)
    one, both = Proposal(SEVEN, 0, Mode.DROP, (five,)), Proposal(SEVEN, 0, Mode.DROP, (five, six))
    tapes = Tapes(SEVEN)
    tapes.all_ready(one)
    assert tapes.ballots.settle() == one
    tapes.all_ready(both)
    assert tapes.ballots.settle() == both
    assert tapes.ballots.settle() is None
    assert tapes.ballots.view == (0, 1, 2, 3, 4)
    assert tapes.ballots.dropped == {5: five, 6: six}


def test_for_others_a_vote_counts_after_a_slot_has_seen_one_of_its_leavers_go():
    five, six = Cut.at(5, None), Cut.at(6, None)
    both = Proposal(SEVEN, 0, Mode.DROP, (five, six))
    tapes = Tapes(SEVEN)
    tapes.ballots.new_view((0, 1, 2, 3, 4, 5))
    tapes.all_ready(both)
    assert tapes.ballots.settle() == both
    assert tapes.ballots.view == (0, 1, 2, 3, 4)
    gone = Tapes(SEVEN)
    gone.ballots.new_view((0, 1, 2, 3, 5, 6))
    gone.all_ready(both)
    assert gone.ballots.settle() is None, "one of its electors has gone"


def test_few_who_forget_the_others_drop_nobody():
    few = Proposal((0, 1, 6), 0, Mode.DROP, (Cut.at(6, None),))
    tapes = Tapes(SEVEN)
    tapes.all_ready(few)
    assert not tapes.ballots.faults
    assert tapes.ballots.settle() is None
    assert not tapes.ballots.dropped_by_others(6)
    tapes.ballots.new_view((0, 1, 6))
    assert tapes.ballots.dropped_by_others(6)


def test_a_first_vote_names_nobody_who_is_not_at_the_table():
    tapes = Tapes()
    tapes.put(0, "vote", Proposal((0, 1, 2, 3, 4), 0, Mode.DROP, (Cut.at(4, None),)))
    assert tapes.ballots.faults[0].number == 1


def test_of_two_cuts_of_one_feed_the_first_counts():
    first = Proposal(SEVEN, 0, Mode.DROP, (Cut.at(5, slot_entry(5, 4, "draw")), Cut.at(6, None)))
    other = Proposal(SEVEN, 1, Mode.DROP, (Cut.at(5, None),))
    tapes = Tapes(SEVEN)
    for writer in (0, 1, 2, 3, 4, 6):
        tapes.put(writer, "vote", other)
        tapes.put(writer, "ready", other)
        tapes.put(writer, "withdraw", other)
    assert tapes.ballots.settle() == other
    tapes.all_ready(first)
    assert tapes.ballots.settle() == first
    assert tapes.ballots.dropped == {5: Cut.at(5, None), 6: Cut.at(6, None)}


def test_after_a_leave_a_tape_says_nothing_more():
    tapes = Tapes()
    for writer in (0, 1, 2):
        tapes.put(writer, "vote", DROP)
    tapes.ballots.end(2)
    for writer in (0, 1, 2):
        tapes.put(writer, "ready", DROP)
    assert tapes.ballots.in_force() is None
    assert not tapes.ballots.faults
