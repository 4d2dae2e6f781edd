"""Claims about hidden hands: what is claimed, about which handles, where (PROTOCOL.md, "Playing").

The prover (`player.py`) and everybody who checks (`match.py`) build the statement here, from the public state alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nodealer import engine
from nodealer.crypto.box import Box, BoxKey
from nodealer.crypto.context import Context
from nodealer.crypto.deck import EpochDeck
from nodealer.crypto.hand import (
    OPENING_BYTES,
    AllProof,
    Hand,
    OneProof,
    check_openings,
    decode_openings,
    verify_all,
    verify_one,
)
from nodealer.crypto.hashing import digest
from nodealer.engine import Handle

from .wire import encode


def hidden_hand(decks: Sequence[EpochDeck], owner: int, handles: Sequence[Handle]) -> Hand:
    """The commitments and tags of these handles of one hand, whatever epochs they come from."""
    return Hand(
        tuple((handle.epoch, handle.index) for handle in handles),
        tuple(decks[handle.epoch].commitment(handle.index, owner) for handle in handles),
        tuple(decks[handle.epoch].tag(owner, handle.index) for handle in handles),
    )


def place(decks: Sequence[EpochDeck], seat: int, slot: int) -> Context:
    """Where a claim is made: the newest epoch of the round, its writer's seat, its slot."""
    return decks[-1].context(seat, slot)


def cards_against(rules: engine.Edition, colour: int) -> tuple[int, ...]:
    """All ids that make a Wild Draw Four wrong: the colour that was active, and every wild (rules.md F1)."""
    return tuple(card.id for card in rules.cards if card.wild or card.colour == colour)


def cards_for(rules: engine.Edition, colour: int) -> tuple[int, ...]:
    """All other ids: a hand of these alone makes it right."""
    against = set(cards_against(rules, colour))
    return tuple(card.id for card in rules.cards if card.id not in against)


def cards_without_icon(rules: engine.Edition) -> tuple[int, ...]:
    """All ids that Mega Minions leaves in a hand."""
    return tuple(card.id for card in rules.cards if card.kind not in engine.ICONS)


def check_all(ctx: Context, edition: str, allowed: Sequence[int], hand: Hand, data: bytes) -> None:
    """All cards of the hand are among ``allowed``; raises the errors of `crypto`."""
    verify_all(ctx, edition, allowed, hand, AllProof.decode(len(allowed), len(hand), data))


def check_one(ctx: Context, edition: str, allowed: Sequence[int], hand: Hand, data: bytes) -> None:
    """One card of the hand is among ``allowed``; raises the errors of `crypto`."""
    verify_one(ctx, edition, allowed, hand, OneProof.decode(len(allowed), len(hand), data))


@dataclass(frozen=True, slots=True)
class SealedHand:
    """A verdict's box, as everybody holds it until the challenger has answered: enough to settle a dispute."""

    ctx: Context
    challenger: int
    hand: Hand
    box: Box
    writer: int
    number: int

    @staticmethod
    def length(hand: Hand) -> int:
        """Bytes of the plaintext."""
        return len(hand) * OPENING_BYTES

    def read(self, edition: str, plaintext: bytes) -> tuple[int, ...]:
        """The cards of a box that was opened; raises the errors of `crypto` if it does not open the hand."""
        cards, keys = decode_openings(len(self.hand), plaintext)
        check_openings(edition, self.hand, cards, keys)
        return cards


@dataclass(slots=True)
class ChallengeFile:
    """What has been signed about the open challenge so far."""

    key: BoxKey
    sealed: SealedHand | None = None


def choice_commitment(table: bytes, slot: int, seat: int, salt: bytes, cards: Sequence[tuple[Handle, int]]) -> bytes:
    """What seals an Ohana choice until all have chosen; binds its place, so that it opens nowhere else."""
    choice = encode([[handle.epoch, handle.index, card] for handle, card in cards])
    return digest("choice", table, encode([slot, seat]), salt, choice)
