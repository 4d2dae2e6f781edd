"""Statements about hidden cards: all of them are in a set, or one of them is (PROTOCOL.md, "P4 Hands").

Y_j = s_j·M_c commits the owner to the card c at a handle, S_j = s_j·G is public since the lock. The set T must be all
ids of the edition that fulfil the predicate, whatever has been seen: a card that was shown once can be drawn again.
Both statements stand on the lock proof: they may only be verified for handles whose lock was.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import lock, shuffle
from .cards import card_point, cards_hash, deck_points
from .context import Context
from .errors import DeckError, DecodeError, VerificationError
from .group import ORDER, SCALAR_BYTES, Point, RandBytes, Reader, encode_scalar, join_scalars, mul_base
from .hashing import u64
from .lock import LockProof
from .permutation import permutation
from .products import differences
from .shuffle import ShuffleStep
from .transcript import Transcript, fresh, secret_scalars

ALL_SHUFFLE: Final = "hand all, candidates"
ALL_KEYS: Final = "hand all, keys"
ONE: Final = "hand one"
INDEX_BYTES: Final = 2
CARD_BYTES: Final = 2
OPENING_BYTES: Final = CARD_BYTES + SCALAR_BYTES


@dataclass(frozen=True, slots=True)
class Hand:
    """The public side of hidden cards: handles (epoch, position) in order, with Y and S for each."""

    handles: tuple[tuple[int, int], ...]
    commitments: tuple[Point, ...]
    tags: tuple[Point, ...]

    def __len__(self) -> int:
        return len(self.handles)

    @property
    def sound(self) -> bool:
        """At least one handle, none twice, and a Y and an S for each."""
        size = len(self.handles)
        return size > 0 and len(set(self.handles)) == size == len(self.commitments) == len(self.tags)

    def absorb(self, transcript: Transcript) -> None:
        transcript.append("handles", b"".join([u64(epoch) + u64(index) for epoch, index in self.handles]))
        transcript.append_points("Y", self.commitments)
        transcript.append_points("S", self.tags)


@dataclass(frozen=True, slots=True)
class AllProof:
    """The set shuffled and masked, which of its entries the hand's cards are, and the proof of the keys."""

    candidates: ShuffleStep
    indices: tuple[int, ...]
    keys: LockProof

    @staticmethod
    def size(allowed: int, hand: int) -> int:
        """Bytes for a set and a hand of these sizes."""
        return ShuffleStep.size(allowed) + hand * INDEX_BYTES + LockProof.size(hand)

    def encode(self) -> bytes:
        return self.candidates.encode() + _join_indices(self.indices) + self.keys.encode()

    @classmethod
    def decode(cls, allowed: int, hand: int, data: bytes) -> AllProof:
        """DecodeError for a wrong length, a bad value, an index out of range or twice."""
        if not 1 <= hand <= allowed:
            raise DecodeError(f"{hand} cards cannot all be among {allowed}")
        reader = Reader(data, cls.size(allowed, hand))
        candidates = ShuffleStep.decode(allowed, reader.take(ShuffleStep.size(allowed)))
        indices = tuple([int.from_bytes(reader.take(INDEX_BYTES), "big") for _ in range(hand)])
        keys = LockProof.read(reader, hand)
        reader.end()
        if max(indices) >= allowed or len(set(indices)) != hand:
            raise DecodeError("an index is out of range or occurs twice")
        return cls(candidates, indices, keys)


def prove_all(
    ctx: Context,
    edition: str,
    allowed: Sequence[int],
    hand: Hand,
    cards: Sequence[int],
    keys: Sequence[int],
    randbytes: RandBytes = os.urandom,
) -> AllProof:
    """Prove that all the cards are in `allowed` (ascending ids). n and cards of ctx are replaced by those of `allowed`.

    DeckError if it is not true, or if sizes differ. For 7 cards and 80 candidates 565 mul, 9 by G, 477 add.
    """
    about = _about(ctx, edition, allowed)
    _check_witness(edition, hand, cards, keys)
    if not set(cards) <= set(allowed) or len(set(cards)) != len(cards):
        raise DeckError("not all of these cards are in the set")
    # Fresh mask and fresh order each time: with the same order, equal indices would mean equal cards.
    seed = join_scalars(keys) + fresh(randbytes)
    (mask,) = secret_scalars(seed, "hand mask", about.transcript(ALL_SHUFFLE).state(), 1)
    order = permutation(seed, "hand order", about.transcript(ALL_SHUFFLE).state(), about.n)
    points = deck_points(edition, allowed)
    masked, mask_key = shuffle.mask(points, mask, order)
    proof = shuffle.prove_statement(about, ALL_SHUFFLE, points, masked, mask_key, mask, order, randbytes=randbytes)
    candidates = ShuffleStep(masked, mask_key, proof)
    place = {allowed[image]: index for index, image in enumerate(order)}
    indices = tuple([place[card] for card in cards])
    key_proof = lock.prove_statement(
        _keys_transcript(about, hand, candidates, indices),
        [masked[index] for index in indices],
        hand.commitments,
        hand.tags,
        mask_key,
        mask,
        keys,
        randbytes,
    )
    return AllProof(candidates, indices, key_proof)


def verify_all(ctx: Context, edition: str, allowed: Sequence[int], hand: Hand, proof: AllProof) -> None:
    """VerificationError unless every card of the hand is in `allowed`, each another card.

    For 7 cards and 80 candidates 269 mul, 4 by G, 259 add.
    """
    about = _about(ctx, edition, allowed)
    if not hand.sound or len(proof.indices) != len(hand):
        raise VerificationError("hand all length")
    if len(set(proof.indices)) != len(hand) or not all(0 <= index < about.n for index in proof.indices):
        raise VerificationError("hand all indices", "one is out of range or occurs twice")
    step = proof.candidates
    shuffle.verify_statement(about, ALL_SHUFFLE, deck_points(edition, allowed), step.deck, step.key, step.proof)
    lock.verify_statement(
        _keys_transcript(about, hand, step, proof.indices),
        [step.deck[index] for index in proof.indices],
        hand.commitments,
        hand.tags,
        step.key,
        proof.keys,
        ALL_KEYS,
    )


@dataclass(frozen=True, slots=True)
class OneProof:
    """Challenges and responses of every pair (card of the hand, card of the set), hand by hand."""

    e: tuple[int, ...]
    z: tuple[int, ...]

    @staticmethod
    def size(allowed: int, hand: int) -> int:
        """Bytes for a set and a hand of these sizes."""
        return 2 * allowed * hand * SCALAR_BYTES

    def encode(self) -> bytes:
        return join_scalars(self.e) + join_scalars(self.z)

    @classmethod
    def decode(cls, allowed: int, hand: int, data: bytes) -> OneProof:
        """DecodeError for a wrong length or a bad scalar."""
        if allowed < 1 or hand < 1:
            raise DecodeError("there is no card that could be in the set")
        reader = Reader(data, cls.size(allowed, hand))
        proof = cls(reader.scalars(allowed * hand), reader.scalars(allowed * hand))
        reader.end()
        return proof


def prove_one(
    ctx: Context,
    edition: str,
    allowed: Sequence[int],
    hand: Hand,
    cards: Sequence[int],
    keys: Sequence[int],
    randbytes: RandBytes = os.urandom,
) -> OneProof:
    """Prove that at least one of the cards is in `allowed`, hiding which, how many and where.

    Cramer, Damgård and Schoenmakers 1994 over all pairs. DeckError if it is not true, or if sizes differ.
    """
    about = _about(ctx, edition, allowed)
    _check_witness(edition, hand, cards, keys)
    true = next((j for j, card in enumerate(cards) if card in set(allowed)), None)
    if true is None:
        raise DeckError("none of these cards is in the set")
    points = deck_points(edition, allowed)
    real = true * about.n + list(allowed).index(cards[true])
    transcript = about.transcript(ONE)
    hand.absorb(transcript)
    pairs = about.n * len(hand)
    nonces = transcript.nonces(join_scalars(keys), "one", 2 * pairs, randbytes)
    e, z = nonces[:pairs], nonces[pairs:]
    # For the real pair z holds w until the challenge is known.
    e[real] = 0
    commitments = differences(z, *_pairs(points, hand, e))
    transcript.append_points("t", commitments)
    e[real] = (transcript.challenge_nonzero("e") - sum(e)) % ORDER
    z[real] = (z[real] + e[real] * keys[true]) % ORDER
    return OneProof(tuple(e), tuple(z))


def verify_one(ctx: Context, edition: str, allowed: Sequence[int], hand: Hand, proof: OneProof) -> None:
    """VerificationError unless at least one card of the hand is in `allowed`."""
    about = _about(ctx, edition, allowed)
    pairs = about.n * len(hand)
    if not hand.sound or len(proof.e) != pairs or len(proof.z) != pairs:
        raise VerificationError("hand one length")
    if any(point.is_identity for point in hand.commitments):
        raise VerificationError("hand one points", "the identity is not allowed")
    points = deck_points(edition, allowed)
    transcript = about.transcript(ONE)
    hand.absorb(transcript)
    transcript.append_points("t", differences(proof.z, *_pairs(points, hand, proof.e)))
    if transcript.challenge_nonzero("e") != sum(proof.e) % ORDER:
        raise VerificationError("hand one proof")


def encode_openings(cards: Sequence[int], keys: Sequence[int]) -> bytes:
    """The plaintext of a box of openings: for each card of the hand, in order, its id (u16, big endian) and key."""
    return b"".join(
        [card.to_bytes(CARD_BYTES, "big") + encode_scalar(key) for card, key in zip(cards, keys, strict=True)]
    )


def decode_openings(hand: int, data: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(cards, keys); DecodeError for a wrong length or a bad key."""
    reader = Reader(data, hand * OPENING_BYTES)
    pairs = [(int.from_bytes(reader.take(CARD_BYTES), "big"), reader.scalar()) for _ in range(hand)]
    return tuple([card for card, _ in pairs]), tuple([key for _, key in pairs])


def check_openings(edition: str, hand: Hand, cards: Sequence[int], keys: Sequence[int]) -> None:
    """VerificationError("opening key") unless each s·G = S, ("opening face") unless each s·M_c = Y."""
    if not hand.sound or not len(hand) == len(cards) == len(keys):
        raise VerificationError("opening length")
    for card, key, committed, tag in zip(cards, keys, hand.commitments, hand.tags, strict=True):
        if not 0 < key < ORDER or mul_base(key) != tag:
            raise VerificationError("opening key")
        if key * card_point(edition, card) != committed:
            raise VerificationError("opening face", f"not card {card}")


def _about(ctx: Context, edition: str, allowed: Sequence[int]) -> Context:
    if not allowed or list(allowed) != sorted(set(allowed)):
        raise DeckError("a set is a list of different card ids in ascending order")
    return ctx.about(len(allowed), cards_hash(edition, allowed))


def _check_witness(edition: str, hand: Hand, cards: Sequence[int], keys: Sequence[int]) -> None:
    if not hand.sound or not len(hand) == len(cards) == len(keys):
        raise DeckError("a hand needs a card and a key for each handle")


def _pairs(points: Sequence[Point], hand: Hand, e: Sequence[int]) -> tuple[list[Point], Sequence[int], list[Point]]:
    """Of every pair, hand by hand: M_c, e, Y_j, as `differences` takes them."""
    return list(points) * len(hand), e, [commitment for commitment in hand.commitments for _ in points]


def _join_indices(indices: Sequence[int]) -> bytes:
    return b"".join([index.to_bytes(INDEX_BYTES, "big") for index in indices])


def _keys_transcript(about: Context, hand: Hand, candidates: ShuffleStep, indices: Sequence[int]) -> Transcript:
    transcript = about.transcript(ALL_KEYS)
    hand.absorb(transcript)
    transcript.append("candidates", candidates.encode())
    transcript.append("indices", _join_indices(indices))
    return transcript
