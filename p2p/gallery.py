"""Those who watch a match through this peer: what each has got, how much may be under way to it, how many there are.

A watcher has no seat and no say. It gets the records of the transcript, in the order in which this peer wrote them,
and nothing it sends reaches the match. It costs little: what is under way to it is bounded by what it says it has read,
so a slow reader holds up itself alone; one that reads nothing, floods or sends anything else is let go (PROTOCOL.md,
"Watching").

    watcher                         peer
    watch [table, have]     ->
                            <-      waiting [options, names]       until the match begins, whenever they change
                            <-      watching [table, addresses]    when there is a match
                            <-      record [payload] ...           what it lacks, then whatever is new
    read [bytes]            ->
                            <-      over [sentence]                when all has been sent and no more will come
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .book import Public
from .entry import HASH, MAX_NUMBER
from .errors import WireError
from .limits import LINGER
from .match import Match
from .mesh import Link, Mesh, parse_have
from .wire import exactly, fields, natural

# At one table, all its players together.
MAX_WATCHERS = 8
# Bytes of records that may be under way to a watcher, unread; a longer record goes alone.
WINDOW = 512 * 1024
# A watcher that has something to read and reads nothing for so long is let go.
READ_WITHIN = 15.0
# A watcher need not say how far it is more often than every so many bytes, or else every so many seconds.
READ_STEP = 256 * 1024
READ_EVERY = 1.0
# Smaller steps than READ_STEP in one second, beyond which a watcher is flooding.
MAX_SMALL_STEPS = 16
# How many watch is told to the other players at most every so many seconds, and to one's own person.
TELL_EVERY = 1.0
SHOW_EVERY = 5.0


@dataclass(slots=True)
class _Place:
    """One watcher. ``skip`` is how many entries of each writer it had before; None until there is a match."""

    link: Link
    table: bytes
    had: object
    read_at: float
    skip: list[int] | None = None
    told_begun: bool = False
    position: int = 0
    sent: int = 0
    read: int = 0
    small_since: float = -1.0
    small: int = 0
    told_over: bool = False

    def has_all(self, log: Sequence[Public]) -> bool:
        return self.position >= len(log) and self.read >= self.sent


@dataclass(slots=True)
class Gallery:
    """The watchers of one peer. ``log`` is what goes to them: the peer's own list of records, which only grows."""

    mesh: Mesh
    log: Sequence[Public]
    # Not where the host wishes none.
    allowed: bool = True
    # Lines to be closed after what was to be sent.
    closing: list[int] = field(default_factory=list)
    _places: dict[int, _Place] = field(default_factory=dict)
    # What other players have said: the keys of those who watch through them.
    _elsewhere: dict[int, frozenset[bytes]] = field(default_factory=dict)
    _told: tuple[bytes, ...] = ()
    _told_at: float = -TELL_EVERY
    _shown: int = 0
    _shown_at: float = -SHOW_EVERY
    _over_at: float | None = None

    def __contains__(self, line: int) -> bool:
        return line in self._places

    def keys(self) -> frozenset[bytes]:
        """All who watch this table, as far as one knows: each key once."""
        return frozenset(place.link.key for place in self._places.values()).union(*self._elsewhere.values())

    # -- what comes in ---------------------------------------------------------------------------------------------

    def watch(self, link: Link, table: object, have: object, match: Match | None, hosting: bool, now: float) -> None:
        """A line asks to watch: ``table`` and ``have`` as far as it has the match. Raises ``WireError``."""
        fields([table, have], "a wish to watch", bytes, list)
        if link.line in self._places:
            raise WireError("a second wish to watch")
        refusal = self._refusal(link, match, hosting)
        if refusal is not None:
            self._refuse(link, refusal)
            return
        place = _Place(link, table if isinstance(table, bytes) else b"", have, now)
        if place.table:
            exactly(place.table, HASH, "a table")
        self._places[link.line] = place
        if match is not None:
            self._seat(place, match)

    def _refusal(self, link: Link, match: Match | None, hosting: bool) -> str | None:
        if not self.allowed:
            return "Nobody may watch at this table."
        if match is None and not hosting:
            return "This player is at no table."
        keys = self.keys()
        if link.key not in keys and len(keys) >= MAX_WATCHERS:
            return f"{MAX_WATCHERS} watch already; no more may at this table."
        return None

    def _refuse(self, link: Link, sentence: str) -> None:
        self.mesh.send(link.line, "no", sentence)
        self.closing.append(link.line)

    def _seat(self, place: _Place, match: Match) -> None:
        """There is a match: note what of it this watcher has already."""
        place.skip = [0] * len(match.feeds)
        if not place.table:
            return
        if place.table != match.table:
            self._places.pop(place.link.line, None)
            self._refuse(place.link, "Another match is played at this table now.")
            return
        for writer, (number, last) in enumerate(parse_have(place.had, len(match.feeds))):
            feed = match.feeds[writer]
            count = min(number, len(feed.entries))
            if count and (count < number or feed.hash_at(count) != last):
                # It holds another entry there than we do, or may: ours goes to it, and the writer is found out.
                count -= 1
            place.skip[writer] = count

    def read(self, link: Link, count: object, now: float) -> None:
        """A watcher says how many bytes of records it has got on this line. Raises ``WireError``."""
        place = self._places.get(link.line)
        if place is None:
            return
        if type(count) is not int or not place.read < natural(count, MAX_NUMBER * HASH, "a number of bytes"):
            raise WireError("bytes read that are no more than before")
        if count > place.sent:
            raise WireError("more bytes read than were sent")
        if count - place.read < READ_STEP:
            if now - place.small_since >= 1.0:
                place.small_since, place.small = now, 0
            place.small += 1
            if place.small > MAX_SMALL_STEPS:
                raise WireError("more words than a watcher needs")
        place.read, place.read_at = count, now

    def elsewhere(self, link: Link, value: object) -> None:
        """A player says who watches through it. Raises ``WireError``."""
        if link.writer is None:
            return
        if not isinstance(value, list) or len(value) > MAX_WATCHERS:
            raise WireError("a list of watchers that is none")
        keys = [exactly(key, HASH, "a watcher's key") for key in fields(value, "watchers", *[bytes] * len(value))]
        self._elsewhere[link.writer] = frozenset(keys)

    def line_down(self, link: Link) -> None:
        """A line is gone: a watcher's, or a player's, of whose watchers nothing is known now."""
        self._places.pop(link.line, None)
        if link.writer is not None and link.writer not in self.mesh.reached():
            self._elsewhere.pop(link.writer, None)

    def line_up(self, link: Link) -> None:
        """A player's line has come: it does not know yet who watches here."""
        if link.writer is not None and self._places:
            self.mesh.send(link.line, "watchers", list(self._told))

    # -- what goes out ---------------------------------------------------------------------------------------------

    def wait(self, waiting: list[object]) -> None:
        """Tell everybody here how the table fills."""
        for place in self._places.values():
            self.mesh.send(place.link.line, *waiting)

    def close(self, sentence: str) -> None:
        """The table will see no match: let everybody go."""
        for place in self._places.values():
            self._refuse(place.link, sentence)
        self._places.clear()

    def begin(self, match: Match) -> None:
        """The match has begun. Who plays in it does not watch."""
        for place in list(self._places.values()):
            if place.link.writer is not None:
                del self._places[place.link.line]
            else:
                place.had, place.table = [], b""
                self._seat(place, match)

    def work(
        self, match: Match | None, addresses: Callable[[], list[object]], over: str | None, now: float
    ) -> int | None:
        """Send everybody what it lacks and may get now; how many watch if that is to be shown. ``over`` is the
        sentence with which the match has ended here, once it has."""
        if match is not None:
            for place in list(self._places.values()):
                self._supply(place, match, addresses, over, now)
        if over is not None and self._over_at is None:
            self._over_at = now
        return self._count(now)

    def _supply(
        self, place: _Place, match: Match, addresses: Callable[[], list[object]], over: str | None, now: float
    ) -> None:
        line, skip = place.link.line, place.skip
        if skip is None:
            return
        if not place.told_begun:
            place.told_begun = True
            self.mesh.send(line, "watching", match.table, addresses())
        if place.read >= place.sent:
            place.read_at = now
        elif now - place.read_at >= READ_WITHIN:
            self._let_go(place)
            return
        while place.position < len(self.log):
            record = self.log[place.position]
            header = record.entry
            if header is None or header.number >= skip[header.writer]:
                under_way = place.sent - place.read
                if under_way and under_way + len(record.payload) > WINDOW:
                    return
                self.mesh.send(line, "record", record.payload)
                place.sent += len(record.payload)
            place.position += 1
        if over is not None and not place.told_over:
            place.told_over = True
            self.mesh.send(line, "over", over)

    def _let_go(self, place: _Place) -> None:
        del self._places[place.link.line]
        self.closing.append(place.link.line)

    def _count(self, now: float) -> int | None:
        mine = tuple(sorted(place.link.key for place in self._places.values()))
        if mine != self._told and now - self._told_at >= TELL_EVERY:
            self._told, self._told_at = mine, now
            self.mesh.broadcast("watchers", list(mine))
        # A watcher that comes and goes all the time fills nobody's screen.
        count = len(self.keys())
        if count != self._shown and now - self._shown_at >= SHOW_EVERY:
            self._shown, self._shown_at = count, now
            return count
        return None

    def settled(self, now: float | None) -> bool:
        """The match is over here and every watcher has all of it, or has had its time."""
        if all(place.has_all(self.log) and place.told_over for place in self._places.values()):
            return True
        return now is not None and self._over_at is not None and now - self._over_at >= LINGER
