"""Whatever was decoded, a check says VerificationError. (The decoders themselves: tests/test_decoders.py.)"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodealer.crypto import lock, shuffle
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.group import G, encode_scalar, mul_base
from nodealer.crypto.identity import verify
from nodealer.crypto.lock import LockStep
from nodealer.crypto.shuffle import ShuffleStep

from tests.helpers.cheating import deck, place

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
