"""The bodies of entries: one parser a kind, giving a frozen record or raising `WireError` (PROTOCOL.md, "Playing").

Limits are per kind and stand here alone. What a body *means* is judged in `match.py`, when its slot takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nodealer.crypto.errors import CryptoError
from nodealer.crypto.group import SCALAR_BYTES, decode_scalar
from nodealer.engine import Handle

from .entry import HASH, MAX_WRITERS, SIGNATURE, SignedHeader
from .errors import WireError
from .wire import decode, encode, exactly, fields, natural, split

# The largest deck, and so the largest hand, index and list of keys.
MAX_CARDS = 112
# A shuffle of 112 cards is 11.2 kB, a lock 10.9 kB and with the escrow of ten seats 13.1 kB.
MAX_STEP = 64 * 1024
# One of 37 candidates for each of 53 cards of a hand takes 125 kB (proofs §4); no hand of a real game is larger.
MAX_CLAIM = 250 * 1024

# Two pieces for each seat that goes, of each epoch of a round (rules.md P7 allows 21).
MAX_SHARES = 2 * MAX_WRITERS * 64

NOTHING = encode([])


@dataclass(frozen=True, slots=True)
class Start:
    """The table's id and the host's signature under it."""

    table: bytes
    host_signature: bytes


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock, and with escrow [pledge, box] for each other seat, in seat order."""

    data: bytes
    pieces: tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class EscrowComplaint:
    """Whose box is complained about, and the shared point that opens it."""

    giver: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Keys:
    """Own keys, in the order in which the slot asks for their positions."""

    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A card of one's own hand: where it lies, what it is, and the key that opens it."""

    handle: Handle
    card: int
    key: int


@dataclass(frozen=True, slots=True)
class Play:
    """A card played; colour and uno are None exactly where the rules have none."""

    shown: Shown
    colour: int | None
    uno: bool | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The accused's claim, its hand sealed to the challenger, and the proof for everybody."""

    guilty: bool
    box: bytes
    proof: bytes


@dataclass(frozen=True, slots=True)
class Show:
    """Mega Minions: the icon cards, and the proof that no other card of the hand is one (empty where none is left)."""

    cards: tuple[Shown, ...]
    proof: bytes


@dataclass(frozen=True, slots=True)
class Reveal:
    """Ohana: what was committed to."""

    salt: bytes
    cards: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """The whole hand, in hand order: (card, key)."""

    cards: tuple[tuple[int, int], ...]


def _value(body: bytes, limit: int, depth: int = 1, items: int = 8) -> object:
    return decode(body, max_bytes=limit, max_depth=depth, max_items=items)


def scalar(data: bytes) -> int:
    """A key from the wire: 32 bytes, below the order, not zero; raises ``WireError``."""
    try:
        return decode_scalar(data)
    except CryptoError as error:
        raise WireError(str(error)) from None


def parse_nothing(body: bytes) -> None:
    """An entry that says all by its kind."""
    if body != NOTHING:
        raise WireError("a body where none belongs")


def parse_start(body: bytes) -> Start:
    table, signature = fields(_value(body, 128), "a start", bytes, bytes)
    return Start(exactly(table, HASH, "the table"), exactly(signature, SIGNATURE, "the host's signature"))


def parse_coin(body: bytes) -> bytes:
    (share,) = fields(_value(body, 64), "a coin share", bytes)
    return exactly(share, HASH, "a coin share")


def parse_step(body: bytes) -> bytes:
    """A shuffle or a lock: bytes for `crypto` to decode."""
    (data,) = fields(_value(body, MAX_STEP), "a step of the deck", bytes)
    return bytes(data)


def parse_lock(body: bytes) -> Lock:
    data, items = fields(_value(body, MAX_STEP, depth=3, items=48), "a lock", bytes, list)
    pieces = [fields(item, "a piece", bytes, bytes) for item in items]
    return Lock(bytes(data), tuple((pledge, box) for pledge, box in pieces))


def parse_escrow_complaint(body: bytes) -> EscrowComplaint:
    giver, data = fields(_value(body, 192), "a complaint", int, bytes)
    return EscrowComplaint(natural(giver, MAX_WRITERS, "a seat"), data)


def parse_keys(body: bytes) -> Keys:
    (data,) = fields(_value(body, MAX_CARDS * SCALAR_BYTES + 16), "keys", bytes)
    return Keys(tuple(scalar(piece) for piece in split(data, SCALAR_BYTES, "a list of keys")))


def parse_play(body: bytes) -> Play:
    epoch, index, card, key, colour, uno = fields(
        _value(body, 96), "a play", int, int, int, bytes, (int, type(None)), (bool, type(None))
    )
    return Play(_shown(epoch, index, card, key), colour, uno)


def _shown(epoch: int, index: int, card: int, key: bytes) -> Shown:
    # A round has at most 21 epochs (rules.md P7); 64 leaves room and keeps numbers small.
    handle = Handle(natural(epoch, 64, "an epoch"), natural(index, MAX_CARDS, "a position"))
    return Shown(handle, natural(card, MAX_CARDS, "a card"), scalar(key))


def parse_colour(body: bytes) -> int:
    (colour,) = fields(_value(body, 16), "a colour", int)
    return natural(colour, 4, "a colour")


def parse_heard(body: bytes) -> SignedHeader:
    return SignedHeader.from_wire(_value(body, 512))


def parse_open(body: bytes) -> Open:
    limit = MAX_CARDS * (SCALAR_BYTES + 8) + 16
    (items,) = fields(_value(body, limit, depth=3, items=3 * MAX_CARDS + 8), "an opened hand", list)
    cards = []
    for item in items:
        card, key = fields(item, "an opened card", int, bytes)
        cards.append((natural(card, MAX_CARDS, "a card"), scalar(key)))
    return Open(tuple(cards))


def parse_challenge(body: bytes) -> bytes:
    """The one-time key of the challenger: bytes for `crypto` to decode."""
    (data,) = fields(_value(body, 160), "a challenge", bytes)
    return bytes(data)


def parse_verdict(body: bytes) -> Verdict:
    guilty, box, proof = fields(_value(body, MAX_CLAIM), "a verdict", bool, bytes, bytes)
    return Verdict(guilty, box, proof)


def parse_complaint(body: bytes) -> int:
    (data,) = fields(_value(body, 48), "a complaint", bytes)
    return scalar(data)


def parse_show(body: bytes) -> Show:
    cards, proof = fields(_value(body, MAX_CLAIM, depth=3, items=5 * MAX_CARDS + 8), "a show", list, bytes)
    return Show(_shown_list(cards), proof)


def parse_reveal(body: bytes) -> Reveal:
    limit = MAX_CARDS * (SCALAR_BYTES + 16) + 64
    salt, cards = fields(_value(body, limit, depth=3, items=5 * MAX_CARDS + 8), "a reveal", bytes, list)
    return Reveal(exactly(salt, HASH, "a salt"), _shown_list(cards))


def _shown_list(items: list[object]) -> tuple[Shown, ...]:
    return tuple(_shown(*fields(item, "a shown card", int, int, int, bytes)) for item in items)


def parse_shares(body: bytes) -> tuple[bytes, ...]:
    """Seeds of pieces, 32 bytes each, in the order that the slot asks for."""
    (data,) = fields(_value(body, MAX_SHARES * HASH + 16), "shares", bytes)
    return tuple(split(data, HASH, "a row of pieces"))


def parse_digest(body: bytes) -> bytes:
    (data,) = fields(_value(body, 64), "a digest", bytes)
    return exactly(data, HASH, "a digest")


def parse_chat(body: bytes) -> str:
    (text,) = fields(_value(body, 600), "a line of chat", str)
    return str(text)


PARSERS: dict[str, Callable[[bytes], object]] = {
    "start": parse_start,
    "coin": parse_coin,
    "shuffle": parse_step,
    "lock": parse_lock,
    "epoch ok": parse_nothing,
    "escrow complaint": parse_escrow_complaint,
    "keys": parse_keys,
    "turn up": parse_keys,
    "play": parse_play,
    "draw": parse_nothing,
    "pass": parse_nothing,
    "keep": parse_nothing,
    "take": parse_nothing,
    "colour": parse_colour,
    "called": parse_nothing,
    "quiet": parse_nothing,
    "heard": parse_heard,
    "caught": parse_nothing,
    "silent": parse_nothing,
    "accept": parse_nothing,
    "challenge": parse_challenge,
    "verdict": parse_verdict,
    "seen": parse_nothing,
    "complaint": parse_complaint,
    "show": parse_show,
    "commit": parse_digest,
    "reveal": parse_reveal,
    "open": parse_open,
    "leave": parse_keys,
    "shares": parse_shares,
    "round end": parse_nothing,
    "end": parse_digest,
}


def keys_body(keys: list[bytes]) -> bytes:
    return encode([b"".join(keys)])


def play_body(handle: Handle, card: int, key: bytes, colour: int | None, uno: bool | None) -> bytes:
    return encode([handle.epoch, handle.index, card, key, colour, uno])


def shown_list(cards: list[tuple[Handle, int, bytes]]) -> list[object]:
    """Shown cards as they stand in a body: [epoch, index, card, key] each."""
    return [[handle.epoch, handle.index, card, key] for handle, card, key in cards]


def open_body(cards: list[tuple[int, bytes]]) -> bytes:
    return encode([[[card, key] for card, key in cards]])
