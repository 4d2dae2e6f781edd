"""What all builders of vectors share: public "randomness" from labels, and hex.

All bytes are hex, scalars 32 bytes little endian as on the wire. "Secret" values come from labels that anybody can
read, so nothing made with them protects anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nodealer.crypto.cards import cards_hash
from nodealer.crypto.context import Context
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.group import Point, encode_scalar
from nodealer.crypto.hashing import digest, digest64, u64
from nodealer.crypto.transcript import Transcript

FOLDER = Path(__file__).resolve().parent
EDITION = "four-colors"
TABLE = digest("vector table")
N = 4


class Source:
    """Public "randomness" from a label: block i is H64("vector randomness", label, u64(i))."""

    def __init__(self, label: str) -> None:
        self._label = label.encode()
        self._block = 0

    def __call__(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += digest64("vector randomness", self._label, u64(self._block))
            self._block += 1
        return data[:size]


@contextmanager
def recorded() -> Iterator[dict[str, Any]]:
    """Every challenge drawn inside, by label; a list where several come at once."""
    seen: dict[str, Any] = {}
    honest = Transcript.challenges

    def challenges(self: Transcript, label: str, count: int) -> list[int]:
        values = honest(self, label, count)
        seen[label] = scalars(values) if count > 1 else scalar(values[0])
        return values

    Transcript.challenges = challenges  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Transcript.challenges = honest  # type: ignore[method-assign]


def scalar(value: int) -> str:
    return encode_scalar(value).hex()


def scalars(values: list[int] | tuple[int, ...]) -> list[str]:
    return [scalar(value) for value in values]


def points(values: tuple[Point, ...] | list[Point]) -> list[str]:
    return [point.data.hex() for point in values]


def context() -> Context:
    return Context(TABLE, 1, 0, 2, 3, 17, N, cards_hash(EDITION, range(N)))


def context_fields(ctx: Context) -> dict[str, Any]:
    return {
        "table": ctx.table.hex(),
        "round": ctx.round,
        "epoch": ctx.epoch,
        "attempt": ctx.attempt,
        "seat": ctx.seat,
        "slot": ctx.slot,
        "n": ctx.n,
        "cards": ctx.cards.hex(),
    }


def refusal(check: Callable[[], object]) -> str:
    """The name of the check that this fails: that of the equation, or "encoding"; ValueError if it fails none."""
    try:
        check()
    except VerificationError as error:
        return error.check
    except DecodeError:
        return "encoding"
    raise ValueError("a vector that should be rejected is accepted")
