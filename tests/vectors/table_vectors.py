"""Vectors of what stands around the deck: the encoding, offers and the table's id, the coin, entries, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.crypto.box import make_key
from nodealer.crypto.group import random_scalar
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.p2p.coin import coin_result, seating
from nodealer.p2p.entry import NO_HASH, Entry, Header, SignedHeader, body_hash
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.mesh import Mesh
from nodealer.p2p.offer import Offer, Roster, SignedOffer, box_key_place, coin_commitment
from nodealer.p2p.options import TableOptions
from nodealer.p2p.wire import encode

from .common import Source, scalar
from .plays import NAMES

PLAYERS = 3
OPTIONS = TableOptions(edition="four-colors", seats=4, target=250, stacking=True, escrow=True)
HOST_NONCE = digest("vector host nonce")


def seed(player: int) -> bytes:
    return digest("vector player", bytes([player]))


def identity(player: int) -> Identity:
    return Identity.from_seed(seed(player))


def share(player: int) -> bytes:
    return digest("vector coin share", bytes([player]))


def encodings() -> dict[str, Any]:
    return {
        "accepted": [
            {"value": value, "bytes": encode(value).hex()}
            for value in [
                [],
                [0, 127, 128, 255, 256, 65535, 65536, 4294967295, 4294967296],
                [-1, -32, -33, -128, -129, -32768, -32769, -2147483648, -2147483649],
                [True, False, None],
                ["", "a", "ä", "a\u0308", "\u212b", "\u0378", "a" * 31, "a" * 32],
                [[[[[[[]]]]]]],
                list(range(16)),
            ]
        ]
        + [{"byte string": data.hex(), "bytes": encode(data).hex()} for data in [b"", b"\0", bytes(255), bytes(256)]],
        "rejected": [
            {"from": good, "change": change, "bytes": bad}
            for good, change, bad in [
                ("9101", "1 in two bytes", "91cc01"),
                ("9101", "1 as a signed integer", "91d001"),
                ("9101", "1 as a float", "91ca3f800000"),
                ("91ff", "-1 in two bytes", "91d0ff"),
                ("9101", "the array with a 16-bit length", "dc000101"),
                ("9101", "a byte after it", "910100"),
                ("9101", "a byte short", "91"),
                ("91a161", "the text with an 8-bit length", "91d90161"),
                ("91a161", "text that is not UTF-8", "91a1ff"),
                ("91a161", "text with a surrogate", "91a3eda080"),
                ("91c40100", "the bytes with a 16-bit length", "91c5000100"),
                ("90", "a map", "80"),
                ("9101", "an extension", "91d40100"),
                ("91c0", "the byte that msgpack never uses", "91c1"),
                ("91919191919191" + "90", "nested nine deep", "9191919191919191" + "90"),
            ]
        ],
    }


def box_secret(player: int) -> int:
    return random_scalar(Source(f"box key of player {player}"))


def signed_offers() -> list[SignedOffer]:
    host = identity(0).public
    offers = []
    for player in range(PLAYERS):
        own = identity(player)
        nonce = digest("vector nonce", bytes([player]))
        commitment = coin_commitment(own.public, share(player))
        source = Source(f"proof for the box key of player {player}")
        box_key = make_key(box_key_place(HOST_NONCE, own.public), box_secret(player), source)
        offer = Offer(OPTIONS, host, HOST_NONCE, own.public, f"Player {player}", nonce, commitment, box_key.encode())
        offers.append(SignedOffer.make(own, offer))
    return offers


def roster() -> Roster:
    return Roster.make(identity(0), signed_offers())


def tables() -> dict[str, Any]:
    made = roster()
    players = [next(p for p in range(PLAYERS) if identity(p).public == key) for key in made.keys]
    coin = coin_result(made.table, [share(player) for player in players])
    wire: Any = made.to_wire()
    offers, signature = wire
    other = Roster.make(identity(0), signed_offers()[:2])
    return {
        "options": encode(OPTIONS.to_wire()).hex(),
        "host nonce": HOST_NONCE.hex(),
        "players": [
            {
                "secret": {
                    "seed": seed(player).hex(),
                    "share": share(player).hex(),
                    "z": scalar(box_secret(player)),
                },
                "offer": signed.raw.hex(),
                "signature": signed.signature.hex(),
            }
            for player, signed in enumerate(signed_offers())
        ],
        "roster order": players,
        "table": made.table.hex(),
        "host signature": made.host_signature.hex(),
        "roster": encode(made.to_wire()).hex(),
        "first digest": digest("first digest", made.table).hex(),
        "coin": coin.hex(),
        "seats": list(seating(coin, PLAYERS)),
        "seats for other coins": [
            {"coin": digest("vector coin", bytes([i])).hex(), "players": n, "seats": list(seating(one, n))}
            for i, n in enumerate((2, 3, 4, 7, 10))
            for one in [digest("vector coin", bytes([i]))]
        ],
        "names": [*NAMES, "\u0378", "e\u0301", "\u212b", "a b c", "\U000e0100"],
        "rejected names": [
            {"from": name, "change": change, "name": bad}
            for name, change, bad in [
                ("W" * 24, "one code point more", "W" * 25),
                ("a b c", "two blanks in a row", "a  b c"),
                ("a b c", "a blank before", " a b c"),
                ("a b c", "a blank after", "a b c "),
                ("a b c", "a blank that does not break", "a\u00a0b c"),
                ("a b c", "a mark of direction", "a\u202eb c"),
                ("a b c", "a joiner without width", "a\u200db c"),
                ("a b c", "a line break", "a\nb c"),
                ("a b c", "a tag", "a\U000e0061b c"),
                ("a b c", "private use", "a\U000f0000b c"),
                ("a b c", "a noncharacter", "a\U0002ffffb c"),
                ("W", "nothing", ""),
            ]
        ],
        "rejected rosters": [
            {"from": "roster", "change": change, "roster": encode(bad).hex()}
            for change, bad in [
                ("two players exchanged", [[offers[1], offers[0], *offers[2:]], signature]),
                ("a player left out", [offers[:2], signature]),
                ("a player twice", [[*offers, offers[-1]], signature]),
                ("the host's signature for another list", [offers, other.host_signature]),
                ("two signatures exchanged", [[[offers[0][0], offers[1][1]], *offers[1:]], signature]),
                ("one player only", [offers[:1], signature]),
            ]
        ],
    }


def entries() -> dict[str, Any]:
    table, writer = roster().table, 1
    own = identity(tables()["roster order"][writer])
    source = Source("entry")

    def make(number: int, previous: bytes, body: bytes, kind: str = "coin") -> Entry:
        header = Header(table, writer, number, previous, 1, source(32), kind, body_hash(body))
        return Entry.make(own, header, body)

    first = make(0, NO_HASH, encode([bytes(32)]))
    second = make(1, first.hash, encode([]), "draw")
    other = make(1, first.hash, encode([]), "pass")
    broken = make(2, first.hash, encode([]), "keep")
    raw, signature, body = first.signed.raw, first.signed.signature, first.body

    def header_with(at: int, value: object) -> bytes:
        h = first.header
        fields: list[object] = [h.table, h.writer, h.number, h.previous, h.slot, h.digest, h.kind, h.body_hash]
        fields[at] = value
        return encode(fields)

    def proof(one: SignedHeader, two: SignedHeader) -> str:
        return encode(ForkProof(one, two).to_wire()).hex()

    return {
        "table": table.hex(),
        "key": own.public.hex(),
        "entries": [
            {
                "header": {
                    "writer": writer,
                    "number": entry.header.number,
                    "previous": entry.header.previous.hex(),
                    "slot": entry.header.slot,
                    "digest": entry.header.digest.hex(),
                    "kind": entry.header.kind,
                    "body hash": entry.header.body_hash.hex(),
                },
                "header bytes": entry.signed.raw.hex(),
                "signature": entry.signed.signature.hex(),
                "body": entry.body.hex(),
                "hash": entry.hash.hex(),
                "entry": entry.encode().hex(),
            }
            for entry in (first, second)
        ],
        "rejected": [
            {"from": 0, "change": change, "entry": bad.hex()}
            for change, bad in [
                ("another body", encode([raw, signature, encode([bytes([1]) * 32])])),
                ("another signature", encode([raw, second.signed.signature, body])),
                ("the signature short of a byte", encode([raw, signature[:-1], body])),
                ("writer 10", encode([header_with(1, 10), signature, body])),
                ("number -1", encode([header_with(2, -1), signature, body])),
                ("slot true", encode([header_with(4, True), signature, body])),
                ("no kind", encode([header_with(6, ""), signature, body])),
                ("a kind of seventeen letters", encode([header_with(6, "k" * 17), signature, body])),
                ("a body hash of 31 bytes", encode([header_with(7, bytes(31)), signature, body])),
                ("one item more", encode([raw, signature, body, 0])),
            ]
        ],
        "proofs of equivocation": [
            {"why": "one number, two entries", "proof": proof(second.signed, other.signed)},
            {"why": "a previous hash that is not the one before", "proof": proof(second.signed, broken.signed)},
        ],
        "rejected proofs": [
            {"from": 0, "change": "the same header twice", "proof": proof(second.signed, second.signed)},
            {"from": 0, "change": "two headers of an honest chain", "proof": proof(first.signed, second.signed)},
            {
                "from": 0,
                "change": "the signatures exchanged",
                "proof": encode(
                    [[second.signed.raw, other.signed.signature], [other.signed.raw, second.signed.signature]]
                ).hex(),
            },
        ],
    }


def messages() -> dict[str, Any]:
    made = roster()
    have = [[2, made.table], [0, NO_HASH], [1, digest("vector have")]]
    first: Any = made.to_wire()
    named: list[list[object]] = [
        ["query"],
        ["table", HOST_NONCE[:16], "Player 0", "four-colors", 4, 1, False, True],
        ["no", "All seats of this table are taken."],
        ["hello", "Player 1", 7426],
        ["seat", OPTIONS.to_wire(), identity(0).public, HOST_NONCE, "Player 0"],
        ["offer", signed_offers()[1].to_wire()],
        ["lobby", [["Player 0", identity(0).public], ["Player 1", identity(1).public]]],
        ["roster", first, [None, ["", 7425], ["192.0.2.7", 7426]], True],
        ["entry", b"entry"],
        ["entry", b"entry", have],
        ["ping", have, [0, 2], False],
        ["ask", 2, 17],
        ["bye", "gone", 2],
        ["bye", "left", -1],
        ["watch", b"", []],
        ["watch", made.table, have],
        ["waiting", OPTIONS.to_wire(), [["Player 0", identity(0).public]]],
        ["watching", made.table, [["", 7425], None, ["192.0.2.7", 7426]]],
        ["record", encode(["table", first])],
        ["read", 70_000],
        ["over", "Player 1 wins the match."],
        ["watchers", [digest("vector watcher")]],
    ]
    mesh = Mesh()
    mesh.send(1, "entry", bytes(70_000))
    return {
        "messages": [{"name": message[0], "bytes": encode(message).hex()} for message in named],
        "parts": {
            "message": 'enc ["entry", 70000 zero bytes]',
            "lengths of the frames": [len(frame) for _, frame in mesh.outbox],
            "begin": [frame[:12].hex() for _, frame in mesh.outbox],
        },
    }


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "encoding.json": encodings,
    "table.json": tables,
    "entry.json": entries,
    "mesh.json": messages,
}
