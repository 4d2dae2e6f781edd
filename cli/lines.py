"""Lines from standard input without blocking the event loop: a terminal, a pipe or a file, on every platform.

A thread reads; the loop is told. From a terminal every line is taken when it is typed. From a pipe or a file a line is
taken only when somebody waits for one (``want``), so that a script of answers is used up one answer a question, and
``yes 1 |`` does not fill the memory. The end of input counts like a line: it is told when one is waited for, and at
once only where there was never any input.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

CHUNK = 4096
# A line longer than this is no answer; the rest of it is dropped.
MAX_LINE = 4096


class Lines:
    """Reads descriptor ``fd`` line by line; ``take`` gets each line without its end, or None at the end of input.

    ``take`` is called in the reading thread: give ``loop.call_soon_threadsafe`` around the real receiver.
    """

    def __init__(self, fd: int, take: Callable[[str | None], None], eager: bool) -> None:
        self._fd = fd
        self._take = take
        self._eager = eager
        self._wanted = threading.Semaphore(0)
        self._asked = False
        self._told = False
        self._thread = threading.Thread(target=self._read, name="lines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def want(self) -> None:
        """Somebody waits for a line now; asking again before it was delivered asks for nothing more."""
        if not self._asked:
            self._asked = True
            self._wanted.release()

    def delivered(self) -> None:
        """The receiver has the line that was taken last. Called where ``want`` is called."""
        self._asked = False

    def _read(self) -> None:
        """The thread: a daemon that may hang in ``os.read`` for ever, which needs no lock at the end of the process."""
        buffer = self._chunk()
        ended = not buffer
        while True:
            if not self._eager and not (ended and not self._told):
                self._wanted.acquire()
            while b"\n" not in buffer and not ended:
                chunk = self._chunk()
                ended = not chunk
                buffer = (buffer + chunk)[: MAX_LINE + CHUNK]
                if len(buffer) > MAX_LINE and b"\n" not in buffer:
                    buffer = buffer[:MAX_LINE]
            line, newline, buffer = buffer.partition(b"\n")
            try:
                if newline or line:
                    self._told = True
                    self._take(line.decode("utf-8", "replace").rstrip("\r"))
                elif ended:
                    self._take(None)
                    return
            except RuntimeError:  # the loop is closed: nobody listens any more
                return

    def _chunk(self) -> bytes:
        try:
            return os.read(self._fd, CHUNK)
        except OSError:
            return b""
