"""Feeds: in order only, contradictions are proofs, chat is passed over until it is too much."""

from __future__ import annotations

import errno
import tempfile
from dataclasses import replace

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p import tape as tape_module
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import NO_HASH, Entry, Header, body_hash
from nodealer.p2p.errors import WireError
from nodealer.p2p.feed import MAX_CHAT_RUN, MAX_WAITING, Added, Contradiction, Feed, ForkFound, ForkProof
from nodealer.p2p.tape import IN_MEMORY, HashTape
from nodealer.p2p.wire import encode

WRITER = Identity.from_seed(b"w" * 32)
TABLE = b"t" * 32


def chain(*kinds: str, body: bytes = NOTHING, previous: bytes = NO_HASH, number: int = 0) -> list[Entry]:
    entries = []
    for kind in kinds:
        header = Header(TABLE, 0, number, previous, 1, b"d" * 32, kind, body_hash(body))
        entries.append(Entry.make(WRITER, header, body))
        number, previous = number + 1, entries[-1].hash
    return entries


def feed(*entries: Entry) -> Feed:
    made = Feed(0, WRITER.public)
    for entry in entries:
        assert made.add(entry) is Added.NEW
    return made


def test_in_order_only():
    one, two, three = chain("start", "coin", "draw")
    tape = feed(one)
    assert tape.add(three) is Added.GAP
    assert tape.add(one) is Added.KNOWN
    assert tape.head == (1, one.hash)
    assert tape.add(two) is Added.NEW
    assert tape.add(three) is Added.NEW
    assert tape.head == (3, three.hash)
    assert [tape.hash_at(n) for n in range(4)] == [NO_HASH, one.hash, two.hash, three.hash]


def test_two_entries_with_one_number():
    one, two = chain("start", "coin")
    (other,) = chain("draw", previous=one.hash, number=1)
    with pytest.raises(ForkFound) as found:
        feed(one, two).add(other)
    found.value.proof.check(TABLE, WRITER.public)
    assert found.value.proof.writer == 0


def test_a_chain_that_does_not_hold():
    one, _ = chain("start", "coin")
    (other,) = chain("draw", previous=b"x" * 32, number=1)
    with pytest.raises(ForkFound) as found:
        feed(one).add(other)
    found.value.proof.check(TABLE, WRITER.public)


def test_a_first_entry_with_one_before_it():
    with pytest.raises(WireError):
        feed().add(chain("start", previous=b"x" * 32)[0])


def test_proofs_that_prove_nothing():
    one, two, three = chain("start", "coin", "draw")
    (other,) = chain("draw", previous=one.hash, number=1)
    good = ForkProof(two.signed, other.signed)
    good.check(TABLE, WRITER.public)
    stranger = Identity.from_seed(b"s" * 32)
    forged = Entry.make(stranger, other.header, NOTHING)
    elsewhere = Entry.make(WRITER, replace(other.header, table=b"u" * 32), NOTHING)
    another = Entry.make(WRITER, replace(other.header, writer=1), NOTHING)
    for proof in (
        ForkProof(two.signed, two.signed),
        ForkProof(one.signed, two.signed),
        ForkProof(one.signed, three.signed),
        ForkProof(two.signed, forged.signed),
        ForkProof(forged.signed, two.signed),
        ForkProof(two.signed, elsewhere.signed),
        ForkProof(two.signed, another.signed),
    ):
        with pytest.raises(WireError):
            proof.check(TABLE, WRITER.public)
    with pytest.raises(WireError):
        good.check(b"u" * 32, WRITER.public)
    with pytest.raises(WireError):
        good.check(TABLE, stranger.public)


def test_chat_is_passed_over():
    tape = feed(*chain("chat", "chat", "draw", "chat", "pass"))
    entry = tape.waiting()
    assert entry is not None
    assert entry.header.kind == "draw"
    assert tape.take() == (entry, False)
    assert tape.position == 3
    entry, chatty = tape.take()
    assert (entry.header.kind, chatty) == ("pass", False)
    assert tape.waiting() is None
    with pytest.raises(ValueError, match="nothing"):
        tape.take()


@pytest.mark.parametrize(("lines", "too_much"), [(MAX_CHAT_RUN, False), (MAX_CHAT_RUN + 1, True)])
def test_so_much_chat_is_allowed(lines, too_much):
    tape = feed(*chain(*["chat"] * lines, "draw"))
    entry, chatty = tape.take()
    assert chatty is too_much
    assert entry.header.kind == ("chat" if too_much else "draw")
    # Each slot entry gives leave for as much again.
    tape = feed(*chain(*["chat"] * 30, "draw", *["chat"] * 30, "pass"))
    assert [tape.take()[1] for _ in range(2)] == [False, False]


def test_too_long_chat():
    tape = feed(*chain("chat", "draw", body=encode(["x" * 600])))
    entry, chatty = tape.take()
    assert (entry.header.kind, chatty) == ("chat", True)


def test_a_feed_that_is_full_takes_no_more():
    entries = chain(*["draw"] * (MAX_WAITING + 1))
    tape = feed(*entries[:MAX_WAITING])
    assert tape.add(entries[-1]) is Added.FULL
    tape.take()
    assert tape.add(entries[-1]) is Added.NEW


def test_a_feed_that_is_full_of_bytes_takes_no_more():
    entries = chain(*["shuffle"] * 40, body=bytes(250_000))
    tape = Feed(0, WRITER.public)
    added = [tape.add(entry) for entry in entries]
    assert added.count(Added.NEW) == 9
    assert set(added[9:]) == {Added.FULL, Added.GAP}


def test_a_feed_that_keeps_hashes_alone():
    entries = chain(*["draw"] * 40)
    thin, whole = Feed(0, WRITER.public, HashTape()), Feed(0, WRITER.public)
    for entry in entries[:30]:
        for tape in (thin, whole):
            assert tape.add(entry) is Added.NEW
    for _ in range(20):
        assert thin.take() == whole.take()
    assert len(thin.entries) == 10
    assert thin.head == whole.head
    assert [thin.hash_at(n) for n in range(31)] == [whole.hash_at(n) for n in range(31)]
    assert thin.add(entries[3]) is Added.KNOWN
    assert thin.add(entries[31]) is Added.GAP
    assert thin.waiting() == whole.waiting() == entries[20]
    # Beside one that is gone there is a contradiction without a proof, beside one that waits there is a proof.
    for number, error in ((3, Contradiction), (25, ForkFound)):
        (other,) = chain("pass", previous=entries[number - 1].hash, number=number)
        with pytest.raises(Contradiction) as found:
            thin.add(other)
        assert (type(found.value), found.value.number) == (error, number)
    while thin.waiting():
        thin.take()
    (broken,) = chain("draw", previous=b"x" * 32, number=30)
    with pytest.raises(Contradiction) as found:
        thin.add(broken)
    assert found.value.number == 30
    assert thin.add(entries[30]) is Added.NEW


def test_a_tape_of_hashes():
    tape = HashTape()
    # More than it keeps in memory.
    hashes = [number.to_bytes(32, "big") for number in range(IN_MEMORY // 32 + 100)]
    for one in hashes:
        tape.append(one)
    assert len(tape) == len(hashes)
    for number in (0, 1, 5000, len(hashes) - 1):
        assert tape[number] == hashes[number]
    tape.append(b"n" * 32)
    assert tape[len(hashes)] == b"n" * 32
    for number in (-1, len(hashes) + 1):
        with pytest.raises(IndexError):
            tape[number]


def test_a_tape_says_that_it_is_the_one_that_cannot_be_written(monkeypatch):
    monkeypatch.setattr(tape_module, "IN_MEMORY", 64)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    tape = HashTape()
    tape.append(b"n" * 32)
    tape.append(b"n" * 32)
    with pytest.raises(OSError, match="in the folder for temporary files") as found:
        tape.append(b"n" * 32)
    assert found.value.errno == errno.ENOENT
