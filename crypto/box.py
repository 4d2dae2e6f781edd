"""Sealed boxes whose disputes name the liar (PROTOCOL.md, "P5 Boxes").

A box is an ephemeral point E, a proof of knowledge of its logarithm over everything, and a ciphertext under
HKDF(e·Z; …). Every peer checks the proof when it takes the entry; without it a colluder could rework somebody's box and
have an honest complaint open it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from . import equality, schnorr
from .context import Context
from .equality import EqualityProof
from .errors import DecodeError, VerificationError
from .group import ORDER, POINT_BYTES, Point, RandBytes, Reader, mul_base
from .hashing import expand
from .schnorr import KnowledgeProof
from .transcript import Transcript, fresh, secret_scalars

STATEMENT: Final = "box"
KEY_STATEMENT: Final = "box key"
COMPLAINT_STATEMENT: Final = "box complaint"
TAG_BYTES: Final = 16
_NONCE: Final = bytes(12)
"""Fixed: every box has a key of its own."""


@dataclass(frozen=True, slots=True)
class BoxKey:
    """The public half of a box key, Z = z·G, with proof of possession bound to its context."""

    point: Point
    proof: KnowledgeProof

    def encode(self) -> bytes:
        return self.point.data + self.proof.encode()

    @classmethod
    def decode(cls, data: bytes) -> BoxKey:
        """DecodeError for anything but a point and a proof."""
        reader = Reader(data, BOX_KEY_BYTES)
        key = cls(reader.point(), KnowledgeProof.read(reader))
        reader.end()
        return key

    def verify(self, ctx: Context) -> None:
        """VerificationError("box key") unless the writer of ctx possesses the key, there and now."""
        schnorr.verify(ctx.transcript(KEY_STATEMENT), self.point, self.proof, "box key")

    def check_secret(self, z: int) -> None:
        """VerificationError("box secret") unless z is this key's secret half: what a challenger's complaint shows."""
        if not 0 < z < ORDER or mul_base(z) != self.point:
            raise VerificationError("box secret")


BOX_KEY_BYTES: Final = POINT_BYTES + schnorr.PROOF_BYTES


def make_key(ctx: Context, z: int, randbytes: RandBytes = os.urandom) -> BoxKey:
    """The public half of z, with proof of possession. Journal z before this leaves."""
    point = mul_base(z)
    return BoxKey(point, schnorr.prove(ctx.transcript(KEY_STATEMENT), point, z, randbytes))


@dataclass(frozen=True, slots=True)
class Box:
    """One sealed box. The plaintext's length is fixed by public facts, so it is asked for when decoding."""

    ephemeral: Point
    proof: KnowledgeProof
    ciphertext: bytes

    @staticmethod
    def size(length: int) -> int:
        """Bytes of a box for a plaintext of this length."""
        return POINT_BYTES + schnorr.PROOF_BYTES + length + TAG_BYTES

    def encode(self) -> bytes:
        return self.ephemeral.data + self.proof.encode() + self.ciphertext

    @classmethod
    def decode(cls, length: int, data: bytes) -> Box:
        """DecodeError unless this is a box for a plaintext of `length` bytes."""
        reader = Reader(data, cls.size(length))
        box = cls(reader.point(), KnowledgeProof.read(reader), reader.take(length + TAG_BYTES))
        reader.end()
        return box

    def verify(self, ctx: Context, recipient: int, key: Point) -> None:
        """VerificationError("box proof") unless its writer made it, here, for this recipient and key."""
        schnorr.verify(_transcript(ctx, recipient, key, self), self.ephemeral, self.proof, "box proof")


def seal(ctx: Context, recipient: int, key: Point, plaintext: bytes, randbytes: RandBytes = os.urandom) -> Box:
    """A box of the writer of ctx to `key` of seat `recipient`."""
    if key.is_identity:
        raise DecodeError("the identity is not allowed")
    place = _place(ctx, recipient, key)
    (e,) = secret_scalars(fresh(randbytes) + plaintext, "box ephemeral", place.state(), 1)
    ephemeral = mul_base(e)
    ciphertext = _cipher(ctx, recipient, key, ephemeral, e * key).encrypt(_NONCE, plaintext, place.state())
    unproven = Box(ephemeral, KnowledgeProof(0, 0), ciphertext)
    return Box(
        ephemeral, schnorr.prove(_transcript(ctx, recipient, key, unproven), ephemeral, e, randbytes), ciphertext
    )


def open_box(ctx: Context, recipient: int, z: int, box: Box) -> bytes:
    """The plaintext, by the secret half of the key; VerificationError("box seal") if it holds garbage."""
    return open_shared(ctx, recipient, mul_base(z), box, z * box.ephemeral)


def open_shared(ctx: Context, recipient: int, key: Point, box: Box, shared: Point) -> bytes:
    """The plaintext, by the shared point z·E of a complaint; VerificationError("box seal") if it holds garbage."""
    cipher = _cipher(ctx, recipient, key, box.ephemeral, shared)
    try:
        return cipher.decrypt(_NONCE, box.ciphertext, _place(ctx, recipient, key).state())
    except InvalidTag:
        raise VerificationError("box seal") from None


@dataclass(frozen=True, slots=True)
class Complaint:
    """The shared point z·E of one box, proven to be it; for lasting keys, whose secret half is never shown."""

    shared: Point
    proof: EqualityProof

    def encode(self) -> bytes:
        return self.shared.data + self.proof.encode()

    @classmethod
    def decode(cls, data: bytes) -> Complaint:
        """DecodeError for anything but a point and a proof."""
        reader = Reader(data, COMPLAINT_BYTES)
        complaint = cls(reader.point(), EqualityProof.read(reader))
        reader.end()
        return complaint

    def verify(self, ctx: Context, giver: Context, key: Point, box: Box) -> None:
        """VerificationError("box complaint") unless the shared point is z·E for Z = z·G.

        ctx: of the complaint (seat = the recipient); giver: of the box.
        """
        transcript = _complaint_transcript(ctx, giver, key, box)
        equality.verify(transcript, box.ephemeral, self.shared, key, self.proof, "box complaint")


COMPLAINT_BYTES: Final = POINT_BYTES + equality.PROOF_BYTES


def complain(ctx: Context, giver: Context, z: int, box: Box, randbytes: RandBytes = os.urandom) -> Complaint:
    """Show the shared point of one verified box, and no more. Never for a box whose proof was not verified."""
    key = mul_base(z)
    box.verify(giver, ctx.seat, key)
    shared = z * box.ephemeral
    transcript = _complaint_transcript(ctx, giver, key, box)
    return Complaint(shared, equality.prove(transcript, box.ephemeral, shared, key, z, randbytes))


def _place(ctx: Context, recipient: int, key: Point) -> Transcript:
    """Context (with the writer as its seat), recipient, Z: the associated data, and the beginning of the proof."""
    transcript = ctx.transcript(STATEMENT)
    transcript.append_int("recipient", recipient)
    transcript.append_point("key", key)
    return transcript


def _transcript(ctx: Context, recipient: int, key: Point, box: Box) -> Transcript:
    transcript = _place(ctx, recipient, key)
    transcript.append_point("E", box.ephemeral)
    transcript.append("ciphertext", box.ciphertext)
    return transcript


def _complaint_transcript(ctx: Context, giver: Context, key: Point, box: Box) -> Transcript:
    transcript = ctx.transcript(COMPLAINT_STATEMENT)
    transcript.append("box", _transcript(giver, ctx.seat, key, box).state())
    return transcript


def _cipher(ctx: Context, recipient: int, key: Point, ephemeral: Point, shared: Point) -> ChaCha20Poly1305:
    place = _place(ctx, recipient, key)
    place.append_point("E", ephemeral)
    return ChaCha20Poly1305(expand(shared.data, "box", 32, place.state()))
