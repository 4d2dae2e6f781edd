"""Bytes for decoders that must refuse them: arbitrary values, arbitrary bytes, valid bytes with something changed."""

from __future__ import annotations

import random
from typing import Any

import msgpack
from hypothesis import strategies as st
from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode

# Everything that msgpack has, and more than the protocol allows.
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=80)
    | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=8)),
    lambda inner: (
        st.lists(inner, max_size=9) | st.dictionaries(st.integers(0, 9) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=20,
)

allowed = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.text(max_size=40) | st.binary(max_size=80),
    lambda inner: st.lists(inner, max_size=9),
    max_leaves=20,
)

packed = values.map(lambda value: msgpack.packb(value, use_bin_type=True, unicode_errors="surrogatepass"))

noise = st.binary(max_size=400) | packed


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """``valid`` with a byte changed, a piece cut, doubled or put in."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.integers(0, 4)):
            case 0 if data:
                data[at] = draw(st.integers(0, 255))
            case 1:
                del data[at : at + draw(st.integers(1, 40))]
            case 2:
                data[at:at] = data[at : at + draw(st.integers(1, 40))]
            case 3:
                data[at:at] = draw(st.binary(min_size=1, max_size=9))
            case _:
                data = data[:at]
    return bytes(data)


# The same for whoever has a generator of random numbers only.
ATOMS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 9, 10, 255, 1 << 16, 1 << 32, (1 << 64) - 1, -(1 << 63),
    "", "x", "left", "gone", "cheat", "\x1b[2J", "\u202e", "y" * 5000, b"", bytes(32), b"z" * 64, b"\x90", b"q" * 9000,
)  # fmt: skip


def garbage(rng: random.Random, depth: int = 4) -> Any:
    if depth and rng.random() < 0.4:
        return [garbage(rng, depth - 1) for _ in range(rng.choice((0, 1, 2, 3, 4, 12)))]
    return rng.choice(ATOMS)


def changed(rng: random.Random, value: Any) -> Any:
    """``value`` with one thing replaced, dropped, doubled, or changed by a bit; canonical bytes within bytes too."""
    if isinstance(value, list) and value and rng.random() < 0.85:
        value = list(value)
        at = rng.randrange(len(value))
        match rng.randrange(8):
            case 0:
                del value[at]
            case 1:
                value.insert(at, value[at])
            case 2:
                value[at] = garbage(rng)
            case _:
                value[at] = changed(rng, value[at])
        return value
    if isinstance(value, bytes) and value:
        if rng.random() < 0.5:
            try:
                return encode(changed(rng, decode(value, max_bytes=1 << 20)))
            except (WireError, ValueError, OverflowError):
                pass
        data = bytearray(value)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(data)
    if type(value) is int:
        return rng.choice((value + 1, value - 1, -value, 1 << 40)) if abs(value) < 1 << 62 else 0
    return garbage(rng)
