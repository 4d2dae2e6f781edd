"""Equality of logarithms (Chaum and Pedersen 1992): the same k in B = k·A and K = k·G.

Used for the shuffle of a single card and for the shared point that a complaint shows.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from .errors import VerificationError
from .group import ORDER, SCALAR_BYTES, Point, RandBytes, Reader, difference, encode_scalar, mul_base
from .transcript import Transcript

PROOF_BYTES: Final = 2 * SCALAR_BYTES


@dataclass(frozen=True, slots=True)
class EqualityProof:
    """Challenge e and response z = w + e·k."""

    e: int
    z: int

    def encode(self) -> bytes:
        return encode_scalar(self.e) + encode_scalar(self.z)

    @classmethod
    def read(cls, reader: Reader) -> EqualityProof:
        return cls(reader.scalar(), reader.scalar())


def absorb(transcript: Transcript, a: Point, b: Point, k_point: Point) -> None:
    """The statement, before the first commitment."""
    transcript.append_point("A", a)
    transcript.append_point("B", b)
    transcript.append_point("K", k_point)


def prove(
    transcript: Transcript, a: Point, b: Point, k_point: Point, k: int, randbytes: RandBytes = os.urandom
) -> EqualityProof:
    """A proof that b = k·a and k_point = k·G, for a transcript that holds the context."""
    absorb(transcript, a, b, k_point)
    (w,) = transcript.nonces(encode_scalar(k), "equality", 1, randbytes)
    transcript.append_point("T", w * a)
    transcript.append_point("T_K", mul_base(w))
    e = transcript.challenge_nonzero("e")
    return EqualityProof(e, (w + e * k) % ORDER)


def verify(transcript: Transcript, a: Point, b: Point, k_point: Point, proof: EqualityProof, check: str) -> None:
    """VerificationError(check) unless the proof is right."""
    absorb(transcript, a, b, k_point)
    transcript.append_point("T", difference(proof.z, a, proof.e, b))
    transcript.append_point("T_K", difference(proof.z, None, proof.e, k_point))
    if transcript.challenge_nonzero("e") != proof.e:
        raise VerificationError(check)
