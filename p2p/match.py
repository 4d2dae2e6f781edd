"""The public state machine of a match: feeds in, history out. Players, spectators and the verifier all run this one.

It holds no secret and knows no clock. `offer` puts a signed entry on its writer's tape; `advance` closes every slot
whose owed entries are all there: takes them, judges them, applies them in seat order, opens the next. What the open
slot asks for is derived from the public state (`_asked`), never stored beside it. See `slots.py` for the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from nodealer import engine
from nodealer.crypto.deck import EpochDeck, EpochId
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.escrow import Pledge
from nodealer.crypto.group import Point
from nodealer.crypto.hand import Hand
from nodealer.crypto.hashing import digest
from nodealer.engine import Handle, NeedActions, NeedEpoch, NeedFace, NeedKeys, SeatAction

from . import bodies, claims
from .ballots import Ballots, Said
from .coin import coin_result, seating
from .entry import Entry
from .errors import RemoteProtocolError, WireError
from .escrow import EpochEscrow
from .events import (
    CardsOpened,
    DeckMade,
    GameEvent,
    PeerEvent,
    PlayerInfo,
    PlayerOut,
    SlotOpened,
    StepVerified,
    TableMade,
)
from .feed import LEAVE, Added, Contradiction, Feed, ForkFound, ForkProof
from .forks import ATTEMPTS, EQUIVOCATED, OTHER_HISTORY, Forks, concerns_start, void_digest
from .judging import Judge, check, invalid
from .leaving import Departure, Leaving
from .names import display_names
from .offer import Roster, check_host_signature, coin_opens
from .options import MIN_ESCROW_SEATS
from .proposal import STATEMENT_KINDS, Base, Cut, Mode, Proposal
from .slots import Slot, SlotKind, slot_for
from .tape import HashTape

# Before the coin a fault ends the match for all: there is nobody yet who could play on.
FORMING = frozenset({SlotKind.START, SlotKind.COIN})


@dataclass(frozen=True, slots=True)
class Blame:
    """Who ended the match by cheating: its seat's writer number, the entry, and the check that failed."""

    writer: int
    number: int
    check: str
    detail: str
    proof: ForkProof | None = None


class Match:
    """One match as everybody sees it.

    ``remembered`` holds what was verified before, by hash: signatures, and proofs together with the whole history that
    they are about (the header names the digest of everything before it). A peer marks its own entries there; machines
    in one process may share it.

    ``judge_digests``: an entry with a false digest is its writer's fault only if that writer has the same entries as
    we have. A verifier sees one history and judges at once; a peer first compares (table.md T5.3) and then calls
    `confirm`.

    ``keep_entries``: a peer keeps whole feeds, to pass them on. Without, of an entry that was taken stays its hash, and
    nothing is remembered unless ``remembered`` is given: memory does not grow with the match.
    """

    def __init__(
        self,
        roster: Roster,
        *,
        remembered: set[bytes] | None = None,
        judge_digests: bool = True,
        keep_entries: bool = True,
    ) -> None:
        self.roster = roster
        self.table = roster.table
        self.feeds = [Feed(writer, key, None if keep_entries else HashTape()) for writer, key in enumerate(roster.keys)]
        self.order: tuple[int, ...] = tuple(range(len(self.feeds)))
        self.state: engine.State | None = None
        # Of the engine's state when the open slot opened; empty before the coin.
        self.state_digest = b""
        self.decks: list[EpochDeck] = []
        self.making: EpochDeck | None = None
        self.making_escrow: EpochEscrow | None = None
        # The pieces of each live epoch's keys, by epoch; not of the one being made.
        self.escrows: dict[int, EpochEscrow] = {}
        # Of the epoch being made: how often it was begun before, without those who have gone since.
        self.attempt = 0
        self.view: tuple[int, ...] = self.order
        self.leaving = Leaving(self)
        # Votes name writers. ``me`` is the writer whose machine this is: what is in force for an elector depends on it.
        self.ballots = Ballots(self.table, self.order)
        self.forks = Forks(self)
        self.me: int | None = None
        self.blame: Blame | None = None
        self.complete = False
        # d of the last slot `end` that has closed.
        self._ended_with = b""
        self.taken = 0
        self._remembered = set() if remembered is None else remembered
        self._shares_memory = remembered is not None
        self._remembers = keep_entries or remembered is not None
        self._judge_digests = judge_digests
        self._confirmed: set[int] = set()
        # What votes and proofs have brought about, until `advance` tells it.
        self._happened: list[PeerEvent] = []
        self._judge = Judge(self)
        self._lock_entries: dict[int, Entry] = {}
        self._coin: dict[int, bytes] = {}
        self._shuffled = self._locked = 0
        # Of the open challenge; of the sealed choices of an Ohana, by seat, with the slot they were made in.
        self.challenge: claims.ChallengeFile | None = None
        self.sealed_choices: dict[int, bytes] = {}
        self.commit_slot = 0
        self.slot = Slot(0, digest("first digest", self.table), SlotKind.START, self.order)

    # -- entries in ------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """No slot will be taken any more."""
        return self.complete or self.blame is not None

    @property
    def result_digest(self) -> bytes:
        """The digest of everything that all have signed for, once it is over; of everything taken so far before.

        Equal at all peers that ended alike, also where one of them has forked its very last entry.
        """
        return self._ended_with if self.complete and self._ended_with else self.slot.digest

    def offer(self, entry: Entry) -> Added:
        """Put an entry on its writer's tape.

        Raises ``WireError`` if it is not an entry of this table signed by its writer (whoever sent it is to blame),
        ``Contradiction`` if it contradicts the tape (its writer is to blame; with proof it is a ``ForkFound``).
        """
        header, memory = entry.header, self.check(entry)
        feed = self.feeds[header.writer]
        cut = self.ballots.dropped.get(header.writer)
        if cut is not None and header.number >= max(cut.count, feed.head[0]):
            return Added.BEYOND
        if header.writer in self.forks.removed:
            # Put out with a void: whatever it goes on to sign counts for nothing, on whatever branch.
            return Added.BEYOND
        added = feed.add(entry)
        if added is Added.NEW:
            if self._remembers:
                # Nothing else is remembered: one writer can sign gaps, or one header anew, without end.
                self._remembered.add(memory)
            self._note_votes(entry)
        return added

    def check(self, entry: Entry) -> bytes:
        """Raise ``WireError`` unless this is an entry of this table signed by its writer; what to remember it by."""
        header = entry.header
        if header.table != self.table:
            raise WireError("an entry of another table")
        if header.writer >= len(self.feeds):
            raise WireError("an entry by nobody of this table")
        memory = b"signed" + entry.hash + entry.signed.signature
        if memory not in self._remembered:
            entry.signed.check(self.feeds[header.writer].key)
        return memory

    def _note_votes(self, entry: Entry) -> None:
        """What an entry that is new on its tape says to those who vote.

        It counts from where it stands on its tape, whenever it comes: feed by feed it may be here before the coins are.
        """
        writer, kind = entry.header.writer, entry.header.kind
        if kind == LEAVE:
            self.ballots.end(writer)
            self._settle_votes()
        elif kind in STATEMENT_KINDS:
            self.ballots.take(writer, entry)
            if kind == "ready":
                self.forks.note_ready(writer, entry.header.number)
            self._settle_votes()

    def _settle_votes(self) -> None:
        """Take into effect what is in force, and what a proof alone decides; never before the coin has fallen."""
        self.forks.join_view()
        while self.state is not None and not self.over:
            proposal = self.ballots.in_force(self.me)
            if self.me is None:
                void = self.forks.in_force()
                if void is not None or (proposal is not None and proposal.mode is Mode.VOID):
                    proposal = void
            if proposal is None:
                break
            boundary = self.forks.boundary(proposal)
            if proposal.mode is Mode.VOID and boundary is None:
                # Who only looks on has yet to come to the boundary that they speak of.
                return
            self.ballots.effect(proposal)
            if boundary is not None:
                name = proposal.name(self.table)
                self._happened += self.forks.effect(boundary, proposal.electors, name)
        self._settle_alone()

    def _settle_alone(self) -> None:
        """One is left beside those who forked: there is no vote of one."""
        last = self.forks.alone()
        if last is None:
            return
        signed = {base for base, signers in self.forks.bases() if last in signers}
        boundary = next(b for b in reversed(self.forks.boundaries) if b.base in signed)
        self.ballots.set_view((last,))
        self._happened += self.forks.effect(boundary, (last,), b"")

    def convict(self, proof: ForkProof) -> bool:
        """Take a proof of equivocation, checked here; whether it is the first against its writer.

        Until the coin has fallen it ends the match, if that is what it is about; a match that is complete stands.
        Raises ``WireError`` if it is none.
        """
        self.check_proof(proof)
        writer = proof.writer
        if self.blame is not None or writer in self.forks.proofs:
            return False
        self.forks.proofs[writer] = proof
        if self.state is None and concerns_start(proof):
            self.blame = Blame(writer, proof.second.header.number, "equivocation", EQUIVOCATED, proof)
        self._settle_votes()
        return True

    def check_proof(self, proof: ForkProof) -> None:
        """Raise ``WireError`` unless this convicts a writer of this table."""
        if proof.writer >= len(self.feeds):
            raise WireError("a proof against nobody of this table")
        proof.check(self.table, self.feeds[proof.writer].key)

    def charge(self, writer: int, found: Contradiction) -> None:
        """End the match by a contradiction that was found in this writer's feed, both signatures checked."""
        if not self.over:
            proof = found.proof if isinstance(found, ForkFound) else None
            self.blame = Blame(writer, found.number, "equivocation", EQUIVOCATED, proof)

    def convict_host(self, table: bytes, signature: bytes) -> None:
        """End the match by the host's signature under another table; raises ``WireError`` if that proves nothing."""
        offer = self.roster.offers[0].offer
        check_host_signature(offer.host_key, offer.host_nonce, table, signature)
        if table == self.table:
            raise WireError("it names this very table")
        if not self.over:
            self.blame = Blame(self.roster.host, 0, "roster", "showed different lists of players to different players")

    def remember(self, entry: Entry) -> None:
        """One's own entry, just made from this very state, needs no check of its proof."""
        if self._remembers:
            self._remembered.add(b"proof" + entry.hash)

    def waiting_for(self) -> tuple[int, ...]:
        """The seats whose entry for the open slot has not arrived."""
        if self.over:
            return ()
        return tuple(
            seat for seat in self.slot.owed if self.feed_of(seat).waiting() is None and not self._dropped(seat)
        )

    def _dropped(self, seat: int) -> bool:
        """Whether a vote has dropped this seat and all that still counts of its feed has been taken (T4.7)."""
        feed = self.feed_of(seat)
        cut = self.ballots.dropped.get(feed.writer)
        if self.slot.kind is SlotKind.END and feed.writer in self.forks.forkers:
            return True
        if cut is None or feed.head[0] < cut.count:
            return False
        waiting = feed.waiting()
        return waiting is None or waiting.header.number >= cut.count

    def feed_of(self, seat: int) -> Feed:
        return self.feeds[self.order[seat]]

    def seat_of(self, writer: int) -> int:
        return self.order.index(writer)

    def parted(self) -> frozenset[int]:
        """The writers of whom nothing more is wanted: out of the match, or their last word is that they leave."""
        out = {self.order[seat] for seat in self.leaving.out}
        return frozenset(out | {feed.writer for feed in self.feeds if feed.closed})

    def disputed(self) -> tuple[int, ...]:
        """Writers whose waiting entry speaks of another history than ours, not yet confirmed to know ours; where
        digests are judged at once, only those who may have a reason for it."""
        if self.over:
            return ()
        if self._judge_digests:
            owed = [self.order[seat] for seat in self.slot.owed]
            return tuple(w for w in owed if w not in self.ballots.dropped and self.went_on_without(w))
        return tuple(
            writer
            for seat in self.slot.owed
            if (writer := self.order[seat]) not in self._confirmed
            and writer not in self.ballots.dropped
            and not (self.slot.kind is SlotKind.END and writer in self.forks.forkers)
            and self._speaks_of_other_history(self.feeds[writer])
        )

    def went_on_without(self, writer: int) -> bool:
        """Whether this writer has said that it goes on without somebody of whom we have taken more than it counts.

        Such a file was written by one who was dropped, or heard from it what the others did not: then nobody lies. Who
        is ready alone for what others of its electors went past is believed no longer.
        """
        if not self.ballots.proposals or not self._speaks_of_other_history(self.feeds[writer]):
            return False
        return any(
            Said.READY in self.ballots.about(writer, name)
            and self._beyond(proposal) is not None
            and not any(
                Said.READY not in self.ballots.about(other, name) and self.feeds[other].furthest > self.slot.number
                for other in proposal.electors
            )
            for name, proposal in self.ballots.proposals.items()
        )

    def _beyond(self, proposal: Proposal) -> Cut | None:
        """The cut of a leaver of whom a slot has taken what lies beyond it."""
        drops = proposal.mode is Mode.DROP
        return next((cut for cut in proposal.cuts if drops and cut.count < self.feeds[cut.writer].position), None)

    @property
    def left_behind(self) -> Cut | None:
        """Where the others went on without somebody, if a slot here has taken later entries of it: this is not what
        they played from there on."""
        found = (self._beyond(proposal) for proposal in self.ballots.settled)
        return next((cut for cut in found if cut is not None), None)

    def confirm(self, writer: int) -> None:
        """This writer was found to hold the same entries as we: its false digest is its own fault."""
        self._confirmed.add(writer)

    def _speaks_of_other_history(self, feed: Feed) -> bool:
        entry = feed.waiting()
        if entry is None:
            return False
        header = entry.header
        if header.kind == LEAVE:
            return header.digest != self.leaving.digest_at(header.slot)
        if header.slot != self.slot.number or header.digest != self.slot.digest:
            return True
        if header.kind != "heard" or self.slot.kind is not SlotKind.WINDOW:
            return False
        try:
            heard = bodies.parse_heard(entry.body).header
        except WireError:
            return False
        owner = self.window_owner_feed()
        answer = owner.waiting()
        return heard.writer == owner.writer and answer is not None and heard.number != answer.header.number

    # -- slots -----------------------------------------------------------------------------------------------------

    def advance(self, only: int | None = None) -> list[PeerEvent]:
        """Close every slot that can be closed (at most ``only``); the events, in order."""
        happened = self._take_happened()
        while (
            not self.over and self.left_behind is None and only != 0 and not self.waiting_for() and not self.disputed()
        ):
            slot = self.slot
            if self._forked():
                break
            if self.slot is not slot:
                # The proof that lay in it was enough to deal anew, or to end: this slot is none any more.
                happened += self._take_happened()
                continue
            happened += self._close()
            # The view may now be one in which something is in force.
            self._settle_votes()
            happened += self._take_happened()
            only = None if only is None else only - 1
        return happened + self._take_happened()

    def _take_happened(self) -> list[PeerEvent]:
        happened, self._happened = self._happened, []
        return happened

    def _forked(self) -> bool:
        """Whether the open slot must not close because somebody has signed two histories."""
        if self.slot.kind is SlotKind.WINDOW:
            owner = self.window_owner_feed()
            for seat in self.slot.owed:
                entry = self.feed_of(seat).waiting()
                proof = None if entry is None else self._judge.forked_call(entry)
                if proof is not None:
                    self.convict(proof)
                    return owner.writer in self.forks.forkers
        return self.forks.frozen

    def _close(self) -> list[PeerEvent]:
        slot = self.slot
        dropped = [seat for seat in slot.owed if self._dropped(seat)]
        took = [(seat, *self.feed_of(seat).take()) for seat in slot.owed if seat not in dropped]
        self.taken += len(took)
        happened: list[PeerEvent] = []
        for seat in dropped:
            forked = self.order[seat] in self.forks.forkers
            gone = self.forks.departure(seat) if forked else Departure(seat, self.order[seat], "dropped")
            happened += self._depart(gone)
        entries = {seat: entry for seat, entry, _ in took}
        for seat, entry, chatty in took:
            try:
                self._check_votes(entry)
                if chatty:
                    raise invalid(entry, "chat", "sent more or longer chat than is allowed before one entry")
                if entry.header.kind == LEAVE and slot.kind not in FORMING:
                    happened += self._depart(self.leaving.judge(seat, entry))
                    continue
                body = self._parse(entry)
                happened += self._apply(seat, entry, body, entries)
                self.leaving.took(seat, slot.number)
            except RemoteProtocolError as error:
                if slot.kind in FORMING:
                    self.blame = Blame(error.writer, error.number, error.check, error.detail)
                    return happened
                happened += self._put_out(error, entry)
            if self.blame is not None:
                return happened
        if slot.kind is SlotKind.END:
            self._ended_with = slot.digest
        happened += self._finish(slot)
        self._confirmed.clear()
        self.forks.slot_closed(slot)
        self._open_next(slot, [entry for _, entry, _ in took], happened)
        if not self.over:
            happened.append(self.opened())
        return happened

    def _check_votes(self, entry: Entry) -> None:
        """What a tape says of votes before the entry that is taken must be what an honest program says."""
        fault = self.ballots.faults.get(entry.header.writer)
        if fault is not None and fault.number < entry.header.number:
            detail = f"voted as no honest program does: {fault.detail}"
            raise RemoteProtocolError(fault.writer, fault.number, "vote", detail)

    def _put_out(self, error: RemoteProtocolError, entry: Entry) -> list[PeerEvent]:
        """The author of an invalid entry is out at the slot that takes it (T5.1)."""
        seat = self.seat_of(error.writer)
        if error.writer in self.ballots.dropped and error.check in OTHER_HISTORY:
            # It was silent before it could show which history it had seen: perhaps another's fork.
            return self._depart(Departure(seat, error.writer, "dropped"))
        refuted = self.slot.kind is SlotKind.SEEN and error.writer != entry.header.writer
        return self._depart(Departure(seat, error.writer, "cheat", error.number, error.check, error.detail, refuted))

    def _depart(self, departure: Departure) -> list[PeerEvent]:
        """From now on the table goes on without this seat."""
        if departure.seat in self.leaving.out:
            return []
        self.leaving.depart(departure)
        self.view = tuple(seat for seat in self.view if seat != departure.seat)
        self.ballots.new_view(self.order[seat] for seat in self.view)
        return [self.tell_out(departure)]

    def tell_out(self, departure: Departure) -> PlayerOut:
        """The event that tells of a seat that is out."""
        name = self.players()[departure.seat].name
        return PlayerOut(departure.seat, name, departure.reason, departure.check, departure.detail)

    def opened(self) -> SlotOpened:
        """The event that tells of the open slot."""
        state = self.state
        epoch = len(self.decks) - (self.making is None)
        return SlotOpened(
            self.slot.number, self.slot.kind.value, self.slot.owed, 0 if state is None else state.round, max(epoch, 0)
        )

    def _open_next(self, slot: Slot, taken: list[Entry], happened: list[PeerEvent]) -> None:
        shares = self.leaving.plan_shares()
        if not shares and self.leaving.going:
            happened += self._settle()
        self._begin_epoch()
        self.state_digest = b"" if self.state is None else engine.digest(self.state)
        next_digest = digest("digest", slot.digest, *(entry.hash for entry in taken), self.state_digest)
        kind, owed = (SlotKind.SHARES, shares) if shares else self._asked()
        self.slot = Slot(slot.number + 1, next_digest, kind, owed)
        self.leaving.slot_opened()
        if slot.kind is SlotKind.COIN:
            self.forks.coin_fallen(slot)
        self.forks.slot_opened()

    def resume(self, base: Base, name: bytes, state: engine.State, view: tuple[int, ...]) -> None:
        """After a void: go on with this state and these seats, as if nothing had come after the slot of ``base``."""
        self.state, self.view = state, view
        self._round_over()
        self._confirmed.clear()
        self._begin_epoch()
        self.state_digest = engine.digest(state)
        kind, owed = self._asked()
        self.slot = Slot(base.slot + 1, void_digest(base, name, self.state_digest), kind, owed)
        self.leaving.slot_opened()

    def _settle(self) -> list[PeerEvent]:
        """Those who have gone are out of the game too; what waited for their keys alone goes on."""
        happened: list[PeerEvent] = []
        for told in self.leaving.settle():
            if isinstance(told, engine.RoundVoided):
                self._round_over()
            elif isinstance(told, engine.SeatLeft) and told.cards:
                happened.append(CardsOpened(told.seat, told.cards))
            happened += self._feed_engine(told)
        pending = self.playing().pending
        if not (isinstance(pending, NeedActions) and pending.kind is engine.Kind.CHOOSE):
            # Whoever had sealed a choice may be among them.
            self.sealed_choices = {}
        match pending:
            case NeedKeys(deals) if not any(self._lacking(owner, dealt) for owner, dealt in deals):
                happened += self._release()
            case NeedFace(handle) if not self.decks[handle.epoch].missing(handle.index):
                happened += self._turn_up()
            case _:
                pass
        return happened

    def _lacking(self, owner: int, handles: tuple[Handle, ...]) -> frozenset[int]:
        """The seats still in whose keys the owner lacks to read these positions."""
        missing = [self.decks[handle.epoch].missing(handle.index) for handle in handles]
        return frozenset().union(*missing).intersection(self.view) - {owner}

    def _release(self) -> list[PeerEvent]:
        """All keys that can come have come. Once a hand is empty a key may be lost with a seat that has gone."""
        pending = self.playing().pending
        if not isinstance(pending, NeedKeys):
            raise RuntimeError("no keys are awaited")
        lost = any(
            self.decks[handle.epoch].missing(handle.index) - {owner}
            for owner, dealt in pending.deals
            for handle in dealt
        )
        return self._feed_engine(engine.KeysLost() if lost else engine.KeysReleased())

    def _asked(self) -> tuple[SlotKind, tuple[int, ...]]:
        """Which slot the public state asks for now, and who owes it."""
        view = self.view
        if self.state is None:
            return SlotKind.COIN, view
        match self.state.pending:
            case NeedEpoch():
                if self._shuffled < len(view):
                    return SlotKind.SHUFFLE, (view[self._shuffled],)
                if self._locked < len(view):
                    return SlotKind.LOCK, (view[self._locked],)
                return SlotKind.EPOCH_OK, view
            case NeedKeys():
                return SlotKind.KEYS, tuple(seat for seat in view if self.due(seat))
            case NeedFace():
                return SlotKind.TURN_UP, view
            case NeedActions(kind, seats):
                if kind is engine.Kind.CHOOSE and self.sealed_choices:
                    return SlotKind.REVEAL, tuple(seats)
                return slot_for(kind), tuple(seats)
            case _:
                self.complete = True
                return SlotKind.END, ()

    @property
    def scored(self) -> bool:
        """The round is over and counted: nothing of its cards is needed any more."""
        pending = self.playing().pending
        return isinstance(pending, NeedActions) and pending.kind in (engine.Kind.ROUND_END, engine.Kind.END)

    def due(self, seat: int) -> tuple[Handle, ...]:
        """The positions whose keys this seat owes in the open keys or turn-up slot, in the order they are sent."""
        pending = None if self.state is None else self.state.pending
        match pending:
            case NeedKeys(deals):
                return tuple(handle for owner, handles in deals if owner != seat for handle in handles)
            case NeedFace(handle):
                return (handle,)
            case _:
                return ()

    # -- judging and applying --------------------------------------------------------------------------------------

    def _parse(self, entry: Entry) -> object:
        header = entry.header
        if header.slot != self.slot.number:
            raise invalid(
                entry, "slot", f"wrote for slot {header.slot} what slot {self.slot.number} had to take: out of turn"
            )
        if header.digest != self.slot.digest:
            raise invalid(entry, "digest", "named a false digest of the state it acted on")
        if header.kind not in self.slot.rule.takes:
            raise invalid(entry, "kind", f"sent {header.kind!r} where {self.slot.kind.value!r} was asked for")
        try:
            return bodies.PARSERS[header.kind](entry.body)
        except WireError as error:
            raise invalid(entry, "body", f"sent a malformed {header.kind!r}: {error}") from None

    def _apply(self, seat: int, entry: Entry, body: object, entries: dict[int, Entry]) -> list[PeerEvent]:
        match self.slot.kind, body:
            case SlotKind.START, bodies.Start():
                self._check_start(entry, body)
            case SlotKind.COIN, bytes():
                offer = self.roster.offers[seat].offer
                if not coin_opens(offer.commitment, offer.key, body):
                    raise invalid(entry, "coin", "revealed another coin than it had committed to")
                self._coin[seat] = body
            case (SlotKind.SHUFFLE, bytes()):
                return self._take_shuffle(seat, entry, body)
            case (SlotKind.LOCK, bodies.Lock()):
                return self._take_lock(seat, entry, body)
            case (SlotKind.EPOCH_OK, bodies.EscrowComplaint(giver, data)):
                raise self._settle_escrow(seat, entry, giver, data)
            case ((SlotKind.KEYS | SlotKind.TURN_UP), bodies.Keys(keys)):
                return self._take_keys(seat, entry, keys)
            case SlotKind.EPOCH_OK, _:
                pass
            case SlotKind.COMMIT, bytes():
                self.sealed_choices[seat] = body
                self.commit_slot = self.slot.number
            case SlotKind.SHARES, tuple():
                self.leaving.take_shares(seat, entry, body)
                return [StepVerified("shares", seat, len(body))]
            case SlotKind.END, bytes():
                if body != self.state_digest:
                    raise invalid(entry, "final digest", "named a false digest of the final state")
                return self._act(seat, entry, engine.Agree())
            case _:
                action = self._judge.action(seat, entry, body, entries)
                return [*self._judge.established(seat, action), *self._act(seat, entry, action)]
        return []

    def _check_start(self, entry: Entry, body: bodies.Start) -> None:
        offer = self.roster.offers[0].offer
        try:
            check_host_signature(offer.host_key, offer.host_nonce, body.table, body.host_signature)
        except WireError as error:
            raise invalid(entry, "start", f"confirmed {error}") from None
        if body.table != self.table:
            raise invalid(entry, "start", "confirmed another table than the one it signed for")

    def _take_shuffle(self, seat: int, entry: Entry, data: bytes) -> list[PeerEvent]:
        deck = self._making()
        check(entry, partial(deck.take_shuffle, seat, self.slot.number, data, verified=self._proven(entry)))
        self.remember(entry)
        return [StepVerified("shuffle", seat, deck.n)]

    def _take_lock(self, seat: int, entry: Entry, body: bodies.Lock) -> list[PeerEvent]:
        deck, slot, known = self._making(), self.slot.number, self._proven(entry)
        pledges: list[Pledge] = []
        if self.escrow:
            escrow = self._making_escrow()
            check(entry, partial(escrow.take, seat, slot, body.pieces, verified=known))
            pledges = escrow.pledges(seat)
        elif body.pieces:
            raise invalid(entry, "body", "sent pieces of keys at a table without escrow")
        check(entry, partial(deck.take_lock, seat, slot, body.data, pledges, verified=known))
        self._lock_entries[seat] = entry
        self.remember(entry)
        return [StepVerified("lock", seat, deck.n)]

    def _proven(self, entry: Entry) -> bool:
        """The proofs in this entry were verified before, about this very history (its digest was checked)."""
        return b"proof" + entry.hash in self._remembered

    @property
    def escrow(self) -> bool:
        """Whether keys are given in pieces in the epoch being made: agreed, and three seats or more are left."""
        return self.making_escrow is not None

    def _making_escrow(self) -> EpochEscrow:
        if self.making_escrow is None:
            raise RuntimeError("no keys are given in pieces")
        return self.making_escrow

    def _settle_escrow(self, seat: int, entry: Entry, giver: int, data: bytes) -> RemoteProtocolError:
        """A complaint about a box in a lock: right, and the giver is to blame, or wrong, and its author is."""
        escrow = self.making_escrow
        if escrow is None or giver == seat or giver not in escrow.given:
            return invalid(entry, "escrow complaint", "complained about a piece that nobody owed it")
        try:
            upheld = escrow.upheld(seat, self.slot.number, giver, data)
        except CryptoError as error:
            return invalid(entry, "escrow complaint", f"complained without proof: {error}")
        if upheld:
            return invalid(self._lock_entries[giver], "escrow piece", "sealed a piece that is not the one it showed")
        return invalid(entry, "escrow complaint", "complained about a piece that is in order")

    def _making(self) -> EpochDeck:
        if self.making is None:
            raise RuntimeError("no epoch is being made")
        return self.making

    def _take_keys(self, seat: int, entry: Entry, keys: tuple[int, ...]) -> list[PeerEvent]:
        due = self.due(seat)
        if len(keys) != len(due):
            raise invalid(entry, "key count", f"sent {len(keys)} keys where {len(due)} were asked for")
        for handle, key in zip(due, keys, strict=True):
            check(entry, partial(self.decks[handle.epoch].take_key, seat, handle.index, key))
        return [StepVerified("keys", seat, len(due))]

    # -- what is open ------------------------------------------------------------------------------------------------

    def window_owner_feed(self) -> Feed:
        """The feed of the one whose UNO window is open."""
        owner = self.playing().window
        if owner is None:
            raise RuntimeError("no window is open")
        return self.feed_of(owner)

    def open_case(self) -> engine.ChallengeCase:
        """The open question about a Wild Draw Four."""
        case = self.playing().challenge
        if case is None:
            raise RuntimeError("no challenge is open")
        return case

    def challenged_hand(self) -> Hand:
        """The snapshot that the open challenge is about."""
        case = self.open_case()
        return claims.hidden_hand(self.decks, case.accused, case.hand)

    def playing(self) -> engine.State:
        """The game's state; only once the coin has fallen."""
        if self.state is None:
            raise RuntimeError("the game has not begun")
        return self.state

    def _act(self, seat: int, entry: Entry, action: engine.Action) -> list[PeerEvent]:
        if self.blame is not None:
            return []
        try:
            return self._feed_engine(SeatAction(engine.Seat(seat), action))
        except engine.IllegalAction as error:
            raise invalid(entry, "rules", f"broke the rules: {error}") from None

    def _feed_engine(self, action: engine.Input) -> list[PeerEvent]:
        self.state, happened = engine.apply(self.playing(), action)
        return [GameEvent(event) for event in happened]

    def _finish(self, slot: Slot) -> list[PeerEvent]:
        """What follows when all entries of a slot stand."""
        happened: list[PeerEvent] = []
        going = bool(self.leaving.going)
        match slot.kind:
            case SlotKind.COIN:
                happened.append(self._seat_players())
            case SlotKind.SHUFFLE | SlotKind.LOCK | SlotKind.EPOCH_OK if going:
                self._abandon_epoch()
            case SlotKind.SHUFFLE:
                self._shuffled += 1
            case SlotKind.LOCK:
                self._locked += 1
            case SlotKind.EPOCH_OK:
                deck = self._making()
                if self.making_escrow is not None:
                    self.escrows[len(self.decks)] = self.making_escrow
                self.decks.append(deck)
                self.making = self.making_escrow = None
                self.attempt = self.forks.voids * ATTEMPTS
                happened.append(DeckMade(deck.where.round, deck.where.epoch, deck.cards))
                happened += self._feed_engine(engine.EpochReady())
            case SlotKind.KEYS if not going:
                happened += self._release()
            case SlotKind.TURN_UP if not going:
                happened += self._turn_up()
            case SlotKind.REVEAL:
                self.sealed_choices = {}
            case SlotKind.SEEN:
                self.challenge = None
            case SlotKind.ROUND_END:
                self._round_over()
            case _:
                pass
        return happened

    def _abandon_epoch(self) -> None:
        """Who has gone in the middle of it has no part in the deck: it is made anew under the next attempt number."""
        self.making = self.making_escrow = None
        self.attempt += 1

    def _round_over(self) -> None:
        """No card of the round is hidden any more, or ever will be shown."""
        self.decks, self.escrows = [], {}
        self.making = self.making_escrow = None
        self.attempt = self.forks.voids * ATTEMPTS
        self.sealed_choices, self.challenge = {}, None
        self.leaving.round_over()
        if not self._shares_memory:
            # What comes again from an earlier round is checked again: that is rare, and memory must not grow for it.
            self._remembered.clear()

    def _seat_players(self) -> TableMade:
        players = len(self.feeds)
        self.order = seating(coin_result(self.table, [self._coin[writer] for writer in range(players)]), players)
        self.view = tuple(range(players))
        options = self.roster.options
        self.state = engine.new_match(engine.Options(options.edition, players, options.target, options.stacking))
        self._settle_votes()
        return TableMade(self.table, options, self.players(), None)

    def players(self) -> tuple[PlayerInfo, ...]:
        """The players in seat order (in roster order before the coin), by names that are all different."""
        infos = display_names([signed.offer for signed in self.roster.offers])
        return tuple(infos[writer] for writer in self.order)

    def _turn_up(self) -> list[PeerEvent]:
        (handle,) = self.due(0)
        card = self.face(handle)
        return [CardsOpened(None, ((handle, card),)), *self._feed_engine(engine.TurnUp(card))]

    def face(self, handle: Handle) -> int:
        """The card at a position whose keys are all known; raises ``UnsoundDeck`` if it is none."""
        try:
            return self.decks[handle.epoch].face(handle.index)
        except CryptoError as error:
            raise UnsoundDeck(str(error)) from None

    def _box_keys(self) -> dict[int, Point]:
        points = {seat: self.roster.offers[writer].offer.box_point for seat, writer in enumerate(self.order)}
        return {seat: point for seat, point in points.items() if point is not None}

    def _begin_epoch(self) -> None:
        state = self.state
        if state is None or self.making is not None or not isinstance(state.pending, NeedEpoch):
            return
        where = EpochId(self.table, state.round, len(self.decks), self.attempt)
        self.making = EpochDeck(where, self.roster.options.edition, state.pending.cards, self.view)
        if self.roster.options.escrow and len(self.view) >= MIN_ESCROW_SEATS:
            self.making_escrow = EpochEscrow(self.making, self._box_keys())
        self._shuffled = self._locked = 0


class UnsoundDeck(Exception):
    """A position opened to no card although every proof held: a fatal failure of the protocol, nobody's cheat."""


__all__ = ["Added", "Blame", "ForkFound", "Match", "UnsoundDeck"]
