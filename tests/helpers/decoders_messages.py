"""Decoders of single messages: the encoding itself, entries, bodies, votes, offers, lists, descriptions, names."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from nodealer.crypto.group import encode_scalar
from nodealer.crypto.identity import Identity
from nodealer.p2p import bodies
from nodealer.p2p.bodies import NOTHING, PARSERS, keys_body, open_body, parse_chat, play_body, shown_list
from nodealer.p2p.entry import Entry, Header, SignedHeader
from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.forming import Own, parse_names, parse_places
from nodealer.p2p.guesses import place_of
from nodealer.p2p.mesh import MAX_MESSAGE, parse_have
from nodealer.p2p.names import clean_chat, clean_name, clean_text, is_name
from nodealer.p2p.net.records import (
    Description,
    decode_answer,
    encode_answer,
    instance_name,
    nonce_of_instance,
    speaks_our_version,
)
from nodealer.p2p.offer import Roster, SignedOffer
from nodealer.p2p.options import TableOptions
from nodealer.p2p.passphrase import Passphrase
from nodealer.p2p.proposal import Proposal, Refusal, decode_name, encode_name
from nodealer.p2p.transcript import TranscriptReader, TwoRosters, parse_record, record_fork, record_two_rosters
from nodealer.p2p.wire import decode, encode, fields

from tests.vectors.common import FOLDER

from .decoders import Decoder, wired

# Seeds longer than this teach a fuzzer nothing that shorter ones do not.
SHORT = 1600
FILES = ("match-drop", "match-leaving", "match-ohana", "match-rounds", "match-stacking")


@cache
def records() -> tuple[bytes, ...]:
    """The records of some matches of the vectors, as they stand in their files."""
    found: list[bytes] = []
    for name in FILES:
        with (FOLDER / f"{name}.nodealer").open("rb") as file:
            found += TranscriptReader(file).payloads()
    return tuple(found)


@cache
def entries() -> tuple[Entry, ...]:
    return tuple(record for record in map(parse_record, records()) if isinstance(record, Entry))


@cache
def rosters() -> tuple[Roster, ...]:
    return tuple(record for record in map(parse_record, records()) if isinstance(record, Roster))


def real(kind: str, *more: bytes) -> list[bytes]:
    """A few short bodies of this kind from real matches, and others."""
    found = sorted({entry.body for entry in entries() if entry.header.kind == kind}, key=len)
    return [*(body for body in found if len(body) <= SHORT)][:4] + list(more)


def signed_header() -> SignedHeader:
    return entries()[0].signed


SCALAR = encode_scalar(7)
HASH = bytes(range(32))

# How a body that was parsed is written, for each kind of them.
WRITTEN: dict[str, Any] = {
    "start": lambda start: encode([start.table, start.host_signature]),
    "coin": lambda share: encode([share]),
    "shuffle": lambda data: encode([data]),
    "lock": lambda lock: encode([lock.data, [list(piece) for piece in lock.pieces]]),
    "escrow complaint": lambda said: encode([said.giver, said.data]),
    "keys": lambda keys: keys_body([encode_scalar(key) for key in keys.keys]),
    "play": lambda play: play_body(
        play.shown.handle, play.shown.card, encode_scalar(play.shown.key), play.colour, play.uno
    ),
    "colour": lambda colour: encode([colour]),
    "heard": lambda header: encode(header.to_wire()),
    "challenge": lambda data: encode([data]),
    "verdict": lambda said: encode([said.guilty, said.box, said.proof]),
    "complaint": lambda secret: encode([encode_scalar(secret)]),
    "show": lambda show: encode([_shown(show.cards), show.proof]),
    "reveal": lambda reveal: encode([reveal.salt, _shown(reveal.cards)]),
    "open": lambda hand: open_body([(card, encode_scalar(key)) for card, key in hand.cards]),
    "shares": lambda shares: encode([b"".join(shares)]),
    "end": lambda digest: encode([digest]),
    "draw": lambda nothing: NOTHING,
}
# Bodies of kinds that no match of the vectors has, or only long ones.
RARE: dict[str, list[bytes]] = {
    "shuffle": [encode([bytes(96)])],
    "lock": [encode([bytes(64), [[HASH, bytes(128)], [HASH, bytes(128)]]])],
    "escrow complaint": [encode([1, bytes(96)])],
    "challenge": [encode([bytes(96)])],
    "verdict": [encode([True, bytes(128), bytes(64)])],
    "colour": [encode([2])],
    "complaint": [encode([SCALAR])],
    "show": [encode([[[0, 5, 17, SCALAR], [1, 7, 18, SCALAR]], bytes(64)])],
}


def _shown(cards: tuple[bodies.Shown, ...]) -> list[object]:
    return shown_list([(card.handle, card.card, encode_scalar(card.key)) for card in cards])


def _body(kind: str) -> Decoder:
    return Decoder(f"body {kind}", PARSERS[kind], lambda: real(kind, *RARE.get(kind, [])), encode=WRITTEN[kind])


def _text(data: bytes) -> str:
    """Any text that there can be in a program, single surrogates included."""
    return data.decode("utf-8", "surrogatepass")


def _cleaned(data: bytes) -> None:
    """What of a text reaches a screen steers nothing, and cleaning it twice changes nothing more."""
    try:
        text = _text(data)
    except UnicodeDecodeError:
        return
    for clean in (clean_text(text), clean_chat(text), clean_name(text)):
        assert not any(unicodedata.category(char)[0] == "C" for char in clean)
        assert "\u2028" not in clean
        assert "\u2029" not in clean
    name = clean_name(text)
    assert not name or is_name(name)
    assert clean_name(name) == name
    is_name(text)
    place_of((text, 1))


def _announced(data: bytes) -> None:
    """The name of an announcement and its TXT record are any bytes at all."""
    nonce = nonce_of_instance(data.decode("utf-8", "replace"))
    if nonce is not None:
        assert instance_name(nonce) == data.decode()
    speaks_our_version({data[:1]: data[1:], data[1:2]: None})


def _described(data: bytes) -> Description:
    described = decode_answer(data)
    assert decode_answer(encode_answer(described)) == described
    return described


def _passphrase(data: bytes) -> None:
    try:
        text = _text(data)
    except UnicodeDecodeError:
        return
    again = Passphrase(text).line
    assert Passphrase(again).line == again


DESCRIPTION = encode_answer(Description(bytes(16), "Zoe", "four-colors", 4, 2, True, False))
PROPOSAL = encode([[0, 1, 2, 3], 0, 0, [[2, 3, HASH]], None])
VOID = encode([[0, 1, 2, 3], 1, 1, [[2, 0, bytes(32)]], [17, HASH]])


def _refusals() -> list[bytes]:
    header = encode([HASH, 0, signed_header().to_wire()])
    return [header, encode([HASH, 1, HASH]), encode([HASH, 3, [5, HASH]]), encode([HASH, 4, None])]


PLAYER = Identity.from_seed(bytes(32))


def _offer_of_a_player() -> bytes:
    own, options = Own(PLAYER, "Zoe", lambda size: bytes(range(size))), TableOptions.defaults("four-colors", 3)
    return own.offer(options, PLAYER.public, HASH).raw


def _signed_offer(raw: bytes) -> SignedOffer:
    """Whatever the offer is, its player has signed it."""
    return SignedOffer.from_wire([raw, PLAYER.sign("offer", raw)])


def _record_seeds() -> list[bytes]:
    proof = ForkProof(entries()[0].signed, entries()[1].signed)
    short = sorted({record for record in records() if len(record) <= SHORT}, key=len)
    return [*short[:: len(short) // 12], record_fork(proof), record_two_rosters(HASH, bytes(64))]


def _written_record(record: object) -> bytes:
    match record:
        case Roster():
            return encode(["table", record.to_wire()])
        case Entry():
            return encode(["entry", record.encode()])
        case ForkProof():
            return record_fork(record)
        case TwoRosters():
            return record_two_rosters(record.table, record.host_signature)
    raise AssertionError(record)


def _short_entries() -> list[bytes]:
    return [entry.encode() for entry in entries() if len(entry.body) < 64][:8]


DECODERS = [
    Decoder(
        "wire",
        lambda data: decode(data, max_bytes=MAX_MESSAGE),
        lambda: [encode([1, -1, 1 << 40, b"x" * 300, "é", None, True, [[], [[-40]]]]), *_short_entries()[:2]],
        encode=encode,
    ),
    Decoder("header", Header.decode, lambda: [entry.signed.raw for entry in entries()[:4]], encode=Header.encode),
    Decoder(
        "signed header",
        wired(SignedHeader.from_wire),
        lambda: [encode(signed_header().to_wire())],
        encode=lambda signed: encode(signed.to_wire()),
    ),
    Decoder("entry", Entry.decode, _short_entries, encode=Entry.encode),
    *map(_body, WRITTEN),
    Decoder("body chat", parse_chat, lambda: [encode(["a line of chat"])], encode=lambda text: encode([text])),
    Decoder("vote", Proposal.decode, lambda: real("vote", PROPOSAL, VOID), encode=Proposal.encode),
    Decoder("refusal", Refusal.decode, _refusals, encode=Refusal.encode),
    Decoder("ready", decode_name, lambda: [encode([HASH])], encode=encode_name),
    Decoder(
        "options",
        wired(TableOptions.from_wire),
        lambda: [encode(TableOptions.defaults(name).to_wire()) for name in ("four-colors", "despicable-me-4")],
        encode=lambda options: encode(options.to_wire()),
    ),
    Decoder(
        "offer",
        wired(SignedOffer.from_wire),
        lambda: [encode(signed.to_wire()) for signed in rosters()[0].offers],
        encode=lambda signed: encode(signed.to_wire()),
    ),
    Decoder(
        "offer signed",
        _signed_offer,
        lambda: [_offer_of_a_player()],
        encode=lambda signed: signed.offer.encode(),
        share=0.5,
    ),
    Decoder(
        "roster",
        wired(Roster.from_wire),
        lambda: [encode(roster.to_wire()) for roster in rosters()],
        encode=lambda roster: encode(roster.to_wire()),
        share=0.3,
    ),
    Decoder("record", parse_record, _record_seeds, encode=_written_record),
    Decoder(
        "have",
        wired(lambda value: parse_have(value, 3)),
        lambda: [encode([[0, bytes(32)], [5, HASH], [1 << 31, HASH]])],
        encode=lambda have: encode([list(item) for item in have]),
    ),
    Decoder("names", wired(parse_names), lambda: [encode([["Zoe", HASH], ["Moe", HASH]]), encode([])]),
    Decoder(
        "places",
        wired(lambda value: parse_places(fields([value], "places", list)[0], 2, ("10.0.0.1", 7425))),
        lambda: [encode([["10.0.0.2", 7425], None]), encode([["", 1], ["fe80::1%eth0", 65535]])],
    ),
    Decoder("description", _described, lambda: [DESCRIPTION]),
    Decoder("announcement", _announced, lambda: [instance_name(bytes(16)).encode(), b"v1"]),
    Decoder(
        "text", _cleaned, lambda: ["Zoë  Ann".encode(), "\u202eevil\x1b[2J".encode(), b"fe80::1%eth0", b"10.0.0.1"]
    ),
    Decoder("passphrase", _passphrase, lambda: [b" correct horse \n"], refuses=(LocalProtocolError,)),
]
