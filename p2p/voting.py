"""A sitting's part in votes: what it sees, what it keeps aside, who has gone on without it, and what people are told.

The rules are in `elector.py`; here they meet the public machine. An entry that lies beyond the cut of a standing vote
does not go on its writer's tape: it waits here and is offered again when the vote is withdrawn (table.md T4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nodealer import engine

from .elector import Elector, Sight, Statement
from .entry import Entry, SignedHeader
from .events import Notice
from .feed import CONTROL_KINDS, MAX_WAITING, Feed
from .forks import BOUNDARIES, EQUIVOCATED
from .limits import AUTOMATIC_LIMIT, Patience, slot_limit
from .match import Match
from .proposal import Mode, Proposal


class Voting:
    """The votes of the player ``me`` in one match. ``uniform`` gives a random number up to its argument."""

    def __init__(self, match: Match, me: int, uniform: Callable[[float], float]) -> None:
        self._match = match
        self._me = me
        self._elector = Elector(me, match.ballots, uniform)
        self._overdue: frozenset[int] = frozenset()
        self._forked = False
        self._slot_since = 0.0
        self._aside: dict[int, list[Entry]] = {}
        self._told: set[bytes] = set()

    @property
    def bound(self) -> bool:
        """Whether a vote of ours stands; no `leave` may be signed then."""
        return self._elector.bound

    # -- kept aside --------------------------------------------------------------------------------------------------

    def _keeps_aside(self, writer: int, number: int) -> bool:
        # With a proof of a fork in hand nothing is signed anyway, and no slot closes under a vote; but whom one had
        # wanted to drop must be heard about the void.
        if self._match.forks.active and writer not in self._match.ballots.dropped:
            return False
        return self._elector.keeps_aside(writer, number)

    def keeps(self, entry: Entry) -> bool:
        """Whether this entry must wait (and does now) or comes too late for ever; raises ``WireError``."""
        writer, number = entry.header.writer, entry.header.number
        aside = self._aside.get(writer, [])
        if not aside and entry.header.kind in CONTROL_KINDS:
            return False
        if not self._keeps_aside(writer, number):
            return False
        self._match.check(entry)
        held = self._match.feeds[writer].head[0] + len(aside)
        if number == held and len(aside) < MAX_WAITING and writer not in self._match.ballots.dropped:
            self._aside.setdefault(writer, []).append(entry)
        return number >= self._match.feeds[writer].head[0]

    def released(self) -> list[Entry]:
        """What was kept aside and need not be any more, in the order of its feeds."""
        free: list[Entry] = []
        for writer in list(self._aside):
            if writer in self._match.ballots.dropped:
                del self._aside[writer]
            elif not self._keeps_aside(writer, self._aside[writer][0].header.number):
                free += self._aside.pop(writer)
        return free

    # -- what is said ------------------------------------------------------------------------------------------------

    def slot_opened(self, now: float) -> None:
        """Limits are per slot."""
        self._overdue = frozenset()
        self._slot_since = now

    def note_late(self, patience: Patience, disputes: Mapping[int, float], now: float) -> None:
        """See by the clocks whose limits have passed. ``disputes``: since when who speaks of another history."""
        match = self._match
        grace = float(match.roster.options.grace)
        if match.forks.active:
            # Nobody who has heard of it answers the slot: only the vote is waited for.
            silent = self._elector.unanswered(2 * AUTOMATIC_LIMIT, now)
            self._overdue = silent | (self._elector.unanswered(grace, now) & patience.unreached)
            return
        owed = self._owed()
        late = patience.overdue(match.slot, match.roster.options, owed, now)
        # Such a one owes the exchange that settles it; no person decides that.
        late |= {writer for writer in match.disputed() if now - disputes.get(writer, now) >= AUTOMATIC_LIMIT}
        if late:
            # Who has left, or does not answer a vote, is silent too, and does not hold up the others for ever.
            late |= self._left()
            limit = (slot_limit(match.slot, match.roster.options) or AUTOMATIC_LIMIT) + AUTOMATIC_LIMIT
            late |= self._elector.unanswered(limit, now)
            late |= self._elector.unanswered(grace, now) & patience.unreached
        self._overdue = late - {self._me}

    def _left(self) -> frozenset[int]:
        """Who has left, although no slot has taken that yet: they vote for nothing any more."""
        return frozenset(feed.writer for feed in self._match.feeds if feed.closed) & set(self._match.ballots.view)

    def _owed(self) -> frozenset[int]:
        match = self._match
        return frozenset({match.order[seat] for seat in match.waiting_for()} | set(match.disputed())) - {self._me}

    def next(self, now: float) -> Statement | None:
        """The next statement to sign, if one is due."""
        match = self._match
        if match.state is None or match.over or self._me not in match.ballots.view:
            return None
        forks = match.forks
        if not self._overdue and not match.ballots.proposals and not forks.active:
            return None
        if not forks.active:
            self._forked = False
            return self._elector.next(self._sight(), now)
        if not self._forked:
            # Whoever seemed silent may only have seen another history.
            self._forked, self._overdue = True, frozenset()
        return None if self._round_may_stand(now) else self._elector.next(self._sight(), now)

    def _round_may_stand(self, now: float) -> bool:
        """Whether to wait a little before a vote for a void: all may be about to sign what the round has come to."""
        match = self._match
        if match.slot.kind not in BOUNDARIES or self.bound or match.disputed():
            return False
        waiting = {match.order[seat] for seat in match.waiting_for()} - match.forks.forkers
        return bool(waiting) and now - self._slot_since < AUTOMATIC_LIMIT

    def _sight(self) -> Sight:
        forks = self._match.forks
        last = {feed.writer: last_slot_entry(feed) for feed in self._match.feeds}
        if not forks.active:
            return Sight(last, self._owed(), self._overdue)
        return Sight(last, self._owed(), self._overdue, forks.forkers, forks.bases())

    # -- what people are told ----------------------------------------------------------------------------------------

    def news(self) -> list[Notice]:
        """Votes that have begun since the last call."""
        found = []
        for name, proposal in self._match.ballots.proposals.items():
            if name not in self._told:
                self._told.add(name)
                found.append(Notice(self._sentence(proposal)))
        return found

    def _sentence(self, proposal: Proposal) -> str:
        whom = self._names(proposal.leavers)
        what = "deal anew without" if proposal.mode is Mode.VOID else "go on without"
        return f"A vote is under way to {what} {whom}: all {len(proposal.electors)} others must agree."

    def _names(self, writers: frozenset[int]) -> str:
        match = self._match
        names = [match.players()[seat].name for seat in sorted(match.seat_of(writer) for writer in writers)]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def gone_on_without_me(self) -> bool:
        """Whether all the others have dropped this player."""
        return self._match.ballots.dropped_by_others(self._me)

    # -- stalled -----------------------------------------------------------------------------------------------------

    def missing(self, patience: Patience) -> frozenset[int]:
        """Who is missing or silent, if the table stands still for that and too few are left to vote (T4.9)."""
        match = self._match
        absent = (self._overdue | patience.unreached | self._left()) & set(match.ballots.view)
        if match.state is None or not (match.forks.active or self._owed() & absent):
            return frozenset()
        sight = Sight({}, overdue=absent, forkers=match.forks.forkers if match.forks.active else frozenset())
        stalled = self._elector.stalled(sight)
        return frozenset() if stalled is None else stalled.missing

    def stalled_sentence(self, missing: frozenset[int]) -> str:
        """Who is missing and how many are needed."""
        view, forkers = self._match.ballots.view, missing & self._match.forks.forkers
        stalled = self._elector.stalled(Sight({}, overdue=missing))
        gone = missing - forkers
        verb = "is" if len(gone) == 1 else "are"
        said = [f"{self._names(forkers)} {EQUIVOCATED}"] if forkers else []
        who = ", and ".join([*said, f"{self._names(gone)} {verb} missing"] if gone else said)
        if stalled is None or stalled.needed is None:
            return f"{who}."
        return f"{who}, and {stalled.needed} of {len(view)} are needed to go on without somebody."

    def interrupted_sentence(self, missing: frozenset[int], patience: Patience) -> str:
        """How a match ends that nobody can go on with."""
        match = self._match
        if len(match.ballots.view) == 2:
            winner = match.players()[match.seat_of(self._me)].name
            how = "gone" if missing <= patience.unreached else f"silent, no {match.slot.kind.value!r} has come from it"
            return f"{self._names(missing)} is {how}: {winner} wins by default, unconfirmed."
        scores = (
            "no round was finished" if not _finished(match.state) else "the scores of the last finished round stand"
        )
        return f"Interrupted, unconfirmed: {self.stalled_sentence(missing)[:-1]}; {scores}."


def _finished(state: engine.State | None) -> bool:
    return state is not None and state.round > 0


def last_slot_entry(feed: Feed) -> SignedHeader | None:
    """The last entry of this feed that a slot takes, taken or not."""
    for entry in reversed(feed.entries):
        if entry.header.kind not in CONTROL_KINDS:
            return entry.signed
    return None
