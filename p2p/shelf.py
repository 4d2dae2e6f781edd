"""A row of things that only grows: the newest in memory, the older ones in a temporary file.

A peer must be able to show every entry of the match, to who comes back and to who begins to watch, but hardly ever
does; so what a match costs it in memory does not grow with the match.
"""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, TypeVar, overload

Item = TypeVar("Item")

# Things that stay in memory whatever comes: what is asked for is nearly always among them.
AT_HAND = 64
# Bytes of those put away before there is a file: most matches never need one.
IN_MEMORY = 256 * 1024


class Shelf(Sequence[Item]):
    """``write`` and ``read`` turn an item into bytes and back; ``put_away`` says which are no longer at hand."""

    def __init__(
        self,
        write: Callable[[Item], bytes],
        read: Callable[[bytes], Item],
        items: Iterable[Item] = (),
        in_memory: int = IN_MEMORY,
    ) -> None:
        self._write, self._read = write, read
        self._items = list(items)
        self._in_memory = in_memory
        # Where each of those put away ends.
        self._ends = array("Q")
        self._bytes = bytearray()
        self._file: BinaryIO | None = None
        self._stuck = False

    def __len__(self) -> int:
        return len(self._ends) + len(self._items)

    def append(self, item: Item) -> None:
        self._items.append(item)

    def put_away(self, count: int) -> None:
        """Of the first ``count`` only bytes need be kept; where the disk takes none, they all stay in memory."""
        away = min(count, len(self) - AT_HAND) - len(self._ends)
        if away <= 0 or self._stuck:
            return
        done = 0
        try:
            for item in self._items[:away]:
                self._ends.append(self._keep(self._write(item)))
                done += 1
        except OSError:
            self._stuck = True
        del self._items[:done]

    def _keep(self, data: bytes) -> int:
        """Where these bytes end, once they are kept."""
        start = self._ends[-1] if self._ends else 0
        if self._file is None:
            if start + len(data) <= self._in_memory:
                self._bytes += data
                return start + len(data)
            # Without a buffer: what was written is there to be read, or the disk has said that it is not.
            file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with the shelf
            weakref.finalize(self, file.close)
            _write_whole(file, 0, bytes(self._bytes))
            self._file, self._bytes = file, bytearray()
        _write_whole(self._file, start, data)
        return start + len(data)

    def _fetch(self, index: int) -> Item:
        start, end = self._ends[index - 1] if index else 0, self._ends[index]
        if self._file is None:
            return self._read(bytes(self._bytes[start:end]))
        self._file.seek(start)
        return self._read(self._file.read(end - start))

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        away, size = len(self._ends), len(self)
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(size))]
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError(index)
        return self._items[index - away] if index >= away else self._fetch(index)


def _write_whole(file: BinaryIO, at: int, data: bytes) -> None:
    file.seek(at)
    while data:
        data = data[file.write(data) :]
