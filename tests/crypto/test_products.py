"""Many products at once: the same as one by one, for any number of threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from nodealer.crypto import cores, products
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.group import ORDER, G, Point, counting, hash_to_point, mul_base, random_scalar
from nodealer.crypto.products import base_multiples, differences, multiples, sum_of_products

NOTHING = Point(bytes(32))


def row(size: int) -> tuple[list[int], list[Point]]:
    """Scalars and points, some of which are nothing."""
    scalars = [random_scalar() for _ in range(size)]
    points = [hash_to_point("row", index.to_bytes(2, "big")) for index in range(size)]
    if size > 4:
        scalars[1], scalars[3], points[4] = 0, ORDER, NOTHING
    return scalars, points


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 5, 31, 32, 33, 112])
def test_they_are_the_products(threads, size):
    scalars, points = row(size)
    others, more = row(size)
    one_by_one = [scalar * point for scalar, point in zip(scalars, points, strict=True)]
    total = NOTHING
    for point in one_by_one:
        total = total + point
    with cores.using(threads), counting() as ops:
        assert multiples(scalars, points) == one_by_one
        assert base_multiples(scalars) == [mul_base(scalar) for scalar in scalars]
        assert sum_of_products(scalars, points) == total
        assert sum_of_products(scalars, points, G) == total + G
        assert differences(scalars, points, others, more[::-1]) == [
            p - s * q for p, s, q in zip(one_by_one, others, more[::-1], strict=True)
        ]
    # What was done one by one for comparison is counted too; the counts do not depend on the threads.
    assert (ops.mul, ops.mul_base, ops.add) == (6 * size, 2 * size, 3 * size + max(0, size - 1) + 1)


def test_lengths_must_agree():
    scalars, points = row(3)
    for wrong in (
        lambda: multiples(scalars[1:], points),
        lambda: sum_of_products(scalars, points[1:]),
        lambda: differences(scalars, points, scalars, points[1:]),
    ):
        with pytest.raises(ValueError, match="rows of"):
            wrong()


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("at", [0, 40, 79])
def test_a_bad_point_is_an_error_wherever_it_stands(threads, at):
    scalars, points = row(80)
    scalars = [scalar or 1 for scalar in scalars]
    points[at] = Point(b"\xff" * 32)
    with cores.using(threads):
        for broken in (
            lambda: multiples(scalars, points),
            lambda: sum_of_products(scalars, points),
            lambda: differences(scalars, points, scalars, points),
            lambda: differences(scalars, points[::-1], scalars, points),
        ):
            with pytest.raises(CryptoError):
                broken()


def test_the_work_is_really_shared(monkeypatch):
    monkeypatch.setattr(cores, "MIN_SHARE", 1)
    meet = threading.Barrier(3)

    def work(start: int, end: int) -> tuple[int, int]:
        meet.wait(timeout=60)  # passes only if three threads are here at once
        return start, end

    with cores.using(3):
        assert cores.split(work, 7) == [(0, 2), (2, 4), (4, 7)]


def test_short_rows_stay_with_the_caller():
    with cores.using(8):
        assert cores.split(lambda start, end: threading.current_thread(), 2 * cores.MIN_SHARE - 1) == [
            threading.current_thread()
        ]
        assert len(cores.split(lambda start, end: end, 4 * cores.MIN_SHARE)) == 4
    with pytest.raises(ValueError, match="a thread"), cores.using(0):
        pass


def test_many_callers_at_once_do_not_wait_for_one_another():
    """More shares than helpers: each caller does what nobody has taken up."""
    scalars, points = row(64)
    expected = sum_of_products(scalars, points)

    def call(_: int) -> Point:
        with cores.using(4):
            return products.sum_of_products(scalars, points)

    with ThreadPoolExecutor(24) as pool:
        assert set(pool.map(call, range(48))) == {expected}


def test_what_is_begun_ahead_is_done_once_and_by_one_thread():
    done = []

    def work() -> int:
        done.append((threading.current_thread(), cores.threads()))
        return 7

    later = cores.Ahead(work)
    later.begin()
    later.begin()
    assert later.needed() == later.needed() == 7
    assert len(done) == 1
    now = cores.Ahead(work)
    assert now.needed() == 7
    assert done[1] == (threading.current_thread(), cores.threads())


def test_what_is_being_done_is_waited_for_and_what_is_not_is_done_here():
    began, go = threading.Event(), threading.Event()

    def slow() -> str:
        began.set()
        assert go.wait(timeout=60)
        return threading.current_thread().name

    first, second = cores.Ahead(slow), cores.Ahead(lambda: threading.current_thread().name)
    first.begin()
    assert began.wait(timeout=60)
    second.begin()
    assert second.needed() == threading.current_thread().name  # the one background thread is busy
    go.set()
    assert first.needed() != threading.current_thread().name


def test_one_by_one_takes_the_longest_share():
    """For measuring: by a clock that only this test moves, the shares take 3, 1, 4 and 1, and what is ahead is done."""
    time, lengths, threads = [0.0], [3, 1, 4, 1], []

    def work(start: int, end: int) -> int:
        time[0] += lengths[start // cores.MIN_SHARE]
        threads.append(threading.current_thread())
        return end - start

    with cores.using(4), cores.one_by_one(lambda: time[0]) as serial:
        assert cores.split(work, 4 * cores.MIN_SHARE) == [cores.MIN_SHARE] * 4
        ahead = cores.Ahead(lambda: threads.append(threading.current_thread()))
        ahead.begin()
        assert len(threads) == 5
    assert serial.spared == 9 - 4
    assert set(threads) == {threading.current_thread()}
    with cores.using(4):
        cores.split(work, 4 * cores.MIN_SHARE)
    assert serial.spared == 5
