"""A journal on the disk: one file for one identity at one table, locked, appended to, brought to the disk on demand.

    "nodealer journal 1\\n", 16 random bytes (the file's own mark), then records as in a transcript (`frame`)

After every sync the record ["synced", mark] follows. So what a crash has torn can be told from damage: bytes that no
sync covered are followed by no mark, and are cut off; a record that does not hold, with a mark after it, was on the
disk and is damaged. Only the owner may read the file. Its lock dies with its process.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ProtocolError
from ..journal import NoJournal, Saved, read
from ..transcript import MAX_RECORD, frame
from ..wire import encode

MAGIC = b"nodealer journal 1\n"
MARK = 16
SUFFIX = ".journal"
# No match is so long; what is longer is not read into memory.
MAX_JOURNAL = 1 << 30

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def lock_file(descriptor: int) -> None:
        """Take an exclusive lock or raise ``OSError``."""
        # Far beyond what is ever written: what is locked there cannot be read by others.
        os.lseek(descriptor, MAX_JOURNAL * 2, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        os.lseek(descriptor, 0, os.SEEK_SET)

else:

    def lock_file(descriptor: int) -> None:
        """Take an exclusive lock or raise ``OSError``."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class JournalError(ProtocolError):
    """The journal cannot be kept or used; the text is a sentence for a person."""


class JournalBusy(JournalError):
    """Another process has this journal."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a journal's file holds: its records, and how many bytes of it stand (the rest is a torn tail)."""

    mark: bytes
    records: list[bytes]
    length: int


def parse(data: bytes) -> Contents:
    """The records of a journal's bytes, without a torn tail. Raises ``NoJournal``."""
    if not data.startswith(MAGIC):
        raise NoJournal("it is no journal of nodealer, or of another version")
    at = len(MAGIC) + MARK
    mark = data[len(MAGIC) : at]
    synced = frame(_synced(mark))
    records: list[bytes] = []
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        end = at + 4 + length + 4
        payload = data[at + 4 : end - 4]
        # No record is empty: zeros, which a file system may leave at an end, would be as many empty ones.
        whole = 0 < length <= MAX_RECORD and end <= len(data)
        if not whole or zlib.crc32(payload) != int.from_bytes(data[end - 4 : end], "big"):
            if data.find(synced, at) >= 0:
                raise NoJournal(f"its record {len(records)} is damaged")
            break
        if data[at:end] != synced:
            records.append(payload)
        at = end
    return Contents(mark, records, min(at, len(data)))


def _synced(mark: bytes) -> bytes:
    return encode(["synced", mark])


class JournalFile:
    """An open journal. It is made with its first records, and gone for good with ``remove``.

    ``append`` may block for as long as the disk takes: call it outside the event loop.
    """

    def __init__(self, path: Path, descriptor: int, mark: bytes) -> None:
        self.path = path
        self._descriptor = descriptor
        self._synced = frame(_synced(mark))

    @classmethod
    def create(cls, path: Path) -> JournalFile:
        """A new journal; what stood there is gone (a match with this table's id is never made twice).

        Raises ``OSError``, and ``JournalBusy`` where another process has it.
        """
        descriptor = _open_locked(path, os.O_RDWR | os.O_CREAT)
        try:
            os.ftruncate(descriptor, 0)
            mark = secrets.token_bytes(MARK)
            journal = cls(path, descriptor, mark)
            journal._write(MAGIC + mark)
            os.fsync(descriptor)
            _sync_folder(path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        return journal

    @classmethod
    def open(cls, path: Path) -> tuple[JournalFile, Saved | None]:
        """An existing journal with what it holds; a torn tail is cut off. None: its match had not begun.

        Raises ``OSError``, ``JournalBusy``, and ``NoJournal`` for what is damaged or none.
        """
        descriptor = _open_locked(path, os.O_RDWR)
        try:
            size = os.fstat(descriptor).st_size
            if size > MAX_JOURNAL:
                raise NoJournal("it is longer than any journal")
            contents = parse(_read_all(descriptor, size))
            saved = read(contents.records)
            if contents.length < size:
                os.ftruncate(descriptor, contents.length)
            os.lseek(descriptor, contents.length, os.SEEK_SET)
            os.fsync(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, contents.mark), saved

    def append(self, records: Sequence[bytes], sync: bool) -> None:
        """Write records, in order; with ``sync`` they are on the disk when this returns. Raises ``OSError``."""
        self._write(b"".join(map(frame, records)))
        if sync:
            os.fsync(self._descriptor)
            self._write(self._synced)

    def close(self) -> None:
        """Give the file and its lock back; what it holds stays."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """The match is over: nothing of its secrets stays on the disk."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        # Windows removes no open file.
        self.close()
        with contextlib.suppress(OSError):
            self.path.unlink()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]


class Ledger:
    """The journal of one seat, from its first records to the end of its match; the file begins with the match."""

    def __init__(self, folder: Path, file: JournalFile | None = None) -> None:
        self.folder = folder
        self.file = file
        self.begun = file is not None
        """A program that dies from now on finds its match again."""

    def keep(self, records: Sequence[bytes], sync: bool) -> None:
        """Append; with ``sync`` they are on the disk when this returns. Blocks; raises ``JournalError``."""
        try:
            if self.file is None:
                begun = read(records)
                if begun is None:
                    raise JournalError("A journal begins with a match.")
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.file = JournalFile.create(journal_path(self.folder, begun.seat.key, begun.roster.table))
            self.file.append(records, sync)
            self.begun = True
        except OSError as error:
            where = self.folder if self.file is None else self.file.path
            raise JournalError(
                f"The journal {where} cannot be written ({error.strerror}), and nothing may be sent that is not on the "
                "disk. Mend that and give the same command again: the match goes on."
            ) from None

    def close(self, *, finished: bool) -> None:
        """The program ends; of a match that is finished nothing stays."""
        if self.file is not None:
            if finished:
                self.file.remove()
            self.file.close()


def journal_path(folder: Path, key: bytes, table: bytes) -> Path:
    """Where the journal of this identity at this table stands."""
    return folder / f"{key.hex()[:16]}-{table.hex()[:16]}{SUFFIX}"


def journals(folder: Path) -> list[Path]:
    """The journals in a folder, the one written last first."""
    try:
        found = [(path.stat().st_mtime, path) for path in folder.glob(f"*{SUFFIX}")]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]


def _open_locked(path: Path, flags: int) -> int:
    """An open descriptor with the lock on the file that stands under this name now."""
    while True:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            lock_file(descriptor)
        except OSError:
            os.close(descriptor)
            raise JournalBusy(f"Another nodealer plays the match of {path} already.") from None
        try:
            # Whoever had the lock before may just have removed the file.
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                os.close(descriptor)
                raise
        os.close(descriptor)


def _read_all(descriptor: int, size: int) -> bytes:
    pieces: list[bytes] = []
    while size > 0:
        piece = os.read(descriptor, min(size, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _sync_folder(folder: Path) -> None:
    """A new file's name is on the disk only with its folder; Windows has no such thing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
