"""A peer, sans-I/O: messages of lines and the time in; messages, events and the next deadline out.

A peer first fills a table (`forming.py`), then sits at it (`sitting.py`). This class is the one object that the
network edge and the program around it drive; it knows lines and who may say what before a match has begun.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from nodealer import engine
from nodealer.crypto.identity import Identity

from .book import Batch, Book
from .errors import LocalProtocolError, WireError
from .events import Ended, Notice, Outcome, PeerEvent, PlayerInfo, WatchersChanged
from .forming import Formed, HostTable, JoinTable, Own
from .gallery import Gallery
from .journal import NoJournal, Saved, SeatSecrets, record_addresses, record_seat
from .limits import AUTOMATIC_LIMIT, Standing
from .match import Match
from .mesh import Link, Mesh
from .names import clean_chat
from .offer import coin_opens
from .options import TableOptions
from .passphrase import Door, Passphrase
from .sitting import Sitting


class Peer:
    """One player's program at one table. Make it with `host` or `join`; drive it with lines, messages and time.

    ``port`` is where this program listens; set it before the first line comes up.
    """

    def __init__(
        self,
        own: Own,
        hosting: HostTable | None,
        randbytes: Callable[[int], bytes] = os.urandom,
        passphrase: Passphrase | None = None,
    ) -> None:
        self.own = own
        self.port = 0
        # A person may wait for who is missing as long as it likes; set before the match for a person's program.
        self.patient = False
        self._hosting = hosting
        self._joining = None if hosting else JoinTable(own, passphrase, randbytes)
        # Where the table has a passphrase: nobody says hello to its host, or watches, before having proven it.
        self._door = Door(passphrase, own.identity.public, randbytes) if passphrase else None
        self._closing: list[int] = []
        self._randbytes = randbytes
        self._mesh = Mesh()
        self._sitting: Sitting | None = None
        self._ended: Ended | None = None
        self._now: float | None = None
        self._events: list[PeerEvent] = []
        self._records = Book()
        self._gallery = Gallery(self._mesh, self._records.public, hosting is None or hosting.watch)
        self._addresses: dict[bytes, tuple[str, int]] = {}
        self._note = ("", b"")
        # While joining: when the host's program must have answered.
        self._answer_by: float | None = None

    @classmethod
    def host(
        cls,
        identity: Identity,
        name: str,
        options: TableOptions,
        randbytes: Callable[[int], bytes] = os.urandom,
        *,
        passphrase: Passphrase | None = None,
        watch: bool = True,
    ) -> Peer:
        """A peer that opens a table, for those who know its passphrase if it has one.

        ``watch``: others may see the match without a seat.

        Raises ``LocalProtocolError`` for options that no table can have.
        """
        own = Own(identity, name, randbytes)
        peer = cls(own, HostTable(own, options, randbytes, watch=watch), randbytes, passphrase)
        peer._lobby_changed()
        return peer

    @classmethod
    def join(
        cls,
        identity: Identity,
        name: str,
        randbytes: Callable[[int], bytes] = os.urandom,
        *,
        passphrase: Passphrase | None = None,
    ) -> Peer:
        """A peer that asks for a seat on the first line that it gets to somebody.

        With a passphrase it sits down only at a table whose host knows it too.
        """
        return cls(Own(identity, name, randbytes), None, randbytes, passphrase)

    @classmethod
    def resume(
        cls, identity: Identity, saved: Saved, now: float, randbytes: Callable[[int], bytes] = os.urandom
    ) -> Peer:
        """A peer that goes on with the match of a journal; its first events tell the story so far.

        Raises ``NoJournal`` where this is not this identity's journal, or no history of a match.
        """
        seat = saved.seat
        if seat.key != identity.public:
            raise NoJournal("it belongs to another identity")
        offer = saved.roster.offers[saved.roster.writer_of(seat.key)].offer
        if not coin_opens(offer.commitment, offer.key, seat.coin_share):
            raise NoJournal("its secrets are not those of this table")
        own = Own(identity, offer.name, randbytes)
        own.coin_share, own.box_secret = seat.coin_share, seat.box_secret
        peer = cls(own, None, randbytes)
        peer._joining = None
        peer._now = now
        peer._records.journal = True
        # The journal says neither whether the host lets people watch nor with which passphrase: others show the match.
        peer._gallery.allowed = False
        peer._addresses = dict(saved.addresses)
        peer._sitting = Sitting(own, saved.roster, peer._mesh, peer._events, peer._records, now, randbytes, saved)
        return peer

    def keep_journal(self, note: str = "", identity: bytes = b"") -> None:
        """Keep records for a journal, from the beginning of the match; `SeatSecrets` says what these two are."""
        self._records.journal = True
        self._note = (note, identity)

    # -- what the program around it reads ----------------------------------------------------------------------------

    @property
    def key(self) -> bytes:
        return self.own.identity.public

    @property
    def match(self) -> Match | None:
        """The public machine of the match, once there is one."""
        return None if self._sitting is None else self._sitting.match

    @property
    def seat(self) -> int | None:
        """One's own seat once the coin has fallen."""
        sitting = self._sitting
        return None if sitting is None else sitting.seat_of(sitting.me)

    @property
    def known(self) -> Mapping[engine.Handle, int]:
        """One's own cards by handle."""
        return {} if self._sitting is None else self._sitting.player.known

    @property
    def players(self) -> tuple[PlayerInfo, ...]:
        """The players in seat order."""
        return () if self._sitting is None else self._sitting.match.players()

    @property
    def ended(self) -> Ended | None:
        """How it ended here, once it has."""
        return self._ended if self._sitting is None else self._sitting.ended

    @property
    def resumable(self) -> bool:
        """Its journal is still good for something: the match has not ended for good for this seat."""
        return self._ended is None if self._sitting is None else self.ended is None or self._sitting.resumable

    @property
    def done(self) -> bool:
        """It has ended here, and the others have what they need."""
        if self._sitting is not None:
            return self._sitting.lingered(self._now) and self._gallery.settled(self._now)
        return self._ended is not None

    @property
    def events_waiting(self) -> bool:
        return bool(self._events)

    def events(self) -> list[PeerEvent]:
        """Take what happened since the last call."""
        happened = self._events[:]
        self._events.clear()
        return happened

    def records(self) -> list[bytes]:
        """Take the transcript's records since the last call, in order."""
        return self._records.take_public()

    def to_keep(self) -> Batch:
        """Take the journal's records; call it together with ``data_to_send``, and keep before sending (`Batch`)."""
        return self._records.take()

    def data_to_send(self) -> list[tuple[int, bytes]]:
        """Take the messages to be sent: (line, at most 60 kB)."""
        self._supply_watchers()
        frames, self._mesh.outbox = self._mesh.outbox, []
        return frames

    def lines_to_close(self) -> list[int]:
        """Take the lines that are to be closed after what was to be sent; the network closes those that misbehave."""
        closing = self._closing + self._gallery.closing
        self._closing, self._gallery.closing = [], []
        return closing

    def standing(self, line: int) -> Standing:
        """What this line's far end is here."""
        link = self._mesh.links.get(line)
        if link is None:
            return Standing.STRANGER
        if link.writer is not None or (self._joining is not None and self._joining.line == line):
            return Standing.PLAYER
        seated = self._forming and self._hosting is not None and line in self._hosting.guests()
        if seated or line in self._gallery:
            return Standing.GUEST
        return Standing.STRANGER

    def wanted(self) -> list[tuple[bytes, str, int]]:
        """The players this peer has no line to, and where they listen: (key, host, port)."""
        if self._sitting is None or self.done:
            return []
        reached, missing = self._mesh.reached(), self._sitting.missing
        return [
            (key, *self._addresses[key])
            for writer, key in enumerate(self._sitting.match.roster.keys)
            if key != self.key and writer not in reached and key in self._addresses and key not in self._sitting.shunned
            # After the end only those who may lack it.
            if self.ended is None or writer in missing
        ]

    def description(self) -> list[object]:
        """The answer to a *query*: table's nonce, host's name, edition, seats, taken, passphrase, open."""
        hosting = self._hosting
        if hosting is None and self._sitting is not None and self._sitting.match.roster.host == self._sitting.me:
            # Started again: the table is what it was, and its match has begun.
            offer, taken = self._sitting.match.roster.offers[0].offer, len(self._sitting.match.feeds)
            return ["table", offer.host_nonce[:16], self.own.name, offer.options.edition, taken, taken, False, False]
        if hosting is None:
            return ["no", "This is not the host of a table."]
        options = hosting.options
        taken = hosting.taken if self._sitting is None else len(self._sitting.match.feeds)
        is_open = self._sitting is None and self._ended is None and not hosting.full
        locked = self._door is not None
        return ["table", hosting.nonce[:16], self.own.name, options.edition, options.seats, taken, locked, is_open]

    def tap(self, see: Callable[[bool, Link, list[Any]], None]) -> None:
        """Show every message that goes out (True) or comes in (False), with its line, to ``see``."""
        self._mesh.tap = see

    # -- lines and time ----------------------------------------------------------------------------------------------

    def line_up(
        self,
        line: int,
        remote_key: bytes,
        outgoing: bool,
        address: tuple[str, int] | None,
        now: float,
        binding: bytes = b"",
    ) -> None:
        """A secure line to the holder of this key stands. ``binding`` names its one handshake, alike on both ends."""
        self._now = now
        link = Link(line, remote_key, address, binding)
        self._mesh.links[line] = link
        joining = self._joining
        if self._sitting is not None and remote_key in self._sitting.shunned:
            self._closing.append(line)
        elif self._sitting is not None:
            self._sitting.recognise(link, now)
            self._gallery.line_up(link)
        elif joining is not None and outgoing and joining.line is None and self._ended is None:
            joining.line = line
            self._answer_by = now + AUTOMATIC_LIMIT
            self._mesh.send(line, *(joining.knock.begin(remote_key, binding) or ["hello", self.own.name, self.port]))

    def line_down(self, line: int, reason: str, now: float) -> None:
        """A line is gone."""
        self._now = now
        link = self._mesh.links.pop(line, None)
        if link is None:
            return
        if self._door is not None and self._door.line_down(line, now):
            self._wrong_guess(self._door, link)
        self._gallery.line_down(link)
        if self._sitting is not None:
            self._sitting.line_down(link, now)
        elif self._hosting is not None and self._hosting.line_down(line):
            self._lobby_changed()
        elif self._joining is not None and self._joining.line == line:
            self._dissolve(f"The line to the table was lost: {reason}")

    def receive(self, line: int, message: bytes, now: float) -> None:
        """A message came on a line. Raises ``WireError`` where the other end misbehaved: close the line then."""
        self._now = now
        link = self._mesh.links.get(line)
        if link is None:
            return
        try:
            whole = self._mesh.unpack(link, message)
            if whole is not None:
                self._dispatch(link, whole, now)
        except WireError as error:
            if self._sitting is not None:
                self._sitting.misbehaved(link, error, now)
            raise
        if self._sitting is not None:
            self._sitting.work(now)

    def next_deadline(self) -> float | None:
        """When ``tick`` is wanted next."""
        if self._forming:
            return self._answer_by
        return None if self._sitting is None or self.done else self._sitting.next_deadline()

    def tick(self, now: float) -> None:
        """Let time pass."""
        self._now = now
        if self._sitting is not None:
            self._sitting.tick(now)
        elif self._answer_by is not None and now >= self._answer_by:
            self._answer_by = None
            self._dissolve(f"The host of the table does not answer: nothing from it for {AUTOMATIC_LIMIT:.0f} s.")

    def _dispatch(self, link: Link, message: list[Any], now: float) -> None:
        if link.line in self._gallery and message[0] not in ("read", "query"):
            raise WireError("a watcher that does more than watch")
        match message:
            case ["query"]:
                self._mesh.send(link.line, *self.description())
            case ["watch", table, have]:
                if link.writer is None:
                    self._take_watcher(link, table, have, now)
            case ["read", count]:
                self._gallery.read(link, count, now)
            case ["watchers", keys]:
                self._gallery.elsewhere(link, keys)
            case [("entry" | "ping" | "ask" | "fork" | "bye"), *_]:
                # From a line that is no player's, or before there is a match, it says nothing to us.
                if self._sitting is not None and link.writer is not None:
                    self._sitting.dispatch(link, message, now)
            case ["hello", name, port]:
                self._take_hello(link, name, port)
            case ["pake", bytes() as share] if self._answers_door:
                self._take_guess(link, share, now)
            case ["confirm", bytes() as tag] if self._door is not None and self._answers_door:
                self._take_confirmation(self._door, link, tag, now)
            case ["offer", offer] if self._hosting is not None and self._forming and self._proven(link):
                self._take_offer(self._hosting, link, offer, now)
            case [("seat" | "lobby" | "roster" | "no" | "pake" | "confirm" | "locked"), *_] if (
                self._joining is not None and self._forming
            ):
                if link.line == self._joining.line:
                    self._take_from_host(self._joining, link, message, now)
            case [("hello" | "offer" | "seat" | "lobby" | "roster" | "no" | "pake" | "confirm" | "locked"), *_]:
                # Too late or not for us; a peer that was slow to learn of the start may well send it.
                pass
            case _:
                raise WireError("a message of a kind that this protocol does not have")

    # -- forming -----------------------------------------------------------------------------------------------------

    @property
    def _forming(self) -> bool:
        """The table may still begin here; who has left it before that is never drawn into a match."""
        return self._sitting is None and self._ended is None

    @property
    def _answers_door(self) -> bool:
        """A host's door is for those who want a seat, and every player's for those who want to watch."""
        return self._hosting is not None or self._sitting is not None

    def _proven(self, link: Link) -> bool:
        """Whether this line's end may deal with the table: it has proven the passphrase, or there is none."""
        return self._door is None or self._door.proven(link.line)

    def _take_guess(self, link: Link, share: bytes, now: float) -> None:
        door = self._door
        if self._sitting is None and self._ended is not None:
            self._mesh.send(link.line, "no", "The table has been closed.")
        elif door is None:
            self._mesh.send(link.line, "no", "This table has no passphrase; come without one.")
        elif wait := door.wait(link.address, now):
            seconds = math.ceil(wait)
            self._refuse(link, "no", f"Too many wrong passphrases came lately; try again in {seconds} s.")
        else:
            self._mesh.send(link.line, "pake", door.pake(link.line, link.key, link.binding, link.address, share, now))

    def _take_confirmation(self, door: Door, link: Link, tag: bytes, now: float) -> None:
        try:
            mine = door.confirm(link.line, tag, now)
        except WireError:
            self._wrong_guess(door, link)
            raise
        if mine is not None:
            self._mesh.send(link.line, "confirm", mine)
            return
        self._wrong_guess(door, link)
        self._refuse(link, "locked")

    def _refuse(self, link: Link, *message: object) -> None:
        """Say a last word on a line: one guess each."""
        self._mesh.send(link.line, *message)
        self._closing.append(link.line)

    def _wrong_guess(self, door: Door, link: Link) -> None:
        """Tell the person, ever more rarely: who guesses must not fill the screen."""
        wrong = door.guesses.wrong
        if wrong and wrong & (wrong - 1) == 0 and self._forming:
            where = link.address[0] if link.address else "an unknown address"
            times = "A wrong passphrase" if wrong == 1 else f"{wrong} wrong passphrases"
            self._events.append(Notice(f"{times} came lately, the last from {clean_chat(where)[:64]}."))

    def _take_hello(self, link: Link, name: object, port: object) -> None:
        if self._hosting is None:
            self._mesh.send(link.line, "no", "This player does not host a table.")
        elif not self._proven(link):
            self._mesh.send(link.line, "locked")
        elif self._sitting is not None or self._ended is not None:
            self._mesh.send(link.line, "no", "The match at this table has begun.")
        else:
            self._mesh.send(link.line, *self._hosting.hello(link.line, name, port))

    def _take_offer(self, hosting: HostTable, link: Link, offer: object, now: float) -> None:
        refusal = hosting.take_offer(link.line, link.key, link.address, offer)
        if refusal is not None:
            self._mesh.send(link.line, "no", refusal)
            return
        self._lobby_changed()
        if hosting.full:
            self.start_now(now)

    def _take_from_host(self, joining: JoinTable, link: Link, message: list[Any], now: float) -> None:
        match message:
            case ["pake", bytes() as share]:
                self._mesh.send(link.line, *joining.knock.answer(share))
                self._answer_by = now + AUTOMATIC_LIMIT
            case ["confirm", bytes() as tag]:
                if joining.knock.confirmed(tag):
                    self._mesh.send(link.line, "hello", self.own.name, self.port)
                    self._answer_by = now + AUTOMATIC_LIMIT
                else:
                    self._dissolve(
                        "The host did not prove the passphrase: this is not the table you mean.", Outcome.LOCKED
                    )
            case ["locked"]:
                self._dissolve(joining.knock.locked(), Outcome.LOCKED)
            case ["seat", *_]:
                self._mesh.send(link.line, *joining.seat(link.key, message))
                self._answer_by = now + AUTOMATIC_LIMIT
            case ["lobby", players]:
                changed = joining.lobby(players)
                if changed is not None:
                    # One has a seat; from here on the table waits for people, who have no clock.
                    self._answer_by = None
                    self._events.append(changed)
            case ["roster", *_]:
                self._begin(joining.formed(message, link.address), now)
            case ["no", str() as why]:
                self._dissolve(f"The host refused: {clean_chat(why)[:200]}")
            case _:
                raise WireError(f"a malformed {message[0]!r}")

    def _lobby_changed(self) -> None:
        hosting = self._hosting
        if hosting is not None:
            self._events.append(hosting.lobby())
            for line in hosting.guests():
                self._mesh.send(line, *hosting.names())
            self._gallery.wait(hosting.waiting())

    def start_now(self, now: float) -> None:
        """The host's key *s*: start with who is there; raises ``LocalProtocolError`` when that is too few."""
        hosting = self._hosting
        if hosting is None or not self._forming:
            raise LocalProtocolError("Only the host starts a table, and only once.")
        formed = hosting.form(self.port)
        places = [list(address) if address else None for address in formed.addresses]
        for line in hosting.guests():
            self._mesh.send(line, "roster", formed.roster.to_wire(), places, formed.watch)
        self._begin(formed, now)

    def _begin(self, formed: Formed, now: float) -> None:
        self._addresses = {
            key: address for key, address in zip(formed.roster.keys, formed.addresses, strict=True) if address
        }
        own = self.own
        seat = SeatSecrets(self.key, own.coin_share, own.box_secret, self.port, *self._note)
        self._records.private(record_seat(seat))
        self._sitting = Sitting(own, formed.roster, self._mesh, self._events, self._records, now, self._randbytes)
        self._sitting.patient = self.patient
        self._records.private(record_addresses(self._addresses))
        self._gallery.allowed = formed.watch
        self._gallery.begin(self._sitting.match)

    def _dissolve(self, sentence: str, outcome: Outcome = Outcome.DISSOLVED) -> None:
        if self._ended is None:
            self._ended = Ended(outcome, sentence, {}, None, b"")
            self._events.append(self._ended)

    # -- who only watches --------------------------------------------------------------------------------------------

    def _take_watcher(self, link: Link, table: object, have: object, now: float) -> None:
        if not self._proven(link):
            self._refuse(link, "locked")
            return
        hosting = self._hosting if self._forming else None
        self._gallery.watch(link, table, have, self.match, hosting is not None, now)
        if hosting is not None and link.line in self._gallery:
            self._mesh.send(link.line, *hosting.waiting())

    def _supply_watchers(self) -> None:
        """Whatever has happened may be news to those who watch."""
        if self._now is None:
            return
        over = None if self.ended is None else self.ended.sentence
        count = self._gallery.work(self.match, self._places, over, self._now)
        if count is not None:
            self._events.append(WatchersChanged(count))

    def _places(self) -> list[object]:
        """Where each player listens, for those who watch and may have to go to another; one's own without a host."""
        if self.match is None:
            return []
        addresses = {**self._addresses, self.key: ("", self.port)}
        return [list(addresses[key]) if key in addresses else None for key in self.match.roster.keys]

    # -- a person acts -----------------------------------------------------------------------------------------------

    def act(self, action: engine.Action, now: float) -> None:
        """Answer the open decision; raises ``LocalProtocolError`` with a sentence, and nothing is sent."""
        self._now = now
        self._at_table().act(action, now)

    def say(self, text: str, now: float) -> None:
        """Send a line of chat to the table; raises ``LocalProtocolError``."""
        self._now = now
        self._at_table().say(text, now)

    def leave(self, now: float) -> None:
        """Leave for good; a host that leaves before the start closes its table."""
        self._now = now
        if self._sitting is not None:
            self._sitting.leave(now)
            return
        if self._hosting is not None:
            for line in self._hosting.guests():
                self._mesh.send(line, "no", "The host has closed the table.")
            self._gallery.close("The host has closed the table.")
        self._dissolve("You left before the match began.")

    def _at_table(self) -> Sitting:
        if self._sitting is None:
            raise LocalProtocolError("The match has not begun.")
        return self._sitting
