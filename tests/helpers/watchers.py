"""A table with people who watch it: real watchers on the same simulated wire."""

from __future__ import annotations

import random
from typing import Any, cast

from nodealer.crypto.identity import Identity
from nodealer.p2p.events import Ended
from nodealer.p2p.peer import Peer
from nodealer.p2p.watching import Watcher

from examples.table import Seated, Table, eager, seeded


class WatchedTable(Table):
    """``watch`` adds a watcher; from then on it has an index like a peer, and lines that it wants are dialled."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._closing: list[tuple[float, int]] = []
        super().__init__(*given, **named)

    def watch(self, through: int = 0, **more: Any) -> int:
        """A new watcher that begins with this peer; its index."""
        index = len(self.seats)
        key = Identity.from_seed(seeded(("watcher", index))(32)).public
        peer = cast(Peer, Watcher(key, **more))
        self.seats.append(Seated(peer, eager, random.Random(0)))
        self.connect(index, through)
        return index

    def watcher(self, index: int) -> Watcher:
        peer: object = self.seats[index].peer
        assert isinstance(peer, Watcher)
        return peer

    def ended(self, index: int) -> Ended:
        ended = self.seats[index].ended
        assert ended is not None
        return ended

    def _drain(self, index: int) -> None:
        super()._drain(index)
        # What was sent before a line is closed still arrives.
        self._closing += [(self.now + 0.005, line) for line in self.seats[index].peer.lines_to_close()]

    def step(self) -> None:
        super().step()
        due = [line for at, line in self._closing if at <= self.now]
        self._closing = [item for item in self._closing if item[0] > self.now]
        for line in due:
            if line in self._lines:
                self._break(line)

    def _dial(self) -> None:
        super()._dial()
        by_key = {seated.peer.key: index for index, seated in enumerate(self.seats)}
        for index, seated in enumerate(self.seats):
            if not isinstance(cast(object, seated.peer), Watcher) or seated.down:
                continue
            for key, _, _ in seated.peer.wanted():
                other = by_key[key]
                if frozenset((index, other)) in self.cut or self.seats[other].down or self.lines_between(index, other):
                    continue
                self.connect(index, other)
