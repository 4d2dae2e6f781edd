"""Whatever comes from the wire, a decoder gives a value or DecodeError, and a check VerificationError."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodealer.crypto import escrow, hand, lock, shuffle
from nodealer.crypto.box import BOX_KEY_BYTES, COMPLAINT_BYTES, Box, BoxKey, Complaint
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.group import G, Point, decode_scalar, encode_scalar, mul_base
from nodealer.crypto.hand import AllProof, OneProof
from nodealer.crypto.identity import verify
from nodealer.crypto.lock import LockStep
from nodealer.crypto.shuffle import ShuffleStep

from tests.helpers.cheating import deck, place

DECODERS = {
    "point": (32, Point.decode),
    "scalar": (32, decode_scalar),
    "shuffle of 1": (ShuffleStep.size(1), lambda data: ShuffleStep.decode(1, data)),
    "shuffle of 3": (ShuffleStep.size(3), lambda data: ShuffleStep.decode(3, data)),
    "lock": (LockStep.size(2), lambda data: LockStep.decode(2, data)),
    "all": (AllProof.size(3, 2), lambda data: AllProof.decode(3, 2, data)),
    "one": (OneProof.size(2, 2), lambda data: OneProof.decode(2, 2, data)),
    "openings": (2 * hand.OPENING_BYTES, lambda data: hand.decode_openings(2, data)),
    "box": (Box.size(5), lambda data: Box.decode(5, data)),
    "box key": (BOX_KEY_BYTES, BoxKey.decode),
    "complaint": (COMPLAINT_BYTES, Complaint.decode),
    "pledge": (escrow.PLEDGE_BYTES, escrow.Pledge.decode),
}


@pytest.mark.parametrize("name", DECODERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_arbitrary_bytes(name, data):
    size, decode = DECODERS[name]
    blob = data.draw(st.one_of(st.binary(max_size=80), st.binary(min_size=size, max_size=size)))
    with contextlib.suppress(DecodeError):
        decode(blob)


# Pieces that decode, so that whole steps do and the equations are reached.
scalars = st.one_of(st.integers(1, 2**64), st.integers(2**251, 2**252)).map(encode_scalar)
points = st.integers(1, 2**32).map(lambda value: mul_base(value).data)


@settings(max_examples=40, deadline=None)
@given(st.lists(points, min_size=11, max_size=11), st.lists(scalars, min_size=8, max_size=8))
def test_well_formed_nonsense_is_no_shuffle(some_points, some_scalars):
    with pytest.raises((DecodeError, VerificationError)):
        shuffle.verify(place(3), deck(3), ShuffleStep.decode(3, b"".join(some_points + some_scalars)))


@settings(max_examples=40, deadline=None)
@given(st.lists(points, min_size=4, max_size=4), st.lists(scalars, min_size=4, max_size=4))
def test_well_formed_nonsense_is_no_lock(some_points, some_scalars):
    with pytest.raises((DecodeError, VerificationError)):
        lock.verify(place(2), deck(2), G, LockStep.decode(2, b"".join(some_points + some_scalars)))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=40), st.binary(max_size=70))
def test_signatures(public, signature):
    with pytest.raises((DecodeError, VerificationError)):
        verify(public, "entry", b"message", signature)
