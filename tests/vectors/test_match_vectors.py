"""The matches of the vectors verify, slot by slot; each forged one is found out by the check that it names."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import msgpack
import pytest
from nodealer import engine
from nodealer.p2p.bodies import PARSERS
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import GameEvent
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import MAGIC, TranscriptReader, parse_record
from nodealer.p2p.verify import Report, Status, verify

from tests.vectors.common import FOLDER
from tests.vectors.pieces import cut, joined
from tests.vectors.plays import NAMES

MATCHES = json.loads((FOLDER / "matches.json").read_bytes())["matches"]
INVALID = json.loads((FOLDER / "invalid.json").read_bytes())["invalid"]
NOT_INVALID = json.loads((FOLDER / "invalid.json").read_bytes())["not invalid"]
STATES = json.loads((FOLDER / "states.json").read_bytes())["states"]


def content(file: str) -> bytes:
    return (FOLDER / file).read_bytes()


def forged(vector: dict[str, Any]) -> bytes:
    """The file that this vector of invalid.json describes."""
    valid = content(vector["from"])
    return valid[: vector["keep"]] + joined(vector["then"], valid)


def checked(data: bytes) -> Report:
    return verify(io.BytesIO(data))


@pytest.mark.parametrize("vector", MATCHES, ids=lambda vector: vector["file"])
def test_a_match_is_what_its_vector_says(vector: dict[str, Any]):
    data = content(vector["file"])
    assert hashlib.sha256(data).hexdigest() == vector["sha256"]
    report = checked(data)
    assert report.status.name.lower() == vector["status"], report.sentence
    assert report.digest.hex() == vector["final digest"]
    assert list(report.scores) == vector["scores"]
    assert report.winner == vector["winner"]
    assert report.slot == vector["last slot"]


def test_the_matches_show_every_slot_and_every_honest_entry():
    slots = {slot.split("|")[0] for vector in MATCHES for slot in vector["slots"]}
    assert {kind.value for kind in SlotKind} <= slots
    kinds = set()
    for vector in MATCHES:
        for payload in TranscriptReader(io.BytesIO(content(vector["file"]))).payloads():
            record = parse_record(payload)
            if isinstance(record, Entry):
                kinds.add(record.header.kind)
    # A complaint is never honest at an honest table.
    assert set(PARSERS) - kinds == {"complaint", "escrow complaint"}


@pytest.mark.parametrize("number", range(len(INVALID)))
def test_a_forged_match_is_found_out(number: int):
    vector = INVALID[number]
    report = checked(forged(vector))
    assert report.status is Status.INVALID, vector["change"]
    found = (report.check, report.writer, report.number)
    assert found == (vector["check"], vector["writer"], vector["number"]), vector["change"]


@pytest.mark.parametrize("number", range(len(NOT_INVALID)))
def test_what_only_seems_to_be_forged_accuses_nobody(number: int):
    vector = NOT_INVALID[number]
    report = checked(forged(vector))
    assert (report.status.name.lower(), report.check, report.writer) == (vector["status"], None, None), vector["change"]
    assert [list(one) for one in report.ignored] == vector["ignored"]


def test_the_matches_hold_what_is_rare():
    """A last Wild Draw Four that is drawn for, a round that nobody wins, names at the edge, four seats."""
    told: list[object] = []
    players = 0
    for vector in MATCHES:
        if vector["file"] in ("match-last.nodealer", "match-pass.nodealer"):
            players = max(players, len(verify(io.BytesIO(content(vector["file"])), told.append).players))
    game = [event.event for event in told if isinstance(event, GameEvent)]
    won = next(at for at, event in enumerate(game) if isinstance(event, engine.RoundWon))
    played = max(at for at in range(won) if isinstance(game[at], engine.CardPlayed))
    drawn = [event for event in game[played:won] if isinstance(event, engine.CardsDrawn)]
    assert [len(event.handles) for event in drawn] == [4]
    assert any(isinstance(event, engine.RoundDrawn) for event in game)
    assert players == 4
    names = {player["name"] for vector in MATCHES for player in vector["players"]}
    assert set(NAMES) <= names


def test_pieces_are_what_they_were_cut_from():
    valid = bytes(range(256)) * 3 + bytes(100) + b"end of it"
    mixed = valid[5:200] + b"new" + valid[40:90] + bytes(64) + b"y"
    for data in (b"", b"x", valid, mixed, bytes(1000), b"\1" + bytes(63)):
        pieces = cut(data, valid)
        assert joined(pieces, valid) == data
    assert cut(valid[5:200] + b"new", valid) == [[5, 200], "6e6577"]
    assert cut(bytes(1000), valid) == [1000]


def test_a_file_cut_anywhere_is_unfinished():
    data = content(MATCHES[0]["file"])
    for keep in (len(MAGIC), 1000, 30_000, len(data) - 1):
        assert checked(data[:keep]).status is Status.UNFINISHED
    assert checked(data[: len(MAGIC) - 1]).status is Status.UNREADABLE


def test_what_a_crash_has_kept_from_the_disk_is_unfinished():
    """Zeros to the end of the file, from any place on: what stands before them is told."""
    data = content(MATCHES[0]["file"])
    for keep in (len(MAGIC), 1000, 30_000, len(data) - 6, len(data)):
        report = checked(data[:keep] + bytes(5000))
        assert (report.status, report.check) == (Status.UNFINISHED, None)
        assert report.entries == checked(data[:keep]).entries
    report = checked(data + bytes(5000) + b"x")
    assert (report.status, report.check, report.writer) == (Status.INVALID, "record", None)


def test_states_hash_to_their_digests():
    by_file = {vector["file"]: vector for vector in MATCHES}
    for vector in STATES:
        state = bytes.fromhex(vector["state"])
        framed = b"".join(len(part).to_bytes(8, "big") + part for part in (b"nodealer v1 engine state", state))
        assert hashlib.sha512(framed).hexdigest()[:64] == vector["digest"]
        assert by_file[vector["file"]]["slots"][vector["slot"]].split("|")[3] == vector["digest"]
        form, (name, *fields) = msgpack.unpackb(state)
        assert (form, name, len(fields)) == (1, "State", 27)
