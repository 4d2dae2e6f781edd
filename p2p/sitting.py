"""One player's part in one match: entries from the lines go to the public machine, what it asks of this seat goes out.

Theory of operation. Entries that arrive go to `match.py`, which closes slots; what the open slot asks of this seat is
made by `player.py` (or decided, `deciding.py`), signed, put on one's own tape in the same machine, and sent to all. My
own moves and yours take the same way. Everything is done by `work`, which runs after every input until the table
waits for somebody else.

    [journal read -> catching up ->] playing -> ended (complete, oneself out, a cheat named, somebody gone) -> lingers
    until the others have everything

A peer that starts again goes through its journal by the same machine, signs nothing until it knows how far the others
have its own feed (`catching.py`), and plays on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nodealer import engine

from . import bodies
from .book import Book
from .catching import CatchUp
from .chat import chat_said
from .deciding import Decider
from .entry import MAX_WRITERS, Entry, Header, SignedHeader
from .errors import LocalProtocolError, WireError
from .events import (
    Ended,
    HandChanged,
    Notice,
    Outcome,
    PeerBack,
    PeerEvent,
    PeerMissing,
    PlayerOut,
    Resumed,
    Shunned,
    SlotOpened,
    TableMade,
)
from .feed import CONTROL_KINDS, MAX_CHAT_RUN, Added, ForkFound, ForkProof
from .forks import BOUNDARIES, COIN_SLOT, EQUIVOCATED
from .forming import Own
from .journal import NoJournal, Saved, record_confirmed
from .leaving import sentence as sentence_of
from .limits import LINGER, LINGER_FOR_MISSING, Patience, slot_limit
from .match import Blame, Match, UnsoundDeck
from .mesh import PING_EVERY, Link, Mesh, have_list
from .names import MAX_CHAT_BYTES, clean_chat
from .offer import Roster, check_host_signature
from .options import MIN_ESCROW_SEATS
from .player import Player
from .proposal import admissible
from .slots import SlotKind
from .transcript import TwoRosters, record_entry, record_fork, record_roster, record_two_rosters
from .vault import UsedElsewhere, Vault
from .voting import Voting
from .wire import encode, fields, natural

ELSEWHERE = (
    "This identity was used elsewhere: another program, or this one before its disk was set back, has signed other "
    "entries for this seat. It cannot go on here."
)
# From so many players on what one of them signs can come by way of another.
MIN_RELAYED = 3
GONE_ON = "The others have gone on without you."


class Sitting:
    """A seat in a match. ``events`` and ``records`` are what the peer hands on."""

    def __init__(
        self,
        own: Own,
        roster: Roster,
        mesh: Mesh,
        events: list[PeerEvent],
        records: Book,
        now: float,
        randbytes: Callable[[int], bytes] = os.urandom,
        saved: Saved | None = None,
    ) -> None:
        self.match = Match(roster, judge_digests=False)
        vault = Vault(records, randbytes, saved)
        self.player = Player(own.identity, self.match, own.coin_share, own.box_secret, vault)
        self.me = self.match.me = self.player.writer
        # A person may wait for who is missing as long as it likes; a program stops when the grace is over (T4.9).
        self.patient = False
        self.ended: Ended | None = None
        self._mesh = mesh
        self._events = events
        self._records = records
        self._decider = Decider(self.match, self.player, events)
        self._patience = Patience(slot_since=now, last_tick=now)
        self._next_ping = now
        self._disputes: dict[int, float] = {}
        self._missing: set[int] = set()
        # Whose line has brought what no honest program sends; a new one is not taken.
        self.shunned: set[bytes] = set()
        self._voting = Voting(self.match, self.me, lambda bound: bound * int.from_bytes(randbytes(4), "big") / 2**32)
        self._stalled: tuple[frozenset[int], float] = (frozenset(), now)
        self._may_stop = False
        self._saved = saved
        self._catching: CatchUp | None = None
        # The writers whose forks all others have been told of.
        self._shown: set[int] = set()
        self._ended_at = now
        records.replaying = saved is not None
        records.append(record_roster(roster))
        events.append(self.match.opened())
        if saved is not None:
            self._replay(saved, now)
        for link in list(mesh.links.values()):
            self.recognise(link, now)
        self.work(now)

    # -- starting again ----------------------------------------------------------------------------------------------

    def _replay(self, saved: Saved, now: float) -> None:
        """Go through the journal's history as it came; raises ``NoJournal`` for one that is no history."""
        match, records = self.match, self._records
        self._catching = CatchUp(match.feeds[self.me], now)
        # Until it is known what the others have of it, one's own feed goes to nobody.
        self._mesh.held_back = self.me
        for record in saved.history:
            try:
                if isinstance(record, Entry):
                    if match.offer(record) is Added.NEW:
                        self._note_new(record, now)
                elif isinstance(record, ForkProof):
                    self._convict(record, now)
                elif match.blame is None:
                    self._two_rosters(record)
            except (WireError, ForkFound) as error:
                raise NoJournal(f"what it holds is no history of this match ({error})") from None
            self.work(now)
        records.replaying = False
        self._events.append(Resumed(len(saved.history), catching_up=True))
        # From here on its entries are the tapes' own.
        saved.history.clear()

    def _catch_up(self, now: float) -> bool:
        """Whether to go on: at once where nothing was resumed, else when enough others have answered.

        A proof that this identity has signed elsewhere needs no more answers.
        """
        catching = self._catching
        if catching is None or self.me in self.match.forks.proofs:
            return True
        for link in self._mesh.players():
            if link.have:
                catching.answered(link.writer or 0, *link.have[self.me])
        parted = self.match.parted()
        others = [writer for writer in range(len(self.match.feeds)) if writer != self.me and writer not in parted]
        # An honest match needs nobody's answer to its end, only somebody to give it to.
        over = self.match.over and not catching.waits(now)
        if not over and not catching.done(others, now):
            return False
        self._catching = self._mesh.held_back = None
        self._patience.slot_opened(now)
        self._events.append(Resumed(0, catching_up=False))
        for link in self._mesh.players():
            if link.have:
                self._mesh.supply(link, self.match, self.me, now)
        return True

    # -- lines -------------------------------------------------------------------------------------------------------

    def recognise(self, link: Link, now: float) -> None:
        """Note whose line this is; a player's line first says how far each side has every feed."""
        keys = self.match.roster.keys
        if link.key not in keys:
            return
        link.writer = keys.index(link.key)
        if link.writer in self._missing:
            self._missing.discard(link.writer)
            if self.ended is None:
                self._events.append(PeerBack(self.seat_of(link.writer), self.name(link.writer)))
        for writer in self._shown:
            self._mesh.send(link.line, "fork", self.match.forks.proofs[writer].to_wire())
        self._ping(now)

    def line_down(self, link: Link, now: float) -> None:
        """A line, already taken from the mesh, is gone."""
        if link.writer is None or link.writer in self._mesh.reached():
            return
        if self.ended is not None:
            if not link.finished:
                self._missing.add(link.writer)
            return
        if not link.finished and link.writer not in self.match.parted():
            self._missing.add(link.writer)
            self._events.append(PeerMissing(self.seat_of(link.writer), self.name(link.writer)))
        self._ping(now)
        self.work(now)

    def misbehaved(self, link: Link, error: WireError, now: float) -> None:
        """What a line's end sent is no message of the protocol, and known to us alone: we have no line to it any more.

        What it signs still comes by way of the others; who sends such things to all is soon reached by nobody. Where
        there are no others, or no match yet, it ends here; not for one who is out of the match already.
        """
        if link.writer is None or self.ended is not None:
            return
        what = f"sent what no honest program sends: {error}"
        view = self.match.ballots.view
        if self.match.state is None or (link.writer in view and len(view) < MIN_RELAYED):
            self._blame(Blame(link.writer, -1, "line", what), now)
            return
        self.shunned.add(link.key)
        text = f"{self.name(link.writer)}'s program {what}. We have no line to it any more."
        self._events.append(Shunned(text, self.match.seat_of(link.writer)))

    def dispatch(self, link: Link, message: list[Any], now: float) -> None:
        """A message of the table from a player's line; raises ``WireError``."""
        if self._of_another_table(message):
            return
        match self.match, message:
            case match, ["entry", bytes() as data]:
                self._take_entry(link, data, now)
            case match, ["entry", bytes() as data, have]:
                self._take_entry(link, data, now)
                if not match.over:
                    # What convicts the host of two lists comes with a list of feeds that does not fit ours.
                    self._mesh.take_have(link, have, match, self.me, now)
            case match, ["ping", have, list() as reaches, bool() as finished]:
                if any(type(writer) is not int for writer in reaches):
                    raise WireError("a ping that lists what is no player")
                link.reaches = frozenset(natural(writer, len(match.feeds), "a player") for writer in reaches)
                link.finished = finished
                self._mesh.take_have(link, have, match, self.me, now)
            case match, ["ask", int() as writer, int() as start] if type(writer) is type(start) is int:
                natural(writer, len(match.feeds), "a writer")
                self._mesh.take_ask(link, writer, natural(start, 1 << 32, "a number"), match, now)
            case _, ["fork", proof]:
                first, second = fields(proof, "a proof of equivocation", list, list)
                self._convict(ForkProof(SignedHeader.from_wire(first), SignedHeader.from_wire(second)), now)
            case _, ["bye", str() as reason, int() as blamed] if type(blamed) is int:
                self._take_bye(link, reason, blamed, now)
            case _:
                raise WireError(f"a malformed {message[0]!r}")

    # -- entries -----------------------------------------------------------------------------------------------------

    def _take_entry(self, link: Link, data: bytes, now: float) -> None:
        match = self.match
        if match.blame is not None:
            return
        entry = Entry.decode(data)
        if match.complete and (entry.header.table != match.table or not self._known(entry)):
            return
        if entry.header.table != match.table:
            self._other_table(entry)
            return
        try:
            if self._voting.keeps(entry):
                return
            added = match.offer(entry)
        except ForkFound as found:
            self._convict(found.proof, now)
            return
        if added is Added.NEW:
            if entry.header.writer == self.me:
                # Signed with one's own key and not in one's own journal: it goes to the disk before the next number.
                self._records.must_sync()
            self._note_new(entry, now)
            self._mesh.pass_on(entry, link, match, now)
        elif added is Added.GAP and entry.header.writer not in match.forks.proofs:
            writer = entry.header.writer
            self._mesh.send(link.line, "ask", writer, len(match.feeds[writer].entries))

    def _known(self, entry: Entry) -> bool:
        """Whether we hold an entry in this place: when all is over it can only show a fork."""
        header = entry.header
        return header.writer < len(self.match.feeds) and header.number < self.match.feeds[header.writer].head[0]

    def _note_new(self, entry: Entry, now: float) -> None:
        self._records.append(record_entry(entry), entry.header)
        kind = entry.header.kind
        if kind == "chat":
            said = chat_said(self.match, entry)
            if said is not None:
                self._events.append(said)
        elif kind in CONTROL_KINDS:
            self._events += self._voting.news()
        else:
            self._decider.saw(entry)
            if not self.match.slot.rule.person:
                self._patience.wrote(entry.header.writer, now)

    def _offer_aside(self, now: float) -> None:
        """What was kept aside for a vote that has failed counts again, as if it came only now."""
        for entry in self._voting.released():
            try:
                if self.match.offer(entry) is Added.NEW:
                    self._note_new(entry, now)
            except ForkFound as found:
                self._convict(found.proof, now)

    def _of_another_table(self, message: list[Any]) -> bool:
        """Whether this speaks of more or fewer feeds than ours while the list of players is not yet confirmed.

        An honest player may have been shown another list than we: its start entry will convict the host, and until it
        comes nothing that only does not fit our list is that player's fault.
        """
        if self.match.slot.kind is not SlotKind.START and self.match.blame is None:
            return False
        count = len(self.match.feeds)
        match message:
            case ["ping", list() as have, list() as reaches, bool()]:
                return len(have) != count or any(type(w) is int and count <= w < MAX_WRITERS for w in reaches)
            case ["ask", int() as writer, int()]:
                return count <= writer < MAX_WRITERS
            case ["fork", [[bytes() as raw, bytes()], _]]:
                return Header.decode(raw).table != self.match.table
            case _:
                return False

    def _other_table(self, entry: Entry) -> None:
        """A start entry for another list of players that our host signed too convicts the host, whoever sent it on."""
        match = self.match
        if entry.header.kind != "start":
            raise WireError("an entry of another table")
        body = bodies.parse_start(entry.body)
        offer = match.roster.offers[0].offer
        if body.table != entry.header.table:
            raise WireError("a start entry that confirms another table than it names")
        check_host_signature(offer.host_key, offer.host_nonce, body.table, body.host_signature)
        self._two_rosters(TwoRosters(body.table, body.host_signature))
        # Evidence for everybody, as with a fork: for those of our list the other start entry, for those of the other
        # list our own. Lines are not told apart by writer here, for who sits at the table is what is in dispute.
        for evidence in (entry, *match.feeds[self.me].entries[:1]):
            for link in self._mesh.links.values():
                self._mesh.send(link.line, "entry", evidence.encode())

    def _two_rosters(self, evidence: TwoRosters) -> None:
        match = self.match
        self._records.append(record_two_rosters(evidence.table, evidence.host_signature))
        match.blame = Blame(
            match.roster.host, 0, "roster", "showed different lists of players to different players of this table"
        )

    def _convict(self, proof: ForkProof, now: float) -> None:
        self.match.convict(proof)
        self._tell_forks()

    def _tell_forks(self) -> None:
        """Evidence that is new here goes on the record and to everybody; people are told at once (T5.4)."""
        match = self.match
        for writer, proof in match.forks.proofs.items():
            if writer in self._shown:
                continue
            self._shown.add(writer)
            self._records.append(record_fork(proof))
            self._mesh.broadcast("fork", proof.to_wire())
            if writer == self.me or not (match.complete or writer in match.forks.forkers):
                continue
            self._decider.close(by_clock=False)
            what = "The result stands." if match.complete else "Of this round there may be two histories."
            self._events.append(Notice(f"{self.name(writer)} cheated: it {EQUIVOCATED}. {what}"))

    # -- the machine turns -------------------------------------------------------------------------------------------

    def work(self, now: float) -> None:
        """Close slots and answer what is asked, until the table waits for somebody else."""
        match, player = self.match, self.player
        while self.ended is None:
            try:
                self._settle_disputes(now)
                happened = match.advance(only=1)
                self._tell_forks()
                if self._saved is not None:
                    player.restore()
                for event in happened:
                    self._report(event, now)
                if player.seen is not None:
                    self._events.append(player.seen)
                    player.seen = None
                if player.learn():
                    self._events.append(HandChanged(player.hand()))
            except UnsoundDeck as error:
                self._finish(Outcome.UNSOUND, f"The protocol has failed: {error}. Nobody is to blame for it.", now)
                return
            except UsedElsewhere as error:
                self._finish(Outcome.ELSEWHERE, str(error), now)
                return
            if self._records.replaying or not self._catch_up(now):
                if happened:
                    continue
                return
            self._check_over(now)
            if self.ended is not None:
                return
            ends = self.match.forks.active and self._may_end_round() and self._answer(now)
            if not (ends or self._vote(now) or self._answer(now) or happened):
                # The others are at it: meanwhile a thread of its own makes ready what one's own turn will need.
                player.prepare()
                return

    def _report(self, event: PeerEvent, now: float) -> None:
        if isinstance(event, TableMade):
            event = replace(event, seat=self.player.seat)
        if isinstance(event, SlotOpened):
            self._patience.slot_opened(now)
            self._decider.slot_opened(now)
            self._voting.slot_opened(now)
            self._disputes.clear()
            if event.kind == SlotKind.ROUND_END.value:
                self._patience.round_began()
        self._events.append(event)

    def _vote(self, now: float) -> bool:
        """Say what there is to say about who is silent; whether that has changed something."""
        statement = self._voting.next(now)
        if statement is not None:
            self._write(*statement, now)
        if self._voting.gone_on_without_me():
            self._finish(Outcome.GONE, GONE_ON, now)
        self._offer_aside(now)
        return statement is not None

    def _answer(self, now: float) -> bool:
        """Write what the open slot asks of this seat, if it is due now; whether something was written."""
        if self.ended is not None or not self.player.owes() or (self.match.forks.active and not self._may_end_round()):
            return False
        due = self._decider.answer(now) if self.match.slot.rule.person else self.player.automatic()
        if due is None:
            return False
        self._write(*due, now)
        return True

    def _may_end_round(self) -> bool:
        """Whether one's own word may still stand to what a round has come to, although somebody has forked (T5.2)."""
        return self.match.slot.kind in BOUNDARIES and not self._voting.bound

    def _write(self, kind: str, body: bytes, now: float) -> None:
        """Sign the next entry of one's own feed, and only then tell anybody."""
        have = have_list(self.match)
        entry = self.player.write(kind, body)
        if kind not in CONTROL_KINDS:
            self._decider.close(by_clock=False)
        self._note_new(entry, now)
        self._records.must_sync()
        self._mesh.publish(entry, have, now)

    def _settle_disputes(self, now: float) -> None:
        """A false digest is its writer's fault once that writer's own list shows that it has what we have (T5.3)."""
        for writer in self.match.disputed():
            if self._saved is not None and (self.match.slot.digest, writer) in self._saved.confirmed:
                self.match.confirm(writer)
                continue
            since = self._disputes.setdefault(writer, now)
            for link in self._mesh.links.values():
                if link.writer == writer and link.have_at >= since and self._same_history(link):
                    self._records.private(record_confirmed(self.match.slot.digest, writer))
                    self.match.confirm(writer)

    def _same_history(self, link: Link) -> bool:
        """Whether the other end holds exactly the entries that we have taken, as far as it holds any."""
        return all(
            feed.position <= number <= len(feed.entries) and feed.hash_at(number) == last
            for feed, (number, last) in zip(self.match.feeds, link.have, strict=True)
            if feed.writer not in self.match.forks.removed
        )

    # -- a person acts -----------------------------------------------------------------------------------------------

    def act(self, action: engine.Action, now: float) -> None:
        """Answer the open decision; raises ``LocalProtocolError`` with a sentence, and nothing is sent."""
        if self.ended is not None:
            raise LocalProtocolError("The match is over.")
        if self._catching is not None:
            raise LocalProtocolError("Your program still asks the others how far the match is.")
        if self.match.forks.active:
            raise LocalProtocolError("This round has two histories and is about to be dealt anew.")
        due = self._decider.act(action, now)
        if due is not None:
            self._write(*due, now)
            self.work(now)

    def say(self, text: str, now: float) -> None:
        """Send a line of chat; raises ``LocalProtocolError``."""
        line = clean_chat(text)
        if self.ended is not None:
            raise LocalProtocolError("The match is over.")
        if not line:
            raise LocalProtocolError("There is nothing to say.")
        if len(line.encode()) > MAX_CHAT_BYTES:
            raise LocalProtocolError(f"A line of chat has at most {MAX_CHAT_BYTES} bytes.")
        if self._catching is not None:
            raise LocalProtocolError("Your program still asks the others how far the match is.")
        if self.match.feeds[self.me].chat_run >= MAX_CHAT_RUN:
            raise LocalProtocolError("That is enough chat until your next move.")
        self._write("chat", encode([line]), now)

    def leave(self, now: float) -> None:
        """Leave for good: hand over one's keys, so that the others can go on (table.md T2.3)."""
        if self.ended is not None:
            return
        if self._catching is not None:
            # Nothing may be signed yet, and so nobody can be told: it stays as it is.
            self._finish(Outcome.GONE, "You stopped before the others had answered; the match can go on later.", now)
            return
        missing, _ = self._stalled
        if self._may_stop:
            self._interrupt(missing, now)
            return
        # While a vote of ours stands we have promised not to go on, and a `leave` would be just that; after a fork
        # nobody can tell which keys it would give to whom.
        may = self.match.state is not None and not self.match.over and not self._voting.bound
        if may and not self.match.forks.active:
            self._write(*self.player.parting(), now)
        self._finish(Outcome.GONE, "You left the table.", now, "left")

    # -- time ----------------------------------------------------------------------------------------------------------

    def next_deadline(self) -> float:
        decision = None if self.ended is not None else self._decider.next_deadline()
        last = self._patience.last_tick or 0.0
        caught = None if self._catching is None else self._catching.deadline(last, self._next_ping)
        return min([self._next_ping, *(time for time in (decision, caught) if time is not None)])

    @property
    def resumable(self) -> bool:
        """It has ended here, but not for good: the others were not there, and this seat has not left."""
        outcome = None if self.ended is None else self.ended.outcome
        begun = self.match.state is not None and self.me not in self.match.parted()
        return begun and outcome in (Outcome.GONE, Outcome.ELSEWHERE) and not self._voting.gone_on_without_me()

    @property
    def missing(self) -> frozenset[int]:
        """The writers whose line is lost."""
        return frozenset(self._missing)

    def tick(self, now: float) -> None:
        """Let time pass."""
        if now >= self._next_ping:
            self._ping(now)
        self._patience.tick(now, quorum=self._has_quorum())
        self.work(now)
        if self.ended is None:
            self._lose_patience(now)

    def _has_quorum(self) -> bool:
        """Whether this peer's own lines reach enough others to go on without the rest (the clocks stand still else)."""
        view = self.match.ballots.view
        here = (self._mesh.reached() | {self.me}) & set(view)
        return len(view) < MIN_ESCROW_SEATS or admissible(len(view), len(here)) or len(here) == len(view)

    def _ping(self, now: float) -> None:
        self._next_ping = now + PING_EVERY
        self._mesh.broadcast("ping", have_list(self.match), sorted(self._mesh.reached()), self.ended is not None)

    def _lose_patience(self, now: float) -> None:
        """See who is gone or silent for longer than the limits allow: the others go on without, by a vote."""
        links = [link for link in self._mesh.players() if not link.finished or self._gives(link)]
        reached = frozenset(link.writer for link in links if link.writer is not None)
        for link in links:
            reached |= link.reaches
        match = self.match
        self._patience.note_reached(reached | match.parted(), range(len(match.feeds)), self.me, now)
        if match.state is None:
            self._give_up_forming(now)
            return
        self._voting.note_late(self._patience, self._disputes, now)
        self.work(now)
        if self.ended is None:
            self._check_stalled(now)

    def _gives(self, link: Link) -> bool:
        """Whether the other end has entries that are still to come here; who has ended and has none says no more."""
        return any(number > len(feed.entries) for (number, _), feed in zip(link.have, self.match.feeds, strict=False))

    def _give_up_forming(self, now: float) -> None:
        """Until the coin has fallen anybody's going dissolves the table."""
        gone, match = self._patience.gone(now, self.match.roster.options.grace), self.match
        late = [match.order[seat] for seat in match.waiting_for() if match.order[seat] != self.me]
        slow = bool(late) and now - self._patience.slot_since >= (slot_limit(match.slot, match.roster.options) or 0.0)
        if match.forks.proofs and (gone is not None or slow):
            self._blame_forker(now)
        elif gone is not None:
            self._finish(
                Outcome.GONE, f"{self.name(gone)} is gone: nobody reaches it any more.", now, "gone", blamed=gone
            )
        elif slow:
            name, limit = self.name(late[0]), slot_limit(match.slot, match.roster.options)
            what = "confirm the same list of players" if match.slot.kind is SlotKind.START else "reveal its coin"
            sentence = f"The table was not made: {name} did not {what} in {limit:.0f} s."
            self._finish(Outcome.DISSOLVED, sentence, now, "gone", blamed=late[0])

    def _check_stalled(self, now: float) -> None:
        """While too few are left to vote, nobody is dropped: it is said, and after the grace each may stop (T4.9)."""
        missing = self._voting.missing(self._patience)
        if missing != self._stalled[0]:
            self._stalled, self._may_stop = (missing, now), False
            if missing:
                self._events.append(Notice(self._voting.stalled_sentence(missing)))
        if not missing or self._may_stop:
            return
        since = max(self._patience.unreached_since.get(writer, self._stalled[1]) for writer in missing)
        if now - since < self.match.roster.options.grace:
            return
        self._may_stop = True
        if self.patient:
            self._events.append(Notice(f"{self._voting.stalled_sentence(missing)} You may go on waiting, or leave."))
        else:
            self._interrupt(missing, now)

    def _interrupt(self, missing: frozenset[int], now: float) -> None:
        sentence = self._voting.interrupted_sentence(missing, self._patience)
        self._finish(Outcome.GONE, sentence, now, "gone", blamed=min(missing))

    # -- the end -----------------------------------------------------------------------------------------------------

    def _check_over(self, now: float) -> None:
        match = self.match
        if self.ended is not None:
            return
        mine = None if match.state is None else match.leaving.out.get(match.seat_of(self.me))
        if self.me in match.forks.proofs:
            self._finish(Outcome.ELSEWHERE, ELSEWHERE, now)
        elif match.blame is not None:
            self._blame(match.blame, now)
        elif mine is not None and mine.reason == "cheat":
            self._blame(Blame(mine.writer, mine.number or 0, mine.check or "", mine.detail or ""), now)
        elif mine is not None:
            self._finish(Outcome.GONE, GONE_ON, now)
        elif match.complete:
            self._finish_complete(now)

    def _finish_complete(self, now: float) -> None:
        match = self.match
        state = match.playing()
        winner = "Nobody" if state.winner is None else match.players()[state.winner].name
        last = next(reversed(match.leaving.out.values()), None)
        if not state.by_default or last is None:
            self._finish(Outcome.COMPLETE, f"{winner} wins the match.", now)
            return
        gone = PlayerOut(last.seat, match.players()[last.seat].name, last.reason, last.check, last.detail)
        why = sentence_of(gone)
        outcome = Outcome.CHEAT if last.reason == "cheat" else Outcome.COMPLETE
        sentence = f"{why} {winner} wins by default."
        self._finish(outcome, sentence, now, blamed=last.writer, check=last.check)

    def _blame_forker(self, now: float) -> None:
        """Somebody has forked while not all had begun to play: the match ends."""
        proof = next(iter(self.match.forks.proofs.values()))
        self._blame(Blame(proof.writer, proof.second.header.number, "equivocation", EQUIVOCATED, proof), now)

    def _blame(self, blame: Blame, now: float) -> None:
        who = "This program is accused of cheating" if blame.writer == self.me else f"{self.name(blame.writer)} cheated"
        sentence = f"{who}: it {blame.detail} (check: {blame.check})."
        if blame.proof is None and 0 <= blame.number < len(self.match.feeds[blame.writer].entries):
            # The entry that ended the match goes to everybody, so that all find it themselves.
            for link in self._mesh.players():
                self._mesh.send_entry(link, self.match.feeds[blame.writer].entries[blame.number], now)
        self._finish(Outcome.CHEAT, sentence, now, "cheat", blamed=blame.writer, check=blame.check)

    def _finish(
        self,
        outcome: Outcome,
        sentence: str,
        now: float,
        reason: str = "",
        *,
        blamed: int | None = None,
        check: str | None = None,
    ) -> None:
        self._decider.close(by_clock=False)
        state = self.match.state
        self.ended = Ended(
            outcome,
            sentence,
            {} if state is None else dict(enumerate(state.scores)),
            None if state is None else state.winner,
            self.match.result_digest,
            None if blamed is None else self.seat_of(blamed),
            check,
        )
        self._ended_at = now
        self._events.append(self.ended)
        self._ping(now)
        if reason:
            self._mesh.broadcast("bye", reason, -1 if blamed is None else blamed)

    def _take_bye(self, link: Link, reason: str, blamed: int, now: float) -> None:
        """Another peer has stopped."""
        link.finished = True
        if link.writer is None or self.ended is not None:
            return
        name = self.name(link.writer)
        if reason == "left":
            # Once there is a game its `leave` says so to all, whenever a slot takes it.
            if self.match.state is None:
                self._finish(Outcome.GONE, f"{name} has left the table.", now, "gone", blamed=link.writer)
        elif reason in ("gone", "cheat"):
            # That is its word alone, and proves nothing: its reason shows itself here too, or it is silent from now on.
            other = self.name(blamed) if 0 <= blamed < len(self.match.feeds) else "somebody"
            why = f"it says that {other} {'is gone' if reason == 'gone' else 'cheated'}"
            self._events.append(Notice(f"{name} has stopped: {why}."))
            if self.match.forks.active and not self._plays(link.writer):
                self._blame_forker(now)
        else:
            raise WireError("a farewell for no reason that there is")

    def _plays(self, writer: int) -> bool:
        """Whether an entry shows that for this player, too, the coin has fallen; else it cannot deal anew."""
        entries = self.match.feeds[writer].entries
        return bool(entries) and entries[-1].header.slot > COIN_SLOT

    def lingered(self, now: float | None) -> bool:
        """Whether the match has ended here and everybody who is still there has all entries."""
        if self.ended is None:
            return False
        if self._missing and self.ended.outcome is Outcome.COMPLETE and now is not None:
            # Who is just starting again has played to the end like everybody, and may lack the last entries.
            patience = min(LINGER_FOR_MISSING, self.match.roster.options.grace)
            if now - self._ended_at < patience:
                return False
        links = self._mesh.players()
        if not links or (now is not None and now - self._ended_at >= LINGER):
            return True
        mine = [len(feed.entries) for feed in self.match.feeds]
        if self.match.feeds[self.me].closed:
            return all(link.have[self.me][0] >= mine[self.me] for link in links if link.have)
        # Of who was put out for a fork everybody may hold another history.
        counts = [writer for writer in range(len(mine)) if writer not in self.match.forks.proofs]
        return all(
            link.finished and all(link.have[writer][0] >= mine[writer] for writer in counts if link.have)
            for link in links
            if link.writer not in self.match.forks.proofs
        )

    # -- names -------------------------------------------------------------------------------------------------------

    def seat_of(self, writer: int) -> int | None:
        """A player's seat, None before the coin."""
        return None if self.match.state is None else self.match.seat_of(writer)

    def name(self, writer: int) -> str:
        """A player's name as people see it."""
        return self.match.players()[self.match.seat_of(writer)].name
