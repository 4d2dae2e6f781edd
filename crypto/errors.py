"""The errors of the package: what could not be read, what was not proven, what was asked wrongly."""

from __future__ import annotations


class CryptoError(Exception):
    """Something in the deck or its proofs is wrong."""


class DecodeError(CryptoError):
    """Bytes that are not the one right encoding of a value: a wrong length, a non-canonical or identity point, a scalar
    that is zero or not below the order."""


class VerificationError(CryptoError):
    """A well-formed statement that does not hold. `check` names the equation (numbered in PROTOCOL.md) that failed."""

    def __init__(self, check: str, detail: str = "") -> None:
        self.check = check
        self.detail = detail
        super().__init__(f"{check}: {detail}" if detail else check)


class DeckError(CryptoError):
    """The deck was asked for something that it must not or cannot do: a step out of order, secrets of another epoch, a
    position whose keys are not known, or a position without a face (which means an unsound proof, not a cheat)."""
