"""Decoders of streams and files: the secure line, frames in parts, proofs of a passphrase, transcripts, journals."""

from __future__ import annotations

import io
from functools import cache, partial
from typing import Any

from nodealer.crypto.group import encode_scalar
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.p2p import journal
from nodealer.p2p.journal import NoJournal, SeatSecrets
from nodealer.p2p.line import LineError, SecureLine
from nodealer.p2p.mesh import MAX_FRAME, Link, Mesh
from nodealer.p2p.net import disk
from nodealer.p2p.passphrase import Door, Exchange, Passphrase
from nodealer.p2p.transcript import MAGIC, Damaged, NoTranscript, TranscriptReader, frame, record_roster
from nodealer.p2p.verify import Status, verify
from nodealer.p2p.wire import encode

from examples.table import seeded

from .decoders import Decoder, pieces, several
from .decoders_messages import SHORT, records, rosters

ONE, OTHER = Identity.from_seed(bytes(32)), Identity.from_seed(bytes(31) + b"\1")
WHERE = ("10.0.0.2", 7425)
HASH = bytes(range(32))


# -- the line --------------------------------------------------------------------------------------------------------


def _stream(initiator: bool, data: bytes) -> None:
    """A handshake that comes in two pieces: nothing but a line error, and never a line with a stranger."""
    line = SecureLine(initiator, ONE, 0.0)
    half = len(data) // 2
    line.receive(data[:half], 0.0)
    line.receive(data[half:], 0.1)
    assert not line.established
    assert len(line._input) <= len(data)


@cache
def _handshake() -> tuple[bytes, bytes]:
    """The first frame of one side and the answer of the other, as anybody can record them."""
    one, other = SecureLine(True, ONE, 0.0), SecureLine(False, OTHER, 0.0)
    first = one.data_to_send()
    other.receive(first, 0.0)
    return first, other.data_to_send()


class _Pair:
    """Two ends of a line that stands. What one seals the other reads; where it refuses, a new pair is made."""

    ends: tuple[SecureLine, SecureLine] | None = None

    def read(self, data: bytes) -> None:
        """Authentic frames with these plaintexts."""
        if self.ends is None:
            one, other = SecureLine(True, ONE, 0.0), SecureLine(False, OTHER, 0.0)
            for _ in range(2):
                other.receive(one.data_to_send(), 0.0)
                one.receive(other.data_to_send(), 0.0)
            self.ends = one, other
        one, other = self.ends
        try:
            for plain in pieces(data):
                # An empty plaintext has no kind: it is too short a frame, and refused before it is opened.
                frame = bytes(one._noise.encrypt(plain[:MAX_FRAME]))
                other.receive(len(frame).to_bytes(2, "big") + frame, 0.0)
        except LineError:
            self.ends = None
            raise


def _garbled(data: bytes) -> None:
    """Bytes that nobody sealed, on a line that stands."""
    pair = _Pair()
    pair.read(several(b"\0"))
    assert pair.ends is not None
    pair.ends[1].receive(data, 0.0)


def _unpacked(data: bytes) -> None:
    """Frames of one line, in parts or whole. What is kept of parts is bounded."""
    mesh, link = Mesh(), Link(1, ONE.public, WHERE)
    for one in pieces(data):
        mesh.unpack(link, one)


def _parts() -> list[bytes]:
    message = encode(["ask", 1, 5])
    parts = encode(["part", False, message[:3]]), encode(["part", True, message[3:]])
    return [several(message), several(*parts, message), several(encode(["query"]))]


# -- the passphrase --------------------------------------------------------------------------------------------------

PASSPHRASE = Passphrase("correct horse")


@cache
def _exchange(joining: bool) -> Exchange:
    return Exchange(
        PASSPHRASE,
        joining=joining,
        binding=HASH,
        joiner=ONE.public,
        host=OTHER.public,
        randbytes=seeded(("exchange", joining)),
    )


def _finished(data: bytes) -> None:
    # The machine may be used once; to make one takes milliseconds.
    exchange = _exchange(data[:1] > b"\x7f")
    exchange._machine._finished = False
    exchange.finish(data[1:])


@cache
def _door() -> Door:
    return Door(PASSPHRASE, OTHER.public, seeded("door"))


def _knocked(data: bytes) -> None:
    """Shares and tags in any order on the lines of one door."""
    door, now = _door(), 0.0
    try:
        for at, message in enumerate(pieces(data)[:6]):
            if at % 2:
                door.confirm(at // 2, message, now)
            else:
                door.pake(at // 2, ONE.public, HASH, WHERE, message, now)
    finally:
        for line in range(3):
            door.line_down(line, now)
    assert not door._open
    assert not door._places


# -- files -----------------------------------------------------------------------------------------------------------


def _transcript(data: bytes) -> None:
    for _ in TranscriptReader(io.BytesIO(MAGIC + data)).payloads():
        pass


def _judged(data: bytes) -> None:
    """A transcript of these records, checksums in order: whatever it holds, it is told what it is."""
    whole = MAGIC + b"".join(frame(record) for record in pieces(data))
    report = verify(io.BytesIO(whole))
    assert report.status in Status
    assert report.sentence
    if report.status is Status.INVALID:
        assert report.check


def _first_records() -> list[bytes]:
    """A match of the vectors up to its first shuffle, whose proof would take too long."""
    chosen = []
    for record in records():
        if len(record) > SHORT:
            break
        chosen.append(record)
    return chosen


def _journal_file(data: bytes) -> None:
    found = disk.parse(disk.MAGIC + bytes(disk.MARK) + data)
    assert found.length <= len(disk.MAGIC) + disk.MARK + len(data)


def _synced() -> list[bytes]:
    synced = frame(disk._synced(bytes(disk.MARK)))
    record = frame(encode(["confirmed", 3, 1]))
    return [record + synced + record[:-2], synced + record + bytes(9)]


@cache
def _seat() -> tuple[bytes, bytes]:
    roster = rosters()[0]
    seat = SeatSecrets(roster.keys[0], HASH, 7, 7425, '["join", "", "", ""]')
    return journal.record_seat(seat), record_roster(roster)


def _journal(data: bytes) -> None:
    """The records after a good beginning."""
    journal.read([*_seat(), *pieces(data)])


def _journal_begins(data: bytes) -> None:
    journal.read(pieces(data))


def _private() -> list[bytes]:
    roster = rosters()[0]
    where: Any = type("Where", (), {"table": roster.table, "round": 1, "epoch": 0, "attempt": 0})
    return [
        several(
            journal.record_addresses({roster.keys[0]: WHERE, roster.keys[1]: ("", 0)}),
            journal.record_seed(where, HASH, HASH),
            journal.record_challenge(9, 5),
        ),
        several(
            encode(["choice", 12, HASH, [[0, 5, 17], [1, 6, 18]]]),
            journal.record_confirmed(HASH, 1),
            encode(["challenge", 1, encode_scalar(4)]),
        ),
        several(*_first_records()[1:4]),
    ]


DECODERS = [
    Decoder("line answered", partial(_stream, True), lambda: [_handshake()[1]], refuses=(LineError,), share=0.1),
    Decoder("line called", partial(_stream, False), lambda: [_handshake()[0]], refuses=(LineError,), share=0.1),
    Decoder("line sealed", _Pair().read, lambda: [several(b"\0", b"\1text"), several(b"\1")], (LineError,), share=0.05),
    Decoder("line garbled", _garbled, lambda: [bytes(2) + bytes(40)], (LineError,), share=0.05),
    Decoder("frames", _unpacked, _parts),
    Decoder("passphrase share", _finished, lambda: [bytes([n]) + _exchange(not n).share for n in (0, 255)], share=0.1),
    Decoder("passphrase door", _knocked, lambda: [several(_exchange(True).share, digest("tag"))], share=0.02),
    Decoder("transcript", _transcript, lambda: [frame(_first_records()[1]) + bytes(8)], (NoTranscript, Damaged)),
    Decoder("transcript judged", _judged, lambda: [several(*_first_records())], share=0.1),
    Decoder("journal file", _journal_file, _synced, (NoJournal,)),
    Decoder("journal begins", _journal_begins, lambda: [several(*_seat()), _seat()[0]], (NoJournal,), share=0.5),
    Decoder("journal", _journal, _private, (NoJournal,), share=0.1),
]
