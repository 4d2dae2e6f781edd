"""One peer's part in a vote: what it says about the proposals that it knows, and what it may not do meanwhile.

Theory of operation (PROTOCOL.md, "Voting"; each rule is one method and has a test of its name). A vote is a promise:
while it stands, what a leaver has signed beyond the cut is kept aside, so nothing that this peer signs can follow from
it, and the open slot, which waits for a leaver, stays open. So a view never changes under a standing vote but by what
comes into force. Ready says that the promise is not taken back for one refusal; when all electors have said so the
drop is in force, and only then may pieces of keys be published.

The elector holds no clock, no line and no signature: `next` is given what this peer sees now (`Sight`) and the time,
and returns the statement to sign now, which its caller puts on the peer's own tape before it asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .ballots import Ballots, Said
from .entry import SignedHeader
from .proposal import (
    MAX_BALLOTS,
    Base,
    Cut,
    Mode,
    Proposal,
    Reason,
    Refusal,
    admissible,
    electors_needed,
    encode_name,
)

# The wait before the next ballot is random, below a bound that doubles from the first to the last of these.
FIRST_WAIT = 2.0
LAST_WAIT = 60.0
# A proposal with a cut beyond what we hold: so long its voters have to show us the entries.
FETCH_LIMIT = 10.0

Statement = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a peer sees at the moment that it is asked.

    ``last``: of each writer the last slot entry held, what is kept aside left out. ``owed``: whom the open slot still
    waits for. ``overdue``: for whom this peer's own limits have passed. ``forkers``: against whom it holds a proof.
    ``bases``: the round boundaries, oldest first, with the writers whose entry with that digest is held.
    """

    last: Mapping[int, SignedHeader | None]
    owed: frozenset[int] = frozenset()
    overdue: frozenset[int] = frozenset()
    forkers: frozenset[int] = frozenset()
    bases: tuple[tuple[Base, frozenset[int]], ...] = ()

    def cut(self, writer: int) -> Cut:
        return Cut.at(writer, self.last.get(writer))


@dataclass(frozen=True, slots=True)
class Stalled:
    """Nobody can be dropped: ``missing`` are silent and ``needed`` electors would have to agree (None: no vote)."""

    missing: frozenset[int]
    needed: int | None


class Elector:
    """The elector ``me``. ``uniform`` gives a random number between 0 and its argument."""

    def __init__(self, me: int, ballots: Ballots, uniform: Callable[[float], float]) -> None:
        self.me = me
        self.ballots = ballots
        self._uniform = uniform
        # When each proposal of the present view was first seen; who was then asked and has not answered is silent too.
        self._since: dict[bytes, float] = {}
        self._failed: set[bytes] = set()
        self._view = ballots.view
        self._not_before = 0.0

    # -- the rules -----------------------------------------------------------------------------------------------------
    # Each asks only whether others have said something, never that they have not: who hears late merely acts late.

    def may_vote(self, proposal: Proposal, sight: Sight) -> bool:
        """T4.1: no answer yet, one's own limits passed for all leavers, exactly these cuts held, nothing in force in
        this view, and every own standing vote below this one. For a void: a proof in hand, and the latest boundary.
        """
        ballots = self.ballots
        if proposal.view != ballots.view or self.me not in proposal.electors:
            return False
        if not admissible(len(proposal.view), len(proposal.electors)):
            return False
        if ballots.about(self.me, proposal.name(ballots.table)):
            return False
        if any(not standing.below(proposal) for standing in ballots.standing(self.me)):
            return False
        leavers = proposal.leavers
        if not leavers <= sight.overdue | sight.forkers:
            return False
        if proposal.mode is Mode.VOID:
            return bool(leavers & sight.forkers) and proposal.base == self._base(proposal, sight)
        # Somebody whom the open slot waits for is among them: so that slot, and with it the view, stays while we vote.
        return bool(leavers & sight.owed) and all(sight.cut(cut.writer) == cut for cut in proposal.cuts)

    def refusal(self, name: bytes, sight: Sight) -> Refusal | None:
        """T4.2: the refusal that this proposal gets from us, if it does: we have not answered it and hold an entry
        beyond a cut (or a later boundary), or our own standing vote does not fit with it, or its view is decided.
        """
        ballots, proposal = self.ballots, self.ballots.proposals[name]
        if self.me not in proposal.electors or ballots.about(self.me, name):
            return None
        for forced in ballots.settled:
            if forced.view == proposal.view:
                return Refusal(name, Reason.IN_FORCE, other=forced.name(ballots.table))
        if set(ballots.view) < set(proposal.view):
            return Refusal(name, Reason.VIEW)
        if proposal.view != ballots.view:
            # Of a view that we have not come to: first the slot that takes somebody's going.
            return None
        for cut in proposal.cuts if proposal.mode is Mode.DROP else ():
            mine, last = sight.cut(cut.writer), sight.last.get(cut.writer)
            if last is not None and mine != cut and mine.count >= cut.count:
                return Refusal(name, Reason.BEYOND, header=last)
        base = self._base(proposal, sight)
        if proposal.base is not None and base is not None and base.slot > proposal.base.slot:
            return Refusal(name, Reason.BASE, base=base)
        for standing in ballots.standing(self.me):
            if not standing.below(proposal) and not proposal.below(standing):
                return Refusal(name, Reason.STANDING, other=standing.name(ballots.table))
        return None

    def may_withdraw(self, name: bytes) -> bool:
        """T4.4: an own standing vote is taken back for the refusal or withdrawal of one other elector; once ready,
        of two others. Never once something is in force: that ends the view.
        """
        ballots, said = self.ballots, self.ballots.about(self.me, name)
        if Said.VOTE not in said or Said.WITHDRAW in said or ballots.proposals[name].view != ballots.view:
            return False
        needed = 2 if Said.READY in said else 1
        return ballots.against(name, self.me) >= needed

    def may_be_ready(self, name: bytes, sight: Sight) -> bool:
        """T4.5: an own standing vote and no larger one, the votes of all electors, and nothing beyond a cut held."""
        ballots, proposal = self.ballots, self.ballots.proposals[name]
        if ballots.about(self.me, name) != Said.VOTE or proposal.view != ballots.view:
            return False
        if not ballots.all_have_said(name, Said.VOTE):
            return False
        if any(proposal.below(larger) for larger in ballots.standing(self.me)):
            return False
        return proposal.mode is Mode.VOID or all(sight.cut(cut.writer) == cut for cut in proposal.cuts)

    def keeps_aside(self, writer: int, number: int) -> bool:
        """T4.3: whether this slot entry lies beyond the cut of an own standing vote, or of what is in force."""
        dropped = self.ballots.dropped.get(writer)
        if dropped is not None and number >= dropped.count:
            return True
        return any(
            cut.writer == writer and number >= cut.count
            for standing in self.ballots.standing(self.me)
            if standing.mode is Mode.DROP
            for cut in standing.cuts
        )

    @property
    def bound(self) -> bool:
        """Whether a vote of ours stands: no `leave` may be signed, and under a void no slot entry and no key."""
        return bool(self.ballots.standing(self.me))

    def _base(self, proposal: Proposal, sight: Sight) -> Base | None:
        """The latest boundary for which all who stay have signed."""
        electors = set(proposal.electors)
        return next((base for base, signers in reversed(sight.bases) if electors <= signers), None)

    # -- what is said now ----------------------------------------------------------------------------------------------

    def next(self, sight: Sight, now: float) -> Statement | None:
        """The statement to sign now, if one is due. The caller puts it on the own tape, then asks again.

        Nothing may be in force that is not settled (`Ballots.settle`): the rules look at the view alone.
        """
        self._note_views(now)
        names = self._largest_first()
        for name in names:
            if self.may_withdraw(name):
                self._fail(name, now)
                return "withdraw", encode_name(name)
        for name in names:
            if self.may_be_ready(name, sight):
                return "ready", encode_name(name)
        for name in self.ballots.proposals:
            refusal = self.refusal(name, sight)
            if refusal is not None:
                self._fail(name, now)
                return "refuse", refusal.encode()
        for name in names:
            if self.may_vote(self.ballots.proposals[name], sight):
                return "vote", self.ballots.proposals[name].encode()
        proposal = self._propose(sight, now)
        return None if proposal is None else ("vote", proposal.encode())

    def _largest_first(self) -> list[bytes]:
        """The proposals of this view: voids first, then by how many go."""
        here = [(name, p) for name, p in self.ballots.proposals.items() if p.view == self.ballots.view]
        return [name for name, p in sorted(here, key=lambda item: (-item[1].mode.value, -len(item[1].cuts), item[0]))]

    def _note_views(self, now: float) -> None:
        if self._view != self.ballots.view:
            self._view = self.ballots.view
            self._since, self._failed, self._not_before = {}, set(), now
        for name, proposal in self.ballots.proposals.items():
            if proposal.view == self._view:
                self._since.setdefault(name, now)

    def _fail(self, name: bytes, now: float) -> None:
        """A proposal has failed: after a random wait, longer each time, the next ballot."""
        if self.ballots.proposals[name].view != self._view or name in self._failed:
            return
        self._failed.add(name)
        bound = min(LAST_WAIT, FIRST_WAIT * 2 ** min(len(self._failed) - 1, 5))
        self._not_before = max(self._not_before, now + self._uniform(bound))

    def _propose(self, sight: Sight, now: float) -> Proposal | None:
        """T4.8: all who are silent, newly proposed; after a failed one with the next ballot, once the wait is over."""
        ballots = self.ballots
        leavers = (sight.overdue | sight.forkers) & set(ballots.view) - {self.me}
        if not leavers or now < self._not_before:
            return None
        mode = Mode.VOID if leavers & sight.forkers else Mode.DROP
        here = {name: p for name, p in ballots.proposals.items() if p.view == ballots.view}
        same = {name for name, p in here.items() if p.leavers == leavers and p.mode is mode}
        if any(ballots.proposals[name] in ballots.standing(self.me) for name in same):
            return None
        if any(not ballots.about(self.me, name) and now - self._since[name] < FETCH_LIMIT for name in same):
            # Somebody else has asked the same with another cut: first what it holds and we do not.
            return None
        answered = [p.ballot for name, p in here.items() if name in self._failed or ballots.against(name, self.me)]
        ballot = 1 + max(answered, default=-1)
        if ballot >= MAX_BALLOTS:
            return None
        if mode is Mode.VOID:
            cuts = tuple(Cut.at(writer, None) for writer in sorted(leavers))
        else:
            cuts = tuple(sight.cut(writer) for writer in sorted(leavers))
        proposal = Proposal(ballots.view, ballot, mode, cuts)
        if mode is Mode.VOID:
            proposal = Proposal(ballots.view, ballot, mode, cuts, self._base(proposal, sight))
            if proposal.base is None:
                return None
        return proposal if self.may_vote(proposal, sight) else None

    def next_deadline(self) -> float:
        """When the wait for the next ballot is over (perhaps past)."""
        return self._not_before

    # -- who does not take part ----------------------------------------------------------------------------------------

    def unanswered(self, limit: float, now: float) -> frozenset[int]:
        """Electors that owe an answer, or ready, to what we voted for, for longer than ``limit``: silent too."""
        silent: set[int] = set()
        standing = self.ballots.standing(self.me)
        # A void takes the place of votes for a drop: who wants it does not answer these any more.
        standing = [proposal for proposal in standing if proposal.mode is Mode.VOID] or standing
        for name, since in self._since.items():
            proposal = self.ballots.proposals[name]
            if now - since < limit or proposal not in standing:
                continue
            voted = self.ballots.all_have_said(name, Said.VOTE)
            for writer in proposal.electors:
                said = self.ballots.about(writer, name)
                if writer != self.me and (not said or (voted and said == Said.VOTE)):
                    silent.add(writer)
        return frozenset(silent)

    def stalled(self, sight: Sight) -> Stalled | None:
        """T4.9: who is silent, if too few are left to go on without them."""
        view = self.ballots.view
        missing = (sight.overdue | sight.forkers) & set(view)
        if not missing or admissible(len(view), len(view) - len(missing)):
            return None
        return Stalled(missing, electors_needed(len(view)))
