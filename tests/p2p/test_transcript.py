"""The transcript file: records whole or not at all, a torn tail told from damage."""

from __future__ import annotations

import io
import os
import stat
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodealer.p2p.errors import LocalProtocolError, WireError
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.transcript import (
    MAGIC,
    MAX_RECORD,
    Damaged,
    NoTranscript,
    TranscriptReader,
    TranscriptWriter,
    TwoRosters,
    frame,
    parse_record,
    record_entry,
    record_fork,
    record_roster,
    record_two_rosters,
)
from nodealer.p2p.wire import encode

from tests.helpers.fuzz import mutated, noise
from tests.p2p.test_entry import ENTRY
from tests.p2p.test_offer import ROSTER

PROOF = ForkProof(ENTRY.signed, ENTRY.signed)
PAYLOADS = [record_roster(ROSTER), record_entry(ENTRY), record_fork(PROOF), record_two_rosters(b"t" * 32, b"s" * 64)]
FILE = MAGIC + b"".join(map(frame, PAYLOADS))


def read(data: bytes) -> tuple[list[bytes], bool]:
    reader = TranscriptReader(io.BytesIO(data))
    return list(reader.payloads()), reader.torn


def test_records_come_back():
    assert read(FILE) == (PAYLOADS, False)
    parsed = [parse_record(payload) for payload in PAYLOADS]
    assert parsed == [ROSTER, ENTRY, PROOF, TwoRosters(b"t" * 32, b"s" * 64)]


@given(st.integers(0, len(FILE)))
def test_a_file_cut_anywhere_loses_only_its_last_record(at):
    if at < len(MAGIC):
        with pytest.raises(NoTranscript):
            read(FILE[:at])
        return
    payloads, torn = read(FILE[:at])
    assert payloads == PAYLOADS[: len(payloads)]
    assert torn == (len(MAGIC) + sum(len(frame(p)) for p in payloads) != at)


@given(st.integers(len(MAGIC), len(FILE) - 1), st.integers(1, 255))
def test_a_changed_byte_is_damage_wherever_it_is(at, change):
    # Also in a length, which may then reach beyond the end of the file: it is not taken for a torn tail.
    with pytest.raises(Damaged):
        read(FILE[:at] + bytes([FILE[at] ^ change]) + FILE[at + 1 :])


@given(st.integers(len(MAGIC), len(FILE)), st.integers(8, 9000))
def test_zeros_that_a_crash_has_left_are_a_torn_tail(at, zeros):
    """The file was made longer, and what belongs there never came to the disk."""
    payloads, torn = read(FILE[:at] + bytes(zeros))
    assert torn
    assert payloads == read(FILE[:at])[0]


def test_zeros_from_any_byte_of_the_last_record_on_are_a_torn_tail():
    begin = len(FILE) - len(frame(PAYLOADS[-1]))
    for at in range(begin, len(FILE) + 1):
        for zeros in (8, len(FILE) - at, len(FILE) - at + 4096):
            if zeros >= 8:
                assert read(FILE[:at] + bytes(zeros)) == (PAYLOADS[:-1] if at < len(FILE) else PAYLOADS, True), at


@pytest.mark.parametrize("zeros", [8, 16, 4096])
@pytest.mark.parametrize("record", range(4))
def test_zeros_in_the_middle_are_damage(record, zeros):
    begin = len(MAGIC) + sum(len(frame(payload)) for payload in PAYLOADS[:record])
    with pytest.raises(Damaged) as found:
        read(FILE[:begin] + bytes(zeros) + FILE[begin:])
    assert found.value.record == record


def test_an_empty_record_is_none():
    with pytest.raises(Damaged, match="is empty"):
        read(FILE + bytes(4) + b"\0\0\0\1")


def test_a_pipe_is_read_like_a_file():
    begin, end = os.pipe()
    with open(begin, "rb") as file, open(end, "wb") as writer:
        writer.write(FILE + bytes(100))
        writer.close()
        reader = TranscriptReader(file)
        assert list(reader.payloads()) == PAYLOADS
        assert reader.torn


def test_a_record_longer_than_any_is_refused_before_it_is_read():
    with pytest.raises(Damaged, match="more than any"):
        read(MAGIC + (MAX_RECORD + 1).to_bytes(4, "big"))


@pytest.mark.parametrize("data", [b"", b"nodealer transcript 2\n", b"GIF89a", MAGIC[:-1]])
def test_no_transcript(data):
    with pytest.raises(NoTranscript):
        read(data)


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["nonsense"],
        ["entry"],
        ["entry", "text"],
        ["entry", b"", b""],
        ["table", []],
        ["fork", []],
        ["fork", [[], []]],
        ["two rosters", b"t", b"s" * 64],
        ["two rosters", b"t" * 32, b"s"],
        "entry",
        None,
        [["entry", b""]],
    ],
    ids=repr,
)
def test_a_record_that_is_none(value):
    with pytest.raises(WireError):
        parse_record(encode(value))


@given(noise | st.sampled_from(PAYLOADS).flatmap(mutated))
def test_noise_is_no_record(data):
    try:
        record = parse_record(data)
    except WireError:
        return
    assert isinstance(record, (type(ROSTER), type(ENTRY), ForkProof, TwoRosters))


def test_writing(tmp_path):
    path = tmp_path / "match.nodealer"
    writer = TranscriptWriter(path)
    writer.write(PAYLOADS[:2])
    writer.write([])
    assert path.read_bytes() == MAGIC + b"".join(map(frame, PAYLOADS[:2]))
    writer.write(PAYLOADS[2:])
    writer.close()
    writer.close()
    assert path.read_bytes() == FILE
    with pytest.raises(LocalProtocolError, match="exists"):
        TranscriptWriter(path)
    if sys.platform != "win32":
        assert stat.S_ISREG(path.stat().st_mode)
