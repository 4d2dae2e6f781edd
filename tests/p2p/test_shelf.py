"""A row whose old items lie in a temporary file reads like a list; a disk that takes nothing costs memory alone."""

from __future__ import annotations

import errno
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodealer.p2p.shelf import AT_HAND, Shelf


def texts(in_memory: int) -> Shelf[str]:
    return Shelf(str.encode, bytes.decode, in_memory=in_memory)


@pytest.mark.parametrize("in_memory", [0, 700, 1 << 20])
@settings(max_examples=30, deadline=None)
@given(
    counts=st.lists(st.integers(0, 90), max_size=6),
    away=st.lists(st.integers(0, 300), min_size=6, max_size=6),
    cut=st.slices(200),
)
def test_it_reads_like_a_list(in_memory, counts, away, cut):
    shelf, plain = texts(in_memory), []
    for count, before in zip(counts, away, strict=False):
        for _ in range(count):
            item = "x" * (len(plain) % 40) + str(len(plain))
            plain.append(item)
            shelf.append(item)
        shelf.put_away(before)
        assert list(shelf) == plain
    assert shelf[cut] == plain[cut]
    assert list(reversed(shelf)) == plain[::-1]
    assert all(shelf[-at - 1] == plain[-at - 1] for at in range(len(plain)))
    with pytest.raises(IndexError):
        shelf[len(plain)]
    with pytest.raises(IndexError):
        shelf[-len(plain) - 1]


def test_the_newest_stay_at_hand():
    read: list[bytes] = []

    def note(data: bytes) -> str:
        read.append(data)
        return data.decode()

    shelf: Shelf[str] = Shelf(str.encode, note, map(str, range(1000)), in_memory=100)
    shelf.put_away(1000)
    assert shelf[-AT_HAND:] == [str(number) for number in range(1000 - AT_HAND, 1000)]
    assert not read
    assert shelf[0] == "0"
    assert read == [b"0"]
    assert len(shelf._items) == AT_HAND
    assert not shelf._bytes


class Full:
    """A file on a disk that takes so many bytes more."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = data[: min(self.room, 7)]
        self.room -= len(taken)
        return int(self.file.write(taken))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 3, 100, 555])
def test_a_full_disk_loses_nothing(room, monkeypatch):
    real = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: Full(real(**options), room))
    shelf = texts(50)
    for number in range(500):
        shelf.append(str(number))
        shelf.put_away(number)
    assert list(shelf) == [str(number) for number in range(500)]
    assert len(shelf._items) > AT_HAND
