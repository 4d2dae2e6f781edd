"""Between two threads: the match runs in one, the screen in the other, so that checking proofs never holds up a key.

In the match's thread this object is the player of the session (`Player`); towards the screen it posts what happened.
Both sides touch only the two queues; everything else belongs to one thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from nodealer.p2p import events as p2p
from nodealer.p2p.peer import Peer

from ..acquaintance import strangers
from ..home import Home
from ..player import Wish
from ..session import Session
from .model import Glance, Happening, Strangers, Told


@dataclass(frozen=True, slots=True)
class Refused:
    """The own peer refused the last wish; nothing was sent."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Written:
    """Where the transcript of this match lies."""

    path: str


Posted = Happening | Refused | Written


class Bridge:
    """``post`` carries (what, time) to the screen's thread; it must be safe to call from any thread."""

    def __init__(self, post: Callable[[Posted, float], None]) -> None:
        self._post = post
        self._wishes: deque[Wish] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Session | None = None
        self._peer: Peer | None = None
        self._home: Home | None = None
        self._shown: tuple[int, tuple[int, ...]] | None = None

    # The screen's thread

    def wish(self, wish: Wish) -> None:
        """The person wants something of the peer."""
        self._wishes.append(wish)
        loop, session = self._loop, self._session
        if loop is not None and session is not None and not loop.is_closed():
            loop.call_soon_threadsafe(session.wake)

    # The match's thread

    def sit(self, session: Session, peer: Peer, home: Home) -> None:
        """The session and the peer that this is the player of. Called in the match's thread."""
        self._loop = asyncio.get_running_loop()
        self._session, self._peer, self._home = session, peer, home

    def tell(self, line: str) -> None:
        """A line of the program itself."""
        self._post(Told(line), self._now())

    def wrote(self, path: str | None) -> None:
        """The transcript's place."""
        if path is not None:
            self._post(Written(path), self._now())

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        if isinstance(event, p2p.LobbyChanged | p2p.TableMade):
            self._post(Strangers(self._strangers(event)), now)
        self._post(event, now)

    def on_line(self, line: str | None, now: float) -> None:
        """Standard input is the screen's."""

    def on_refusal(self, sentence: str, now: float) -> None:
        self._post(Refused(sentence), now)

    def wants_line(self) -> bool:
        return False

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> list[Wish]:
        self._glance(now)
        wishes: list[Wish] = []
        while self._wishes:
            wishes.append(self._wishes.popleft())
        return wishes

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _glance(self, now: float) -> None:
        """Post the public state when it has changed."""
        peer = self._peer
        match = None if peer is None else peer.match
        if peer is None or match is None:
            return
        state = (match.slot.number, match.waiting_for())
        if state == self._shown:
            return
        self._shown = state
        self._post(Glance.of(match, peer.seat, peer.known), now)

    def _strangers(self, event: p2p.LobbyChanged | p2p.TableMade) -> frozenset[bytes]:
        """The keys of players whose name is known with another key. At a made table all names are noted."""
        home, peer = self._home, self._peer
        if home is None or peer is None:
            return frozenset()
        return strangers(event.players, peer.key, home, note=isinstance(event, p2p.TableMade))
