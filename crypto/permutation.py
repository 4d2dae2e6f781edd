"""Uniform permutations from a secret seed."""

from __future__ import annotations

from .hashing import expand, u64

_WORD = 8
_BLOCK = 128


def permutation(seed: bytes, label: str, info: bytes, n: int) -> tuple[int, ...]:
    """A uniform permutation of 0 … n-1: Fisher and Yates, with rejection sampling so that no order is favoured.

    It may leave a card in its place: one that never did would tell something about every card.
    """
    order = list(range(n))
    words = _Words(seed, label, info)
    for last in range(n - 1, 0, -1):
        other = words.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


class _Words:
    """64-bit words from a seed, block after block."""

    def __init__(self, seed: bytes, label: str, info: bytes) -> None:
        self._seed = seed
        self._label = label
        self._info = info
        self._block = 0
        self._left = b""

    def below(self, limit: int) -> int:
        """A uniform number below limit."""
        bound = 2**64 - 2**64 % limit
        while True:
            if not self._left:
                self._left = expand(self._seed, self._label, _BLOCK * _WORD, self._info + u64(self._block))
                self._block += 1
            word, self._left = int.from_bytes(self._left[:_WORD], "big"), self._left[_WORD:]
            if word < bound:
                return word % limit
