"""Knowledge of a logarithm (Schnorr 1991): z with Z = z·G, bound to everything that its transcript holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from .errors import VerificationError
from .group import ORDER, SCALAR_BYTES, Point, RandBytes, Reader, difference, encode_scalar, mul_base
from .transcript import Transcript

PROOF_BYTES: Final = 2 * SCALAR_BYTES


@dataclass(frozen=True, slots=True)
class KnowledgeProof:
    """Challenge e and response r = w + e·z."""

    e: int
    r: int

    def encode(self) -> bytes:
        return encode_scalar(self.e) + encode_scalar(self.r)

    @classmethod
    def read(cls, reader: Reader) -> KnowledgeProof:
        return cls(reader.scalar(), reader.scalar())


def prove(transcript: Transcript, public: Point, secret: int, randbytes: RandBytes = os.urandom) -> KnowledgeProof:
    """A proof of knowledge of the logarithm of `public`, for a transcript that holds the context."""
    transcript.append_point("Z", public)
    (w,) = transcript.nonces(encode_scalar(secret), "knowledge", 1, randbytes)
    transcript.append_point("R", mul_base(w))
    e = transcript.challenge_nonzero("e")
    return KnowledgeProof(e, (w + e * secret) % ORDER)


def verify(transcript: Transcript, public: Point, proof: KnowledgeProof, check: str) -> None:
    """VerificationError(check) unless the proof is right."""
    if public.is_identity:
        raise VerificationError(check, "the identity is not allowed")
    transcript.append_point("Z", public)
    transcript.append_point("R", difference(proof.r, None, proof.e, public))
    if transcript.challenge_nonzero("e") != proof.e:
        raise VerificationError(check)
