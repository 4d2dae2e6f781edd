"""Bytes for decoders that must refuse them: arbitrary values, arbitrary bytes, valid bytes with something changed."""

from __future__ import annotations

import msgpack
from hypothesis import strategies as st

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
