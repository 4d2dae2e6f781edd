"""The one encoding of everything that is hashed, signed or sent (PROTOCOL.md, "Encoding").

Canonical msgpack: arrays, integers, byte strings, text, booleans and nil, each in its shortest form, nothing else.
What is decoded is encoded again and compared, so one value has one encoding. Text is any valid UTF-8: whether it is
in a normal form depends on the Unicode tables of who asks, and what is valid must not (`names.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]

from .errors import WireError

# No message of the protocol nests deeper than five arrays or holds more items than a deck has cards, twice.
MAX_DEPTH = 8
MAX_ITEMS = 4096


def encode(value: object) -> bytes:
    """The canonical bytes of ``value`` (nested lists or tuples of int, bytes, str, bool, None)."""
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def decode(data: bytes, *, max_bytes: int, max_depth: int = MAX_DEPTH, max_items: int = MAX_ITEMS) -> Any:
    """The value of canonical bytes; raises ``WireError`` for anything longer, deeper, larger, or of another form.

    Length, depth and number of values are bounded before anything is allocated.
    """
    if len(data) > max_bytes:
        raise WireError(f"a message of {len(data)} bytes, where at most {max_bytes} are allowed")
    _bound(data, max_depth, max_items)
    try:
        value = msgpack.unpackb(
            data,
            raw=False,
            use_list=True,
            strict_map_key=True,
            max_str_len=max_bytes,
            max_bin_len=max_bytes,
            max_array_len=max_items,
            max_map_len=0,
            max_ext_len=0,
        )
    except (ValueError, msgpack.UnpackException, RecursionError, OverflowError) as error:
        raise WireError(f"not msgpack as agreed ({type(error).__name__})") from None
    _check(value)
    if encode(value) != data:
        raise WireError("not in canonical form")
    return value


# Bytes after the first of a value that is no array: of fixed size, or behind a length of so many bytes.
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_MEASURED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAY = {**dict.fromkeys(range(0x90, 0xA0), 0), 0xDC: 2, 0xDD: 4}
_FOREIGN = frozenset([*range(0x80, 0x90), *range(0xC7, 0xCA), *range(0xD4, 0xD9), 0xDE, 0xDF])
_PLAIN = frozenset([int, bytes, bool, str, type(None)])


def _whole(byte: int) -> int:
    """The bytes of a value that begins so, where its first byte tells; else 0."""
    if byte in _MEASURED or byte in _ARRAY or byte in _FOREIGN:
        return 0
    return 1 + (byte - 0xA0 if 0xA0 <= byte <= 0xBF else _FIXED.get(byte, 0))


# Every value of every message is gone over: a look into a table is what it may cost.
_WHOLE = tuple(map(_whole, range(256)))


def _bound(data: bytes, max_depth: int, max_items: int) -> None:
    """Walk over the headers alone, which allocates nothing: an array of arrays can claim far more than it holds.

    What is no value of ours, or ends too early, is left to the parser: nothing before it was too much.
    """
    at, end, left = 0, len(data), max_items
    # Of the innermost open array, and of those around it: the values that are still to come.
    awaited = 1
    around: list[int] = []
    while True:
        while not awaited:
            if not around:
                return
            awaited = around.pop()
        if at >= end:
            return
        awaited -= 1
        left -= 1
        if left < 0:
            raise WireError("too many items")
        byte = data[at]
        if _WHOLE[byte]:
            at += _WHOLE[byte]
            continue
        at += 1
        if byte in _MEASURED:
            size = _MEASURED[byte]
            at += size + int.from_bytes(data[at : at + size], "big")
        elif byte in _ARRAY:
            size = _ARRAY[byte]
            count = int.from_bytes(data[at : at + size], "big") if size else byte - 0x90
            at += size
            if len(around) >= max_depth:
                raise WireError("nested too deep")
            if count > left:
                raise WireError("too many items")
            around.append(awaited)
            awaited = count
        else:
            return


def _check(value: object) -> None:
    if isinstance(value, list):
        for item in value:
            if type(item) not in _PLAIN:
                _check(item)
    elif type(value) not in _PLAIN:
        raise WireError(f"a {type(value).__name__}, which no message holds")


def fields(value: object, what: str, *kinds: type | tuple[type, ...]) -> list[Any]:
    """``value`` as an array of exactly these types (a bool is no int here); raises ``WireError`` naming ``what``."""
    if not isinstance(value, list) or len(value) != len(kinds):
        raise WireError(f"{what} is not an array of {len(kinds)}")
    for item, kind in zip(value, kinds, strict=True):
        if type(item) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise WireError(f"{what} holds a {type(item).__name__} in the wrong place")
    return value


def exactly(data: bytes, length: int, what: str) -> bytes:
    """``data`` if it has this many bytes; raises ``WireError`` otherwise."""
    if len(data) != length:
        raise WireError(f"{what} has {len(data)} bytes instead of {length}")
    return data


def natural(value: int, limit: int, what: str) -> int:
    """``value`` if 0 <= value < limit; raises ``WireError`` otherwise."""
    if not 0 <= value < limit:
        raise WireError(f"{what} is {value}, not 0 to {limit - 1}")
    return value


def split(data: bytes, size: int, what: str) -> Sequence[bytes]:
    """``data`` cut into pieces of ``size`` bytes; raises ``WireError`` where it does not divide."""
    if len(data) % size:
        raise WireError(f"{what} is not a row of pieces of {size} bytes")
    return [data[i : i + size] for i in range(0, len(data), size)]
