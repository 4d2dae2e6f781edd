"""What is said about a table: in an announcement (untrusted, only a hint) and in its own answer over a secure line.

Both are read here, bounded and cleaned, into frozen records; nothing else looks at the raw form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.crypto.identity import fingerprint

from ..errors import WireError
from ..names import clean_name
from ..wire import decode, encode, exactly, fields, natural
from .connection import Address

SERVICE = "_nodealer._tcp.local."
VERSION = "1"

NONCE_BYTES = 16
MAX_ANSWER = 1024
"""Bytes of an answer: a name, an edition and a few numbers."""

_MAX_SEATS = 10
_EDITION = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_NONCE = re.compile(r"[0-9a-f]{32}")

QUERY = encode(["query"])
"""The question that a line without a place at the table may ask."""


@dataclass(frozen=True, slots=True)
class Description:
    """A table in its own words. ``open`` says whether one more may sit down now."""

    nonce: bytes
    host: str
    edition: str
    seats: int
    taken: int
    passphrase: bool
    open: bool


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table that has answered over a secure line at ``address`` as the owner of ``key``."""

    table: str
    """Eight hexadecimal digits, for people and for ``join``."""
    host: str
    address: Address
    edition: str
    seats: int
    taken: int
    passphrase: bool
    fingerprint: str
    open: bool
    nonce: bytes
    key: bytes


def table_info(description: Description, key: bytes, address: Address) -> TableInfo:
    """What a list of tables shows of an answer that came from ``key`` at ``address``."""
    return TableInfo(
        table=description.nonce.hex()[:8],
        host=description.host,
        address=address,
        edition=description.edition,
        seats=description.seats,
        taken=description.taken,
        passphrase=description.passphrase,
        fingerprint=fingerprint(key),
        open=description.open,
        nonce=description.nonce,
        key=key,
    )


def encode_answer(description: Description) -> bytes:
    """The message that answers QUERY."""
    return encode(
        [
            "table",
            description.nonce,
            description.host,
            description.edition,
            description.seats,
            description.taken,
            description.passphrase,
            description.open,
        ]
    )


def decode_answer(message: bytes) -> Description:
    """The description in an answer; raises WireError. The host's name comes out clean and never empty."""
    kind, nonce, host, edition, seats, taken, passphrase, is_open = fields(
        decode(message, max_bytes=MAX_ANSWER), "a table's description", str, bytes, str, str, int, int, bool, bool
    )
    if kind != "table":
        raise WireError("the answer is not a table's description")
    if _EDITION.fullmatch(edition) is None:
        raise WireError("the edition's name is not one")
    seats = natural(seats, _MAX_SEATS + 1, "the number of seats")
    return Description(
        nonce=exactly(nonce, NONCE_BYTES, "the table's nonce"),
        host=clean_name(host[:200]) or "?",
        edition=edition,
        seats=seats,
        taken=natural(taken, seats + 1, "the number of seats taken"),
        passphrase=passphrase,
        open=is_open,
    )


def instance_name(nonce: bytes) -> str:
    """The name of a table's announcement: unique, so that nobody has to ask whether it is taken."""
    return f"{nonce.hex()}.{SERVICE}"


def nonce_of_instance(name: str) -> bytes | None:
    """The table's nonce in the name of an announcement; None if it is none of ours."""
    label, dot, service = name.partition(".")
    if dot and service == SERVICE and _NONCE.fullmatch(label):
        return bytes.fromhex(label)
    return None


def txt_of(description: Description, key: bytes) -> dict[str, str]:
    """The TXT record of an announcement (PROTOCOL.md, "Discovery"): for other programs and for curious people."""
    return {
        "v": VERSION,
        "table": description.nonce.hex(),
        "name": description.host,
        "edition": description.edition,
        "seats": str(description.seats),
        "taken": str(description.taken),
        "fp": fingerprint(key),
        "pass": "1" if description.passphrase else "0",
    }


def speaks_our_version(txt: Mapping[bytes, bytes | None]) -> bool:
    """Whether an announcement's TXT record is of this version. The rest of it is asked of the table itself."""
    return txt.get(b"v") == VERSION.encode()
