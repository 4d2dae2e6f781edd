"""The one encoding of everything that is hashed, signed or sent (PROTOCOL.md, "Encoding").

Canonical msgpack: arrays, integers, byte strings, NFC text, booleans and nil, each in its shortest form, nothing else.
What is decoded is encoded again and compared, so one value has one encoding.
"""

from __future__ import annotations

import unicodedata
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

    Sizes are bounded before anything is allocated: the length here, lengths of arrays and strings by the parser.
    """
    if len(data) > max_bytes:
        raise WireError(f"a message of {len(data)} bytes, where at most {max_bytes} are allowed")
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
    _check(value, max_depth, [max_items])
    if encode(value) != data:
        raise WireError("not in canonical form")
    return value


def _check(value: object, depth: int, left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise WireError("too many items")
    if isinstance(value, list):
        if depth == 0:
            raise WireError("nested too deep")
        for item in value:
            _check(item, depth - 1, left)
    elif isinstance(value, str):
        if not unicodedata.is_normalized("NFC", value):
            raise WireError("text that is not in normal form C")
    elif value is not None and type(value) not in (int, bytes, bool):
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
