"""A peer of a table, sans-I/O: bytes of lines and the time in; bytes, events and the next deadline out.

Theory of operation. A peer first fills a table (`forming.py`), then plays a match: entries that arrive go to the
public machine (`match.py`), which closes slots; what the open slot asks of this seat is made by `player.py`, signed,
put on one's own tape in the same machine, and sent to all. One's own moves and the others' take the same way.
Lines, and who lacks what, are the business of `mesh.py`; how long one waits is in `limits.py`.

    forming -> playing -> over (lingers until the others have everything, then `done`)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nodealer import engine
from nodealer.crypto.identity import Identity

from . import bodies
from .entry import Entry, SignedHeader
from .errors import LocalProtocolError, WireError
from .events import (
    ChatSaid,
    DecisionNeeded,
    DecisionOver,
    Ended,
    HandChanged,
    Outcome,
    PeerBack,
    PeerEvent,
    PeerMissing,
    PlayerInfo,
    SlotOpened,
    TableMade,
)
from .feed import MAX_CHAT_RUN, Added, ForkFound, ForkProof
from .forming import Formed, HostTable, JoinTable, Own
from .limits import START_LIMIT, Patience, slot_limit
from .match import Blame, Match
from .mesh import PING_EVERY, Link, Mesh, have_list
from .names import MAX_CHAT_BYTES, clean_chat
from .offer import check_host_signature
from .options import TableOptions
from .player import Player
from .slots import SlotKind
from .transcript import record_entry, record_fork, record_roster, record_two_rosters
from .window import WindowWatch
from .wire import encode, fields, natural

# After the end a peer stays this long for those who have not got everything yet.
LINGER = 3.0
# Another has stopped the match: how long its reason may take to show itself here.
STOPPED_AFTER = 3.0


class Peer:
    """One player's program at one table. Make it with `host` or `join`; drive it with lines, messages and time."""

    def __init__(self, own: Own, *, hosting: HostTable | None, randbytes: Callable[[int], bytes] = os.urandom) -> None:
        self.own = own
        self.port = 0
        self.match: Match | None = None
        self.player: Player | None = None
        self.ended: Ended | None = None
        self._hosting = hosting
        self._joining = None if hosting else JoinTable(own)
        self._randbytes = randbytes
        self._mesh = Mesh()
        self._to_close: list[int] = []
        self._events: list[PeerEvent] = []
        self._records: list[bytes] = []
        self._addresses: dict[bytes, tuple[str, int]] = {}
        self._patience = Patience()
        self._next_ping = 0.0
        self._window: WindowWatch | None = None
        self._asked_slot: int | None = None
        self._decision: engine.Kind | None = None
        self._decide_by: float | None = None
        self._held_back: tuple[float, str, bytes] | None = None
        self._disputes: dict[int, float] = {}
        self._ended_at: float | None = None
        self._chat_run = 0
        self._missing: set[int] = set()
        self._stopped: dict[int, tuple[float, str]] = {}

    @classmethod
    def host(
        cls,
        identity: Identity,
        name: str,
        options: TableOptions,
        randbytes: Callable[[int], bytes] = os.urandom,
    ) -> Peer:
        """A peer that opens a table; raises ``LocalProtocolError`` for options that no table can have."""
        own = Own(identity, name, randbytes)
        peer = cls(own, hosting=HostTable(own, options, randbytes), randbytes=randbytes)
        peer._lobby_changed()
        return peer

    @classmethod
    def join(cls, identity: Identity, name: str, randbytes: Callable[[int], bytes] = os.urandom) -> Peer:
        """A peer that asks for a seat at the first line it gets."""
        return cls(Own(identity, name, randbytes), hosting=None, randbytes=randbytes)

    # -- what the program around it reads ----------------------------------------------------------------------------

    @property
    def key(self) -> bytes:
        return self.own.identity.public

    @property
    def seat(self) -> int | None:
        """One's own seat once the coin has fallen."""
        return None if self.player is None or self.match is None or self.match.state is None else self.player.seat

    @property
    def known(self) -> Mapping[engine.Handle, int]:
        """One's own cards by handle."""
        return {} if self.player is None else self.player.known

    @property
    def players(self) -> tuple[PlayerInfo, ...]:
        """The players in seat order."""
        return () if self.match is None else self.match.players()

    def events(self) -> list[PeerEvent]:
        """Take what happened since the last call."""
        happened, self._events = self._events, []
        return happened

    @property
    def events_waiting(self) -> bool:
        return bool(self._events)

    def records(self) -> list[bytes]:
        """Take the transcript's records since the last call, in order."""
        records, self._records = self._records, []
        return records

    def data_to_send(self) -> list[tuple[int, bytes]]:
        """Take the frames to be sent: (line, message of at most 60 kB)."""
        frames, self._mesh.outbox = self._mesh.outbox, []
        return frames

    def lines_to_close(self) -> list[int]:
        """Take the lines that are to be closed after what was to be sent."""
        lines, self._to_close = self._to_close, []
        return lines

    def wanted(self) -> list[tuple[bytes, str, int]]:
        """The players this peer has no line to, and where they listen."""
        match = self.match
        if match is None or self.ended is not None:
            return []
        reached = self._mesh.reached()
        return [
            (key, *self._addresses[key])
            for writer, key in enumerate(match.roster.keys)
            if key != self.key and writer not in reached and key in self._addresses
        ]

    def description(self) -> list[object]:
        """The answer to a *query*: table's nonce, host's name, edition, seats, taken, passphrase, open."""
        hosting = self._hosting
        if hosting is None:
            return ["no", "This is not the host of a table."]
        options = hosting.options
        is_open = self.match is None and not hosting.full
        taken = hosting.taken if self.match is None else len(self.match.feeds)
        return ["table", hosting.nonce[:16], self.own.name, options.edition, options.seats, taken, False, is_open]

    def next_deadline(self) -> float | None:
        """When ``tick`` is wanted next."""
        if self.done:
            return None
        times = [self._next_ping]
        if self._decide_by is not None:
            times.append(self._decide_by)
        if self._window is not None:
            times.append(self._window.until)
        if self._held_back is not None:
            times.append(self._held_back[0])
        return min(times)

    @property
    def done(self) -> bool:
        """The match has ended here and the others have what they need."""
        return self._ended_at is not None and self._lingered

    # -- lines -------------------------------------------------------------------------------------------------------

    def line_up(
        self, line: int, remote_key: bytes, outgoing: bool, address: tuple[str, int] | None, now: float
    ) -> None:
        """A secure line to the holder of this key stands."""
        link = Link(line, remote_key, address)
        self._mesh.links[line] = link
        joining = self._joining
        if self.match is not None:
            self._recognise(link, now)
        elif joining is not None and outgoing and joining.line is None:
            joining.line = line
            self._mesh.send(line, "hello", self.own.name, self.port)

    def line_down(self, line: int, reason: str, now: float) -> None:
        """A line is gone."""
        link = self._mesh.links.pop(line, None)
        if link is None:
            return
        if self.match is None:
            if self._hosting is not None and self._hosting.line_down(line):
                self._lobby_changed()
            if self._joining is not None and self._joining.line == line:
                self._finish(Outcome.DISSOLVED, f"The line to the table was lost: {reason}", now)
            return
        if link.writer is not None and link.writer not in self._mesh.reached() and self.ended is None:
            if not link.finished:
                self._missing.add(link.writer)
                self._events.append(PeerMissing(self._seat(link.writer), self._name(link.writer)))
            self._ping(now)
        self._work(now)

    def receive(self, line: int, message: bytes, now: float) -> None:
        """A message came on a line. A ``ProtocolError`` means that the line's other end misbehaved: close the line."""
        link = self._mesh.links.get(line)
        if link is None:
            return
        try:
            whole = self._mesh.unpack(link, message)
            if whole is not None:
                self._dispatch(link, whole, now)
        except WireError as error:
            self._misbehaved(link, error, now)
            raise
        self._work(now)

    def _misbehaved(self, link: Link, error: WireError, now: float) -> None:
        """What a line's end sent is no message of the protocol: known to us alone, so it ends the match here."""
        if self.match is None or link.writer is None or self.ended is not None:
            return
        name = self._name(link.writer)
        self._blame(Blame(link.writer, -1, "line", f"sent what no honest program sends: {error}"), now, name)

    def _dispatch(self, link: Link, message: list[Any], now: float) -> None:
        match message[0]:
            case "query":
                self._mesh.send(link.line, *self.description())
            case "bye":
                self._take_bye(link, message, now)
            case "entry" | "ping" | "ask" | "fork":
                if self.match is not None and link.writer is not None:
                    self._dispatch_table(self.match, link, message, now)
            case _:
                self._dispatch_forming(link, message, now)

    def _dispatch_table(self, match: Match, link: Link, message: list[Any], now: float) -> None:
        me = match.roster.writer_of(self.key)
        match message:
            case ["entry", bytes() as data]:
                self._take_entry(link, data, now)
            case ["entry", bytes() as data, have]:
                self._take_entry(link, data, now)
                self._mesh.take_have(link, have, match, me, now)
            case ["ping", have, list() as reaches, bool() as finished]:
                if any(type(writer) is not int for writer in reaches):
                    raise WireError("a ping that lists what is no player")
                link.reaches = frozenset(natural(writer, len(match.feeds), "a player") for writer in reaches)
                link.finished = finished
                self._mesh.take_have(link, have, match, me, now)
            case ["ask", int() as writer, int() as start]:
                natural(writer, len(match.feeds), "a writer")
                self._mesh.take_ask(link, writer, natural(start, 1 << 32, "a number"), match, now)
            case ["fork", proof]:
                first, second = fields(proof, "a proof of equivocation", list, list)
                self._convict(ForkProof(SignedHeader.from_wire(first), SignedHeader.from_wire(second)), now)
            case _:
                raise WireError(f"a malformed {message[0]!r}")

    def _dispatch_forming(self, link: Link, message: list[Any], now: float) -> None:
        match message:
            case ["hello", name, port]:
                self._take_hello(link, name, port)
            case ["offer", offer] if self._hosting is not None and self.match is None:
                refusal = self._hosting.take_offer(link.line, link.key, link.address, offer)
                if refusal is not None:
                    self._mesh.send(link.line, "no", refusal)
                    return
                self._lobby_changed()
                if self._hosting.full:
                    self.start_now(now)
            case [("seat" | "lobby" | "roster" | "no"), *_] if self._joining is not None and self.match is None:
                if link.line == self._joining.line:
                    self._take_from_host(self._joining, link, message, now)
            case [("hello" | "offer" | "seat" | "lobby" | "roster" | "no"), *_]:
                # Too late or not for us; a peer that was slow to learn of the start may well send it.
                pass
            case _:
                raise WireError("a message of a kind that this protocol does not have")

    # -- forming -----------------------------------------------------------------------------------------------------

    def _take_hello(self, link: Link, name: object, port: object) -> None:
        if self._hosting is None:
            self._mesh.send(link.line, "no", "This player does not host a table.")
        elif self.match is not None or self.ended is not None:
            self._mesh.send(link.line, "no", "The match at this table has begun.")
        else:
            self._mesh.send(link.line, *self._hosting.hello(link.line, name, port))

    def _take_from_host(self, joining: JoinTable, link: Link, message: list[Any], now: float) -> None:
        match message:
            case ["seat", *_]:
                self._mesh.send(link.line, *joining.seat(link.key, message))
            case ["lobby", players]:
                changed = joining.lobby(players)
                if changed is not None:
                    self._events.append(changed)
            case ["roster", *_]:
                self._begin(joining.formed(message, link.address), now)
            case ["no", str() as why]:
                self._finish(Outcome.DISSOLVED, f"The host refused: {clean_chat(why)[:200]}", now)
            case _:
                raise WireError(f"a malformed {message[0]!r}")

    def _lobby_changed(self) -> None:
        hosting = self._hosting
        if hosting is None:
            return
        self._events.append(hosting.lobby())
        for line in hosting.guests():
            self._mesh.send(line, *hosting.names())

    def start_now(self, now: float) -> None:
        """The host's key *s*: start with who is there; raises ``LocalProtocolError`` when that is too few."""
        hosting = self._hosting
        if hosting is None or self.match is not None:
            raise LocalProtocolError("Only the host starts a table, and only once.")
        formed = hosting.form(self.port)
        places = [list(address) if address else None for address in formed.addresses]
        for line in hosting.guests():
            self._mesh.send(line, "roster", formed.roster.to_wire(), places)
        self._begin(formed, now)

    def _begin(self, formed: Formed, now: float) -> None:
        match = Match(formed.roster, judge_digests=False)
        self.match = match
        self.player = Player(self.own.identity, match, self.own.coin_share, self._randbytes)
        self._addresses = {
            key: address for key, address in zip(formed.roster.keys, formed.addresses, strict=True) if address
        }
        self._records.append(record_roster(formed.roster))
        self._patience.slot_opened(now)
        self._events.append(match.opened())
        for link in list(self._mesh.links.values()):
            self._recognise(link, now)
        self._work(now)

    def _recognise(self, link: Link, now: float) -> None:
        """Tell whose line this is; a player's line first says how far each side has every feed."""
        match = self.match
        if match is None or link.key not in match.roster.keys:
            return
        link.writer = match.roster.writer_of(link.key)
        if link.writer in self._missing:
            self._missing.discard(link.writer)
            self._events.append(PeerBack(self._seat(link.writer), self._name(link.writer)))
        self._ping(now)

    # -- entries -----------------------------------------------------------------------------------------------------

    def _take_entry(self, link: Link, data: bytes, now: float) -> None:
        match = self.match
        if match is None or match.over:
            return
        entry = Entry.decode(data)
        if entry.header.table != match.table:
            self._other_table(match, link, entry, now)
            return
        try:
            added = match.offer(entry)
        except ForkFound as found:
            self._convict(found.proof, now)
            return
        if added is Added.NEW:
            self._note_new(entry)
            self._mesh.pass_on(entry, link, now)
        elif added is Added.GAP:
            writer = entry.header.writer
            self._mesh.send(link.line, "ask", writer, len(match.feeds[writer].entries))

    def _note_new(self, entry: Entry) -> None:
        match = self.match
        if match is None:
            return
        self._records.append(record_entry(entry))
        writer = entry.header.writer
        if entry.header.kind == "chat":
            self._show_chat(entry)
        elif self._window is not None and match.slot.kind is SlotKind.WINDOW:
            self._window.saw(match, match.seat_of(writer), entry)

    def _show_chat(self, entry: Entry) -> None:
        writer = entry.header.writer
        try:
            text = clean_chat(bodies.parse_chat(entry.body))
        except WireError:
            return
        if text and len(text.encode()) <= MAX_CHAT_BYTES:
            self._events.append(ChatSaid(self._seat(writer) or 0, self._name(writer), text))

    def _other_table(self, match: Match, link: Link, entry: Entry, now: float) -> None:
        """A start entry for another list of players that our host signed too convicts the host."""
        if match.slot.kind is not SlotKind.START or entry.header.kind != "start":
            raise WireError("an entry of another table")
        body = bodies.parse_start(entry.body)
        entry.signed.check(link.key)
        offer = match.roster.offers[0].offer
        if body.table != entry.header.table:
            raise WireError("a start entry that confirms another table than it names")
        check_host_signature(offer.host_key, offer.host_nonce, body.table, body.host_signature)
        self._records.append(record_two_rosters(body.table, body.host_signature))
        match.blame = Blame(
            match.roster.host, 0, "roster", "showed different lists of players to different players of this table"
        )

    def _convict(self, proof: ForkProof, now: float) -> None:
        match = self.match
        if match is None or match.over:
            return
        match.convict(proof)
        self._records.append(record_fork(proof))
        self._mesh.broadcast("fork", proof.to_wire())
        self._check_over(now)

    # -- the machine turns -------------------------------------------------------------------------------------------

    def _work(self, now: float) -> None:
        """Close slots and answer what is asked, until the table waits for somebody else."""
        match, player = self.match, self.player
        if match is None or player is None or self.ended is not None:
            return
        self._settle_disputes(match, now)
        while self.ended is None:
            happened = match.advance(only=1)
            for event in happened:
                self._report(event, now)
            if player.learn():
                self._events.append(HandChanged(player.hand()))
            self._check_over(now)
            if self.ended is not None or not (self._answer(match, player, now) or happened):
                return

    def _report(self, event: PeerEvent, now: float) -> None:
        if isinstance(event, TableMade) and self.player is not None:
            event = replace(event, seat=self.player.seat)
        if isinstance(event, SlotOpened):
            self._patience.slot_opened(now)
            self._window = None
            self._close_decision(by_clock=False)
        self._events.append(event)

    def _answer(self, match: Match, player: Player, now: float) -> bool:
        """Write what the open slot asks of this seat, if it is due now; whether something was written."""
        if not player.owes():
            return False
        kind = match.slot.kind
        if kind is SlotKind.WINDOW and self._window is None:
            self._window = WindowWatch.begin(match, now)
            self._ask(match, player, self._window.until)
        if kind is SlotKind.WINDOW and self._window is not None:
            due = self._window.answer(player, now)
        elif match.slot.rule.person:
            due = self._person_answer(match, player, now)
        else:
            due = player.automatic()
        if due is None:
            return False
        self._write(*due, now)
        return True

    def _person_answer(self, match: Match, player: Player, now: float) -> tuple[str, bytes] | None:
        if self._held_back is not None:
            when, kind, body = self._held_back
            return (kind, body) if now >= when else None
        clock = match.roster.options.turn_clock
        self._ask(match, player, now + clock if clock else None)
        if self._decide_by is not None and now >= self._decide_by:
            self._close_decision(by_clock=True)
            return player.decided(player.clock_action())
        return None

    def _ask(self, match: Match, player: Player, until: float | None) -> None:
        """Ask the person, once a slot."""
        state = match.state
        if self._asked_slot == match.slot.number or state is None or not isinstance(state.pending, engine.NeedActions):
            return
        self._asked_slot = match.slot.number
        self._decision = state.pending.kind
        self._decide_by = until
        legal = player.legal()
        if state.pending.kind is engine.Kind.WINDOW:
            # The rest of a window's answers follow from what was heard; only these two are a key.
            legal = tuple(action for action in legal if action in (engine.Called(), engine.Caught()))
        self._events.append(DecisionNeeded(state.pending.kind, player.view(), legal, until))

    def _close_decision(self, *, by_clock: bool) -> None:
        if self._decision is not None:
            self._events.append(DecisionOver(self._decision, by_clock))
        self._decision = self._decide_by = self._held_back = None

    def _write(self, kind: str, body: bytes, now: float) -> None:
        """Sign the next entry of one's own feed, and only then tell anybody."""
        match, player = self.match, self.player
        if match is None or player is None:
            raise LocalProtocolError("There is no match yet.")
        have = have_list(match)
        entry = player.write(kind, body)
        self._chat_run = 0
        self._close_decision(by_clock=False)
        self._note_new(entry)
        self._mesh.publish(entry, have, now)

    # -- a person acts -----------------------------------------------------------------------------------------------

    def act(self, action: engine.Action, now: float) -> None:
        """Answer the open decision; raises ``LocalProtocolError`` with a sentence, and nothing is sent."""
        match, player = self.match, self.player
        if match is None or player is None or self.ended is not None:
            raise LocalProtocolError("There is no match under way.")
        if not player.owes() or not match.slot.rule.person or self._held_back is not None:
            raise LocalProtocolError("It is not your turn to decide anything.")
        if match.slot.kind is SlotKind.WINDOW:
            if self._window is None or action not in (engine.Called(), engine.Caught()):
                raise LocalProtocolError("In an UNO window you can only call or catch.")
            player.decided(action)
            kind, body = self._window.pressed(player)
        else:
            kind, body = player.decided(action)
        opened = self._patience.slot_since
        delay = match.roster.options.keep_delay_ms / 1000 if match.slot.kind is SlotKind.DRAWN else 0.0
        if now < opened + delay:
            # How fast one answers must not tell whether the drawn card could be played (rules.md T3).
            self._close_decision(by_clock=False)
            self._held_back = (opened + delay, kind, body)
            return
        self._write(kind, body, now)
        self._work(now)

    def say(self, text: str, now: float) -> None:
        """Send a line of chat; raises ``LocalProtocolError``."""
        match = self.match
        line = clean_chat(text)
        if match is None or self.ended is not None:
            raise LocalProtocolError("There is nobody to talk to yet.")
        if not line:
            raise LocalProtocolError("There is nothing to say.")
        if len(line.encode()) > MAX_CHAT_BYTES:
            raise LocalProtocolError(f"A line of chat has at most {MAX_CHAT_BYTES} bytes.")
        if self._chat_run >= MAX_CHAT_RUN:
            raise LocalProtocolError("That is enough chat until the next move.")
        self._chat_run += 1
        have = have_list(match)
        player = self.player
        if player is None:
            return
        entry = player.write("chat", encode([line]))
        self._note_new(entry)
        self._mesh.publish(entry, have, now)
        self._work(now)

    def leave(self, now: float) -> None:
        """Leave for good; without recovery (a later version) this ends the match for all."""
        if self.ended is None:
            self._finish(Outcome.GONE, "You left the table.", now, "left")

    # -- time ----------------------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Let time pass."""
        if now >= self._next_ping:
            self._ping(now)
        self._patience.tick(now)
        self._work(now)
        self._lose_patience(now)

    def _ping(self, now: float) -> None:
        self._next_ping = now + PING_EVERY
        match = self.match
        if match is not None:
            self._mesh.broadcast("ping", have_list(match), sorted(self._mesh.reached()), self.ended is not None)

    def _lose_patience(self, now: float) -> None:
        match = self.match
        if match is None or self.ended is not None:
            return
        me = match.roster.writer_of(self.key)
        reached = self._mesh.reached()
        for link in self._mesh.players():
            reached |= link.reaches
        self._patience.note_reached(reached, range(len(match.feeds)), me, now)
        gone = self._patience.gone(now)
        if gone is not None:
            name = self._name(gone)
            self._finish(Outcome.GONE, f"{name} is gone: nobody reaches it any more.", now, "gone", blamed=gone)
            return
        for writer, (since, sentence) in self._stopped.items():
            if now - since >= STOPPED_AFTER:
                self._finish(Outcome.GONE, sentence, now, "gone", blamed=writer)
                return
        limit = slot_limit(match.slot, match.roster.options)
        late = match.waiting_for() or tuple(match.seat_of(writer) for writer in match.disputed())
        if limit is None or not late or now - self._patience.slot_since < limit:
            return
        writer = match.order[late[0]]
        name = self._name(writer)
        if match.slot.kind is SlotKind.START:
            self._finish(
                Outcome.DISSOLVED,
                f"The table was not made: {name} did not confirm the same list of players within {START_LIMIT:.0f} s.",
                now,
                "gone",
            )
        elif writer != me:
            what = f"{name} is silent: no {match.slot.kind.value!r} from it for {limit:.0f} s."
            self._finish(Outcome.GONE, what, now, "gone", blamed=writer)

    def _settle_disputes(self, match: Match, now: float) -> None:
        """A false digest is its writer's fault once that writer's own list shows that it has what we have (T5.3)."""
        for writer in match.disputed():
            since = self._disputes.setdefault(writer, now)
            for link in self._mesh.links.values():
                if link.writer == writer and link.have_at >= since and self._same_history(match, link):
                    match.confirm(writer)
                    self._disputes.pop(writer, None)

    @staticmethod
    def _same_history(match: Match, link: Link) -> bool:
        """Whether the other end holds exactly the entries that we have taken, as far as it holds any."""
        for feed, (number, last) in zip(match.feeds, link.have, strict=True):
            if not feed.position <= number <= len(feed.entries) or feed.hash_at(number) != last:
                return False
        return True

    # -- the end -----------------------------------------------------------------------------------------------------

    def _check_over(self, now: float) -> None:
        match = self.match
        if match is None or not match.over or self.ended is not None:
            return
        if match.blame is not None:
            self._blame(match.blame, now, self._name(match.blame.writer))
            return
        state = match.state
        winner = None if state is None else state.winner
        sentence = "The match is over."
        if winner is not None:
            sentence = f"{match.players()[winner].name} wins the match."
        self._finish(Outcome.COMPLETE, sentence, now, "complete")

    def _blame(self, blame: Blame, now: float, name: str) -> None:
        sentence = f"{name} cheated: it {blame.detail} (check: {blame.check})."
        if self.match is not None and blame.writer == self.match.roster.writer_of(self.key):
            sentence = f"This program is accused of cheating: it {blame.detail} (check: {blame.check})."
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
        self._close_decision(by_clock=False)
        match = self.match
        state = None if match is None else match.state
        self.ended = Ended(
            outcome,
            sentence,
            {} if state is None else dict(enumerate(state.scores)),
            None if state is None else state.winner,
            b"" if match is None else match.result_digest,
            None if blamed is None else self._seat(blamed),
            check,
        )
        self._ended_at = now
        self._events.append(self.ended)
        if match is not None:
            if match.blame is not None:
                self._show_evidence(match, match.blame, now)
            self._ping(now)
            if outcome is not Outcome.COMPLETE:
                self._mesh.broadcast("bye", reason, -1 if blamed is None else blamed)
        elif self._hosting is not None:
            for line in self._hosting.guests():
                self._mesh.send(line, "no", "The host has closed the table.")

    def _show_evidence(self, match: Match, blame: Blame, now: float) -> None:
        """The entry that ended the match goes to everybody, so that all find it themselves."""
        entries = match.feeds[blame.writer].entries
        if blame.proof is None and 0 <= blame.number < len(entries):
            for link in self._mesh.players():
                self._mesh.send_entry(link, entries[blame.number], now)

    def _take_bye(self, link: Link, message: list[Any], now: float) -> None:
        """Another peer has stopped; without recovery that ends the match for all."""
        _, reason, blamed = fields(message, "a farewell", str, str, int)
        match = self.match
        link.finished = True
        if match is None or link.writer is None or self.ended is not None:
            return
        name = self._name(link.writer)
        if reason == "left":
            self._finish(Outcome.GONE, f"{name} has left the table.", now, "gone", blamed=link.writer)
        elif reason in ("gone", "cheat"):
            # Whoever stopped had a reason that shows itself here too, with its evidence; only if it does not, in time,
            # is that peer's word all there is.
            other = self._name(blamed) if 0 <= blamed < len(match.feeds) else "somebody"
            why = f"it says that {other} {'is gone' if reason == 'gone' else 'cheated'}"
            self._stopped.setdefault(link.writer, (now, f"{name} has stopped the match: {why}."))

    @property
    def _lingered(self) -> bool:
        match = self.match
        links = self._mesh.players()
        if match is None or self.ended is None or not links:
            return True
        last, since = self._patience.last_tick, self._ended_at
        if last is not None and since is not None and last - since >= LINGER:
            return True
        mine = [feed.head[0] for feed in match.feeds]
        return all(
            link.finished and all(theirs >= own for (theirs, _), own in zip(link.have, mine, strict=False))
            for link in links
        )

    # -- names -------------------------------------------------------------------------------------------------------

    def _seat(self, writer: int) -> int | None:
        return None if self.match is None or self.match.state is None else self.match.seat_of(writer)

    def _name(self, writer: int) -> str:
        return "?" if self.match is None else self.match.players()[self.match.seat_of(writer)].name
