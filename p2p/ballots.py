"""What all electors have said, read off the tapes: public bookkeeping of votes, one for every machine of a table.

On one tape each proposal goes its way, and what is not in this table is a fault of the tape's writer:

    nothing said -> vote -> ready -> withdraw
                    vote -> withdraw
    nothing said -> refuse

Votes are promises: a vote must be above every vote of its writer that still stands, and ready needs that no larger
one of its own stands. All of this can be seen on one tape alone, so everybody finds the same faults. What a tape says
after its first fault is not counted. Nothing here knows what a peer holds or wants; that is `elector.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Flag, auto

from .entry import Entry
from .errors import WireError
from .proposal import MAX_BALLOTS, Cut, Mode, Proposal, Refusal, decode_name

# Of one writer: ten writers' ballots of every view there can be.
MAX_REFUSALS = 10 * 10 * MAX_BALLOTS


class Said(Flag):
    """What one elector has said about one proposal."""

    NOTHING = 0
    VOTE = auto()
    READY = auto()
    WITHDRAW = auto()
    REFUSE = auto()


NO = Said.REFUSE | Said.WITHDRAW


@dataclass(frozen=True, slots=True)
class Fault:
    """A statement that no honest program makes after the ones before it on its tape."""

    writer: int
    number: int
    detail: str


class Ballots:
    """The votes of one table as far as its tapes are here. ``view``: the writers still in, ascending."""

    def __init__(self, table: bytes, view: Iterable[int]) -> None:
        self.table = table
        self.view = self._first_view = tuple(sorted(view))
        # Every proposal that somebody has voted for, by name.
        self.proposals: dict[bytes, Proposal] = {}
        self.said: dict[tuple[int, bytes], Said] = {}
        self.refusals: dict[tuple[int, bytes], Refusal] = {}
        # By writer and proposal: the number of the entry that says *ready*.
        self.ready_at: dict[tuple[int, bytes], int] = {}
        # The first fault of each tape, and the tapes that a `leave` has ended.
        self.faults: dict[int, Fault] = {}
        self.ended: frozenset[int] = frozenset()
        # What came into force, in the order of the views that it ended, and how far each dropped feed counts.
        self.settled: list[Proposal] = []
        self.dropped: dict[int, Cut] = {}
        self._voted: dict[tuple[int, tuple[int, ...]], int] = {}
        self._voter_view: dict[int, tuple[int, ...]] = {}
        self._refused: dict[int, int] = {}
        self._settled_names: frozenset[bytes] = frozenset()

    def clone(self) -> Ballots:
        """An independent copy."""
        twin = type(self)(self.table, self._first_view)
        twin.view, twin._settled_names = self.view, self._settled_names
        for name in ("proposals", "said", "refusals", "ready_at", "faults", "dropped"):
            setattr(twin, name, dict(getattr(self, name)))
        for name in ("_voted", "_voter_view", "_refused"):
            setattr(twin, name, dict(getattr(self, name)))
        twin.settled, twin.ended = list(self.settled), self.ended
        return twin

    # -- the tapes -----------------------------------------------------------------------------------------------------

    def take(self, writer: int, entry: Entry) -> None:
        """Note a control entry that goes on its writer's tape, in the tape's order; other kinds are passed over."""
        if writer in self.faults or writer in self.ended:
            return
        try:
            match entry.header.kind:
                case "vote":
                    self._take_vote(writer, Proposal.decode(entry.body))
                case "ready":
                    self._take_ready(writer, decode_name(entry.body), entry.header.number)
                case "withdraw":
                    self._take_withdraw(writer, decode_name(entry.body))
                case "refuse":
                    self._take_refusal(writer, Refusal.decode(entry.body))
                case _:
                    pass
        except WireError as error:
            self.faults[writer] = Fault(writer, entry.header.number, str(error))

    def _take_vote(self, writer: int, proposal: Proposal) -> None:
        name = proposal.name(self.table)
        if writer not in proposal.electors:
            raise WireError("a vote by one who is no elector of it")
        before = self._voter_view.get(writer, self._first_view) if proposal.mode is Mode.DROP else self._first_view
        if not set(proposal.view) <= set(before):
            # A void brings the forker back into view, where a slot has seen it go on one branch.
            raise WireError("a vote in a view that its writer had left behind, or that never was")
        if self.about(writer, name):
            raise WireError("two answers to one proposal")
        if any(not standing.below(proposal) for standing in self.standing(writer, proposal.view)):
            raise WireError("a vote against a vote of one's own that stands")
        place = writer, proposal.view
        votes = self._voted.get(place, 0) + 1
        if votes > MAX_BALLOTS:
            raise WireError("more votes than a view has ballots")
        self._voted[place] = votes
        self._voter_view[writer] = proposal.view
        self.proposals[name] = proposal
        self.said[writer, name] = Said.VOTE

    def _take_ready(self, writer: int, name: bytes, number: int) -> None:
        proposal = self.proposals.get(name)
        if proposal is None or self.about(writer, name) != Said.VOTE:
            raise WireError("ready for what its writer has no standing vote for, or twice")
        if any(proposal.below(larger) for larger in self.standing(writer, proposal.view)):
            raise WireError("ready for less than a vote of one's own that stands")
        self.said[writer, name] |= Said.READY
        self.ready_at[writer, name] = number

    def _take_withdraw(self, writer: int, name: bytes) -> None:
        said = self.about(writer, name)
        if Said.VOTE not in said or Said.WITHDRAW in said:
            raise WireError("a withdrawal of no standing vote")
        self.said[writer, name] = said | Said.WITHDRAW

    def _take_refusal(self, writer: int, refusal: Refusal) -> None:
        if self.about(writer, refusal.name):
            raise WireError("two answers to one proposal")
        refused = self._refused.get(writer, 0) + 1
        if refused > MAX_REFUSALS:
            raise WireError("more refusals than there can be proposals")
        self._refused[writer] = refused
        self.said[writer, refusal.name] = Said.REFUSE
        self.refusals[writer, refusal.name] = refusal

    # -- what was said -------------------------------------------------------------------------------------------------

    def about(self, writer: int, name: bytes) -> Said:
        """What this writer has said about this proposal; who has left refuses whatever it had not answered."""
        said = self.said.get((writer, name), Said.NOTHING)
        return Said.REFUSE if not said and writer in self.ended else said

    def standing(self, writer: int, view: tuple[int, ...] | None = None) -> list[Proposal]:
        """What this writer's votes stand for in a view (the present one), as far as its tape is here."""
        view = self.view if view is None else view
        return [
            proposal
            for name, proposal in self.proposals.items()
            if proposal.view == view and Said.VOTE in (said := self.about(writer, name)) and Said.WITHDRAW not in said
        ]

    def all_have_said(self, name: bytes, what: Said) -> bool:
        """Whether every elector of this proposal, which somebody has voted for, has said this about it."""
        return all(what in self.about(writer, name) for writer in self.proposals[name].electors)

    def against(self, name: bytes, me: int) -> int:
        """How many electors other than ``me`` have refused this proposal or withdrawn from it."""
        electors = self.proposals[name].electors
        return sum(1 for writer in electors if writer != me and self.about(writer, name) & NO)

    def in_force(self, me: int | None = None) -> Proposal | None:
        """What is in force and has not been settled: all its electors are ready for it, the largest of several.

        For an elector, ``me``, it must be of the present view, its own vote for it must stand, and no larger one of its
        own. Others see less of when an elector turned from one to another, so they ask only that no elector of it has
        gone and that it says of nobody in the present view that it is out: a larger one of a view may follow on a
        smaller one, which was in force only at those whom the larger one drops; and an elector may have voted before it
        saw somebody go whom others had seen go already.
        """
        found = [
            (proposal.mode is Mode.VOID, len(proposal.cuts), name)
            for name, proposal in self.proposals.items()
            if name not in self._settled_names and self._all_ready(name)
        ]
        if me is not None and found:
            mine = self.standing(me)
            found = [
                (void, count, name)
                for void, count, name in found
                if (proposal := self.proposals[name]) in mine and not any(proposal.below(larger) for larger in mine)
            ]
        return self.proposals[max(found)[2]] if found else None

    def _all_ready(self, name: bytes) -> bool:
        """Whether all electors are ready, none of them has gone, and the proposal forgets nobody who is still in."""
        proposal = self.proposals[name]
        fits = set(proposal.electors) <= set(self.view) <= set(proposal.view)
        return fits and self.all_have_said(name, Said.READY)

    def end(self, writer: int) -> None:
        """This writer's tape ends with a `leave`: it will answer nothing any more."""
        self.ended |= {writer}

    def dropped_by_others(self, me: int) -> bool:
        """Whether something is in force for its electors that drops ``me``."""
        return any(me in proposal.leavers and self._all_ready(name) for name, proposal in self.proposals.items())

    # -- views ---------------------------------------------------------------------------------------------------------

    def new_view(self, view: Iterable[int]) -> None:
        """A slot has taken somebody's going: only these writers are left (of those who still were)."""
        left = set(view)
        self.view = tuple(writer for writer in self.view if writer in left)

    def set_view(self, view: Iterable[int]) -> None:
        """These writers are left; a forker may be among them whom a slot has seen go on one branch."""
        self.view = tuple(sorted(view))

    def settle(self, me: int | None = None) -> Proposal | None:
        """Take what is in force into effect, if something is."""
        proposal = self.in_force(me)
        if proposal is not None:
            self.effect(proposal)
        return proposal

    def effect(self, proposal: Proposal) -> None:
        """This is in force: its electors are the next view. Only now may pieces of the leavers' keys be published."""
        self.settled.append(proposal)
        self._settled_names |= {proposal.name(self.table)}
        if proposal.mode is Mode.DROP:
            for cut in proposal.cuts:
                self.dropped.setdefault(cut.writer, cut)
        self.view = proposal.electors
