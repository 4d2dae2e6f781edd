"""No order of votes, readies, refusals, late entries and goings makes two histories: every run of small tables.

What is driven is the program's own `Ballots` and `Elector`; see `tests/helpers/drops.py`. Mutants of single rules show
that the search can find what it looks for. The larger tables are `make soak-drops`.
"""

from __future__ import annotations

import pytest
from nodealer.p2p.ballots import Ballots, Said
from nodealer.p2p.elector import Elector, Sight
from nodealer.p2p.proposal import Proposal

from tests.helpers.drops import Found, Setting, World, search

ZERO, ONE, TWO, THREE, FOUR = (frozenset({n}) for n in range(5))
ALL_THREE = frozenset({0, 1, 2})

SMALL = {
    "three seats, one silent": Setting(3, (TWO,), (TWO,)),
    "three seats, any one silent": Setting(3, (ZERO, ONE, TWO), (ALL_THREE,), writers=TWO),
    "three seats, words come late": Setting(3, (TWO,), (TWO,), late=True),
    "four seats, one silent, a liar": Setting(4, (THREE,), (THREE,), liar=0),
    "three seats, a fork and one silent": Setting(3, (TWO,), (TWO,), voids=(ZERO,), liar=0),
    "four seats, one leaves before the silent one is waited for": Setting(
        4, (THREE,), (ZERO, THREE), leaver=0, writers=frozenset({0, 3})
    ),
    "four seats, an invalid entry before the silent one is waited for": Setting(
        4, (THREE,), (ZERO, THREE), invalid=0, writers=frozenset({0, 3})
    ),
}

LARGE = {
    "three seats, any one silent, all write": Setting(3, (ZERO, ONE, TWO), (ALL_THREE,)),
    "three seats, any one silent, words come late": Setting(3, (ONE, TWO), (TWO | ONE,), writers=TWO, late=True),
    "four seats, two silent": Setting(4, (THREE, TWO), (THREE | TWO,), writers=THREE),
    "four seats, two silent, a liar": Setting(4, (THREE, TWO), (THREE | TWO,), writers=THREE, liar=0),
    "four seats, one silent, a liar forks": Setting(4, (THREE,), (THREE,), voids=(ZERO,), liar=0),
    "four seats, two silent, a liar forks": Setting(
        4, (THREE, TWO), (THREE | TWO,), voids=(ZERO,), liar=0, writers=frozenset()
    ),
    "four seats, one leaves in the slot of the silent one": Setting(
        4, (THREE,), (ZERO | THREE,), leaver=0, writers=ZERO | THREE
    ),
    "four seats, one leaves after the slot of the silent one": Setting(
        4, (THREE,), (THREE, ZERO), leaver=0, writers=ZERO | THREE
    ),
    "four seats, one leaves, two silent": Setting(4, (THREE, TWO), (ZERO, THREE | TWO), leaver=0, writers=ZERO | THREE),
    "four seats, an invalid entry in the slot of the silent one": Setting(
        4, (THREE,), (ZERO | THREE,), invalid=0, writers=ZERO | THREE
    ),
    "five seats, one leaves, one silent, a liar": Setting(
        5, (FOUR,), (ONE, FOUR), leaver=1, liar=0, writers=ONE | FOUR
    ),
}


def never_two_histories(setting: Setting) -> Found:
    found = search(setting)
    assert found.why is None, f"{found.why}: {found.steps}"
    # Nobody waits for ever for an answer that cannot come, but from one who cheated and is out; and something was in
    # force at all.
    assert not found.hanging or setting.invalid is not None, found.steps
    assert found.forced
    return found


@pytest.mark.parametrize("name", SMALL)
def test_never_two_histories(name):
    never_two_histories(SMALL[name])


@pytest.mark.soak
@pytest.mark.parametrize("name", LARGE)
def test_never_two_histories_at_larger_tables(name):
    print(f"\n{name}: {never_two_histories(LARGE[name]).states} states")


class ReadyUndoneByOne(Elector):
    def may_withdraw(self, name: bytes) -> bool:
        stands = Said.WITHDRAW not in self.ballots.about(self.me, name) and Said.VOTE in self.ballots.about(
            self.me, name
        )
        here = self.ballots.proposals[name].view == self.ballots.view
        return stands and here and self.ballots.against(name, self.me) >= 1


class NoReadyStep(Ballots):
    def all_have_said(self, name: bytes, what: Said) -> bool:
        return super().all_have_said(name, Said.VOTE)


class KeepsNothingAside(Elector):
    def keeps_aside(self, writer: int, number: int) -> bool:
        return False


class VotesAgainstItself(Elector):
    """A vote is no promise: any other may follow."""

    def may_vote(self, proposal: Proposal, sight: Sight) -> bool:
        standing, self.ballots.standing = self.ballots.standing, lambda *_: []  # type: ignore[method-assign]
        try:
            return super().may_vote(proposal, sight)
        finally:
            self.ballots.standing = standing  # type: ignore[method-assign]


class VotesForWhatItDoesNotHold(Elector):
    """The cut is not compared with what is held, neither for the vote nor when ready."""

    def may_vote(self, proposal: Proposal, sight: Sight) -> bool:
        here = proposal.view == self.ballots.view and self.me in proposal.electors
        return here and not self.ballots.about(self.me, proposal.name(self.ballots.table))

    def may_be_ready(self, name: bytes, sight: Sight) -> bool:
        voted = self.ballots.about(self.me, name) == Said.VOTE
        return voted and self.ballots.all_have_said(name, Said.VOTE)


class FollowsNoRule(Ballots):
    """Tapes on which anything may stand, so that a mutant is found out by what follows from it."""

    def _take_vote(self, writer: int, proposal: Proposal) -> None:
        name = proposal.name(self.table)
        self.proposals[name] = proposal
        self.said[writer, name] = Said.VOTE


@pytest.mark.parametrize(
    "mutant",
    [
        Setting(4, (THREE,), (THREE,), liar=0, elector=ReadyUndoneByOne),
        Setting(4, (THREE,), (THREE,), liar=0, ballots=NoReadyStep),
        Setting(3, (TWO,), (TWO,), elector=KeepsNothingAside),
        Setting(3, (TWO,), (TWO,), elector=VotesForWhatItDoesNotHold, ballots=FollowsNoRule),
        Setting(
            3, (ZERO, ONE, TWO), (ALL_THREE,), writers=frozenset(), elector=VotesAgainstItself, ballots=FollowsNoRule
        ),
        # At three seats a liar can do it, and the protocol says so.
        Setting(3, (ONE, TWO), (ALL_THREE,), liar=0, writers=TWO),
    ],
    ids=[
        "one refusal undoes ready",
        "no ready step",
        "nothing kept aside",
        "cut not held",
        "no promise",
        "three seats",
    ],
)
def test_the_search_finds_what_a_missing_rule_breaks(mutant):
    found = search(mutant)
    assert found.why is not None
    assert found.steps


def test_hearing_more_never_forbids():
    """What may be said by one who has not heard all may be said by one who has: so who hears late merely acts late."""
    compared = 0

    def visit(world: World) -> None:
        nonlocal compared
        for me in world.peers:
            before = {step for step in world.steps() if step[:2] in (("say", me), ("settle", me))}
            heard = world
            while hears := [step for step in heard.steps() if step[:2] == ("hear", me)]:
                heard = heard.after(hears[0])
            assert before <= set(heard.steps())
            compared += heard is not world

    search(Setting(3, (TWO,), (TWO,), late=True), visit=visit)
    assert compared
