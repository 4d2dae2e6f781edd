"""What one peer has to keep, in order: public records for the transcript, and between them its own secrets.

The journal takes all of it, the transcript the public part. Nothing here touches a disk: the network's edge takes a
`Batch`, brings it to the disk, and only then sends what was to be sent after it (table.md T6.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from .entry import Entry, Header
from .shelf import Shelf
from .transcript import parse_record

# Of the records of a match before they go to a temporary file: more than a hand has.
IN_MEMORY = 1 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Records for the journal, in order. ``sync``: they must be on the disk before anything more is sent."""

    records: tuple[bytes, ...]
    sync: bool


@dataclass(frozen=True, slots=True)
class Public:
    """A record of the transcript; ``entry`` is the header of the entry in it, if it is one."""

    payload: bytes
    entry: Header | None


def _read_public(payload: bytes) -> Public:
    record = parse_record(payload)
    return Public(payload, record.header if isinstance(record, Entry) else None)


class Book:
    """Collects records. Without ``journal`` the secrets are dropped: nobody will ask for them."""

    def __init__(self, *, journal: bool = False) -> None:
        self.journal = journal
        # What is read from a journal is in it already; the transcript gets it once more.
        self.replaying = False
        # All that is public, from the beginning on: whoever watches may need any of it.
        self.public: Shelf[Public] = Shelf(lambda record: record.payload, _read_public, in_memory=IN_MEMORY)
        self._taken = 0
        self._kept: list[bytes] = []
        self._sync = False

    def append(self, record: bytes, entry: Header | None = None) -> None:
        """A public record: an entry on a tape (with its header), the roster, evidence."""
        self.public.append(Public(record, entry))
        self.private(record)

    def private(self, record: bytes) -> None:
        """A record for the journal alone."""
        if self.journal and not self.replaying:
            self._kept.append(record)

    def must_sync(self) -> None:
        """What was recorded so far must be on the disk before anything more is sent: an own entry is in it."""
        if self.journal and not self.replaying:
            self._sync = True

    def take_public(self) -> list[bytes]:
        """Take the transcript's records since the last call."""
        new = self.public[self._taken :]
        self._taken = len(self.public)
        self.public.put_away(self._taken)
        return [record.payload for record in new]

    def take(self) -> Batch:
        """Take the journal's records since the last call."""
        batch = Batch(tuple(self._kept), self._sync)
        self._kept, self._sync = [], False
        return batch
