"""Work over the cores: long rows of products are split among threads, for libsodium lets go of the interpreter.

The result never depends on the number of threads: every share is computed alike, and put together in order. Nothing
here knows what the work is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MIN_SHARE: Final = 16
"""Products below which another thread costs more than it saves: some 0.3 to 0.8 ms of work against 0.1 ms."""
MAX_THREADS: Final = 8


def available() -> int:
    """The cores that this process may use, at most `MAX_THREADS`."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(count, MAX_THREADS))


_threads: ContextVar[int | None] = ContextVar("threads", default=None)
_available: Final = available()


def threads() -> int:
    """How many threads work at once here, the caller's included."""
    return _threads.get() or _available


@contextmanager
def using(count: int) -> Iterator[None]:
    """Work with so many threads in this block (this thread or task alone); 1 is none but the caller's."""
    if count < 1:
        raise ValueError("work needs a thread")
    token = _threads.set(count)
    try:
        yield
    finally:
        _threads.reset(token)


class Serial:
    """Work that is done one share after the other by the caller alone, and how long it would have taken side by side.

    For measuring: `clock` is a clock of the caller's own work.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.spared = 0.0
        """Seconds that all splits so far would have been shorter, had every share had a core of its own."""

    def split(self, work: Callable[[int, int], T], spans: Sequence[tuple[int, int]]) -> list[T]:
        results, times = [], []
        for span in spans:
            start = self._clock()
            results.append(work(*span))
            times.append(self._clock() - start)
        self.spared += sum(times) - max(times)
        return results


_serial: ContextVar[Serial | None] = ContextVar("serial", default=None)


@contextmanager
def one_by_one(clock: Callable[[], float]) -> Iterator[Serial]:
    """In this block nothing is done in other threads: shares come one after the other, what is begun ahead at once."""
    token = _serial.set(serial := Serial(clock))
    try:
        yield serial
    finally:
        _serial.reset(token)


class _Helpers:
    """The threads beside the caller's, started when first needed."""

    def __init__(self) -> None:
        self._shares: ThreadPoolExecutor | None = None
        self._ahead: ThreadPoolExecutor | None = None

    def share(self, work: Callable[[], T]) -> Future[T]:
        if self._shares is None:
            self._shares = ThreadPoolExecutor(MAX_THREADS - 1, "nodealer-share")
        return self._shares.submit(work)

    def ahead(self, work: Callable[[], T]) -> Future[T]:
        # One thread of its own: what is prepared for later never stands before what is needed now.
        if self._ahead is None:
            self._ahead = ThreadPoolExecutor(1, "nodealer-ahead")
        return self._ahead.submit(work)


_helpers = _Helpers()


def _forget_helpers() -> None:
    # Threads do not live on in a forked child.
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


def split(work: Callable[[int, int], T], size: int) -> list[T]:
    """[work(0, a), work(a, b), … work(z, size)], side by side: one call for each thread that is worth it, in order.

    What a call raises is raised here, the first in order.
    """
    count = max(1, min(threads(), size // MIN_SHARE))
    bounds = [size * index // count for index in range(count + 1)]
    if count == 1:
        return [work(0, size)]
    spans = list(pairwise(bounds))
    serial = _serial.get()
    if serial is not None:
        return serial.split(work, spans)
    others = [_helpers.share(partial(work, *span)) for span in spans[1:]]
    try:
        results = [work(*spans[0])]
    finally:
        # A share that no thread has taken up yet (another proof is being checked) is done here.
        taken_back = [future.cancel() for future in others]
    for span, future, back in zip(spans[1:], others, taken_back, strict=True):
        results.append(work(*span) if back else future.result())
    return results


class Ahead(Generic[T]):
    """Work that may be done in the background before it is needed. It is done once."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._future: Future[T] | None = None

    def begin(self) -> None:
        """Begin it in the background, on one core; returns at once."""
        if self._future is None:
            if _serial.get() is None:
                self._future = _helpers.ahead(self._alone)
            else:
                self._future = Future()
                self._future.set_result(self._work())

    def _alone(self) -> T:
        with using(1):
            return self._work()

    def needed(self) -> T:
        """The result. Waits for what is being done; what has not been taken up yet is done now, over all cores."""
        if self._future is None or self._future.cancel():
            self._future = Future()
            self._future.set_result(self._work())
        return self._future.result()
