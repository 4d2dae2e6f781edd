"""The encoding: one form for one value, everything else refused with one error."""

from __future__ import annotations

import math

import msgpack
import pytest
from hypothesis import given
from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode, exactly, fields, natural, split

from tests.helpers.fuzz import allowed, noise


def nested(levels: int) -> bytes:
    return b"\x91" * levels + b"\xc0"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "msgpack"),
        (b"\xc1", "msgpack"),
        (b"\x91", "msgpack"),
        (b"\xc0\xc0", "msgpack"),
        (b"\x80", "dict"),
        (b"\x81\x01\x02", "msgpack"),
        (msgpack.packb(1.5), "float"),
        (msgpack.packb(math.nan), "float"),
        (b"\xca\x00\x00\x00\x00", "float"),
        (msgpack.packb(msgpack.ExtType(1, b"")), "ExtType"),
        (msgpack.packb(msgpack.ExtType(1, b"x")), "msgpack"),
        (msgpack.packb(msgpack.Timestamp(1)), "msgpack"),
        (b"\xcc\x05", "canonical"),
        (b"\xcd\x00\xff", "canonical"),
        (b"\xcf" + bytes(7) + b"\x01", "canonical"),
        (b"\xd0\x05", "canonical"),
        (b"\xd3" + b"\xff" * 8, "canonical"),
        (b"\xd9\x01a", "canonical"),
        (b"\xc5\x00\x01a", "canonical"),
        (b"\xdc\x00\x01\xc0", "canonical"),
        (b"\xa1\xff", "msgpack"),
        (b"\xa3\xed\xa0\x80", "msgpack"),
        (b"\xdd\xff\xff\xff\xff", "many"),
        (b"\xdc\x10\x00" * 1000, "many"),
        (b"\x92\xdc\x0f\xf0" + b"\xc0" * 0xFF0 + b"\xdc\x00\x20" + b"\xc0" * 32, "many"),
        (b"\xdb\xff\xff\xff\xff", "msgpack"),
        (b"\xc6\xff\xff\xff\xff", "msgpack"),
        (b"\xdf\xff\xff\xff\xff", "msgpack"),
        (nested(9), "deep"),
        (nested(500), "deep"),
        (nested(100_000), "deep"),
    ],
)
def test_refused(data, why):
    with pytest.raises(WireError, match=why):
        decode(data, max_bytes=1 << 20)


def test_sizes_are_bounded():
    assert decode(nested(8), max_bytes=9) is not None
    with pytest.raises(WireError, match="10 bytes"):
        decode(bytes(10), max_bytes=9)
    with pytest.raises(WireError, match="deep"):
        decode(nested(2), max_bytes=99, max_depth=1)
    assert len(decode(encode([0] * 7), max_bytes=99, max_items=8)) == 7
    with pytest.raises(WireError):
        decode(encode([0] * 8), max_bytes=99, max_items=8)
    with pytest.raises(WireError, match="many"):
        decode(encode([[0] * 5] * 5), max_bytes=99, max_items=8)


@given(allowed)
def test_what_is_allowed_comes_back(value):
    assert decode(encode(value), max_bytes=1 << 16, max_depth=99) == value


@given(noise)
def test_one_value_has_one_encoding(data):
    """Whatever is accepted is the very encoding of what it means; all else is the one error."""
    try:
        value = decode(data, max_bytes=1 << 16)
    except WireError:
        return
    assert encode(value) == data


def test_a_bool_is_no_number():
    assert fields([1, b"", None], "x", int, bytes, (int, type(None))) == [1, b"", None]
    for value in ([True], [1.0], ["1"], [None], [], [1, 1], 1, None, "x", b"x"):
        with pytest.raises(WireError, match="x"):
            fields(value, "x", int)


def test_small_checks():
    assert exactly(b"ab", 2, "x") == b"ab"
    assert natural(3, 4, "x") == 3
    assert split(b"abcd", 2, "x") == [b"ab", b"cd"]
    assert split(b"", 2, "x") == []
    for wrong in (
        lambda: exactly(b"a", 2, "x"),
        lambda: natural(4, 4, "x"),
        lambda: natural(-1, 4, "x"),
        lambda: split(b"abc", 2, "x"),
    ):
        with pytest.raises(WireError, match="x"):
            wrong()
