"""Entries: the signed messages that a feed is made of (PROTOCOL.md, "Feeds").

The signature covers the header alone; the header holds the hash of the body. So two headers with one writer and one
number convict their writer without either body.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.crypto.errors import CryptoError
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.crypto.identity import verify as verify_signature

from .errors import WireError
from .wire import decode, encode, exactly, fields, natural

HASH = 32
SIGNATURE = 64
NO_HASH = bytes(HASH)
# A lock of ten players with escrow needs 47 kB, a verdict over a hand of sixty 150 kB (table.md T2.6).
MAX_ENTRY = 256 * 1024
MAX_HEADER = 256
MAX_WRITERS = 10
# No match needs a millionth of these numbers; they keep every number in eight bytes.
MAX_NUMBER = 1 << 32
MAX_KIND = 16


@dataclass(frozen=True, slots=True)
class Header:
    """What is signed: where the entry stands in its feed and in the history, and what it says."""

    table: bytes
    writer: int
    number: int
    previous: bytes
    slot: int
    digest: bytes
    kind: str
    body_hash: bytes

    def encode(self) -> bytes:
        """The canonical bytes that are signed."""
        return encode(
            [self.table, self.writer, self.number, self.previous, self.slot, self.digest, self.kind, self.body_hash]
        )

    @classmethod
    def decode(cls, data: bytes) -> Header:
        """Parse header bytes; raises ``WireError``."""
        value = fields(
            decode(data, max_bytes=MAX_HEADER, max_depth=1, max_items=9),
            "a header",
            bytes,
            int,
            int,
            bytes,
            int,
            bytes,
            str,
            bytes,
        )
        table, writer, number, previous, slot, state, kind, body_hash = value
        for data32, what in (
            (table, "table"),
            (previous, "previous hash"),
            (state, "digest"),
            (body_hash, "body hash"),
        ):
            exactly(data32, HASH, what)
        natural(writer, MAX_WRITERS, "writer")
        natural(number, MAX_NUMBER, "number")
        natural(slot, MAX_NUMBER, "slot")
        if not 0 < len(kind) <= MAX_KIND or not kind.isascii():
            raise WireError("a kind that no entry has")
        return cls(table, writer, number, previous, slot, state, kind, body_hash)


@dataclass(frozen=True, slots=True)
class SignedHeader:
    """A header with its writer's signature: enough to convict."""

    header: Header
    raw: bytes
    signature: bytes

    @property
    def hash(self) -> bytes:
        """The hash that the next entry, the digests and the have-lists name this entry by."""
        return entry_hash(self.raw)

    def to_wire(self) -> list[bytes]:
        return [self.raw, self.signature]

    @classmethod
    def from_wire(cls, value: object) -> SignedHeader:
        """Parse [header, signature] without checking the signature; raises ``WireError``."""
        raw, signature = fields(value, "a signed header", bytes, bytes)
        return cls(Header.decode(raw), raw, exactly(signature, SIGNATURE, "a signature"))

    def check(self, key: bytes) -> None:
        """Raise ``WireError`` unless ``key`` signed this header."""
        try:
            verify_signature(key, "entry", self.raw, self.signature)
        except CryptoError:
            raise WireError("an entry that was not signed by its writer") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """A signed header and the body it names."""

    signed: SignedHeader
    body: bytes
    hash: bytes

    @property
    def header(self) -> Header:
        return self.signed.header

    @classmethod
    def make(cls, identity: Identity, header: Header, body: bytes) -> Entry:
        """Sign ``header``, which must name ``body``."""
        raw = header.encode()
        return cls(SignedHeader(header, raw, identity.sign("entry", raw)), body, entry_hash(raw))

    def encode(self) -> bytes:
        return encode([self.signed.raw, self.signed.signature, self.body])

    @classmethod
    def decode(cls, data: bytes) -> Entry:
        """Parse an entry; checks sizes, form and the body's hash, not the signature. Raises ``WireError``."""
        value = decode(data, max_bytes=MAX_ENTRY, max_depth=1, max_items=4)
        raw, signature, body = fields(value, "an entry", bytes, bytes, bytes)
        signed = SignedHeader.from_wire([raw, signature])
        if body_hash(body) != signed.header.body_hash:
            raise WireError("an entry whose body is not the one that was signed")
        return cls(signed, body, entry_hash(raw))


def entry_hash(raw_header: bytes) -> bytes:
    return digest("entry", raw_header)


def body_hash(body: bytes) -> bytes:
    return digest("body", body)
