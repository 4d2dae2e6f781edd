"""The bytes of a forged file in few letters: what it has in common with the valid file it was made from is named there.

A piece is hex, or [from, to] of the valid file, or a number of zero bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

Piece = str | list[int] | int

BLOCK = 16
WORTH = 24
ZEROS = re.compile(rb"\0{64,}")


def cut(data: bytes, valid: bytes) -> list[Piece]:
    """``data`` as pieces, the same every time."""
    pieces: list[Piece] = []
    at = 0
    for run in ZEROS.finditer(data):
        pieces += _without_zeros(data[at : run.start()], valid)
        pieces.append(run.end() - run.start())
        at = run.end()
    return [*pieces, *_without_zeros(data[at:], valid)]


def joined(pieces: Sequence[Piece], valid: bytes) -> bytes:
    """The bytes that these pieces say."""
    return b"".join(_bytes(piece, valid) for piece in pieces)


def _bytes(piece: Piece, valid: bytes) -> bytes:
    match piece:
        case str():
            return bytes.fromhex(piece)
        case int():
            return bytes(piece)
        case _:
            return valid[piece[0] : piece[1]]


def _without_zeros(data: bytes, valid: bytes) -> Iterator[Piece]:
    index = _index(valid)
    at = literal = 0
    while at + BLOCK <= len(data):
        begin = index.get(data[at : at + BLOCK])
        size = 0 if begin is None else _common(data, at, valid, begin)
        if begin is None or size < WORTH:
            at += 1
            continue
        if literal < at:
            yield data[literal:at].hex()
        yield [begin, begin + size]
        at = literal = at + size
    if literal < len(data):
        yield data[literal:].hex()


def _common(data: bytes, at: int, valid: bytes, begin: int) -> int:
    size = 0
    while at + size < len(data) and begin + size < len(valid) and data[at + size] == valid[begin + size]:
        size += 1
    return size


@lru_cache(maxsize=1)
def _index(valid: bytes) -> dict[bytes, int]:
    """Where each block of the valid file stands first."""
    return {valid[at : at + BLOCK]: at for at in range(len(valid) - BLOCK, -1, -1)}
