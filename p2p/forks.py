"""Forks: who has signed two histories, and how a round of which there are two is dealt anew (PROTOCOL.md, "Forks").

Theory of operation. After a fork nobody knows which of the two branches another has built on, so nothing of the round
can be saved: it is void for all. What all who stay have in common is the last *boundary*, a slot for which each of them
has signed an entry with the same digest. They agree on it by a vote for a void; when that is in force everybody goes
back there, the seats that are not among its electors are out, and what the others wrote before they said *ready* is
passed over, taken or not. So whichever branch a peer has seen, all have one history from there on.

    proof -> nothing more is signed in this round -> vote for a void from the last boundary -> in force -> a new deal

With one seat left beside forkers there is nobody to agree with: it wins by the proof alone. In slot `end` the round is
over and stands: it closes without the forkers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nodealer import engine
from nodealer.crypto.hashing import digest
from nodealer.engine import Kind, NeedActions

from .ballots import Said
from .events import GameEvent, PeerEvent
from .feed import ForkProof
from .leaving import Departure
from .proposal import Base, Mode, Proposal
from .slots import Slot, SlotKind

if TYPE_CHECKING:
    from .match import Match

EQUIVOCATED = "signed two entries that contradict each other"
# Checks that an honest entry fails at a table where another's fork has made two histories.
OTHER_HISTORY = frozenset({"slot", "digest", "heard"})
# Slots that are owed by all and hold no key: whoever holds a proof still answers them, so that the round stands.
BOUNDARIES = frozenset({SlotKind.ROUND_END, SlotKind.END})
COIN_SLOT = 1
# The tries at an epoch are numbered from this many for each void before: more than there can be departures, so that no
# number serves twice, on whatever branch.
ATTEMPTS = 16


@dataclass(frozen=True, slots=True)
class Boundary:
    """A slot from which one may deal anew, and the game as it was when that slot opened.

    ``agreed``: all who were in have signed for it; else only those whose entry waits in the open slot. ``voids``: how
    many rounds were void for a fork before it.
    """

    base: Base
    state: engine.State
    agreed: bool = False
    voids: int = 0


@dataclass(frozen=True, slots=True)
class LastVoid:
    """The void in force since the last boundary that is agreed: one from the same boundary, with fewer electors, takes
    its place. ``out``: whom it has put out; ``voted``: whether it was agreed on, which everybody can see.
    """

    boundary: Boundary
    electors: int
    out: frozenset[int]
    voted: bool


class Forks:
    """The proofs of equivocation of one match, its boundaries, and the voids."""

    def __init__(self, match: Match) -> None:
        self._match = match
        # The first proof against each writer.
        self.proofs: dict[int, ForkProof] = {}
        # Since the last void, in their order.
        self.boundaries: list[Boundary] = []
        # How many rounds were void for a fork; and the writers whom these have put out.
        self.voids = 0
        self.removed: frozenset[int] = frozenset()
        self.last: LastVoid | None = None

    # -- who forked --------------------------------------------------------------------------------------------------

    @property
    def forkers(self) -> frozenset[int]:
        """Those of whom there is a proof and who were in at the last boundary: for them the round may be two.

        Whoever a vote has dropped is none of them: all who stay hold the same entries up to its cut.
        """
        if not self.proofs or not self.boundaries:
            return frozenset()
        match = self._match
        inside = {match.order[seat] for seat in self._present()[0].state.seats_in}
        return frozenset((inside & self.proofs.keys()) - match.ballots.dropped.keys())

    @property
    def active(self) -> bool:
        """Whether nothing may be signed any more in this round."""
        return bool(self.proofs) and not self._match.over and bool(self.forkers)

    @property
    def frozen(self) -> bool:
        """Whether no slot closes: for a peer while a vote of its own stands, so that the view stays what it voted in;
        for who only looks on, until it is decided. `end` closes without the forkers.
        """
        if not self.active:
            return False
        match = self._match
        if match.me is None and self.behind:
            return False
        if match.slot.kind is SlotKind.END:
            voters = [match.order[seat] for seat in match.slot.owed]
            return any(self.voting(writer) for writer in voters if writer not in self.forkers)
        return match.me is None or bool(match.ballots.standing(match.me))

    def voting(self, writer: int) -> bool:
        """Whether a vote of this writer's for a void of this very round stands."""
        ballots, bases = self._match.ballots, [boundary.base for boundary in self._present()]
        return any(
            proposal.mode is Mode.VOID and proposal.base in bases
            for name, proposal in ballots.proposals.items()
            if Said.VOTE in (said := ballots.about(writer, name)) and Said.WITHDRAW not in said
        )

    # -- boundaries --------------------------------------------------------------------------------------------------

    def coin_fallen(self, slot: Slot) -> None:
        """The first boundary: nothing but what was committed to came into it."""
        self.boundaries = [Boundary(Base(slot.number, slot.digest), self._match.playing(), agreed=True)]

    def slot_opened(self) -> None:
        match = self._match
        if match.slot.kind in BOUNDARIES:
            here = Base(match.slot.number, match.slot.digest)
            self.boundaries.append(Boundary(here, match.playing(), voids=self.voids))

    def slot_closed(self, slot: Slot) -> None:
        """All who are in have signed for this slot with its digest."""
        match = self._match
        if slot.kind in BOUNDARIES:
            here = Base(slot.number, slot.digest)
            self.boundaries = [replace(b, agreed=True) if b.base == here else b for b in self.boundaries]
            self.last = None
            match.ballots.new_view(match.order[seat] for seat in match.view)

    def _present(self) -> list[Boundary]:
        """From the last boundary on that all have signed for; only who lacks some of it can speak of an earlier one."""
        agreed = [number for number, boundary in enumerate(self.boundaries) if boundary.agreed]
        return self.boundaries[max(agreed, default=0) :]

    def bases(self) -> tuple[tuple[Base, frozenset[int]], ...]:
        """The boundaries, oldest first, with the writers whose entry for it is held."""
        match = self._match
        everybody = frozenset(range(len(match.feeds)))
        return tuple((b.base, everybody if b.agreed else self._signers(b.base)) for b in self._present())

    def _signers(self, base: Base) -> frozenset[int]:
        waiting = [(writer, self._match.feeds[writer].waiting()) for writer in self._match.order]
        return frozenset(
            writer
            for writer, entry in waiting
            if entry is not None and (entry.header.slot, entry.header.digest) == (base.slot, base.digest)
        )

    def boundary(self, proposal: Proposal) -> Boundary | None:
        """Where this void goes back to; None if it is not known here (any more)."""
        last = self.last
        if last is not None and last.boundary.base == proposal.base and len(proposal.electors) < last.electors:
            return last.boundary
        return next((boundary for boundary in self.boundaries if boundary.base == proposal.base), None)

    # -- the view ----------------------------------------------------------------------------------------------------

    def join_view(self) -> None:
        """See the view as everybody must see it who holds the same proofs, on whatever branch.

        A forker is in it until the void puts it out, also where a slot has taken its going already; who has left is
        not, although no slot will take that. It stays while a vote of one's own stands.
        """
        match = self._match
        if match.me is not None and self.active and not match.ballots.standing(match.me):
            match.ballots.set_view(self._view())

    def _view(self) -> frozenset[int]:
        closed = {feed.writer for feed in self._match.feeds if feed.closed}
        return (frozenset(self._match.ballots.view) | self.forkers) - (closed - self.forkers)

    def alone(self) -> int | None:
        """The writer who is left beside forkers and has no vote that stands: it wins by the proofs."""
        if not self.active:
            return None
        match, honest = self._match, self._view() - self.forkers
        if len(honest) != 1 or match.slot.kind is SlotKind.END:
            return None
        (writer,) = honest
        if match.me not in (None, writer) or self.voting(writer):
            return None
        return writer

    def note_ready(self, writer: int, number: int) -> None:
        """A void passes over the tapes up to here: what a slot takes until then may be taken again."""
        ballots = self._match.ballots
        names = [name for (who, name), at in ballots.ready_at.items() if (who, at) == (writer, number)]
        if any(ballots.proposals[name].mode is Mode.VOID for name in names):
            self._match.feeds[writer].keep(number + 1)

    # -- the void ----------------------------------------------------------------------------------------------------

    def in_force(self) -> Proposal | None:
        """For who only looks on: a void that all its electors are ready for, whatever view one sees oneself.

        It needs a proof against one of its leavers, and a boundary that is known or still to come.
        """
        ballots = self._match.ballots
        found = [
            (boundary is None, len(proposal.electors), name, proposal)
            for name, proposal in ballots.proposals.items()
            if proposal.mode is Mode.VOID
            and proposal not in ballots.settled
            and ballots.all_have_said(name, Said.READY)
            and ((boundary := self.boundary(proposal)) is not None or self._ahead(proposal))
            and self._justified(proposal, boundary)
        ]
        return min(found, key=lambda one: one[:3])[3] if found else None

    def _ahead(self, proposal: Proposal) -> bool:
        return proposal.base is not None and proposal.base.slot > self._match.slot.number

    def _justified(self, proposal: Proposal, boundary: Boundary | None) -> bool:
        """Whether one of its leavers has forked and was in at its boundary."""
        match = self._match
        inside = (boundary or self._present()[0]).state.seats_in
        forked = self.proofs.keys() - match.ballots.dropped.keys()
        return any(leaver in forked and match.seat_of(leaver) in inside for leaver in proposal.leavers)

    @property
    def behind(self) -> bool:
        """For who only looks on: a void is in force from a boundary that one has yet to come to."""
        proposal = self.in_force()
        return proposal is not None and self.boundary(proposal) is None

    def effect(self, boundary: Boundary, electors: tuple[int, ...], name: bytes) -> list[PeerEvent]:
        """Go back to a boundary and deal anew by these writers. ``name``: of the proposal, empty without one."""
        match = self._match
        stay = {match.order.index(writer) for writer in electors}
        forkers = self.forkers
        gone = [seat for seat in boundary.state.seats_in if seat not in stay]
        out = frozenset(match.order[seat] for seat in gone)
        self.voids = boundary.voids + 1
        self.removed = (self.removed | out) - frozenset(electors)
        self.last = LastVoid(boundary, len(electors), out, bool(name))
        known = match.leaving.out
        told: list[PeerEvent] = []
        departures: dict[int, Departure] = {seat: kept for seat, kept in known.items() if seat not in stay}
        for seat in gone:
            if seat not in departures:
                departures[seat] = self._departure(seat, forkers)
                told.append(match.tell_out(departures[seat]))
        match.leaving.begin_anew(departures)
        for writer in electors:
            match.feeds[writer].go_to(self._ready_at(writer, name))
        for feed in match.feeds:
            feed.keep(None)
        state = boundary.state
        for change in _changes(state, [engine.Seat(seat) for seat in gone]):
            state, happened = engine.apply(state, change)
            told += [GameEvent(event) for event in happened]
        match.resume(boundary.base, name, state, tuple(sorted(stay)))
        self.boundaries = []
        if not match.complete:
            here = Base(match.slot.number, match.slot.digest)
            self.boundaries = [Boundary(here, state, agreed=True, voids=self.voids)]
            told.append(match.opened())
        return told

    def _departure(self, seat: int, forkers: frozenset[int]) -> Departure:
        writer = self._match.order[seat]
        if writer in forkers:
            return self.departure(seat)
        return Departure(seat, writer, "left" if self._match.feeds[writer].closed else "dropped")

    def departure(self, seat: int) -> Departure:
        """A forker goes."""
        writer = self._match.order[seat]
        number = self.proofs[writer].second.header.number
        return Departure(seat, writer, "cheat", number, "equivocation", EQUIVOCATED)

    def _ready_at(self, writer: int, name: bytes) -> int:
        """How many entries of this elector belong to what is void: up to its *ready*; all that is here without one."""
        number = self._match.ballots.ready_at.get((writer, name))
        return self._match.feeds[writer].head[0] if number is None else number + 1


def _changes(state: engine.State, gone: list[engine.Seat]) -> list[engine.Input]:
    """What the engine is told from a boundary on: the round stands that is over, and the next one is void."""
    pending = state.pending
    if isinstance(pending, NeedActions) and pending.kind is Kind.END:
        return [engine.SeatLeft(seat) for seat in gone]
    agreed: list[engine.Input] = []
    if isinstance(pending, NeedActions):
        agreed = [engine.SeatAction(seat, engine.Agree()) for seat in pending.seats]
    return [*agreed, engine.RoundVoided(tuple(gone))]


def void_digest(base: Base, name: bytes, state_digest: bytes) -> bytes:
    """d of the first slot after a void."""
    return digest("void", base.digest, name, state_digest)


def concerns_start(proof: ForkProof) -> bool:
    """Whether this fork is about slots before the coin has fallen: there is nobody yet who could deal anew."""
    return min(proof.first.header.slot, proof.second.header.slot) <= COIN_SLOT
