"""Pieces of keys: they add up, and a wrong one is seen before a card is dealt."""

from __future__ import annotations

import pytest
from nodealer.crypto import escrow
from nodealer.crypto.deck import EpochId, EpochSecrets
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.group import G, join_points, mul_base

from tests.helpers.cheating import TABLE

WHERE = EpochId(TABLE, 2, 0, 0)
N = 4


@pytest.fixture
def giver() -> EpochSecrets:
    return EpochSecrets(b"s" * 32, WHERE, 0, N, [1, 2, 3])


def test_pieces_add_up_to_the_keys(giver):
    tags = [giver.piece_tags(holder) for holder in (1, 2, 3)]
    escrow.check_sum([mul_base(giver.key(j)) for j in range(N)], tags)
    shares = [escrow.open_pieces(giver.sigma(holder), tags[holder - 1], WHERE, 0, holder, N) for holder in (1, 2, 3)]
    assert escrow.join_keys(shares) == [giver.key(j) for j in range(N)]
    data = join_points(tags[0])
    assert escrow.decode_tags(N, data) == tags[0]


def test_pieces_belong_to_their_place(giver):
    sigma, tags = giver.sigma(1), giver.piece_tags(1)
    for where, seat, holder in (
        (EpochId(TABLE, 2, 0, 1), 0, 1),
        (EpochId(TABLE, 2, 1, 0), 0, 1),
        (EpochId(TABLE, 3, 0, 0), 0, 1),
        (EpochId(b"v" * 32, 2, 0, 0), 0, 1),
        (WHERE, 1, 1),
        (WHERE, 0, 2),
    ):
        with pytest.raises(VerificationError) as caught:
            escrow.open_pieces(sigma, tags, where, seat, holder, N)
        assert caught.value.check == "escrow piece"


def test_a_wrong_piece_or_sum_is_named(giver):
    tags = [giver.piece_tags(holder) for holder in (1, 2, 3)]
    keys = [mul_base(giver.key(j)) for j in range(N)]
    for wrong in (giver.sigma(2), bytes(32)):
        with pytest.raises(VerificationError) as caught:
            escrow.open_pieces(wrong, tags[0], WHERE, 0, 1, N)
        assert caught.value.check == "escrow piece"
    moved = [(tags[0][0] + G, *tags[0][1:]), *tags[1:]]
    swapped = [(tags[0][1], tags[0][0], *tags[0][2:]), *tags[1:]]
    for wrong_tags in (moved, swapped, tags[:2]):
        with pytest.raises(VerificationError) as caught:
            escrow.check_sum(keys, wrong_tags)
        assert caught.value.check == "escrow sum"
    for wrong_tags in ([], [tags[0][1:], *tags[1:]]):
        with pytest.raises(VerificationError) as caught:
            escrow.check_sum(keys, wrong_tags)
        assert caught.value.check == "escrow length"
    with pytest.raises(VerificationError):
        escrow.open_pieces(giver.sigma(1), tags[0][1:], WHERE, 0, 1, N)


def test_bad_bytes_and_strangers(giver):
    data = join_points(giver.piece_tags(1))
    for bad in (b"", data[:-1], data + b"\0", bytes(len(data))):
        with pytest.raises(DecodeError):
            escrow.decode_tags(N, bad)
    for bad in (b"", bytes(31), bytes(33)):
        with pytest.raises(DecodeError):
            escrow.pieces(bad, WHERE, 0, 1, N)
    with pytest.raises(DeckError):
        giver.sigma(0)
    with pytest.raises(DeckError):
        EpochSecrets(b"s" * 32, WHERE, 0, N).sigma(1)
