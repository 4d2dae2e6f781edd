"""A table on simulated machines: real peers, real proofs, each step's own time, and a stated model of the rest.

The model. Every peer does one thing at a time, in the order in which messages reach it. A step takes the processor
time that it takes here, measured on this thread's clock; where it splits work over cores, the shares are timed one by
one, and the step takes as long as the longest of them (waiting for the interpreter's lock is not modelled). A message
takes `delay` from the end of the step that sent it. With a machine for every player all steps of different players
run side by side; with one machine they share `cores` cores, first come, first served. Encryption of the line, the
system's sockets and the disk are left out; so are starting up and finding one another.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from nodealer.crypto import cores, products
from nodealer.crypto.cores import Ahead
from nodealer.p2p.match import Match
from nodealer.p2p.options import TableOptions

from examples.table import Table, eager

T = TypeVar("T")
DELAY = 0.0005
"""Seconds from one machine to another on a LAN."""


class Clock:
    """Processor time of this thread, with shares of split work counted as if each had a core of its own."""

    def __init__(self) -> None:
        self._spared = 0.0

    def now(self) -> float:
        return time.thread_time() - self._spared

    def split(self, work: Callable[[int, int], T], size: int) -> list[T]:
        """`cores.split`, one share after the other."""
        count = max(1, min(cores.threads(), size // cores.MIN_SHARE))
        results, times = [], []
        for index in range(count):
            start = time.thread_time()
            results.append(work(size * index // count, size * (index + 1) // count))
            times.append(time.thread_time() - start)
        self._spared += sum(times) - max(times)
        return results

    @contextmanager
    def running(self, threads: int) -> Iterator[None]:
        """Everything of this process on this clock, nothing in the background."""

        def begin(ahead: Ahead[object]) -> None:
            if ahead._future is None:
                ahead._future = Future()
                ahead._future.set_result(ahead._work())

        honest_split, honest_begin = products.split, Ahead.begin
        products.split, Ahead.begin = self.split, begin  # type: ignore[method-assign, assignment]
        try:
            with cores.using(threads):
                yield
        finally:
            products.split, Ahead.begin = honest_split, honest_begin  # type: ignore[method-assign]


class Machines(Table):
    """A table whose steps take time. `shared`: cores of one machine for all, None for a machine for every player."""

    def __init__(self, options: TableOptions, clock: Clock, shared: int | None, seed: object, delay: float) -> None:
        super().__init__(options.seats, options, seed=seed, choose=eager)
        self.clock = clock
        self.meddle = lambda sender, receiver, frame: [(delay, frame)]
        self.cpu = [0.0] * options.seats
        self.work: dict[str, list[float]] = defaultdict(list)
        self._peer_free = [0.0] * options.seats
        self._core_free = [0.0] * (options.seats if shared is None else shared)
        self._shared = shared is not None

    def match_of(self, index: int) -> Match | None:
        return self.seats[index].peer.match

    def _ready_at(self, index: int, when: float) -> float:
        core = min(self._core_free) if self._shared else 0.0
        return max(when, self._peer_free[index], core)

    def _deliver_until(self, end: float) -> None:
        while self._queue and self._queue[0][0] <= end:
            when, count, sender, to, line, data = heapq.heappop(self._queue)
            start = self._ready_at(to, when)
            if start > when:
                heapq.heappush(self._queue, (start, count, sender, to, line, data))
                continue
            if line not in self._lines:
                continue
            self.now = max(self.now, when)
            match = self.match_of(to)
            kind = "forming" if match is None else match.slot.kind.value
            began = self.clock.now()
            self.seats[to].peer.receive(line, data, self.now)
            spent = self.clock.now() - began
            self._note(to, kind, spent, when)
        self.now = max(self.now, end)

    def _note(self, index: int, kind: str, spent: float, when: float) -> None:
        """The step ends after `spent`; what it says leaves then."""
        self.cpu[index] += spent
        self.work[kind].append(spent)
        finish = when + spent
        self._peer_free[index] = finish
        if self._shared:
            core = self._core_free.index(min(self._core_free))
            self._core_free[core] = finish
        resume, self.now = self.now, finish
        self._drain(index)
        self.now = resume


def counted(table: Table) -> tuple[Counter[int], Counter[int]]:
    """Messages and bytes that each peer has sent."""
    messages: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for sender, _, frame in table.traffic:
        messages[sender] += 1
        sizes[sender] += len(frame)
    return messages, sizes
