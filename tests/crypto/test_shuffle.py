"""The shuffle done rightly: it verifies, it costs what it should, and prepared values serve once."""

from __future__ import annotations

import pytest
from nodealer.crypto import shuffle
from nodealer.crypto.errors import DeckError, DecodeError
from nodealer.crypto.group import counting, inverse, random_scalar
from nodealer.crypto.shuffle import ShuffleStep

from tests.helpers.cheating import deck, place, some_permutation


@pytest.mark.parametrize("n", [1, 2, 3, 15])
@pytest.mark.parametrize("ahead", [False, True])
def test_a_shuffle_verifies_and_is_one(n, ahead):
    ctx, a, k, order = place(n), deck(n), random_scalar(), some_permutation(n)
    prepared = shuffle.prepare(place(n, slot=0), order, b"secret") if ahead and n > 1 else None
    data = shuffle.prove(ctx, a, k, order, prepared).encode()
    assert len(data) == ShuffleStep.size(n)
    step = ShuffleStep.decode(n, data)
    assert step.encode() == data
    shuffle.verify(ctx, a, step)
    assert [inverse(k) * point for point in step.deck] == [a[image] for image in order]


def test_the_identity_permutation_is_one_too():
    ctx, a = place(4), deck(4)
    shuffle.verify(ctx, a, shuffle.prove(ctx, a, random_scalar(), range(4)))


def test_the_same_random_bytes_give_other_values_for_another_input():
    """A source that repeats itself must not repeat a nonce."""

    def broken(size: int) -> bytes:
        return b"x" * size

    ctx, k, order = place(3), random_scalar(), some_permutation(3)
    one = shuffle.prove(ctx, deck(3), k, order, None, broken).proof
    two = shuffle.prove(ctx, deck(3)[::-1], k, order, None, broken).proof
    assert one.t_k != two.t_k


def test_what_112_cards_cost():
    n = 112
    ctx, a, k, order = place(n), deck(n), random_scalar(), some_permutation(n)
    with counting() as ahead:
        prepared = shuffle.prepare(ctx, order, b"secret")
    assert (ahead.mul, ahead.mul_base, ahead.add) == (335, 3, 335)
    with counting() as masking:
        b, key = shuffle.mask(a, k, order)
    assert (masking.mul, masking.mul_base, masking.add) == (112, 1, 0)
    with counting() as proving:
        proof = shuffle.prove_statement(ctx, shuffle.STATEMENT, a, b, key, k, order, prepared)
    assert (proving.mul, proving.mul_base, proving.add) == (335, 3, 334)
    data = ShuffleStep(b, key, proof).encode()
    assert len(proof.encode()) == 7456
    with counting() as checking:
        shuffle.verify(ctx, a, ShuffleStep.decode(n, data))
    assert (checking.mul, checking.mul_base, checking.add) == (342, 2, 340)


def test_prepared_values_serve_one_statement_of_one_attempt():
    ctx, a, k, order = place(3), deck(3), random_scalar(), some_permutation(3)
    prepared = shuffle.prepare(ctx, order, b"secret")
    for other in (place(3, attempt=1), place(3, epoch=7), place(3, round=7), place(3, seat=7), place(3, table=b"z")):
        with pytest.raises(DeckError, match="another shuffle"):
            shuffle.prove(other, a, k, order, prepared)
    with pytest.raises(DeckError, match="another shuffle"):
        shuffle.prove(ctx, a, k, range(3), prepared)
    shuffle.prove(ctx, a, k, order, prepared)
    with pytest.raises(DeckError, match="have been used"):
        shuffle.prove(ctx, a, k, order, prepared)
    assert "…" in repr(prepared)


@pytest.mark.parametrize("k", [0, -1, 2**252 + 27742317777372353535851937790883648493])
def test_a_bad_mask_is_refused(k):
    with pytest.raises(DeckError):
        shuffle.prove(place(3), deck(3), k, range(3))


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [1, 2, 3], []])
def test_what_is_no_permutation_is_refused(order):
    with pytest.raises(DeckError):
        shuffle.prove(place(3), deck(3), 5, order)


def test_nothing_is_prepared_for_one_card():
    with pytest.raises(DeckError):
        shuffle.prepare(place(1), [0], b"secret")


@pytest.mark.parametrize("n", [1, 3])
def test_bad_bytes_are_refused(n):
    ctx, a = place(n), deck(n)
    data = shuffle.prove(ctx, a, random_scalar(), some_permutation(n)).encode()
    for bad in (b"", data[:-1], data + b"\0", bytes(len(data)), b"\xff" * len(data)):
        with pytest.raises(DecodeError):
            ShuffleStep.decode(n, bad)
    points = (n + 1) * 32 + (0 if n == 1 else 7 * 32)
    for start in range(0, len(data), 32):
        for value in (bytes(32), b"\xff" * 32):  # identity or zero; nothing canonical
            with pytest.raises(DecodeError):
                ShuffleStep.decode(n, data[:start] + value + data[start + 32 :])
        if start < points:  # a point of the twisted curve's other half
            with pytest.raises(DecodeError):
                ShuffleStep.decode(n, data[:start] + b"\x01" + bytes(31) + data[start + 32 :])
    with pytest.raises(DecodeError):
        ShuffleStep.decode(n + 1, data)


def test_a_point_twice_is_refused_when_decoding():
    step = shuffle.prove(place(3), deck(3), random_scalar(), range(3))
    twice = ShuffleStep((step.deck[0], step.deck[0], step.deck[2]), step.key, step.proof)
    with pytest.raises(DecodeError, match="twice"):
        ShuffleStep.decode(3, twice.encode())
