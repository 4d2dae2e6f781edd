"""Headers, signed headers and entries: what is parsed is exactly what was signed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodealer.crypto.identity import Identity
from nodealer.p2p import bodies
from nodealer.p2p.entry import MAX_ENTRY, Entry, Header, SignedHeader, body_hash, entry_hash
from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode

from tests.helpers.fuzz import mutated, noise

WRITER = Identity.from_seed(b"w" * 32)
BODY = encode([b"body"])
HEADER = Header(b"t" * 32, 1, 7, b"p" * 32, 12, b"d" * 32, "draw", body_hash(BODY))
ENTRY = Entry.make(WRITER, HEADER, BODY)


def test_an_entry_comes_back_as_it_was():
    assert Entry.decode(ENTRY.encode()) == ENTRY
    assert ENTRY.hash == entry_hash(ENTRY.signed.raw) == ENTRY.signed.hash
    ENTRY.signed.check(WRITER.public)
    assert Header.decode(HEADER.encode()) == HEADER


@pytest.mark.parametrize(
    "change",
    [
        {"table": b"t" * 31},
        {"previous": b""},
        {"digest": b"d" * 33},
        {"body_hash": b""},
        {"writer": -1},
        {"writer": 10},
        {"number": -1},
        {"number": 1 << 32},
        {"slot": 1 << 32},
        {"kind": ""},
        {"kind": "x" * 17},
        {"kind": "drä"},
        {"writer": True},
        {"number": None},
        {"kind": b"draw"},
        {"table": "t" * 32},
    ],
    ids=repr,
)
def test_a_header_with_a_wrong_field(change):
    with pytest.raises(WireError):
        Header.decode(replace(HEADER, **change).encode())


def test_every_field_is_signed():
    for change in (
        {"table": b"u" * 32},
        {"writer": 2},
        {"number": 8},
        {"previous": b"q" * 32},
        {"slot": 13},
        {"digest": b"e" * 32},
        {"kind": "pass"},
        {"body_hash": b"h" * 32},
    ):
        raw = replace(HEADER, **change).encode()
        with pytest.raises(WireError, match="signed by its writer"):
            SignedHeader.from_wire([raw, ENTRY.signed.signature]).check(WRITER.public)


def test_a_signature_of_another_kind_of_thing_is_none():
    signed = SignedHeader.from_wire([ENTRY.signed.raw, WRITER.sign("offer", ENTRY.signed.raw)])
    with pytest.raises(WireError):
        signed.check(WRITER.public)
    with pytest.raises(WireError):
        ENTRY.signed.check(Identity.from_seed(b"x" * 32).public)


def test_another_body_is_refused():
    with pytest.raises(WireError, match="body"):
        Entry.decode(encode([ENTRY.signed.raw, ENTRY.signed.signature, encode([b"other"])]))


def test_an_entry_has_a_largest_size():
    body = bytes(MAX_ENTRY)
    entry = Entry.make(WRITER, replace(HEADER, body_hash=body_hash(body)), body)
    with pytest.raises(WireError, match="bytes"):
        Entry.decode(entry.encode())


@given(noise)
def test_noise_is_no_entry(data):
    for parse in (Entry.decode, Header.decode):
        with pytest.raises(WireError):
            parse(data)


@given(mutated(ENTRY.encode()))
def test_a_changed_entry_is_refused_or_not_signed(data):
    try:
        entry = Entry.decode(data)
    except WireError:
        return
    if data != ENTRY.encode():
        with pytest.raises(WireError):
            entry.signed.check(WRITER.public)


@given(mutated(HEADER.encode()))
def test_a_header_has_one_encoding(data):
    try:
        header = Header.decode(data)
    except WireError:
        return
    assert header.encode() == data


KEY = b"\x01" + bytes(31)
VALID = {
    "start": encode([b"t" * 32, b"s" * 64]),
    "coin": encode([b"c" * 32]),
    "shuffle": encode([b"step"]),
    "epoch ok": bodies.NOTHING,
    "keys": encode([KEY * 3]),
    "play": encode([0, 5, 17, KEY, 2, False]),
    "colour": encode([3]),
    "heard": encode(ENTRY.signed.to_wire()),
    "open": encode([[[4, KEY], [5, KEY]]]),
    "end": encode([b"d" * 32]),
}


@pytest.mark.parametrize("kind", VALID)
def test_a_valid_body(kind):
    bodies.PARSERS[kind](VALID[kind])


@pytest.mark.parametrize("kind", sorted(bodies.PARSERS))
@given(data=st.data())
def test_noise_is_no_body(kind, data):
    """Parsers give a value of what the bytes say or the one error; never another."""
    valid = VALID.get(kind, bodies.NOTHING)
    body = data.draw(noise | mutated(valid))
    try:
        bodies.PARSERS[kind](body)
    except WireError:
        return
    assert encode(decode(body, max_bytes=1 << 18)) == body


@given(noise | mutated(encode(["a line of chat"])))
def test_noise_is_no_chat(body):
    try:
        assert isinstance(bodies.parse_chat(body), str)
    except WireError:
        return
