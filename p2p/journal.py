"""The records of a journal: what one peer must find again after its process or its machine has died.

A journal belongs to one identity at one table. It begins with the *seat* (the secrets that were there before the
match), then come the transcript's records, byte for byte, and between them the private ones of this module, each before
the first entry that uses it. What stands in a journal is never made a second time. `net/disk.py` has the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nodealer import engine
from nodealer.crypto.context import EpochId
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.group import decode_scalar, encode_scalar
from nodealer.engine import Handle

from .bodies import MAX_CARDS
from .entry import HASH, MAX_NUMBER, MAX_WRITERS, Entry
from .errors import WireError
from .feed import ForkProof
from .offer import Roster
from .transcript import TwoRosters, parse_record
from .wire import decode, encode, exactly, fields, natural

# The longest private record: 112 cards of an Ohana choice.
MAX_PRIVATE = 4096
# Which command began the match, and the transcript's path.
MAX_NOTE = 3072
MAX_HOST_TEXT = 64
PRIVATE = frozenset({"seat", "addresses", "seed", "challenge", "choice", "confirmed"})

Address = tuple[str, int]


class NoJournal(Exception):
    """These records are not the journal of a match; the text says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class SeatSecrets:
    """What a seat brings to its table and nobody else has.

    ``identity`` is the seed of a throw-away identity, which stands nowhere else on the disk; empty for a lasting one.
    ``note`` is the program's own word for how the match was begun, ``port`` where it listened.
    """

    key: bytes
    coin_share: bytes
    box_secret: int
    port: int = 0
    note: str = ""
    identity: bytes = b""

    def __repr__(self) -> str:
        return "SeatSecrets(…)"


def record_seat(seat: SeatSecrets) -> bytes:
    box = encode_scalar(seat.box_secret)
    return encode(["seat", seat.key, seat.coin_share, box, seat.port, seat.note, seat.identity])


def record_addresses(addresses: Mapping[bytes, Address]) -> bytes:
    return encode(["addresses", [[key, host, port] for key, (host, port) in sorted(addresses.items())]])


def record_seed(where: EpochId, deck: bytes, seed: bytes) -> bytes:
    """The seed of one attempt at one epoch, and the hash of the deck that it shuffles: no other, ever."""
    return encode(["seed", where.table, where.round, where.epoch, where.attempt, deck, seed])


def record_challenge(slot: int, secret: int) -> bytes:
    return encode(["challenge", slot, encode_scalar(secret)])


def record_choice(slot: int, salt: bytes, cards: engine.Shown) -> bytes:
    return encode(["choice", slot, salt, [[handle.epoch, handle.index, card] for handle, card in cards]])


def record_confirmed(state: bytes, writer: int) -> bytes:
    """This writer's false digest in this slot was found to be its own fault (table.md T5.3)."""
    return encode(["confirmed", state, writer])


@dataclass(slots=True)
class Saved:
    """A journal that was read: the secrets, and the public records in the order in which they had come."""

    seat: SeatSecrets
    roster: Roster
    # Where the players listen, oneself included.
    addresses: dict[bytes, Address] = field(default_factory=dict)
    # By attempt: (hash of the deck it shuffled, seed).
    seeds: dict[EpochId, tuple[bytes, bytes]] = field(default_factory=dict)
    challenge: int | None = None
    choice: tuple[bytes, engine.Shown] | None = None
    confirmed: set[tuple[bytes, int]] = field(default_factory=set)
    history: list[Entry | ForkProof | TwoRosters] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Saved(table={self.roster.table.hex()[:8]}, records={len(self.history)})"


def read(payloads: Iterable[bytes]) -> Saved | None:
    """Everything in a journal's records; None where its process died before the match had begun.

    Raises ``NoJournal`` for what no program of this version has written.
    """
    seat: SeatSecrets | None = None
    saved: Saved | None = None
    for number, payload in enumerate(payloads):
        try:
            if number == 0:
                seat = _parse_seat(payload)
            elif seat is not None and saved is None:
                roster = parse_record(payload)
                if not isinstance(roster, Roster) or seat.key not in roster.keys:
                    raise WireError("a journal without the list of players that it belongs to")
                saved = Saved(seat, roster)
            elif saved is not None:
                _take(saved, payload)
        except (WireError, CryptoError) as error:
            raise NoJournal(f"record {number} is not one of a journal: {error}") from None
    return saved


def _take(saved: Saved, payload: bytes) -> None:
    # The name of a record stands in its first bytes; a public record may be much longer than a private one.
    if len(payload) > MAX_PRIVATE or not (value := _private(payload)):
        record = parse_record(payload)
        if isinstance(record, Roster):
            raise WireError("a second list of players")
        saved.history.append(record)
        return
    match value:
        case ["addresses", list() as items]:
            if len(items) > MAX_WRITERS:
                raise WireError("more addresses than players")
            saved.addresses = dict(_address(item) for item in items)
        case ["seed", *_]:
            where, deck, seed = _seed(value)
            if where.table != saved.roster.table or saved.seeds.setdefault(where, (deck, seed)) != (deck, seed):
                raise WireError("a second seed for one attempt at an epoch, or a seed of another table")
        case ["challenge", int() as slot, bytes() as secret]:
            natural(slot, MAX_NUMBER, "a slot")
            saved.challenge = decode_scalar(secret)
        case ["choice", int() as slot, bytes() as salt, list() as cards]:
            natural(slot, MAX_NUMBER, "a slot")
            saved.choice = (exactly(salt, HASH, "a salt"), tuple(_card(item) for item in cards))
        case ["confirmed", bytes() as state, int() as writer]:
            saved.confirmed.add((exactly(state, HASH, "a digest"), natural(writer, MAX_WRITERS, "a writer")))
        case _:
            raise WireError(f"a malformed {value[0]!r}")


def _private(payload: bytes) -> list[object] | None:
    """The array of a private record; None for a public one."""
    value = decode(payload, max_bytes=MAX_PRIVATE)
    match value:
        case [str() as name, *_] if name in PRIVATE:
            return list(value)
        case _:
            return None


def _parse_seat(payload: bytes) -> SeatSecrets:
    value = decode(payload, max_bytes=MAX_PRIVATE)
    _, key, coin, box, port, note, identity = fields(value, "a seat", str, bytes, bytes, bytes, int, str, bytes)
    if value[0] != "seat" or len(note.encode()) > MAX_NOTE or len(identity) not in (0, HASH):
        raise WireError("a journal that does not begin with its seat")
    return SeatSecrets(
        exactly(key, HASH, "a key"),
        exactly(coin, HASH, "a share of the coin"),
        decode_scalar(box),
        natural(port, 1 << 16, "a port"),
        note,
        identity,
    )


def _seed(value: list[object]) -> tuple[EpochId, bytes, bytes]:
    _, table, round_, epoch, attempt, deck, seed = fields(value, "a seed", str, bytes, int, int, int, bytes, bytes)
    for number in (round_, epoch, attempt):
        natural(number, MAX_NUMBER, "a number")
    where = EpochId(exactly(table, HASH, "a table"), round_, epoch, attempt)
    return where, exactly(deck, HASH, "a hash"), exactly(seed, HASH, "a seed")


def _address(item: object) -> tuple[bytes, Address]:
    key, host, port = fields(item, "an address", bytes, str, int)
    if len(host) > MAX_HOST_TEXT:
        raise WireError("an address that is none")
    return exactly(key, HASH, "a key"), (host, natural(port, 1 << 16, "a port"))


def _card(item: object) -> tuple[Handle, int]:
    epoch, index, card = fields(item, "a card", int, int, int)
    return Handle(natural(epoch, MAX_NUMBER, "an epoch"), natural(index, MAX_CARDS, "an index")), natural(
        card, MAX_NUMBER, "a card"
    )
