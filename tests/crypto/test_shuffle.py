"""The shuffle done rightly: it verifies, it costs what it should, and prepared values serve once."""

from __future__ import annotations

import pytest
from nodealer.crypto import shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.errors import DeckError, DecodeError
from nodealer.crypto.group import ORDER, Point, counting, inverse, random_scalar
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


def broken(size: int) -> bytes:
    return b"x" * size


def read_from(n: int, proofs: list[tuple[Context, tuple[Point, ...], ShuffleStep]]) -> list[list[int]]:
    """For each position the images that fit f - f' = e·m_π(i) - e'·m'_π(i): the true ones, if d is the same in both."""
    seen = []
    for ctx, a, step in proofs:
        proof = step.proof
        transcript = shuffle._begin(ctx, shuffle.STATEMENT, a, step.deck, step.key)
        u = shuffle._first_challenges(transcript, proof.c_pi, n)
        lam, _ = shuffle._second_challenges(transcript, proof.c_u)
        e = shuffle._third_challenge(transcript, proof.c_d, proof.c_delta, proof.c_a, proof.t, proof.t_k)
        seen.append((proof.f, [e * (value + lam * index) for index, value in enumerate(u, 1)]))
    (f, em), (f_, em_) = seen
    return [[j for j in range(n) if (f[i] - f_[i] - em[j] + em_[j]) % ORDER == 0] for i in range(n)]


@pytest.mark.parametrize("moved", ["slot", "deck"])
def test_random_bytes_that_come_twice_would_show_the_permutation(moved):
    """Two proofs with one mask and one order: the blinds d must differ, even if the random source repeats itself."""
    n, k = 5, random_scalar()
    a, order = deck(n), some_permutation(n)
    other = (place(n, slot=18), a) if moved == "slot" else (place(n), a[::-1])
    proofs = [(ctx, cards, shuffle.prove(ctx, cards, k, order, None, broken)) for ctx, cards in ((place(n), a), other)]
    assert read_from(n, proofs) == [[]] * n
    # The attack is one: with the same prepared values, which serve once, the whole order would be read.
    same = [
        (ctx, cards, shuffle.prove(ctx, cards, k, order, shuffle.prepare(ctx, order, b"secret", broken)))
        for ctx, cards in ((place(n), a), other)
    ]
    assert read_from(n, same) == [[image] for image in order]


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
