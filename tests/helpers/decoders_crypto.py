"""Decoders of `crypto`. Where the sizes are public facts of a table, the first byte of the input stands for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from nodealer.crypto import lock, shuffle
from nodealer.crypto.box import Box, BoxKey, Complaint
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.escrow import Pledge
from nodealer.crypto.group import Point, decode_scalar, encode_scalar, mul_base
from nodealer.crypto.hand import AllProof, OneProof, decode_openings
from nodealer.crypto.identity import Identity, verify
from nodealer.crypto.lock import LockStep
from nodealer.crypto.shuffle import ShuffleStep

from tests.vectors.common import FOLDER, context

from .decoders import Decoder

# More cards than this only take longer.
MOST = 4


def vector(name: str, *fields: str) -> bytes:
    """The bytes of a vector."""
    value: Any = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    for field in fields:
        value = value[field]
    return bytes.fromhex(value)


def sized(name: str, decode: Callable[[int, bytes], Any], size: int, valid: Callable[[], bytes]) -> Decoder:
    """A decoder that is told how many cards there are; ``valid`` is for ``size`` of them."""
    return Decoder(
        name,
        lambda data: (data[:1], decode(1 + data[0] % MOST if data else 1, data[1:])),
        lambda: [bytes([size - 1]) + valid()],
        refuses=(DecodeError,),
        encode=lambda found: found[0] + found[1].encode(),
    )


def plain(name: str, decode: Callable[[bytes], Any], valid: Callable[[], bytes]) -> Decoder:
    return Decoder(name, decode, lambda: [valid()], refuses=(DecodeError,), encode=lambda value: bytes(value.encode()))


def _openings(data: bytes) -> tuple[bytes, Any]:
    return data[:1], decode_openings(1 + data[0] % MOST if data else 1, data[1:])


def _written_openings(found: tuple[bytes, Any]) -> bytes:
    first, (cards, keys) = found
    return first + b"".join(card.to_bytes(2, "big") + encode_scalar(key) for card, key in zip(cards, keys, strict=True))


IDENTITY = Identity.from_seed(bytes(32))


@cache
def _deck(name: str) -> tuple[Point, ...]:
    value = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return tuple(Point.decode(bytes.fromhex(point)) for point in value["input"])


def _judged_shuffle(data: bytes) -> None:
    """A step that decodes goes on to its equations; the one that holds is the seed."""
    shuffle.verify(context(), _deck("shuffle"), ShuffleStep.decode(MOST, data))
    assert data == vector("shuffle", "accepted")


def _judged_lock(data: bytes) -> None:
    lock.verify(context(), _deck("lock"), Point.decode(vector("lock", "K")), LockStep.decode(MOST, data))
    assert data == vector("lock", "accepted")


def _judged(name: str, judge: Callable[[bytes], None]) -> Decoder:
    refuses = (DecodeError, VerificationError)
    return Decoder(f"{name} judged", judge, lambda: [vector(name, "accepted")], refuses, share=0.1)


def _signature(data: bytes) -> None:
    verify(data[:32], "entry", data[96:], data[32:96])


DECODERS = [
    plain("point", Point.decode, lambda: mul_base(5).data),
    Decoder("scalar", decode_scalar, lambda: [encode_scalar(5)], refuses=(DecodeError,), encode=encode_scalar),
    sized("shuffle step", ShuffleStep.decode, MOST, lambda: vector("shuffle", "accepted")),
    sized("shuffle of one", ShuffleStep.decode, 1, lambda: vector("shuffle", "accepted one card")),
    sized("lock step", LockStep.decode, MOST, lambda: vector("lock", "accepted")),
    _judged("shuffle", _judged_shuffle),
    _judged("lock", _judged_lock),
    sized("all", lambda n, data: AllProof.decode(4, n, data), 2, lambda: vector("hand", "accepted all")),
    sized("one", lambda n, data: OneProof.decode(4, n, data), 2, lambda: vector("hand", "accepted one")),
    Decoder(
        "openings",
        _openings,
        lambda: [b"\x01" + vector("hand", "openings")],
        refuses=(DecodeError,),
        encode=_written_openings,
    ),
    sized("box", lambda n, data: Box.decode(8 + n, data), 1, lambda: vector("box", "accepted")),
    plain("box key", BoxKey.decode, lambda: vector("box", "key")),
    plain("box complaint", Complaint.decode, lambda: vector("box", "complaint")),
    plain("pledge", Pledge.decode, lambda: bytes(32) + mul_base(3).data + encode_scalar(9)),
    Decoder(
        "signature",
        _signature,
        lambda: [IDENTITY.public + IDENTITY.sign("entry", b"text") + b"text"],
        refuses=(DecodeError, VerificationError),
        share=0.5,
    ),
]
