"""Lines between peers and what travels on them: how far one has each feed, entries, requests (PROTOCOL.md, "The mesh").

A message is an array whose first item names it. What is longer than a line's frame goes in parts. Nothing here knows
what an entry means: `Mesh` hands each one up and keeps all lines supplied with what they lack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .entry import MAX_ENTRY, Entry
from .errors import WireError
from .match import Match
from .wire import decode, encode, fields

# A frame of the secure line; longer messages are cut into parts.
MAX_FRAME = 60_000
# An entry in its message, with the list of how far its writer has every feed.
MAX_MESSAGE = MAX_ENTRY + 4096
PING_EVERY = 1.0
# Another's entry goes to a line that has lacked it for this long, and never twice within RESEND.
LACKING_FOR = 1.0
RESEND = 5.0
# What is sent in answer to one list: enough to catch up quickly, small enough for a line's buffer.
MAX_BATCH_BYTES = 512 * 1024
# How many sent entries a line remembers before it forgets the old ones.
MAX_REMEMBERED = 512
# How often in a second a line's requests are looked up; each may walk through a whole feed.
MAX_SERVED = 128


@dataclass(slots=True)
class Link:
    """One line: whose it is, and how far the other end has each feed."""

    line: int
    key: bytes
    address: tuple[str, int] | None
    binding: bytes = b""
    """What names the line's one handshake, alike on both ends."""
    writer: int | None = None
    have: list[tuple[int, bytes]] = field(default_factory=list)
    reaches: frozenset[int] = frozenset()
    parts: bytearray = field(default_factory=bytearray)
    lacking_since: dict[int, float] = field(default_factory=dict)
    sent_at: dict[bytes, float] = field(default_factory=dict)
    # When the last list of how far came in, on the clock given to the peer.
    have_at: float = -1.0
    finished: bool = False
    served_since: float = -1.0
    served: int = 0

    def may_be_served(self, now: float) -> bool:
        """Whether this line's next request is looked up: what an honest one asks again with its next ping."""
        if now - self.served_since >= 1.0:
            self.served_since, self.served = now, 0
        self.served += 1
        return self.served <= MAX_SERVED


class Mesh:
    """All lines of one peer. Bytes out are collected in `outbox` as (line, frame)."""

    def __init__(self) -> None:
        self.links: dict[int, Link] = {}
        # The writer whose entries are not sent just now: oneself, until one knows what the others have of them.
        self.held_back: int | None = None
        self.outbox: list[tuple[int, bytes]] = []
        # Sees every whole message: whether it goes out, the line, the message (see `trace.py`).
        self.tap: Callable[[bool, Link, list[Any]], None] | None = None

    # -- sending ---------------------------------------------------------------------------------------------------

    def send(self, line: int, *message: object) -> None:
        """Queue a message for one line, in parts if it is long."""
        data = encode(list(message))
        if self.tap is not None and line in self.links:
            self.tap(True, self.links[line], list(message))
        if len(data) <= MAX_FRAME:
            self.outbox.append((line, data))
            return
        size = MAX_FRAME - 64
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            self.outbox.append((line, encode(["part", start + size >= len(data), piece])))

    def broadcast(self, *message: object) -> None:
        """Queue a message for every line that belongs to a player of this table, once per player."""
        for link in self.players():
            self.send(link.line, *message)

    def players(self) -> list[Link]:
        """One line for each player that there is a line to."""
        best: dict[int, Link] = {}
        for link in self.links.values():
            if link.writer is not None:
                best.setdefault(link.writer, link)
        return list(best.values())

    def reached(self) -> frozenset[int]:
        """The writers that a line of ours reaches."""
        return frozenset(link.writer for link in self.links.values() if link.writer is not None)

    # -- receiving -------------------------------------------------------------------------------------------------

    def unpack(self, link: Link, frame: bytes) -> list[Any] | None:
        """The message in a frame, or None while parts of it are missing; raises ``WireError``."""
        message = _message(frame, MAX_FRAME)
        if message[0] != "part":
            return self._came(link, message)
        _, last, piece = fields(message, "a part", str, bool, bytes)
        if len(link.parts) + len(piece) > MAX_MESSAGE:
            raise WireError("a message in more parts than any message has")
        link.parts += piece
        if not last:
            return None
        whole = bytes(link.parts)
        link.parts.clear()
        message = _message(whole, MAX_MESSAGE)
        if message[0] == "part":
            raise WireError("a part within a part")
        return self._came(link, message)

    def _came(self, link: Link, message: list[Any]) -> list[Any]:
        if self.tap is not None:
            self.tap(False, link, message)
        return message

    # -- how far -----------------------------------------------------------------------------------------------------

    def take_have(self, link: Link, value: object, match: Match, me: int, now: float) -> None:
        """Note how far the other end has every feed and send what it lacks or contradicts; raises ``WireError``."""
        link.have = parse_have(value, len(match.feeds))
        link.have_at = now
        self.supply(link, match, me, now)

    def supply(self, link: Link, match: Match, me: int, now: float) -> None:
        """Send what the other end lacks or contradicts by its last list."""
        budget = MAX_BATCH_BYTES
        for writer, (theirs, their_hash) in enumerate(link.have):
            if writer in match.forks.removed:
                # Put out for a fork: everybody holds what it has of it, and nobody needs it.
                continue
            feed = match.feeds[writer]
            mine = len(feed.entries)
            if 0 < theirs <= mine and feed.hash_at(theirs) != their_hash:
                # They hold another entry there than we do: both sides show theirs, and the writer is found out.
                self.send_entry(link, feed.entries[theirs - 1], now)
                continue
            if theirs >= mine:
                link.lacking_since.pop(writer, None)
                if theirs > mine and writer != link.writer and writer not in self.reached():
                    self.send(link.line, "ask", writer, mine)
                continue
            since = link.lacking_since.setdefault(writer, now)
            if writer == me or now - since >= LACKING_FOR:
                budget = self._send_from(link, match, writer, theirs, budget, now)

    def take_ask(self, link: Link, writer: int, start: int, match: Match, now: float) -> None:
        """Answer a request for a feed from ``start`` on."""
        self._send_from(link, match, writer, start, MAX_BATCH_BYTES, now)

    def _send_from(self, link: Link, match: Match, writer: int, start: int, budget: int, now: float) -> int:
        entries = match.feeds[writer].entries
        if start >= len(entries) or not link.may_be_served(now):
            return budget
        for entry in entries[start:]:
            if budget <= 0:
                break
            budget -= self.send_entry(link, entry, now)
        return budget

    def send_entry(self, link: Link, entry: Entry, now: float) -> int:
        """Send an entry on a line unless it went there lately; the bytes sent."""
        if entry.header.writer == self.held_back:
            return 0
        sent = link.sent_at.get(entry.hash)
        if sent is not None and now - sent < RESEND:
            return 0
        if len(link.sent_at) > MAX_REMEMBERED:
            link.sent_at = {h: t for h, t in link.sent_at.items() if now - t < RESEND}
        link.sent_at[entry.hash] = now
        data = entry.encode()
        self.send(link.line, "entry", data)
        return len(data)

    def publish(self, entry: Entry, have: list[list[object]], now: float) -> None:
        """Send one's own new entry to all, with how far one had every feed (table.md T2.5)."""
        data = entry.encode()
        for link in self.players():
            link.sent_at[entry.hash] = now
            self.send(link.line, "entry", data, have)

    def pass_on(self, entry: Entry, came_from: Link, match: Match, now: float) -> None:
        """Send another's new entry at once to those who have said that they have no line to its writer.

        What they lack before it goes first: an entry behind a gap is lost, and would not be sent again for RESEND.
        """
        writer = entry.header.writer
        entries = match.feeds[writer].entries
        for link in self.players():
            if link.writer in (writer, came_from.writer) or not link.have or writer in link.reaches:
                continue
            theirs, _ = link.have[writer]
            budget = MAX_BATCH_BYTES
            for lacking in entries[theirs : entry.header.number + 1]:
                if budget > 0:
                    budget -= self.send_entry(link, lacking, now)


def have_list(match: Match) -> list[list[object]]:
    """How far this peer has every feed: [number of entries, hash of the last] in roster order."""
    return [list(feed.head) for feed in match.feeds]


def parse_have(value: object, writers: int) -> list[tuple[int, bytes]]:
    """Parse such a list; raises ``WireError``."""
    if not isinstance(value, list) or len(value) != writers:
        raise WireError("a list of feeds that does not fit the table")
    result = []
    for item in value:
        match item:
            case [int() as number, bytes() as last] if type(number) is int:
                pass
            case _:
                raise WireError("how far a feed is had is not a number and a hash")
        if not 0 <= number < 1 << 32 or len(last) != 32:
            raise WireError("how far a feed is had is not a number and a hash")
        result.append((number, last))
    return result


def _message(data: bytes, limit: int) -> list[Any]:
    message = decode(data, max_bytes=limit)
    if not isinstance(message, list) or not message or not isinstance(message[0], str):
        raise WireError("a message that does not begin with its name")
    return message
