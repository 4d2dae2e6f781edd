"""The speed of the deck on this machine, on one core and on two, and how much of it is the group's own arithmetic.

`group_us` is the time of one bare libsodium call with everything at hand. `ratio` is the time of a step divided by that
of the group operations it counts, both measured in this run, a little of each in turn. Times are those of the thread on
its core where the system can tell (nothing on one core ever waits), so that other programs disturb little. On two
cores only the wall's clock tells what a player waits for.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final

from . import box, cores, hand, lock, shuffle, sodium
from .cards import cards_hash, deck_points, generators
from .context import Context
from .group import Operations, counting, encode_scalar, hash_to_point, mul_base, random_scalar
from .hand import Hand
from .permutation import permutation
from .products import base_multiples

EDITION: Final = "bench"
HAND: Final = 7
CANDIDATES: Final = 80
CANDIDATES_AGAINST: Final = 37
"""The cards that make a Wild Draw Four wrong: a colour's 25 and 12 wilds."""
_CALLS: Final = {"mul": 128, "mul_base": 384, "add": 448, "hash_to_group": 448}
"""Group operations timed at once: some milliseconds, as long as a short step."""
_INPUTS: Final = 64


def measure(n: int = 112, repeat: int = 9) -> dict[str, Any]:
    """Times for a deck of n ≥ 2 cards, the best of `repeat` rounds; ValueError for fewer cards or rounds.

    Keys: `n`; `group_us` {mul, mul_base, add, hash_to_group}; `ms`, `ops` and `ratio`, each by step: `shuffle` masks
    and permutes the deck (with K = k·G), `prove_ahead` is what is prepared before the input is known, `prove` the rest
    of the shuffle proof, `verify` decodes and checks a shuffle, `lock_ahead` makes the tags, which need no input,
    `lock` masks and proves, `lock_verify` decodes and checks that, `verdict` proves that a hand of 7 lies in 80
    candidates, `verdict_verify` decodes and checks it,
    `verdict_guilty` proves that one of 7 cards is among 37 (a colour and the wilds), `verdict_guilty_verify` decodes
    and checks it. `bytes` are the sizes of what is sent: `shuffle`, `lock`, `verdict`, `verdict_guilty`,
    and `sealed_hand`, the box for the challenger that goes with either verdict. `two_cores`, empty on a machine with
    one: `ms` by step in two threads, and `ratio` of that to one, both by the wall's clock.
    """
    if n < 2 or repeat < 1:
        raise ValueError("a bench needs two cards and one round")
    with cores.using(1):
        figures = _measure(n, repeat)
    figures["two_cores"] = _two_cores(n, repeat) if cores.available() > 1 else {}
    return figures


def multiplication(rounds: int = 12) -> float:
    """Seconds of one bare multiplication, the best of some rounds (a tenth of a second in all)."""
    call = _group_calls()["mul"]
    return min(_seconds(call) for _ in range(max(1, rounds))) / _CALLS["mul"]


def _two_cores(n: int, repeat: int) -> dict[str, Any]:
    best: dict[int, dict[str, float]] = {1: {}, 2: {}}
    steps = _steps(n)
    for _ in range(2 * repeat):
        for count, times in best.items():
            with cores.using(count):
                for name, step in steps.items():
                    start = time.perf_counter()
                    step()
                    times[name] = min(times.get(name, float("inf")), time.perf_counter() - start)
    return {
        "ms": {name: round(seconds * 1e3, 3) for name, seconds in best[2].items()},
        "ratio": {name: round(seconds / best[1][name], 3) for name, seconds in best[2].items()},
    }


def _measure(n: int, repeat: int) -> dict[str, Any]:
    steps = _steps(n)
    ops = {}
    for name, step in steps.items():
        with counting() as counted:
            step()
        ops[name] = counted
    group = _group_calls()
    best_group = dict.fromkeys(group, float("inf"))
    best_steps = dict.fromkeys(steps, float("inf"))
    for _ in range(repeat):
        for index, (name, step) in enumerate(steps.items()):
            best_steps[name] = min(best_steps[name], _seconds(step))
            if index % 2:
                for operation, call in group.items():
                    best_group[operation] = min(best_group[operation], _seconds(call) / _CALLS[operation])
    own = {name: _own_seconds(counted, best_group) for name, counted in ops.items()}
    return {
        "n": n,
        "group_us": {operation: round(seconds * 1e6, 3) for operation, seconds in best_group.items()},
        "ms": {name: round(seconds * 1e3, 3) for name, seconds in best_steps.items()},
        "ops": {name: asdict(counted) for name, counted in ops.items()},
        "ratio": {name: round(best_steps[name] / own[name], 3) for name in steps},
        "bytes": {
            "shuffle": shuffle.ShuffleStep.size(n),
            "lock": lock.LockStep.size(n),
            "verdict": hand.AllProof.size(CANDIDATES, HAND),
            "verdict_guilty": hand.OneProof.size(CANDIDATES_AGAINST, HAND),
            "sealed_hand": box.Box.size(HAND * hand.OPENING_BYTES),
        },
    }


# Some systems count a thread's time in ticks of many milliseconds; then the wall clock is better.
clock: Final = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-5 else time.perf_counter


def _seconds(call: Callable[[], object]) -> float:
    start = clock()
    call()
    return clock() - start


def _own_seconds(ops: Operations, group: dict[str, float]) -> float:
    counts: dict[str, int] = asdict(ops)
    return sum(count * group[operation] for operation, count in counts.items())


def _group_calls() -> dict[str, Callable[[], None]]:
    """Each does `_CALLS` operations of one kind on some `_INPUTS` inputs in turn."""
    result = ctypes.create_string_buffer(sodium.POINT_BYTES)
    points = [hash_to_point("bench", bytes([index])).data for index in range(_INPUTS)]
    scalars = [encode_scalar(random_scalar()) for _ in range(_INPUTS)]
    hashes = [os.urandom(sodium.HASH_BYTES) for _ in range(_INPUTS)]

    def rounds(operation: str) -> range:
        return range(_CALLS[operation] // _INPUTS)

    def mul() -> None:
        for _ in rounds("mul"):
            for scalar, point in zip(scalars, points, strict=True):
                sodium.multiply(result, scalar, point)

    def base() -> None:
        for _ in rounds("mul_base"):
            for scalar in scalars:
                sodium.multiply_base(result, scalar)

    def add() -> None:
        for _ in rounds("add"):
            for point in points:
                sodium.add(result, point, points[0])

    def hash_to_group() -> None:
        for _ in rounds("hash_to_group"):
            for data in hashes:
                sodium.from_hash(result, data)

    return {"mul": mul, "mul_base": base, "add": add, "hash_to_group": hash_to_group}


def _steps(n: int) -> dict[str, Callable[[], object]]:
    cards = range(n)
    ctx = Context(bytes(32), 0, 0, 0, 0, 0, n, cards_hash(EDITION, cards))
    deck = deck_points(EDITION, cards)
    generators(max(n, CANDIDATES))
    k = random_scalar()
    order = permutation(os.urandom(32), "bench", b"", n)
    masked, key = shuffle.mask(deck, k, order)
    prepared = [shuffle.prepare(ctx, order, encode_scalar(k))]
    keys = [random_scalar() for _ in cards]
    tags = base_multiples(keys)
    shuffled = shuffle.prove(ctx, deck, k, order).encode()
    locked = lock.prove(ctx, masked, key, k, keys).encode()

    def prove_ahead() -> None:
        prepared[:] = [shuffle.prepare(ctx, order, encode_scalar(k))]

    def prove() -> object:
        # `prove_ahead` runs before this in every round, as in a match.
        return shuffle.prove_statement(ctx, shuffle.STATEMENT, deck, masked, key, k, order, prepared.pop())

    return {
        "shuffle": lambda: shuffle.mask(deck, k, order),
        "prove_ahead": prove_ahead,
        "prove": prove,
        "verify": lambda: shuffle.verify(ctx, deck, shuffle.ShuffleStep.decode(n, shuffled)),
        "lock_ahead": lambda: base_multiples(keys),
        "lock": lambda: lock.prove(ctx, masked, key, k, keys, tags=tags),
        "lock_verify": lambda: lock.verify(ctx, masked, key, lock.LockStep.decode(n, locked)),
        **_verdict_steps(ctx),
    }


def _verdict_steps(ctx: Context) -> dict[str, Callable[[], object]]:
    allowed: Sequence[int] = range(CANDIDATES)
    # Of the guilty hand one card alone is among them, the last that the prover looks at.
    against: Sequence[int] = range(HAND - 1, HAND - 1 + CANDIDATES_AGAINST)
    held = list(range(HAND))
    keys = [random_scalar() for _ in held]
    points = deck_points(EDITION, held)
    mine = Hand(
        tuple([(0, index) for index in held]),
        tuple([key * point for key, point in zip(keys, points, strict=True)]),
        tuple([mul_base(key) for key in keys]),
    )
    innocent = hand.prove_all(ctx, EDITION, allowed, mine, held, keys).encode()
    guilty = hand.prove_one(ctx, EDITION, against, mine, held, keys).encode()

    def check_innocent() -> None:
        hand.verify_all(ctx, EDITION, allowed, mine, hand.AllProof.decode(CANDIDATES, HAND, innocent))

    def check_guilty() -> None:
        hand.verify_one(ctx, EDITION, against, mine, hand.OneProof.decode(CANDIDATES_AGAINST, HAND, guilty))

    return {
        "verdict": lambda: hand.prove_all(ctx, EDITION, allowed, mine, held, keys),
        "verdict_verify": check_innocent,
        "verdict_guilty": lambda: hand.prove_one(ctx, EDITION, against, mine, held, keys),
        "verdict_guilty_verify": check_guilty,
    }
