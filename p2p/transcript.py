"""The transcript: the public feeds of a match in one file (PROTOCOL.md, "The transcript file").

A first line, then records: u32be length, payload, u32be CRC-32 of the payload. The checksum tells damage from a torn
tail; what protects against forgery are the signatures inside. A payload is a canonical array that begins with its name:
*table* (the roster, first and once), *entry*, and the evidence *fork* and *two rosters*.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .entry import HASH, MAX_ENTRY, SIGNATURE, Entry, SignedHeader
from .errors import LocalProtocolError, WireError
from .feed import ForkProof
from .offer import MAX_ROSTER, Roster
from .wire import decode, encode, exactly, fields

MAGIC = b"nodealer transcript 1\n"
MAX_RECORD = MAX_ENTRY + 64
# So many zeros at the end of a file that does not hold: as many as a record has beside its payload.
LEFT_BY_A_CRASH = 8


def record_roster(roster: Roster) -> bytes:
    return encode(["table", roster.to_wire()])


def record_entry(entry: Entry) -> bytes:
    return encode(["entry", entry.encode()])


def record_fork(proof: ForkProof) -> bytes:
    return encode(["fork", proof.to_wire()])


def record_two_rosters(table: bytes, host_signature: bytes) -> bytes:
    return encode(["two rosters", table, host_signature])


@dataclass(frozen=True, slots=True)
class TwoRosters:
    """Evidence against the host: its signature under another table id for the same nonce."""

    table: bytes
    host_signature: bytes


Record = Roster | Entry | ForkProof | TwoRosters


def parse_record(payload: bytes) -> Record:
    """A record's content; raises ``WireError``."""
    value = decode(payload, max_bytes=max(MAX_RECORD, MAX_ROSTER))
    match value:
        case ["table", roster]:
            return Roster.from_wire(roster)
        case ["entry", bytes() as data]:
            return Entry.decode(data)
        case ["fork", proof]:
            first, second = fields(proof, "a proof of equivocation", list, list)
            return ForkProof(SignedHeader.from_wire(first), SignedHeader.from_wire(second))
        case ["two rosters", bytes() as table, bytes() as signature]:
            return TwoRosters(exactly(table, HASH, "a table"), exactly(signature, SIGNATURE, "a signature"))
        case _:
            raise WireError("a record of a kind that a transcript does not have")


class TranscriptWriter:
    """Appends records to a file that must not exist yet; ``OSError`` is the caller's to explain.

    ``again``: it is the transcript of this very match so far. What is written first is all of it, and takes the file's
    place in one step.
    """

    def __init__(self, path: Path, *, again: bool = False) -> None:
        if not again and path.exists() and path.stat().st_size:
            raise LocalProtocolError(f"{path} exists already; a transcript is not written over it.")
        self._path = path
        self._draft = path.with_name(f"{path.name}.{os.getpid()}.new") if again else None
        self._file: BinaryIO = (self._draft or path).open("wb")
        self._file.write(MAGIC)

    def write(self, payloads: list[bytes]) -> None:
        """Append records and hand them to the operating system."""
        for payload in payloads:
            self._file.write(frame(payload))
        if payloads:
            self._file.flush()
            self._replace()

    def _replace(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None:
            os.fsync(self._file.fileno())
            if os.name == "nt":  # no open file is renamed there
                self._file.close()
            os.replace(draft, self._path)
            if self._file.closed:
                self._file = self._path.open("ab")

    def close(self) -> None:
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()


def frame(payload: bytes) -> bytes:
    """A record as it stands in the file."""
    return len(payload).to_bytes(4, "big") + payload + zlib.crc32(payload).to_bytes(4, "big")


class NoTranscript(Exception):
    """The file cannot be read as a transcript at all."""


class Damaged(Exception):
    """A record that its checksum or its length refutes; ``record`` counts from 0."""

    def __init__(self, record: int, detail: str) -> None:
        super().__init__(f"record {record}: {detail}")
        self.record = record


def _holds_a_record(tail: bytes) -> bool:
    """Whether these bytes begin with a payload and its checksum: then its length was changed, and nothing is torn."""
    crc = 0
    for end in range(1, len(tail) - 3):
        crc = zlib.crc32(tail[end - 1 : end], crc)
        if crc == int.from_bytes(tail[end : end + 4], "big"):
            return True
    return False


class TranscriptReader:
    """Reads a transcript as a stream, one record in memory at a time. ``torn`` tells of an unfinished last record.

    The file need not be one that can be read twice: a pipe will do.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.torn = False
        if file.read(len(MAGIC)) != MAGIC:
            raise NoTranscript("This is no transcript of nodealer, or of another version.")

    def payloads(self) -> Iterator[bytes]:
        """The payloads in order; raises ``Damaged``. Ends quietly, with ``torn`` set, in an unfinished last record."""
        number = 0
        while True:
            head = self._file.read(4)
            if len(head) < 4:
                self.torn = bool(head)
                return
            length = int.from_bytes(head, "big")
            if length > MAX_RECORD:
                raise Damaged(number, f"claims {length} bytes, more than any record has")
            rest = self._file.read(length + 4)
            if len(rest) < length + 4:
                if _holds_a_record(rest):
                    raise Damaged(number, "announces more bytes than it has")
                self.torn = True
                return
            payload, crc = rest[:length], rest[length:]
            if not length or zlib.crc32(payload) != int.from_bytes(crc, "big"):
                if self._ends_in_zeros(head + rest):
                    self.torn = True
                    return
                raise Damaged(number, "does not match its checksum" if length else "is empty")
            yield payload
            number += 1

    def _ends_in_zeros(self, record: bytes) -> bool:
        """Whether nothing but zeros follows this record, and the file ends in so many that no record's own end has
        them: what a crash has kept from the disk, some file systems fill up so."""
        zeros = len(record) - len(record.rstrip(b"\0"))
        while chunk := self._file.read(MAX_RECORD):
            if any(chunk):
                return False
            zeros += len(chunk)
        return zeros >= LEFT_BY_A_CRASH

    def look_ahead(self, wanted: Callable[[bytes], bool]) -> int | None:
        """How many of the payloads to come there are up to the last one that is wanted; what is read next stays.

        It stops where the file is damaged. None for a stream that cannot be read twice.
        """
        if not self._file.seekable():
            return None
        here, torn = self._file.tell(), self.torn
        found = 0
        with suppress(Damaged):
            for count, payload in enumerate(self.payloads(), 1):
                if wanted(payload):
                    found = count
        self._file.seek(here)
        self.torn = torn
        return found
