"""The hashes of a feed that is not kept: 32 bytes an entry, in memory while they are few and then in a temporary file.

A verifier needs of an entry that was taken only its hash, to tell a record that stands twice from two entries with one
number. So a transcript of any size is read in bounded memory.
"""

from __future__ import annotations

import tempfile
import weakref

from .entry import HASH

# A megabyte for each feed: thirty thousand entries, more than any match that people play.
IN_MEMORY = 1 << 20


class HashTape:
    """Hashes by number, from 0; only the next can be added."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed with the tape
        self._count = 0
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._count

    def append(self, entry_hash: bytes) -> None:
        """Raises ``OSError`` that says where: who reads a file must not take it for that file's."""
        try:
            self._file.seek(self._count * HASH)
            self._file.write(entry_hash)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}, in the folder for temporary files") from None
        self._count += 1

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < self._count:
            raise IndexError(number)
        self._file.seek(number * HASH)
        return self._file.read(HASH)
