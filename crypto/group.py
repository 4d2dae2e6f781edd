"""The group ristretto255 (RFC 9496): points and scalars; many products at once are in `products.py`.

Scalars are Python integers mod ORDER. Python's integers are not constant-time; timing is not in the threat model of a
card game on a LAN, the rest of the arithmetic is libsodium's.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from . import sodium
from .errors import CryptoError, DecodeError
from .hashing import digest64

RandBytes = Callable[[int], bytes]

ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""ℓ, the prime order of the group."""
POINT_BYTES: Final = sodium.POINT_BYTES
SCALAR_BYTES: Final = sodium.SCALAR_BYTES
IDENTITY: Final = bytes(POINT_BYTES)
Buffer = ctypes.c_char * POINT_BYTES


@dataclass(slots=True)
class Operations:
    """How many group operations were done. `mul_base` is a multiplication of G; a subtraction counts as `add`."""

    mul: int = 0
    mul_base: int = 0
    add: int = 0
    hash_to_group: int = 0


_counter: ContextVar[Operations | None] = ContextVar("operations", default=None)


@contextmanager
def counting() -> Iterator[Operations]:
    """Count the group operations of this thread (or task) until the block ends."""
    operations = Operations()
    token = _counter.set(operations)
    try:
        yield operations
    finally:
        _counter.reset(token)


def tally(mul: int = 0, mul_base: int = 0, add: int = 0, hash_to_group: int = 0) -> None:
    """Count operations that are about to be done, if anybody counts here."""
    counter = _counter.get()
    if counter is not None:
        counter.mul += mul
        counter.mul_base += mul_base
        counter.add += add
        counter.hash_to_group += hash_to_group


def refused(operation: str) -> CryptoError:
    """The error for a return code that tells of a bad point."""
    # Every point that gets here was decoded or computed, so this is a bug of ours and never an answer to a peer.
    return CryptoError(f"libsodium refused a {operation} of group elements")


@dataclass(frozen=True, slots=True)
class Point:
    """A group element by its 32 canonical bytes.

    From outside only by `Point.decode`, which refuses the identity. Differences of points computed here may be the
    identity (32 zero bytes), so the operators handle it.
    """

    data: bytes

    @classmethod
    def decode(cls, data: bytes) -> Point:
        """DecodeError unless these are the 32 canonical bytes of an element other than the identity."""
        if len(data) != POINT_BYTES:
            raise DecodeError(f"a point is {POINT_BYTES} bytes, not {len(data)}")
        # Only an immutable bytes object may go to C unchecked and be kept.
        data = bytes(data)
        if data == IDENTITY:
            raise DecodeError("the identity is not allowed")
        # libsodium 1.0.18 ignores the highest bit, so one element would have two encodings.
        if data[-1] & 0x80 or sodium.is_valid_point(data) != 1:
            raise DecodeError("not a canonical point")
        return cls(data)

    def encode(self) -> bytes:
        return self.data

    @property
    def is_identity(self) -> bool:
        return self.data == IDENTITY

    def __bytes__(self) -> bytes:
        return self.data

    def __add__(self, other: Point) -> Point:
        return _binary(sodium.add, self, other)

    def __sub__(self, other: Point) -> Point:
        return _binary(sodium.subtract, self, other)

    def __rmul__(self, scalar: int) -> Point:
        return multiply(scalar, self)

    def __repr__(self) -> str:
        return f"Point({self.data.hex()[:16]}…)"


def _binary(function: Callable[[ctypes.Array[ctypes.c_char], bytes, bytes], int], left: Point, right: Point) -> Point:
    counter = _counter.get()
    if counter is not None:
        counter.add += 1
    result = Buffer()
    if function(result, left.data, right.data) != 0:
        raise refused("sum")
    return Point(result.raw)


def multiply(scalar: int, point: Point) -> Point:
    """scalar · point; the identity for a scalar 0 mod ORDER."""
    counter = _counter.get()
    if counter is not None:
        counter.mul += 1
    scalar %= ORDER
    if scalar == 0 or point.data == IDENTITY:
        return Point(IDENTITY)
    result = Buffer()
    if sodium.multiply(result, scalar.to_bytes(32, "little"), point.data) != 0:
        raise refused("product")
    return Point(result.raw)


def mul_base(scalar: int) -> Point:
    """scalar · G."""
    counter = _counter.get()
    if counter is not None:
        counter.mul_base += 1
    scalar %= ORDER
    if scalar == 0:
        return Point(IDENTITY)
    result = Buffer()
    if sodium.multiply_base(result, scalar.to_bytes(32, "little")) != 0:
        raise refused("product")
    return Point(result.raw)


G: Final = mul_base(1)


def difference(scalar: int, point: Point | None, other_scalar: int, other: Point) -> Point:
    """scalar · point - other_scalar · other; G for a point that is None. What every verifier recomputes.

    Two multiplications and one addition.
    """
    counter = _counter.get()
    if counter is not None:
        if point is None:
            counter.mul_base += 1
        else:
            counter.mul += 1
        counter.mul += 1
        counter.add += 1
    scalar %= ORDER
    other_scalar %= ORDER
    left, right = Buffer(), Buffer()
    if point is None:
        wrong = scalar and sodium.multiply_base(left, scalar.to_bytes(32, "little"))
    else:
        wrong = scalar and point.data != IDENTITY and sodium.multiply(left, scalar.to_bytes(32, "little"), point.data)
    if not wrong and other_scalar and other.data != IDENTITY:
        wrong = sodium.multiply(right, other_scalar.to_bytes(32, "little"), other.data)
    # A buffer that was not written to is zero: the identity.
    if wrong or sodium.subtract(left, left, right):
        raise refused("difference of products")
    return Point(left.raw)


def hash_to_point(label: str, *parts: bytes) -> Point:
    """The point whose logarithm nobody knows: RFC 9496 §4.3.4 of H64(label, parts)."""
    counter = _counter.get()
    if counter is not None:
        counter.hash_to_group += 1
    return from_uniform(digest64(label, *parts))


def from_uniform(data: bytes) -> Point:
    """The one-way map of RFC 9496 §4.3.4 of 64 uniform bytes."""
    if len(data) != sodium.HASH_BYTES:
        raise ValueError(f"{sodium.HASH_BYTES} bytes needed, not {len(data)}")
    result = Buffer()
    if sodium.from_hash(result, bytes(data)) != 0:
        raise refused("hash")
    return Point(result.raw)


def encode_scalar(scalar: int) -> bytes:
    """32 bytes, little endian, of a scalar reduced mod ORDER."""
    return (scalar % ORDER).to_bytes(SCALAR_BYTES, "little")


def decode_scalar(data: bytes, *, allow_zero: bool = False) -> int:
    """DecodeError unless these are the 32 bytes of a scalar below ORDER (and not zero)."""
    if len(data) != SCALAR_BYTES:
        raise DecodeError(f"a scalar is {SCALAR_BYTES} bytes, not {len(data)}")
    scalar = int.from_bytes(data, "little")
    if scalar >= ORDER:
        raise DecodeError("a scalar is not reduced")
    if scalar == 0 and not allow_zero:
        raise DecodeError("a scalar is zero")
    return scalar


def reduce_wide(data: bytes) -> int:
    """64 uniform bytes as a scalar (little endian, mod ORDER), with a bias below 2^-250."""
    return int.from_bytes(data, "little") % ORDER


def random_scalar(randbytes: RandBytes = os.urandom) -> int:
    """A uniform scalar other than zero."""
    while True:
        scalar = reduce_wide(randbytes(64))
        if scalar:
            return scalar


def inverse(scalar: int) -> int:
    """scalar⁻¹ mod ORDER; ValueError for zero."""
    return pow(scalar, -1, ORDER)


def join_points(points: Iterable[Point]) -> bytes:
    """The points' encodings one after the other."""
    return b"".join([point.data for point in points])


def join_scalars(scalars: Iterable[int]) -> bytes:
    """The scalars' encodings one after the other."""
    return b"".join([encode_scalar(scalar) for scalar in scalars])


class Reader:
    """Reads fixed-size values from bytes, in order; DecodeError if one is wrong, or bytes are missing or left."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, length: int) -> None:
        """The total length is checked before anything is decoded."""
        if len(data) != length:
            raise DecodeError(f"{length} bytes expected, not {len(data)}")
        self._data = bytes(data)
        self._at = 0

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise DecodeError("bytes are missing")
        piece = self._data[self._at : end]
        self._at = end
        return piece

    def point(self) -> Point:
        return Point.decode(self.take(POINT_BYTES))

    def points(self, count: int) -> tuple[Point, ...]:
        return tuple([self.point() for _ in range(count)])

    def scalar(self) -> int:
        return decode_scalar(self.take(SCALAR_BYTES))

    def scalars(self, count: int) -> tuple[int, ...]:
        return tuple([self.scalar() for _ in range(count)])

    def end(self) -> None:
        if self._at != len(self._data):
            raise DecodeError("bytes are left over")
