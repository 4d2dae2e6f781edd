"""Every decoder of bytes that others write: whatever comes, a value, which has one encoding, or an error of its own.

The fuzzer of `make fuzz` goes through the same list with millions of inputs.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode

from tests.helpers.decoders import registry, several
from tests.helpers.decoders_peers import DEEP
from tests.helpers.fuzz import changed, mutated, noise

DECODERS = registry()
# Who records the bytes of a handshake, or of a line, has nothing that another line takes.
NEVER_TAKEN = {"line answered", "line garbled"}
# What was once a fault.
FAULTS = [
    ("journal", several(encode([[1], 2]))),
    ("trace", encode(["ping", [["\x1b[2J", bytes(32)]], [], False])),
    ("address", b"10.0.0.1:0654321"),
    ("note", DEEP),
    ("choice", DEEP),
]


@pytest.mark.parametrize("name", DECODERS)
def test_what_is_valid_is_taken(name):
    taken = [DECODERS[name].takes(seed) for seed in DECODERS[name].seeds()]
    assert any(taken) != (name in NEVER_TAKEN)


@pytest.mark.parametrize(("name", "data"), FAULTS, ids=[name for name, _ in FAULTS])
def test_what_was_a_fault_is_none(name, data):
    DECODERS[name].takes(data)


def restructured(seed: bytes, number: int) -> bytes:
    """A valid input with something in it replaced; still canonical where it was."""
    try:
        return encode(changed(random.Random(number), decode(seed, max_bytes=1 << 18)))
    except (WireError, ValueError, OverflowError):
        return seed[:number]


@pytest.mark.parametrize("name", DECODERS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_changed_and_arbitrary_bytes(name, data):
    seed = data.draw(st.sampled_from(list(DECODERS[name].seeds())))
    made = st.integers(0, 1 << 32).map(lambda number: restructured(seed, number))
    DECODERS[name].takes(data.draw(noise | mutated(seed) | made))


def test_a_second_encoding_and_a_strange_error_are_faults():
    """The list itself would tell."""
    colour = DECODERS["body colour"]
    with pytest.raises(AssertionError, match="two encodings"):
        type(colour)("loose", lambda data: data[0], lambda: [b"\1"], encode=lambda value: bytes([value])).takes(b"\1\1")
    with pytest.raises(IndexError):
        type(colour)("careless", lambda data: data[0], lambda: [b"\1"]).takes(b"")
