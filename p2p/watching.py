"""A spectator without a seat, sans-I/O: it watches through one player at a time and checks everything by itself.

Theory of operation. The watcher dials a player, says how much of the match it has, and gets the rest as records of the
transcript, then every new one. Each goes through the same public machine as at the table (`match.py`), so a player
cannot tell it anything that was not signed by its writer and does not hold; it can only keep things back, and then the
match seems to wait. So the watcher goes to another player when one is gone, has nothing new for a while, or when an
entry speaks of another history than the one it was shown: then first to that entry's writer, who will show the fork.

    asks -> waits (the table fills) -> watches -> ended
            |                          ^    |
            +---- refused, dissolved   +----+ another player

Records that come are queued and read and checked one at a time by `tick`, so that a whole match may come at once while
the program stays awake; what is queued is bounded by what the watcher says it has read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from nodealer import engine

from .book import Batch
from .chat import chat_said
from .entry import HASH, MAX_WRITERS, Entry
from .errors import LocalProtocolError, WireError
from .events import Ended, LobbyChanged, Notice, Outcome, PeerBack, PeerEvent, PeerMissing
from .feed import Added, ForkFound, ForkProof
from .forming import parse_names, parse_places
from .gallery import READ_EVERY, READ_STEP, WINDOW
from .limits import Standing
from .match import Match, UnsoundDeck
from .mesh import Link, Mesh, have_list
from .names import clean_chat
from .offer import Roster
from .options import TableOptions
from .passphrase import Knock, Passphrase
from .transcript import MAX_RECORD, TwoRosters, parse_record, record_fork
from .wire import exactly

TICK_EVERY = 1.0
# Nothing new for so long: perhaps the player keeps it back, so ask another.
STALE_AFTER = 20.0
# No player could be reached for the table's grace time, and for at least so long: one gives up.
LEAST_PATIENCE = 10.0
# A player that does not answer within this time is left alone for now.
MOVE_WITHIN = 5.0
# An entry that speaks of another history is its writer's fault if no fork comes to light within this time.
DISPUTE_WAIT = 10.0
# Records that wait to be checked: beyond this the watcher says no more that it has read.
MAX_QUEUED = 8 * 1024 * 1024
# Of records shorter than this many are checked in one go; a longer one holds a proof.
SHORT_RECORD = 4096
MAX_SHORT = 64
# Addresses kept for one player: its own word, others' words, and where it was reached.
MAX_PLACES = 4

Address = tuple[str, int]


@dataclass(slots=True)
class _View:
    """The line through which one watches now. ``got`` and ``said``: bytes of records received and acknowledged."""

    link: Link
    knock: Knock
    begun: bool = False
    got: int = 0
    said: int = 0
    said_at: float = 0.0
    over: bool = False


class Watcher:
    """A spectator of one table. Drive it like a `Peer`; dial the first player, the others it finds by itself.

    ``key`` is that of its lines. With a ``passphrase`` it watches only through players who know it too.
    ``host_key`` and ``nonce`` (the first 16 bytes of the host's) are of the table that was meant, where they are known
    from its announcement: another one is refused then.
    """

    def __init__(
        self,
        key: bytes,
        passphrase: Passphrase | None = None,
        *,
        host_key: bytes | None = None,
        nonce: bytes | None = None,
        randbytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.key = key
        self.port = 0
        self._passphrase = passphrase
        self._randbytes = randbytes
        self.match: Match | None = None
        self.ended: Ended | None = None
        # The table was not there to be watched: refused, or no table at all.
        self.refused = False
        self._expected = (host_key, nonce)
        self._mesh = Mesh()
        self._view: _View | None = None
        self._closing: list[int] = []
        self._events: list[PeerEvent] = []
        self._records: list[bytes] = []
        self._queue: deque[tuple[bytes, bytes]] = deque()
        self._queued = 0
        self._places: dict[bytes, list[Address]] = {}
        self._told_places: dict[bytes, tuple[Address | None, ...]] = {}
        # Players through whom nothing more will come, and why.
        self._finished: dict[bytes, str] = {}
        self._missing: bytes | None = None
        self._moving: tuple[bytes, float] | None = None
        self._lost_at: float | None = None
        self._news_at = 0.0
        self._dispute_at: float | None = None
        self._next_tick = 0.0

    # -- what the program around it reads ----------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        return self.ended is not None

    def standing(self, line: int) -> Standing:
        """Whom one watches through may send what a player may."""
        view = self._view
        return Standing.PLAYER if view is not None and view.link.line == line else Standing.STRANGER

    @property
    def events_waiting(self) -> bool:
        return bool(self._events)

    def events(self) -> list[PeerEvent]:
        """Take what happened since the last call."""
        happened, self._events = self._events, []
        return happened

    def records(self) -> list[bytes]:
        """Take the transcript's records since the last call, in order."""
        records, self._records = self._records, []
        return records

    def to_keep(self) -> Batch:
        """Who watches has no journal: it can begin anew."""
        return Batch((), False)

    def data_to_send(self) -> list[tuple[int, bytes]]:
        """Take the messages to be sent."""
        frames, self._mesh.outbox = self._mesh.outbox, []
        return frames

    def lines_to_close(self) -> list[int]:
        closing, self._closing = self._closing, []
        return closing

    def wanted(self) -> list[tuple[bytes, str, int]]:
        """Players to be dialled: all that may know more while one watches through nobody, else the next, if any."""
        if self.match is None or self.ended is not None:
            return []
        next_one = [] if self._moving is None else [self._moving[0]]
        keys = self._candidates() if self._view is None else next_one
        return [(key, *place) for key in keys for place in self._places.get(key, [])]

    def next_deadline(self) -> float | None:
        if self.ended is not None:
            return None
        return 0.0 if self._queue else self._next_tick

    # -- lines -------------------------------------------------------------------------------------------------------

    def line_up(
        self,
        line: int,
        remote_key: bytes,
        outgoing: bool,
        address: Address | None,
        now: float,
        binding: bytes = b"",
    ) -> None:
        """A line to a player stands: watch through it, unless one does so through another already."""
        link = Link(line, remote_key, address, binding)
        self._mesh.links[line] = link
        match, view = self.match, self._view
        unwanted = self.ended is not None or (match is not None and remote_key not in match.roster.keys)
        if unwanted or (view is not None and (self._moving is None or self._moving[0] != remote_key)):
            self._closing.append(line)
            return
        if view is not None:
            self._closing.append(view.link.line)
        self._view = view = _View(link, Knock(self._passphrase, self.key, self._randbytes), said_at=now)
        self._moving, self._lost_at = None, None
        self._news_at = now
        proof = view.knock.begin(remote_key, binding)
        if proof is None:
            self._ask(view)
        else:
            self._mesh.send(line, *proof)
        if match is not None:
            if address is not None:
                self._note_place(remote_key, address, first=True)
            self._tell_back(remote_key)

    def _ask(self, view: _View) -> None:
        match = self.match
        have: list[object] = [b"", []] if match is None else [match.table, have_list(match)]
        self._mesh.send(view.link.line, "watch", *have)

    def line_down(self, line: int, reason: str, now: float) -> None:
        link = self._mesh.links.pop(line, None)
        view = self._view
        if link is None or view is None or view.link is not link:
            return
        self._leave_view(now)
        if self.match is None and not self._queue:
            self._finish(Outcome.DISSOLVED, f"The line to the table was lost: {reason}")
        elif self.match is not None and self.ended is None and link.key not in self._finished:
            self._missing = link.key
            self._events.append(PeerMissing(*self._who(link.key)))

    def receive(self, line: int, message: bytes, now: float) -> None:
        """A message came on a line. Raises ``WireError`` where the other end misbehaved: close the line then."""
        link, view = self._mesh.links.get(line), self._view
        if link is None or view is None or view.link is not link or self.ended is not None:
            return
        try:
            whole = self._mesh.unpack(link, message)
            if whole is not None:
                self._dispatch(view, whole, now)
        except WireError as error:
            self._distrust(link.key, error, now)
            raise

    def _dispatch(self, view: _View, message: list[Any], now: float) -> None:
        key = view.link.key
        match message:
            case ["record", bytes() as payload] if view.begun and not view.over:
                view.got += len(payload)
                if view.got - view.said > max(WINDOW, MAX_RECORD):
                    raise WireError("more records than were asked for")
                self._queue.append((key, payload))
                self._queued += len(payload)
            case ["pake", bytes() as share]:
                self._mesh.send(view.link.line, *view.knock.answer(share))
            case ["confirm", bytes() as tag]:
                if view.knock.confirmed(tag):
                    self._ask(view)
                else:
                    self._lock_out(view, "It did not prove the passphrase: this is not the table you mean.", now)
            case ["locked"]:
                self._lock_out(view, view.knock.locked(), now)
            case ["watching" | "waiting", *_] if not view.knock.proven:
                raise WireError("a match before the passphrase was proven")
            case ["watching", bytes() as table, list() as places] if not view.begun:
                exactly(table, HASH, "a table")
                if self.match is not None and table != self.match.table:
                    raise WireError("another match than the one that was asked for")
                if len(places) > MAX_WRITERS:
                    raise WireError("more addresses than a table has players")
                view.begun = True
                self._told_places[key] = parse_places(places, len(places), view.link.address)
                if self.match is not None:
                    self._take_places(self.match, key)
            case ["waiting", options, names] if self.match is None and not view.begun:
                players = parse_names(names)
                if not players:
                    raise WireError("a table without its host")
                self._events.append(LobbyChanged(players[0].name, TableOptions.from_wire(options), players))
            case ["over", str() as sentence] if view.begun:
                view.over = True
                self._acknowledge(view, now)
                self._let_go(view, clean_chat(sentence)[:200], now)
            case ["no", str() as sentence]:
                self._let_go(view, clean_chat(sentence)[:200], now)
                if self.match is None:
                    self.refused = True
                    self._finish(Outcome.DISSOLVED, f"The table refused: {self._finished[key]}")
            case ["table" | "watchers" | "ping" | "lobby" | "fork", *_]:
                # Of no use here.
                pass
            case _:
                raise WireError("a message that a watcher does not get")

    def _lock_out(self, view: _View, why: str, now: float) -> None:
        self._let_go(view, why, now)
        if self.match is None:
            self._finish(Outcome.LOCKED, why)

    def _acknowledge(self, view: _View, now: float) -> None:
        if view.got > view.said:
            self._mesh.send(view.link.line, "read", view.got)
            view.said, view.said_at = view.got, now

    def _let_go(self, view: _View, why: str, now: float) -> None:
        """Nothing more will come through this player."""
        self._finished[view.link.key] = why
        self._closing.append(view.link.line)
        self._leave_view(now)

    def _leave_view(self, now: float) -> None:
        self._view, self._moving, self._lost_at = None, None, now

    def _distrust(self, key: bytes, error: WireError, now: float) -> None:
        """A player sent what no honest one sends: nothing more is taken from it."""
        self._finished[key] = f"It sent what no honest program sends: {error}."
        kept = [(source, payload) for source, payload in self._queue if source != key]
        self._queue = deque(kept)
        self._queued = sum(len(payload) for _, payload in kept)
        view = self._view
        if view is not None and view.link.key == key:
            self._closing.append(view.link.line)
            self._leave_view(now)
        if self.match is None:
            self.refused = True
            self._finish(Outcome.DISSOLVED, f"What answers there shows no match: it sent {error}.")

    # -- whom to watch through ---------------------------------------------------------------------------------------

    def _candidates(self) -> list[bytes]:
        """The other players that may know more, those after the present one first."""
        if self.match is None:
            return []
        keys = self.match.roster.keys
        now_at = keys.index(self._view.link.key) if self._view is not None else -1
        after = [*keys[now_at + 1 :], *keys[: max(now_at, 0)]]
        return [key for key in after if key in self._places and key not in self._finished]

    def _move(self, now: float, prefer: bytes | None = None) -> None:
        """Go to another player, if there is one; the line to this one stays until the other stands."""
        candidates = self._candidates()
        if self._view is not None and candidates:
            self._moving = (prefer if prefer in candidates else candidates[0], now)

    def _take_places(self, match: Match, key: bytes) -> None:
        places = self._told_places.pop(key, ())
        if len(places) != len(match.roster.keys):
            raise WireError("addresses of another number of players")
        for player, place in zip(match.roster.keys, places, strict=True):
            if place is not None:
                self._note_place(player, place, first=False)

    def _note_place(self, key: bytes, place: Address, *, first: bool) -> None:
        known = [other for other in self._places.get(key, []) if other != place]
        known = [place, *known] if first else [*known, place]
        self._places[key] = known[:MAX_PLACES]

    def _who(self, key: bytes) -> tuple[int | None, str]:
        match = self.match
        if match is None:
            return None, "?"
        seat = match.seat_of(match.roster.writer_of(key))
        return (None if match.state is None else seat), match.players()[seat].name

    def _tell_back(self, key: bytes) -> None:
        if self._missing == key:
            self._events.append(PeerBack(*self._who(key)))
        elif self._missing is not None:
            self._events.append(Notice(f"Watching by way of {self._who(key)[1]} now."))
        self._missing = None

    # -- time and records --------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Let time pass; check what has come, a piece at a time."""
        self._next_tick = now + TICK_EVERY
        for _ in range(MAX_SHORT):
            if not self._queue or self.ended is not None:
                break
            key, payload = self._queue.popleft()
            self._queued -= len(payload)
            try:
                self._take(key, payload, now)
            except WireError as error:
                self._distrust(key, error, now)
            if len(payload) > SHORT_RECORD:
                break
        if self.ended is not None:
            return
        view = self._view
        if view is not None and self._queued < MAX_QUEUED:
            much = view.got - view.said >= READ_STEP
            if much or now - view.said_at >= READ_EVERY:
                self._acknowledge(view, now)
        if not self._queue:
            self._look_around(now)

    def _look_around(self, now: float) -> None:
        """Everything that came has been checked: judge what waited for that, and go to another player if need be."""
        if self._moving is not None and now - self._moving[1] >= MOVE_WITHIN:
            self._moving, self._news_at = None, now
        if self._dispute_at is not None and now - self._dispute_at >= DISPUTE_WAIT:
            self._judge_disputed(now)
        elif self._view is None:
            self._look_for_another(now)
        elif self._moving is None and now - self._news_at >= STALE_AFTER:
            self._news_at = now
            self._move(now)

    def _look_for_another(self, now: float) -> None:
        match = self.match
        if self._lost_at is None:
            # The first line is not there yet.
            return
        if match is None:
            self._finish(Outcome.DISSOLVED, "The line to the table was lost.")
            return
        patience = max(LEAST_PATIENCE, float(match.roster.options.grace))
        if self._candidates() and now - self._lost_at < patience:
            return
        self._judge_disputed(now)
        if self.ended is not None:
            return
        said = next(((key, why) for key, why in self._finished.items() if key in match.roster.keys), None)
        if said is None:
            sentence = "No player of this table can be reached any more; the match is not finished here."
        else:
            sentence = f"The match is not finished here. {self._who(said[0])[1]} says: {said[1]}"
        self._finish(Outcome.DISSOLVED if match.state is None else Outcome.GONE, sentence)

    def _take(self, key: bytes, payload: bytes, now: float) -> None:
        """One record from one player; raises ``WireError`` where that player is to blame for it."""
        match, record = self.match, parse_record(payload)
        if isinstance(record, Roster):
            if match is None:
                self._begin(key, record, now)
                self._records.append(payload)
            elif record.table != match.table:
                raise WireError("the list of players of another match")
            return
        if match is None:
            raise WireError("a match that does not begin with its players")
        match record:
            case Entry():
                self._take_entry(match, record, payload)
            case ForkProof():
                if match.convict(record):
                    self._records.append(payload)
            case TwoRosters(table, signature):
                match.convict_host(table, signature)
                self._records.append(payload)
        self._news_at = now
        self._advance(now)

    def _begin(self, key: bytes, roster: Roster, now: float) -> None:
        offer = roster.offers[0].offer
        host_key, nonce = self._expected
        if key not in roster.keys:
            raise WireError("a match that it does not play in itself")
        if host_key is not None and offer.host_key != host_key:
            raise WireError("a match of another host")
        if nonce is not None and not offer.host_nonce.startswith(nonce):
            raise WireError("a match at another table")
        self.match = match = Match(roster, judge_digests=False)
        self._news_at = now
        self._take_places(match, key)
        view = self._view
        if view is not None and view.link.key == key and view.link.address is not None:
            self._note_place(key, view.link.address, first=True)
        self._events += [Notice(f"Watching by way of {self._who(key)[1]}."), match.opened()]

    def _take_entry(self, match: Match, entry: Entry, payload: bytes) -> None:
        try:
            added = match.offer(entry)
        except ForkFound as found:
            if match.convict(found.proof):
                self._records.append(record_fork(found.proof))
            return
        if added is Added.NEW:
            self._records.append(payload)
            said = chat_said(match, entry) if entry.header.kind == "chat" else None
            if said is not None:
                self._events.append(said)
        elif added not in (Added.KNOWN, Added.BEYOND) and entry.header.writer not in match.forks.proofs:
            raise WireError("an entry that does not follow on what it sent before")

    def _advance(self, now: float) -> None:
        match = self.match
        if match is None:
            return
        try:
            self._events += match.advance()
        except UnsoundDeck as error:
            self._finish(Outcome.UNSOUND, f"The protocol has failed: {error}. Nobody is to blame for it.")
            return
        self._check_over(match)
        if match.left_behind is not None:
            self._stray()
        disputed = match.disputed()
        if not disputed:
            self._dispute_at = None
        elif self._dispute_at is None:
            self._dispute_at = now
            self._move(now, match.roster.keys[disputed[0]])

    def _judge_disputed(self, now: float) -> None:
        """No fork has come to light: who speaks of another history than all others do is to blame for it."""
        match = self.match
        if match is None:
            return
        self._dispute_at = None
        if match.forks.active:
            # It has come to light; those who play decide what becomes of the round.
            return
        disputed = match.disputed()
        if any(match.went_on_without(writer) for writer in disputed):
            self._stray()
            return
        for writer in disputed:
            match.confirm(writer)
        self._advance(now)

    def _stray(self) -> None:
        """Whom one watched through at first went on alone, and the others without it, from an earlier entry."""
        self._finish(Outcome.GONE, "The others have gone on without somebody whom you had seen go on: watch anew.")

    # -- the end -----------------------------------------------------------------------------------------------------

    def _check_over(self, match: Match) -> None:
        if not match.over:
            return
        names = [player.name for player in match.players()]
        if match.blame is not None:
            blame, seat = match.blame, match.seat_of(match.blame.writer)
            sentence = f"{names[seat]} cheated: it {blame.detail} (check: {blame.check})."
            self._finish(Outcome.CHEAT, sentence, None if match.state is None else seat, blame.check)
            return
        winner = None if match.state is None else match.state.winner
        self._finish(Outcome.COMPLETE, "The match is over." if winner is None else f"{names[winner]} wins the match.")

    def _finish(self, outcome: Outcome, sentence: str, blamed: int | None = None, check: str | None = None) -> None:
        if self.ended is not None:
            return
        match = self.match
        state = None if match is None else match.state
        self.ended = Ended(
            outcome,
            sentence,
            {} if state is None else dict(enumerate(state.scores)),
            None if state is None else state.winner,
            b"" if match is None else match.result_digest,
            blamed,
            check,
        )
        self._events.append(self.ended)
        self._queue.clear()
        if self._view is not None:
            self._acknowledge(self._view, 0.0)
        self._closing += list(self._mesh.links)

    # -- what a person may ask of it ---------------------------------------------------------------------------------

    def leave(self, now: float) -> None:
        """Watch no more."""
        self._finish(Outcome.GONE, "You watch no more.")

    def act(self, action: engine.Action, now: float) -> NoReturn:
        """Raises ``LocalProtocolError``, as the next two do."""
        raise LocalProtocolError("Who watches does not play.")

    def say(self, text: str, now: float) -> NoReturn:
        raise LocalProtocolError("Who watches cannot talk to the table.")

    def start_now(self, now: float) -> NoReturn:
        raise LocalProtocolError("Who watches does not start the match.")
