"""Statements about hidden cards, true and false."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto import hand, lock, shuffle
from nodealer.crypto.cards import card_point, deck_points
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.group import counting, mul_base, random_scalar
from nodealer.crypto.hand import AllProof, Hand, OneProof
from nodealer.crypto.shuffle import ShuffleStep

from tests.helpers.cheating import EDITION, flip, other_places, place

CTX = place(112)
RED = list(range(25))
NOT_RED = list(range(25, 37))  # a small stand-in for "every card that is not red"


def held(cards: list[int]) -> tuple[Hand, list[int]]:
    """(public hand, keys) of hidden cards at handles of two epochs."""
    keys = [random_scalar() for _ in cards]
    return (
        Hand(
            tuple((index % 2, index) for index in range(len(cards))),
            tuple(key * card_point(EDITION, card) for key, card in zip(keys, cards, strict=True)),
            tuple(mul_base(key) for key in keys),
        ),
        keys,
    )


def refused_all(allowed, mine: Hand, proof: AllProof, ctx=CTX) -> str:
    with pytest.raises(VerificationError) as caught:
        hand.verify_all(ctx, EDITION, allowed, mine, proof)
    return caught.value.check


def refused_one(allowed, mine: Hand, proof: OneProof, ctx=CTX) -> str:
    with pytest.raises(VerificationError) as caught:
        hand.verify_one(ctx, EDITION, allowed, mine, proof)
    return caught.value.check


def claim_all(allowed, mine: Hand, keys, indices_of) -> AllProof:
    """The prover's program without its honesty: says that card j is indices_of[j]."""
    about = hand._about(CTX, EDITION, allowed)
    mask, order = random_scalar(), tuple(range(about.n))
    points = deck_points(EDITION, allowed)
    masked, key = shuffle.mask(points, mask, order)
    step = ShuffleStep(masked, key, shuffle.prove_statement(about, hand.ALL_SHUFFLE, points, masked, key, mask, order))
    indices = tuple(allowed.index(card) for card in indices_of)
    transcript = hand._keys_transcript(about, mine, step, indices)
    bases = [masked[index] for index in indices]
    proof = lock.prove_statement(transcript, bases, mine.commitments, mine.tags, key, mask, keys)
    return AllProof(step, indices, proof)


@pytest.mark.parametrize(("cards", "allowed"), [([27], [27]), ([30, 25, 36], NOT_RED), (NOT_RED[::-1], NOT_RED)])
def test_innocent(cards, allowed):
    mine, keys = held(cards)
    data = hand.prove_all(CTX, EDITION, allowed, mine, cards, keys).encode()
    assert len(data) == AllProof.size(len(allowed), len(cards))
    proof = AllProof.decode(len(allowed), len(cards), data)
    assert proof.encode() == data
    hand.verify_all(CTX, EDITION, allowed, mine, proof)


@pytest.mark.parametrize(("cards", "allowed"), [([3], [3]), ([30, 3, 36], RED), ([1, 2, 3], RED)])
def test_guilty(cards, allowed):
    mine, keys = held(cards)
    data = hand.prove_one(CTX, EDITION, allowed, mine, cards, keys).encode()
    proof = OneProof.decode(len(allowed), len(cards), data)
    assert proof.encode() == data
    hand.verify_one(CTX, EDITION, allowed, mine, proof)


def test_what_a_verdict_costs():
    cards, allowed = [30, 31, 40, 50, 60, 70, 80], list(range(25, 105))
    mine, keys = held(cards)
    with counting() as proving:
        data = hand.prove_all(CTX, EDITION, allowed, mine, cards, keys).encode()
    assert (proving.mul, proving.mul_base, proving.add) == (565, 9, 477)
    with counting() as checking:
        hand.verify_all(CTX, EDITION, allowed, mine, AllProof.decode(80, 7, data))
    assert (checking.mul, checking.mul_base, checking.add) == (269, 4, 259)
    with counting() as proving:
        guilty = hand.prove_one(CTX, EDITION, list(range(25, 62)), mine, cards, keys)
    assert (proving.mul, proving.mul_base, proving.add) == (518, 0, 259)
    assert len(guilty.encode()) == 16576


def test_order_and_mask_are_fresh():
    mine, keys = held([30, 25, 36])
    proofs = [hand.prove_all(CTX, EDITION, NOT_RED, mine, [30, 25, 36], keys) for _ in range(6)]
    assert len({proof.candidates.key for proof in proofs}) == 6
    assert len({proof.indices for proof in proofs}) > 1


def test_guilty_claims_innocent():
    cards = [30, 3, 36]
    mine, keys = held(cards)
    with pytest.raises(DeckError):
        hand.prove_all(CTX, EDITION, NOT_RED, mine, cards, keys)
    lie = claim_all(NOT_RED, mine, keys, [30, 31, 36])
    assert refused_all(NOT_RED, mine, lie) == "hand all, keys proof"


def test_guilty_claims_innocent_with_a_stranger_among_the_candidates():
    cards = [30, 3, 36]
    mine, keys = held(cards)
    proof = hand.prove_all(CTX, EDITION, [3, *NOT_RED[1:]], mine, cards, keys)
    assert refused_all(NOT_RED, mine, proof) == "hand all, candidates V1"


def test_innocent_claims_guilty():
    cards = [30, 26, 36]
    mine, keys = held(cards)
    with pytest.raises(DeckError):
        hand.prove_one(CTX, EDITION, RED, mine, cards, keys)
    lie = hand.prove_one(CTX, EDITION, RED, mine, [30, 3, 36], keys)
    assert refused_one(RED, mine, lie) == "hand one proof"
    # All responses at random, and the challenges made to add up.
    shape = OneProof(lie.e, tuple(random_scalar() for _ in lie.z))
    assert refused_one(RED, mine, shape) == "hand one proof"


def test_one_card_left_out():
    cards = [30, 3, 36]
    mine, keys = held(cards)
    part = Hand(mine.handles[::2], mine.commitments[::2], mine.tags[::2])
    proof = hand.prove_all(CTX, EDITION, NOT_RED, part, cards[::2], keys[::2])
    hand.verify_all(CTX, EDITION, NOT_RED, part, proof)
    assert refused_all(NOT_RED, mine, proof) == "hand all length"
    with pytest.raises(DecodeError):
        AllProof.decode(len(NOT_RED), 3, proof.encode())
    # Guilty: other handles than those of the snapshot.
    other, other_keys = held([3])
    mixed = hand.prove_one(CTX, EDITION, RED, other, [3], other_keys)
    assert refused_one(RED, mine, mixed) == "hand one length"


def test_one_card_counted_twice():
    cards = [30, 3, 36]
    mine, keys = held(cards)
    twice = Hand(
        (mine.handles[0], mine.handles[0], mine.handles[2]), *(_twice(x) for x in (mine.commitments, mine.tags))
    )
    with pytest.raises(DeckError):
        hand.prove_all(CTX, EDITION, NOT_RED, twice, [30, 31, 36], [keys[0], keys[0], keys[2]])
    lie = claim_all(NOT_RED, twice, [keys[0], keys[0], keys[2]], [30, 30, 36])
    assert refused_all(NOT_RED, twice, lie) == "hand all length"
    assert refused_all(NOT_RED, mine, lie) == "hand all indices"
    same_index = claim_all(NOT_RED, mine, keys, [30, 30, 36])
    assert refused_all(NOT_RED, mine, same_index) == "hand all indices"
    with pytest.raises(DecodeError):
        AllProof.decode(len(NOT_RED), 3, same_index.encode())


def _twice(values):
    return values[0], values[0], values[2]


def test_another_set_or_colour():
    cards = [30, 25, 36]
    mine, keys = held(cards)
    proof = hand.prove_all(CTX, EDITION, NOT_RED, mine, cards, keys)
    for other in (RED[: len(NOT_RED)], [*NOT_RED[:-1], 40], NOT_RED[:-1], [*NOT_RED, 50]):
        refused_all(other, mine, proof)
    guilty = hand.prove_one(CTX, EDITION, NOT_RED, mine, cards, keys)
    for other in (RED[: len(NOT_RED)], NOT_RED[:-1], [*NOT_RED, 50]):
        refused_one(other, mine, guilty)
    for unsorted in ([], [3, 2], [2, 2]):
        with pytest.raises(DeckError):
            hand.verify_all(CTX, EDITION, unsorted, mine, proof)
        with pytest.raises(DeckError):
            hand.verify_one(CTX, EDITION, unsorted, mine, guilty)


def test_another_place_or_hand_or_statement():
    cards = [30, 25, 36]
    mine, keys = held(cards)
    proof = hand.prove_all(CTX, EDITION, NOT_RED, mine, cards, keys)
    guilty = hand.prove_one(CTX, EDITION, NOT_RED, mine, cards, keys)
    for other in other_places(CTX)[:-1]:
        refused_all(NOT_RED, mine, proof, other)
        refused_one(NOT_RED, mine, guilty, other)
    for changed in (
        replace(mine, handles=((7, 7), *mine.handles[1:])),
        replace(mine, tags=mine.tags[::-1]),
        replace(mine, commitments=mine.commitments[::-1]),
        Hand(mine.handles[::-1], mine.commitments[::-1], mine.tags[::-1]),
    ):
        refused_all(NOT_RED, changed, proof)
        refused_one(NOT_RED, changed, guilty)
    # A shuffle of the deck is no list of candidates.
    about = hand._about(CTX, EDITION, NOT_RED)
    step = shuffle.prove(about, deck_points(EDITION, NOT_RED), random_scalar(), range(len(NOT_RED)))
    assert refused_all(NOT_RED, mine, replace(proof, candidates=step)).startswith("hand all, candidates")


def test_a_commitment_under_another_key_than_its_tag():
    cards = [30, 25]
    mine, keys = held(cards)
    moved = replace(mine, commitments=(2 * mine.commitments[0], mine.commitments[1]))
    lie = claim_all(NOT_RED, moved, [2 * keys[0], keys[1]], cards)
    assert refused_all(NOT_RED, moved, lie) == "hand all, keys proof"


def test_empty_hands_are_no_statement():
    empty = Hand((), (), ())
    with pytest.raises(DeckError):
        hand.prove_all(CTX, EDITION, NOT_RED, empty, [], [])
    with pytest.raises(DecodeError):
        AllProof.decode(5, 0, b"")
    with pytest.raises(DecodeError):
        OneProof.decode(5, 0, b"")
    assert refused_one(NOT_RED, empty, OneProof((), ())) == "hand one length"


def test_bad_bytes_are_refused():
    cards = [30, 25]
    mine, keys = held(cards)
    data = hand.prove_all(CTX, EDITION, NOT_RED, mine, cards, keys).encode()
    for at in range(0, len(data), 17):
        with pytest.raises((DecodeError, VerificationError)):
            hand.verify_all(CTX, EDITION, NOT_RED, mine, AllProof.decode(len(NOT_RED), 2, flip(data, at)))
    for bad in (b"", data[:-1], data + b"\0"):
        with pytest.raises(DecodeError):
            AllProof.decode(len(NOT_RED), 2, bad)
    data = hand.prove_one(CTX, EDITION, NOT_RED, mine, cards, keys).encode()
    for at in range(0, len(data), 160):
        with pytest.raises((DecodeError, VerificationError)):
            hand.verify_one(CTX, EDITION, NOT_RED, mine, OneProof.decode(len(NOT_RED), 2, flip(data, at)))
    for bad in (b"", data[:-1], data + b"\0", bytes(32) + data[32:]):
        with pytest.raises(DecodeError):
            OneProof.decode(len(NOT_RED), 2, bad)


def test_openings():
    cards = [30, 3, 36]
    mine, keys = held(cards)
    data = hand.encode_openings(cards, keys)
    assert len(data) == 3 * hand.OPENING_BYTES
    assert hand.decode_openings(3, data) == (tuple(cards), tuple(keys))
    hand.check_openings(EDITION, mine, cards, keys)
    for wrong_cards, wrong_keys, check in (
        ([30, 31, 36], keys, "opening face"),
        (cards, [keys[0], keys[1] + 1, keys[2]], "opening key"),
        (cards, [0, *keys[1:]], "opening key"),
        (cards[:2], keys[:2], "opening length"),
    ):
        with pytest.raises(VerificationError) as caught:
            hand.check_openings(EDITION, mine, wrong_cards, wrong_keys)
        assert caught.value.check == check
    for bad in (b"", data[:-1], data + b"\0", b"\xff" * len(data)):
        with pytest.raises(DecodeError):
            hand.decode_openings(3, bad)
