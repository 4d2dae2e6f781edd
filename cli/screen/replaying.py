"""The edge of a replay on the full screen: the verifier in a thread of its own, its steps carried to the screen."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from nodealer.p2p.names import clean_text
from nodealer.p2p.transcript import TranscriptReader
from nodealer.p2p.verify import Report, verify

from ..exits import Exit
from ..history import Recorder, Step
from .app import Terminal
from .look import Look
from .model import Told
from .replay import Replay

# Steps go to the screen in parcels: one wake-up of the screen's loop for each would keep keys waiting.
PARCEL_S = 0.05


class Replaying:
    """One transcript being read, from ``reader`` or else from the file. ``post`` runs a call in the screen's thread;
    ``changed`` asks for a new frame."""

    def __init__(
        self,
        path: str,
        post: Callable[[Callable[[], None]], None],
        changed: Callable[[Replaying], None],
        now: Callable[[], float],
        *,
        later: bool = False,
        reader: TranscriptReader | None = None,
    ) -> None:
        self.screen = Replay(clean_text(Path(path).name), later=later)
        self.fault: Exception | None = None
        self._path, self._reader = path, reader
        self._post, self._changed, self._now = post, changed, now
        self._stopped = self._unreadable = False
        self._thread = threading.Thread(target=self._work, name="replay", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """The screen is gone; the thread ends at its next step."""
        self._stopped = True

    @property
    def edition(self) -> str | None:
        """Which edition is played, once that is read."""
        options = self.screen.model.options
        return None if options is None else options.edition

    @property
    def code(self) -> Exit:
        """As ``verify``: what was found, or valid so far when the file was not read to its end."""
        if self._unreadable:
            return Exit.USAGE
        report = self.screen.report
        return Exit.CHEAT if report is None else Exit(report.status.value)

    # The verifier's thread

    def _work(self) -> None:
        parcel: list[Step] = []
        sent = time.monotonic()

        def take(step: Step) -> None:
            nonlocal sent, parcel
            if self._stopped:
                raise _Stopped
            parcel.append(step)
            if time.monotonic() - sent >= PARCEL_S:
                self._send(parcel)
                parcel, sent = [], time.monotonic()

        recorder = Recorder(take)
        try:
            if self._reader is not None:
                report = verify(self._reader, recorder.on_event, recorder.on_step)
            else:
                with open(self._path, "rb") as file:
                    report = verify(file, recorder.on_event, recorder.on_step)
            recorder.finish(report)
            self._send(parcel, report)
        except _Stopped:
            pass
        except OSError as error:
            self._unreadable = True
            self._fail(f"The transcript cannot be read ({error.strerror}).")
        except Exception as error:
            self.fault = error
            self._fail(f"Reading the transcript has failed ({error}).")

    def _send(self, steps: list[Step], report: Report | None = None) -> None:
        def arrive() -> None:
            now = self._now()
            for step in steps:
                self.screen.add(step, now)
            if report is not None:
                self.screen.finish(report)
            self._changed(self)

        self._post(arrive)

    def _fail(self, sentence: str) -> None:
        def arrive() -> None:
            self.screen.take(Told(sentence), self._now())
            self._changed(self)

        self._post(arrive)


class _Stopped(Exception):
    """Nobody looks any more."""


async def run(path: str, look: Look, *, later: bool, mouse: bool, reader: TranscriptReader | None = None) -> int:
    """Show a transcript until the person quits; the exit code is the verifier's, or that of a program that was told to
    end. ``reader`` has read its first line."""
    loop = asyncio.get_running_loop()

    def post(call: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(call)

    def changed(replaying: Replaying) -> None:
        if replaying.edition is not None:
            terminal.look = replace(terminal.look, edition=replaying.edition)
        terminal.show()

    def after_input() -> None:
        if replaying.screen.wanted:
            terminal.close()

    replaying = Replaying(path, post, changed, loop.time, later=later, reader=reader)
    terminal = Terminal(replaying.screen, look, after_input, mouse=mouse)
    replaying.start()
    try:
        await terminal.run()
    finally:
        replaying.stop()
    if replaying.fault is not None:
        raise replaying.fault
    return Exit.TERMINATED if "signal" in replaying.screen.wanted else replaying.code
