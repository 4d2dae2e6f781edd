"""``--trace``: every message of one's own peer and every step of a proof, as lines in a file or on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from nodealer.p2p.peer import Peer
from nodealer.p2p.trace import Trace

from .exits import Complaint

# What ``--trace`` without a file means.
ERROR_STREAM = "-"


@contextmanager
def traced(to: str | None, peer: Peer) -> Iterator[None]:
    """While this is open, trace ``peer`` to this file; None traces nothing. Raises ``Complaint``."""
    if to is None:
        yield
        return
    try:
        file = sys.stderr if to == ERROR_STREAM else open(to, "w", encoding="utf-8", buffering=1)  # noqa: SIM115
    except OSError as error:
        raise Complaint(f"The trace {to} cannot be written ({error.strerror}).") from None
    start = time.monotonic()
    trace = Trace(lambda line: print(line, file=file), lambda: time.monotonic() - start)
    trace.follow(peer)
    try:
        with trace.watching():
            yield
    finally:
        if file is not sys.stderr:
            file.close()
