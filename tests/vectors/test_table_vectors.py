"""The vectors of what stands around the deck say what is so: each is read and checked anew."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nodealer.crypto.hashing import digest
from nodealer.p2p.coin import coin_result, seating
from nodealer.p2p.entry import Entry
from nodealer.p2p.errors import WireError
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.names import is_name
from nodealer.p2p.offer import Roster, SignedOffer, coin_opens
from nodealer.p2p.transcript import parse_record
from nodealer.p2p.wire import decode, encode

from tests.vectors.common import FOLDER

LIMIT = 1 << 20


def load(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / name).read_bytes())


def unpacked(data: str) -> Any:
    return decode(bytes.fromhex(data), max_bytes=LIMIT)


def test_encodings():
    vectors = load("encoding.json")
    for vector in vectors["accepted"]:
        value = bytes.fromhex(vector["byte string"]) if "byte string" in vector else vector["value"]
        assert encode(value).hex() == vector["bytes"]
        assert unpacked(vector["bytes"]) == value
    for vector in vectors["rejected"]:
        unpacked(vector["from"])
        with pytest.raises(WireError):
            unpacked(vector["bytes"])


def test_the_table():
    vectors = load("table.json")
    made = Roster.from_wire(unpacked(vectors["roster"]))
    assert made.table.hex() == vectors["table"]
    assert digest("first digest", made.table).hex() == vectors["first digest"]
    for player in vectors["players"]:
        offer = SignedOffer.from_wire([bytes.fromhex(player["offer"]), bytes.fromhex(player["signature"])]).offer
        assert coin_opens(offer.commitment, offer.key, bytes.fromhex(player["secret"]["share"]))
    shares = [bytes.fromhex(vectors["players"][player]["secret"]["share"]) for player in vectors["roster order"]]
    assert coin_result(made.table, shares).hex() == vectors["coin"]
    for vector in [{**vectors, "players": len(shares)}, *vectors["seats for other coins"]]:
        assert list(seating(bytes.fromhex(vector["coin"]), vector["players"])) == vector["seats"]


@pytest.mark.parametrize("number", range(6))
def test_rejected_rosters(number):
    vectors = load("table.json")["rejected rosters"]
    assert len(vectors) == 6
    with pytest.raises(WireError):
        Roster.from_wire(unpacked(vectors[number]["roster"]))


def test_entries():
    vectors = load("entry.json")
    key = bytes.fromhex(vectors["key"])
    for vector in vectors["entries"]:
        entry = Entry.decode(bytes.fromhex(vector["entry"]))
        entry.signed.check(key)
        assert entry.hash.hex() == vector["hash"]
        assert entry.signed.raw.hex() == vector["header bytes"]
    for vector in vectors["rejected"]:
        with pytest.raises(WireError):
            Entry.decode(bytes.fromhex(vector["entry"])).signed.check(key)


def test_proofs_of_equivocation():
    vectors = load("entry.json")
    table, key = bytes.fromhex(vectors["table"]), bytes.fromhex(vectors["key"])

    def proof(data: str) -> ForkProof:
        record = parse_record(encode(["fork", unpacked(data)]))
        assert isinstance(record, ForkProof)
        return record

    for vector in vectors["proofs of equivocation"]:
        proof(vector["proof"]).check(table, key)
    for vector in vectors["rejected proofs"]:
        with pytest.raises(WireError):
            proof(vector["proof"]).check(table, key)


def test_messages():
    for vector in load("mesh.json")["messages"]:
        assert unpacked(vector["bytes"])[0] == vector["name"]


def test_names():
    vectors = load("table.json")
    assert all(map(is_name, vectors["names"]))
    for vector in vectors["rejected names"]:
        assert is_name(vector["from"])
        assert not is_name(vector["name"]), vector["change"]
