"""The verifier alone: whole, cut, reordered, damaged and forged transcripts; it never raises."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from nodealer import engine
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import CardsOpened, ChatSaid, DeckMade, GameEvent, PeerEvent, SlotOpened, TableMade
from nodealer.p2p.transcript import MAGIC, frame, parse_record, record_entry, record_roster
from nodealer.p2p.verify import Report, Status, verify
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, play_out
from tests.p2p.test_offer import ROSTER

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


@cache
def records() -> tuple[bytes, ...]:
    """What one of two players has written of a short match."""
    table = CheatTable(players=2, seed="verify")
    play_out(table)
    return tuple(table.seats[0].records)


def check(payloads: Sequence[bytes], tail: bytes = b"") -> Report:
    return verify(io.BytesIO(MAGIC + b"".join(map(frame, payloads)) + tail))


def entry_at(number: int) -> Entry:
    record = parse_record(records()[number])
    assert isinstance(record, Entry)
    return record


def test_whole():
    report = check(records())
    assert report.status is Status.COMPLETE
    assert report.entries == len(records()) - 1
    assert report.rounds == 1
    assert {player.name for player in report.players} == {"Player 0", "Player 1"}
    assert report.counts["shuffle"] == report.counts["lock"] >= 2
    assert sum(report.scores) > 0


def test_told_as_it_goes():
    told = []
    verify(io.BytesIO(MAGIC + b"".join(map(frame, records()))), told.append)
    assert len(told) > 50


def test_seen_step_by_step():
    """The machine is seen after every slot, in order, with no slot left out; the events of a slot come before it."""
    told, slots = [], []
    report = verify(
        io.BytesIO(MAGIC + b"".join(map(frame, records()))),
        told.append,
        lambda match: slots.append((match.slot.number, sum(isinstance(event, SlotOpened) for event in told))),
    )
    assert [number for number, _ in slots] == list(range(1, len(slots) + 1))
    assert len(slots) == report.slot + 1  # the last slot opens none
    assert all(opened == min(number, report.slot) for number, opened in slots)


@pytest.mark.parametrize("name", ["rounds", "stacking", "minions", "ohana"])
def test_what_is_opened_is_what_was_dealt(name):
    """In a finished round every dealt position is opened, once, to another card of the deck that was made."""
    told: list[PeerEvent] = []
    with (VECTORS / f"match-{name}.nodealer").open("rb") as file:
        report = verify(file, told.append)
    decks = {(event.round, event.epoch): event.cards for event in told if isinstance(event, DeckMade)}
    opened = [pair for event in told if isinstance(event, CardsOpened) for pair in event.cards]
    dealt = [
        handle
        for event in told
        if isinstance(event, GameEvent) and isinstance(event.event, engine.CardsDealt | engine.CardsDrawn)
        for handle in event.event.handles
    ]
    turned = [
        handle for event in told if isinstance(event, CardsOpened) and event.seat is None for handle, _ in event.cards
    ]
    assert sorted(handle for handle, _ in opened) == sorted(dealt + turned)
    assert all(card in decks[0, handle.epoch] for handle, card in opened)
    assert len(set(zip((handle.epoch for handle, _ in opened), (card for _, card in opened), strict=True))) == len(
        opened
    )
    assert len(decks) == report.counts.get("reshuffles", 0) + 1
    assert report.counts["cards shown"] == len(opened)
    assert {"minions": "kept", "ohana": "choice"}.get(name, "lock") in report.counts


def test_chat_is_told_and_nothing_but_told():
    table = CheatTable(players=2, seed="talk")
    table.form()
    table.run(until=lambda: any(isinstance(event, TableMade) for event in table.seats[0].told))
    table.seats[0].peer.say("<b>hello</b>", table.now)
    play_out(table)
    told: list[PeerEvent] = []
    report = verify(io.BytesIO(MAGIC + b"".join(map(frame, table.seats[1].records))), told.append)
    assert report.status is Status.COMPLETE
    assert [event.text for event in told if isinstance(event, ChatSaid)] == ["<b>hello</b>"]


@pytest.mark.parametrize("part", [0.0, 0.2, 0.5, 0.9])
def test_cut_between_records(part):
    kept = records()[: int(len(records()) * part)]
    report = check(kept)
    assert report.status is Status.UNFINISHED
    assert report.writer is None


def test_a_torn_tail():
    whole = frame(records()[-1])
    report = check(records()[:-1], whole[:-3])
    assert report.status is Status.UNFINISHED
    assert "middle of a record" in report.sentence
    # Also after the last record of all: something was being written.
    assert check(records(), b"\x00").status is Status.UNFINISHED


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"nodealer transcript 9\n"])
def test_unreadable(data):
    assert verify(io.BytesIO(data)).status is Status.UNREADABLE


def test_another_order_of_two_writers_is_the_same_match():
    payloads = list(records())
    entries = [parse_record(payload) for payload in payloads[1:]]
    # All of the first slots' entries of one writer a little later: the feeds are the same.
    for at in range(len(entries) - 1):
        one, two = entries[at : at + 2]
        assert isinstance(one, Entry)
        assert isinstance(two, Entry)
        if one.header.writer != two.header.writer and at % 3 == 0:
            entries[at], entries[at + 1] = two, one
    report = check([payloads[0], *(record_entry(entry) for entry in entries if isinstance(entry, Entry))])
    assert (report.status, report.digest) == (Status.COMPLETE, check(records()).digest)


@pytest.mark.parametrize("at", [1, 5, 9, 20, -1])
def test_a_record_left_out_twice_or_out_of_order(at):
    payloads = list(records())
    at %= len(payloads)
    without = check(payloads[:at] + payloads[at + 1 :])
    assert without.status is not Status.COMPLETE
    assert without.writer is None
    twice = check([*payloads[: at + 1], payloads[at], *payloads[at + 1 :]])
    assert (twice.status, twice.writer) == (Status.INVALID, None)
    late = check([payloads[0], payloads[at], *payloads[1:at], *payloads[at + 1 :]])
    assert late.writer is None


def test_a_second_table_and_no_table():
    assert check([*records()[:9], records()[0]]).check == "record"
    assert check(records()[1:]).check == "record"
    assert check([record_roster(ROSTER), *records()[1:]]).check == "signature"


@pytest.mark.parametrize("at", [3, 6, 8, 12, 25])
def test_a_changed_entry_is_nobodys_fault(at):
    """Whoever changed the file has no signature for it; the report accuses no player."""
    raw, signature, body = decode(entry_at(at).encode(), max_bytes=1 << 18)
    for changed in (
        [raw, signature, body[:-1] + bytes([body[-1] ^ 1])],
        [raw, signature[:-1] + bytes([signature[-1] ^ 1]), body],
        [raw[:-1] + bytes([raw[-1] ^ 1]), signature, body],
    ):
        report = check([*records()[:at], encode(["entry", encode(changed)]), *records()[at + 1 :]])
        assert (report.status, report.writer, report.record) == (Status.INVALID, None, at)
        assert report.check in ("record", "signature")


def test_damage():
    data = bytearray(MAGIC + b"".join(map(frame, records())))
    data[len(data) // 2] ^= 1
    report = verify(io.BytesIO(bytes(data)))
    assert (report.status, report.check, report.writer) == (Status.INVALID, "record", None)
    assert report.sentence.startswith("Record ")
    assert report.sentence.lower().count("record") == 1


def test_it_never_raises_and_accuses_nobody_for_a_changed_file():
    """Random cuts, doubles, swaps and changed bytes, with the checksums made right again."""
    rng = random.Random("mutants")
    for _ in range(60):
        payloads = list(records())
        for _ in range(rng.randrange(1, 3)):
            # Late in the file nothing is verified twice for nothing; early is where the proofs are.
            one, two = (rng.randrange(len(payloads)) for _ in range(2))
            match rng.randrange(4):
                case 0:
                    del payloads[one]
                case 1:
                    payloads[one], payloads[two] = payloads[two], payloads[one]
                case 2:
                    payloads.insert(one, payloads[two])
                case _:
                    data = bytearray(payloads[one])
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                    payloads[one] = bytes(data)
        report = check(payloads)
        assert report.writer is None, report
        assert report.status is not Status.COMPLETE or sorted(payloads) == sorted(records())


def test_nothing_may_follow_the_end():
    extra = CheatTable(players=2, seed="verify")
    play_out(extra)
    report = check([*records(), records()[5]])
    assert (report.status, report.check) == (Status.INVALID, "record")
