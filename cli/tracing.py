"""``--trace``: every message of one's own peer and every step of a proof, as lines in a file or on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from nodealer.p2p.peer import Peer
from nodealer.p2p.trace import Trace

from .exits import Complaint
from .output import complain

# What ``--trace`` without a file means.
ERROR_STREAM = "-"


class _Lines:
    """Writes lines until that fails: a match does not end because nobody can read how it went."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.fault: OSError | None = None

    def write(self, line: str) -> None:
        if self.fault is None:
            try:
                print(line, file=self.file, flush=True)
            except OSError as error:
                self.fault = error


@contextmanager
def traced(to: str | None, peer: Peer) -> Iterator[None]:
    """While this is open, trace ``peer`` to the end of this file; None traces nothing. Raises ``Complaint``."""
    if to is None:
        yield
        return
    try:
        # What it holds stays: it may be the trace of the same match, which goes on, or something else altogether.
        file = sys.stderr if to == ERROR_STREAM else open(to, "a", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise Complaint(f"The trace {to} cannot be written ({error.strerror}).") from None
    start = time.monotonic()
    lines = _Lines(file)
    trace = Trace(lines.write, lambda: time.monotonic() - start)
    trace.follow(peer)
    try:
        with trace.watching():
            yield
    finally:
        if file is not sys.stderr:
            with suppress(OSError):
                file.close()
        if lines.fault is not None:
            complain(f"The trace {to} is not whole: it could not be written any more ({lines.fault.strerror}).")
