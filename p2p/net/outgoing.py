"""What goes out, in order, and each thing only after what must be on the disk before it (table.md T6.1).

Without a journal everything goes out at once. With one, records are written by a thread, so that a slow disk holds up
this player's messages and nothing else; what comes meanwhile waits its turn and is written together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from ..book import Batch

Frames = list[tuple[int, bytes]]


class Journal(Protocol):
    """What keeps records."""

    def keep(self, records: Sequence[bytes], sync: bool) -> None:
        """Append; with ``sync`` they are on the disk when this returns. Blocks; raises ``JournalError``."""


class Outgoing:
    """Frames and lines to be closed, each after its batch. ``deliver`` sends, ``fail`` hears why nothing more is."""

    def __init__(
        self,
        journal: Journal,
        deliver: Callable[[Frames, list[int]], None],
        fail: Callable[[Exception], None],
    ) -> None:
        self._journal = journal
        self._deliver = deliver
        self._fail = fail
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._records: list[bytes] = []
        self._sync = False
        self._frames: Frames = []
        self._closes: list[int] = []
        self._job: asyncio.Task[None] | None = None
        self._failed = False

    def add(self, batch: Batch, frames: Frames, closes: list[int]) -> None:
        """Send these frames once this batch and all before it are kept; then close these lines."""
        if self._failed:
            return
        if self._job is None and not batch.records:
            self._deliver(frames, closes)
            return
        self._records += batch.records
        self._sync = self._sync or batch.sync
        self._frames += frames
        self._closes += closes
        if self._job is None:
            self._job = asyncio.get_running_loop().create_task(self._work())

    async def drained(self, within: float) -> None:
        """Wait until all that was added has gone out, but not longer than this."""
        if self._job is not None:
            await asyncio.wait([self._job], timeout=within)
        # A disk that hangs must not keep the process: its thread is left behind.
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._records or self._frames or self._closes:
                records, self._records = self._records, []
                frames, self._frames = self._frames, []
                closes, self._closes = self._closes, []
                sync, self._sync = self._sync, False
                if records:
                    await loop.run_in_executor(self._thread, self._journal.keep, records, sync)
                self._deliver(frames, closes)
        except Exception as fault:
            self._failed = True
            self._fail(fault)
        finally:
            self._job = None
