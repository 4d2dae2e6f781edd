"""The matches of the vectors verify, slot by slot; each forged one is found out by the check that it names."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import msgpack
import pytest
from nodealer.p2p.bodies import PARSERS
from nodealer.p2p.entry import Entry
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import MAGIC, TranscriptReader, parse_record
from nodealer.p2p.verify import Report, Status, verify

from tests.vectors.common import FOLDER

MATCHES = json.loads((FOLDER / "matches.json").read_bytes())["matches"]
INVALID = json.loads((FOLDER / "invalid.json").read_bytes())["invalid"]
STATES = json.loads((FOLDER / "states.json").read_bytes())["states"]


def content(file: str) -> bytes:
    return (FOLDER / file).read_bytes()


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
    assert report.slot == len(vector["slots"]) - 1


def test_the_matches_show_every_slot_and_every_honest_entry():
    slots = {slot.split("|")[0] for vector in MATCHES for slot in vector["slots"]}
    assert {kind.value for kind in SlotKind} <= slots
    kinds = set()
    for vector in MATCHES:
        for payload in TranscriptReader(io.BytesIO(content(vector["file"]))).payloads():
            record = parse_record(payload)
            if isinstance(record, Entry):
                kinds.add(record.header.kind)
    # A pass needs an empty table; a complaint is never honest at an honest table.
    assert set(PARSERS) - kinds <= {"pass", "complaint", "escrow complaint"}


@pytest.mark.parametrize("number", range(len(INVALID)))
def test_a_forged_match_is_found_out(number: int):
    vector = INVALID[number]
    data = content(vector["from"])[: vector["keep"]] + bytes.fromhex(vector["then"])
    report = checked(data)
    assert report.status is Status.INVALID, vector["change"]
    found = (report.check, report.writer, report.number)
    assert found == (vector["check"], vector["writer"], vector["number"]), vector["change"]


def test_a_file_cut_anywhere_is_unfinished():
    data = content(MATCHES[0]["file"])
    for keep in (len(MAGIC), 1000, 30_000, len(data) - 1):
        assert checked(data[:keep]).status is Status.UNFINISHED
    assert checked(data[: len(MAGIC) - 1]).status is Status.UNREADABLE


def test_states_hash_to_their_digests():
    by_file = {vector["file"]: vector for vector in MATCHES}
    for vector in STATES:
        state = bytes.fromhex(vector["state"])
        framed = b"".join(len(part).to_bytes(8, "big") + part for part in (b"nodealer v1 engine state", state))
        assert hashlib.sha512(framed).hexdigest()[:64] == vector["digest"]
        assert by_file[vector["file"]]["slots"][vector["slot"]].split("|")[3] == vector["digest"]
        form, (name, *fields) = msgpack.unpackb(state)
        assert (form, name, len(fields)) == (1, "State", 27)
