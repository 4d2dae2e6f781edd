"""Vectors of the passphrase's proof: shares and tags with fixed "randomness", and shares that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.crypto.hashing import digest
from nodealer.p2p.passphrase import Exchange, Passphrase

from .common import Source
from .table_vectors import identity

PASSPHRASES = ("swordfish", "vier Fu\u0308ße auf dem Tisch ")
BINDING = digest("vector handshake")

# The order of the field, and points that are none of the group: small order, a part of order two, not canonical.
REFUSED = {
    "the identity": "01" + "00" * 31,
    "a point of order 8": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "y = 2^255 - 20, a point of order 2": "ec" + "ff" * 30 + "7f",
    "y = 2^255 - 18, the identity otherwise written": "ee" + "ff" * 30 + "7f",
    "no point of the curve": "02" + "00" * 31,
    "a byte short": "15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a023",
}


def pair(text: str, number: int) -> tuple[Exchange, Exchange]:
    """The joiner's and the host's side."""
    joiner, host = (
        Exchange(
            Passphrase(text),
            joining=joining,
            binding=BINDING,
            joiner=identity(1).public,
            host=identity(0).public,
            randbytes=Source(f"passphrase {number} {'joiner' if joining else 'host'}"),
        )
        for joining in (True, False)
    )
    return joiner, host


def passphrases() -> dict[str, Any]:
    accepted = []
    for number, text in enumerate(PASSPHRASES):
        joiner, host = pair(text, number)
        mine, theirs = joiner.finish(host.share)
        accepted.append(
            {
                "typed": text,
                "pw": Passphrase(text).line.encode().hex(),
                "handshake hash": BINDING.hex(),
                "joiner": identity(1).public.hex(),
                "host": identity(0).public.hex(),
                "secret": {
                    "x, 64 bytes big endian before mod l": Source(f"passphrase {number} joiner")(64).hex(),
                    "y, 64 bytes big endian before mod l": Source(f"passphrase {number} host")(64).hex(),
                },
                "X": joiner.share.hex(),
                "Y": host.share.hex(),
                "joiner's tag": mine.hex(),
                "host's tag": theirs.hex(),
            }
        )
    return {
        "accepted": accepted,
        "rejected shares": [{"change": change, "share": share} for change, share in REFUSED.items()],
    }


FILES: dict[str, Callable[[], dict[str, Any]]] = {"passphrase.json": passphrases}
