"""Many products of scalars and points at once, over all cores (`cores.py`): where the time of every proof goes.

The inner loops make no Point and count nothing; the counts are added before the work is split, so that they are the
same for any number of threads. Scalars are any integers, points were decoded or computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import sodium
from .cores import split
from .group import IDENTITY, ORDER, Buffer, Point, refused, tally


def _same_length(*rows: Sequence[object]) -> int:
    size = len(rows[0])
    if any(len(row) != size for row in rows):
        raise ValueError("rows of " + ", ".join(str(len(row)) for row in rows))
    return size


def multiples(scalars: Sequence[int], points: Sequence[Point]) -> list[Point]:
    """scalars[i] · points[i]: as many multiplications. ValueError if the lengths differ."""
    size = _same_length(scalars, points)
    tally(mul=size)

    def share(start: int, end: int) -> list[Point]:
        made, result = [], Buffer()
        for at in range(start, end):
            scalar, data = scalars[at] % ORDER, points[at].data
            if scalar == 0 or data == IDENTITY:
                made.append(Point(IDENTITY))
            elif sodium.multiply(result, scalar.to_bytes(32, "little"), data) != 0:
                raise refused("product")
            else:
                made.append(Point(result.raw))
        return made

    return [point for part in split(share, size) for point in part]


def base_multiples(scalars: Sequence[int]) -> list[Point]:
    """scalars[i] · G: as many multiplications of G."""
    tally(mul_base=len(scalars))

    def share(start: int, end: int) -> list[Point]:
        made, result = [], Buffer()
        for at in range(start, end):
            scalar = scalars[at] % ORDER
            if scalar == 0:
                made.append(Point(IDENTITY))
            elif sodium.multiply_base(result, scalar.to_bytes(32, "little")) != 0:
                raise refused("product")
            else:
                made.append(Point(result.raw))
        return made

    return [point for part in split(share, len(scalars)) for point in part]


def differences(
    scalars: Sequence[int], points: Sequence[Point], other_scalars: Sequence[int], others: Sequence[Point]
) -> list[Point]:
    """scalars[i] · points[i] - other_scalars[i] · others[i]: for each two multiplications and one addition."""
    size = _same_length(scalars, points, other_scalars, others)
    tally(mul=2 * size, add=size)

    def share(start: int, end: int) -> list[Point]:
        made, left, right = [], Buffer(), Buffer()
        multiply, subtract, order = sodium.multiply, sodium.subtract, ORDER
        for at in range(start, end):
            scalar, data = scalars[at] % order, points[at].data
            other, more = other_scalars[at] % order, others[at].data
            wrong = 0
            if scalar and data != IDENTITY:
                wrong = multiply(left, scalar.to_bytes(32, "little"), data)
            else:
                left.raw = IDENTITY
            if other and more != IDENTITY:
                wrong = wrong or multiply(right, other.to_bytes(32, "little"), more)
            else:
                right.raw = IDENTITY
            if wrong or subtract(left, left, right):
                raise refused("difference of products")
            made.append(Point(left.raw))
        return made

    return [point for part in split(share, size) for point in part]


def sum_of_products(scalars: Sequence[int], points: Sequence[Point], start: Point | None = None) -> Point:
    """start + Σ scalars[i] · points[i]; ValueError if the lengths differ.

    len(points) multiplications, and one addition less than there are terms.
    """
    size = _same_length(scalars, points)
    tally(mul=size, add=max(0, size - (start is None)))

    def share(begin: int, end: int) -> bytes:
        total, product = Buffer(), Buffer()
        first = True
        if begin == 0 and start is not None:
            total.raw, first = start.data, False
        for at in range(begin, end):
            scalar, data = scalars[at] % ORDER, points[at].data
            if scalar == 0 or data == IDENTITY:
                continue
            encoded = scalar.to_bytes(32, "little")
            if first:
                wrong, first = sodium.multiply(total, encoded, data), False
            else:
                wrong = sodium.multiply(product, encoded, data) or sodium.add(total, total, product)
            if wrong:
                raise refused("sum of products")
        return bytes(total.raw)

    total, *rest = split(share, size)
    result = Buffer()
    result.raw = total
    for part in rest:
        if sodium.add(result, result, part) != 0:
            raise refused("sum of products")
    return Point(result.raw)
