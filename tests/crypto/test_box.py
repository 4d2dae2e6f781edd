"""Sealed boxes: who lied can always be named, and nobody's old box can be opened through a new one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto import box as boxes
from nodealer.crypto import hand
from nodealer.crypto.box import Box, BoxKey, Complaint
from nodealer.crypto.errors import DecodeError, VerificationError
from nodealer.crypto.group import G, Point, mul_base, random_scalar
from nodealer.crypto.schnorr import KnowledgeProof

from tests.crypto.test_hand_proofs import held
from tests.helpers.cheating import EDITION, flip, other_places, place

CTX = place(112)  # the writer is seat 3
RECIPIENT = 5
TEXT = b"thirty-two bytes of plain text.."


@pytest.fixture
def z() -> int:
    return random_scalar()


def refused(call) -> str:
    with pytest.raises(VerificationError) as caught:
        call()
    return caught.value.check


def test_a_box_opens_by_the_key_and_by_the_shared_point(z):
    key = mul_base(z)
    data = boxes.seal(CTX, RECIPIENT, key, TEXT).encode()
    assert len(data) == Box.size(len(TEXT))
    box = Box.decode(len(TEXT), data)
    assert box.encode() == data
    box.verify(CTX, RECIPIENT, key)
    assert boxes.open_box(CTX, RECIPIENT, z, box) == TEXT
    assert boxes.open_shared(CTX, RECIPIENT, key, box, z * box.ephemeral) == TEXT


def test_a_box_belongs_to_its_place_recipient_and_key(z):
    key = mul_base(z)
    box = boxes.seal(CTX, RECIPIENT, key, TEXT)
    for other in other_places(CTX):
        assert refused(lambda other=other: box.verify(other, RECIPIENT, key)) == "box proof"
        assert refused(lambda other=other: boxes.open_box(other, RECIPIENT, z, box)) == "box seal"
    assert refused(lambda: box.verify(CTX, RECIPIENT + 1, key)) == "box proof"
    assert refused(lambda: box.verify(CTX, RECIPIENT, mul_base(z + 1))) == "box proof"
    assert refused(lambda: boxes.open_box(CTX, RECIPIENT + 1, z, box)) == "box seal"
    assert refused(lambda: boxes.open_box(CTX, RECIPIENT, z + 1, box)) == "box seal"


def test_every_byte_counts(z):
    key = mul_base(z)
    data = boxes.seal(CTX, RECIPIENT, key, TEXT).encode()
    for at in range(0, len(data), 5):
        with pytest.raises((DecodeError, VerificationError)):
            Box.decode(len(TEXT), flip(data, at)).verify(CTX, RECIPIENT, key)
    for bad in (b"", data[:-1], data + b"\0", bytes(len(data))):
        with pytest.raises(DecodeError):
            Box.decode(len(TEXT), bad)
    with pytest.raises(DecodeError):
        Box.decode(len(TEXT) + 1, data)
    with pytest.raises(DecodeError):
        boxes.seal(CTX, RECIPIENT, Point(bytes(32)), TEXT)


def test_keys_prove_possession_at_their_place(z):
    data = boxes.make_key(CTX, z).encode()
    key = BoxKey.decode(data)
    assert key.encode() == data
    key.verify(CTX)
    key.check_secret(z)
    for other in other_places(CTX):
        assert refused(lambda other=other: key.verify(other)) == "box key"
    # Somebody else's key, plus one: no proof of it is known.
    assert refused(lambda: replace(key, point=key.point + G).verify(CTX)) == "box key"
    assert refused(lambda: replace(key, point=Point(bytes(32))).verify(CTX)) == "box key"
    for wrong in (z + 1, 0, -z):
        assert refused(lambda wrong=wrong: key.check_secret(wrong)) == "box secret"
    for bad in (b"", data[:-1], bytes(len(data)), data + b"\0"):
        with pytest.raises(DecodeError):
            BoxKey.decode(bad)


def test_the_challenge_garbage_is_seen_by_all(z):
    """The accused seals garbage; the challenger shows z*, and all see who lied."""
    cards = [30, 3]
    mine, keys = held(cards)
    key = boxes.make_key(CTX, z)
    length = len(cards) * hand.OPENING_BYTES

    def judge(box: Box) -> None:
        box.verify(CTX, RECIPIENT, key.point)
        key.check_secret(z)
        opened = hand.decode_openings(len(cards), boxes.open_box(CTX, RECIPIENT, z, box))
        hand.check_openings(EDITION, mine, *opened)

    good = boxes.seal(CTX, RECIPIENT, key.point, hand.encode_openings(cards, keys))
    judge(good)  # the complaint about this one was the lie
    assert refused(lambda: judge(boxes.seal(CTX, RECIPIENT, key.point, hand.encode_openings([30, 31], keys)))) == (
        "opening face"
    )
    assert refused(lambda: judge(boxes.seal(CTX, RECIPIENT, key.point, hand.encode_openings(cards, keys[::-1])))) == (
        "opening key"
    )
    with pytest.raises(DecodeError):
        judge(boxes.seal(CTX, RECIPIENT, key.point, b"\xff" * length))
    # Noise that was never sealed, with a right proof of the ephemeral.
    e = random_scalar()
    noise = Box(mul_base(e), KnowledgeProof(1, 1), bytes(length + boxes.TAG_BYTES))
    transcript = boxes._transcript(CTX, RECIPIENT, key.point, noise)
    noise = replace(noise, proof=boxes.schnorr.prove(transcript, noise.ephemeral, e))
    assert refused(lambda: judge(noise)) == "box seal"


def test_a_complaint_shows_the_shared_point_and_cannot_lie(z):
    key = mul_base(z)
    box = boxes.seal(CTX, RECIPIENT, key, TEXT)
    here = replace(CTX, seat=RECIPIENT, slot=CTX.slot + 1)
    data = boxes.complain(here, CTX, z, box).encode()
    complaint = Complaint.decode(data)
    assert complaint.encode() == data
    complaint.verify(here, CTX, key, box)
    assert boxes.open_shared(CTX, RECIPIENT, key, box, complaint.shared) == TEXT
    lie = replace(complaint, shared=complaint.shared + G)
    assert refused(lambda: lie.verify(here, CTX, key, box)) == "box complaint"
    other = boxes.seal(CTX, RECIPIENT, key, TEXT)
    assert refused(lambda: complaint.verify(here, CTX, key, other)) == "box complaint"
    for elsewhere in other_places(here):
        assert refused(lambda elsewhere=elsewhere: complaint.verify(elsewhere, CTX, key, box)) == "box complaint"
    # The same box bytes said of another giver, attempt or slot; or claimed for another recipient's key.
    for giver in other_places(CTX):
        assert refused(lambda giver=giver: complaint.verify(here, giver, key, box)) == "box complaint"
    assert refused(lambda: complaint.verify(here, CTX, mul_base(z + 1), box)) == "box complaint"
    for bad in (b"", data[:-1], bytes(len(data)), data + b"\0"):
        with pytest.raises(DecodeError):
            Complaint.decode(bad)


def test_a_reworked_box_would_open_the_old_one_and_is_refused(z):
    key = mul_base(z)
    old = boxes.seal(CTX, RECIPIENT, key, TEXT)
    colluder = replace(CTX, seat=4, slot=CTX.slot + 1)
    r = random_scalar()
    reworked = replace(old, ephemeral=old.ephemeral + mul_base(r))
    # What an honest complaint about it would give away, were it accepted: the shared point, hence the old plaintext.
    shared = z * reworked.ephemeral
    assert boxes.open_shared(CTX, RECIPIENT, key, old, shared - r * key) == TEXT
    # It is not: the colluder knows no logarithm of its ephemeral. Copied, shifted and simulated proofs all fail.
    here = replace(CTX, seat=RECIPIENT, slot=CTX.slot + 2)
    shifted = replace(reworked, proof=KnowledgeProof(old.proof.e, old.proof.r + old.proof.e * r))
    simulated = replace(reworked, proof=KnowledgeProof(random_scalar(), random_scalar()))
    for forged in (reworked, shifted, simulated, old):
        assert refused(lambda forged=forged: forged.verify(colluder, RECIPIENT, key)) == "box proof"
        # And an honest seat never complains about a box whose proof it has not checked.
        assert refused(lambda forged=forged: boxes.complain(here, colluder, z, forged)) == "box proof"
