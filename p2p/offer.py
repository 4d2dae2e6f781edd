"""Offers, the roster they make, and the table's id (PROTOCOL.md, "Making a table").

Each player signs an offer that names the table's options and the host's nonce; the table's id is the hash of all of
them, fresh because every offer holds its writer's own nonce.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from nodealer.crypto.box import BoxKey
from nodealer.crypto.context import Context
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.group import Point
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.crypto.identity import verify as verify_signature

from .entry import HASH, MAX_WRITERS, SIGNATURE
from .errors import WireError
from .names import is_name
from .options import TableOptions
from .wire import decode, encode, exactly, fields, natural

VERSION = 1
MAX_OFFER = 1024
MAX_ROSTER = MAX_WRITERS * (MAX_OFFER + SIGNATURE + 16)


@dataclass(frozen=True, slots=True)
class Offer:
    """One player's signed wish to sit at this table, with a commitment to its share of the coin flip."""

    options: TableOptions
    host_key: bytes
    host_nonce: bytes
    key: bytes
    name: str
    nonce: bytes
    commitment: bytes
    box_key: bytes = b""

    def encode(self) -> bytes:
        return encode(
            [
                VERSION,
                self.options.to_wire(),
                self.host_key,
                self.host_nonce,
                self.key,
                self.name,
                self.nonce,
                self.commitment,
                self.box_key,
            ]
        )

    def check_box_key(self) -> None:
        """With escrow an offer holds the player's Z and the proof that it possesses it, here; without, nothing."""
        if not self.options.escrow:
            if self.box_key:
                raise WireError("an offer with a key for boxes at a table without escrow")
            return
        try:
            BoxKey.decode(self.box_key).verify(box_key_place(self.host_nonce, self.key))
        except CryptoError:
            raise WireError("an offer whose key for boxes is none, or not its player's") from None

    @property
    def box_point(self) -> Point | None:
        """Z, to which others seal pieces of their keys; None without escrow."""
        return BoxKey.decode(self.box_key).point if self.box_key else None


def box_key_place(host_nonce: bytes, key: bytes) -> Context:
    """Where the possession of a key for boxes is proven: in this player's offer for this host's table."""
    return Context(table=host_nonce, round=0, epoch=0, attempt=0, seat=0, slot=0, n=0, cards=key)


@dataclass(frozen=True, slots=True)
class SignedOffer:
    """An offer with the bytes that were signed."""

    offer: Offer
    raw: bytes
    signature: bytes

    @classmethod
    def make(cls, identity: Identity, offer: Offer) -> SignedOffer:
        raw = offer.encode()
        return cls(offer, raw, identity.sign("offer", raw))

    def to_wire(self) -> list[bytes]:
        return [self.raw, self.signature]

    @classmethod
    def from_wire(cls, value: object) -> SignedOffer:
        """Parse and check a signed offer; raises ``WireError``."""
        raw, signature = fields(value, "a signed offer", bytes, bytes)
        parts = fields(
            decode(raw, max_bytes=MAX_OFFER, max_depth=2, max_items=24),
            "an offer",
            int,
            list,
            bytes,
            bytes,
            bytes,
            str,
            bytes,
            bytes,
            bytes,
        )
        version, options, host_key, host_nonce, key, name, nonce, commitment, box_key = parts
        if version != VERSION:
            raise WireError(f"an offer of protocol version {version}, not {VERSION}")
        for data, what in (
            (host_key, "the host's key"),
            (host_nonce, "the host's nonce"),
            (key, "a player's key"),
            (nonce, "a nonce"),
            (commitment, "a commitment"),
        ):
            exactly(data, HASH, what)
        if not is_name(name):
            raise WireError("a name with characters or a length that names do not have")
        try:
            verify_signature(key, "offer", raw, exactly(signature, SIGNATURE, "a signature"))
        except CryptoError:
            raise WireError("an offer that its player did not sign") from None
        offer = Offer(TableOptions.from_wire(options), host_key, host_nonce, key, name, nonce, commitment, box_key)
        offer.check_box_key()
        return cls(offer, raw, signature)


@dataclass(frozen=True, slots=True)
class Roster:
    """All offers of a table, sorted by key, and the host's signature that this is the list it showed.

    The signature makes a host that shows different lists to different players convict itself.
    """

    offers: tuple[SignedOffer, ...]
    host_signature: bytes

    @property
    def table(self) -> bytes:
        """The table's id (32 bytes)."""
        return table_id(self.offers)

    @property
    def options(self) -> TableOptions:
        return self.offers[0].offer.options

    @property
    def host(self) -> int:
        """The host's writer number."""
        return self.writer_of(self.offers[0].offer.host_key)

    @property
    def keys(self) -> tuple[bytes, ...]:
        return tuple(signed.offer.key for signed in self.offers)

    def writer_of(self, key: bytes) -> int:
        """The writer number of ``key``; raises ``ValueError`` if it is not of this table."""
        return self.keys.index(key)

    def to_wire(self) -> list[object]:
        return [[signed.to_wire() for signed in self.offers], self.host_signature]

    @classmethod
    def make(cls, host: Identity, offers: list[SignedOffer]) -> Roster:
        ordered = tuple(sorted(offers, key=lambda signed: signed.offer.key))
        first = ordered[0].offer
        return cls(ordered, host.sign("roster", roster_statement(first.host_nonce, table_id(ordered))))

    @classmethod
    def from_wire(cls, value: object) -> Roster:
        """Parse a roster and check all that one can without being in it; raises ``WireError``."""
        items, signature = fields(value, "a roster", list, bytes)
        natural(len(items) - 2, MAX_WRITERS - 1, "the number of players less two")
        roster = cls(tuple(SignedOffer.from_wire(item) for item in items), exactly(signature, SIGNATURE, "a signature"))
        keys = roster.keys
        if list(keys) != sorted(set(keys)):
            raise WireError("a roster that is not sorted by key, or holds a key twice")
        first = roster.offers[0].offer
        for signed in roster.offers:
            offer = signed.offer
            same = (offer.options, offer.host_key, offer.host_nonce)
            if same != (first.options, first.host_key, first.host_nonce):
                raise WireError("a roster whose offers are for different tables")
        if first.host_key not in keys:
            raise WireError("a roster without its host")
        if len(keys) > roster.options.seats:
            raise WireError("a roster with more players than seats")
        check_host_signature(first.host_key, first.host_nonce, roster.table, signature)
        return roster


def table_id(offers: tuple[SignedOffer, ...]) -> bytes:
    return digest("table", encode(offers[0].offer.options.to_wire()), *(signed.raw for signed in offers))


def roster_statement(host_nonce: bytes, table: bytes) -> bytes:
    return host_nonce + table


def check_host_signature(host_key: bytes, host_nonce: bytes, table: bytes, signature: bytes) -> None:
    """Raise ``WireError`` unless the host signed this table id for this nonce."""
    try:
        verify_signature(host_key, "roster", roster_statement(host_nonce, table), signature)
    except CryptoError:
        raise WireError("a roster that its host did not sign") from None


def coin_commitment(key: bytes, share: bytes) -> bytes:
    """What an offer commits to; the key stands in it so that a copied commitment opens for nobody else."""
    return digest("coin", key, share)


def coin_opens(commitment: bytes, key: bytes, share: bytes) -> bool:
    return hmac.compare_digest(commitment, coin_commitment(key, share))
