"""Every change of a valid transcript is refused at the record that was changed; nobody is accused for a changed file.

What a writer replaces and signs anew stands in `invalid.json`; here it is asked for by name.
"""

from __future__ import annotations

import io
import json
import random
import zlib
from collections.abc import Iterator
from functools import cache, partial
from itertools import accumulate, pairwise
from unittest import mock

import pytest
from nodealer.cli import main as command
from nodealer.p2p import verify as verify_module
from nodealer.p2p.entry import Entry
from nodealer.p2p.match import Match
from nodealer.p2p.transcript import MAGIC, TranscriptReader, frame, parse_record
from nodealer.p2p.verify import Report, Status, verify

from tests.vectors.common import FOLDER
from tests.vectors.test_match_vectors import INVALID, MATCHES

FILES = tuple(vector["file"] for vector in MATCHES)
SMALL = "match-two.nodealer"
# Proofs that held once: a mutant repeats the valid beginning of its match. What does not hold is never remembered.
MEMORY: set[bytes] = set()


@cache
def content(file: str) -> bytes:
    return (FOLDER / file).read_bytes()


@cache
def records(file: str = SMALL) -> tuple[bytes, ...]:
    return tuple(TranscriptReader(io.BytesIO(content(file))).payloads())


@cache
def writers(file: str = SMALL) -> tuple[int | None, ...]:
    """Whose feed each record belongs to."""
    parsed = [parse_record(payload) for payload in records(file)]
    return tuple(record.header.writer if isinstance(record, Entry) else None for record in parsed)


@cache
def ends(file: str) -> tuple[int, ...]:
    """Where each record ends in the file."""
    return tuple(accumulate((len(frame(payload)) for payload in records(file)), initial=len(MAGIC)))[1:]


def checked(data: bytes) -> Report:
    with mock.patch.object(verify_module, "Match", partial(Match, remembered=MEMORY)):
        return verify(io.BytesIO(data))


def of(payloads: list[bytes]) -> Report:
    return checked(MAGIC + b"".join(map(frame, payloads)))


def places(count: int, seed: str, files: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """(file, place, change) at random over all bytes of these files."""
    rng = random.Random(seed)
    sizes = [len(content(file)) for file in files]
    for _ in range(count):
        (file,) = rng.choices(files, sizes)
        yield file, rng.randrange(len(content(file))), rng.randrange(1, 256)


def change_a_byte(file: str, at: int, change: int) -> None:
    data = content(file)
    report = checked(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :])
    if at < len(MAGIC):
        assert report.status is Status.UNREADABLE
        return
    record = sum(end <= at for end in ends(file))
    found = (report.status, report.check, report.record, report.writer)
    assert found == (Status.INVALID, "record", record, None), (at, change)


def change_a_payload(file: str, at: int, change: int) -> None:
    """The same by somebody who makes the checksum right: then the signature says it."""
    data = content(file)
    record = sum(end <= at for end in ends(file))
    begin = ends(file)[record - 1] if record else len(MAGIC)
    if not begin + 4 <= at < ends(file)[record] - 4:
        return
    payload = bytearray(records(file)[record])
    payload[at - begin - 4] ^= change
    report = checked(data[:begin] + frame(bytes(payload)) + data[ends(file)[record] :])
    # Names and nonces are signed too; a changed roster is another table, or none.
    assert (report.status, report.record, report.writer) == (Status.INVALID, record, None), (at, change)
    assert report.check in ("record", "signature")


def test_any_byte_changed():
    for file, at, change in places(40, "bytes", (SMALL,)):
        change_a_byte(file, at, change)
        change_a_payload(file, at, change)
    # The places that random ones miss: the first line, the length and the checksum of the first record and of the last.
    last = ends(SMALL)[-2]
    for at in (0, len(MAGIC) - 1, *range(len(MAGIC), len(MAGIC) + 4), *range(last, last + 4), ends(SMALL)[-1] - 1):
        for change in (1, 2, 128):
            change_a_byte(SMALL, at, change)


@pytest.mark.soak
def test_any_byte_changed_at_five_hundred_places():
    for file, at, change in places(500, "many bytes", FILES):
        change_a_byte(file, at, change)
        change_a_payload(file, at, change)


@pytest.mark.parametrize("at", [1, 2, 7, 20, 60, -1])
def test_a_record_dropped_or_doubled(at):
    payloads = list(records())
    at %= len(payloads)
    report = of(payloads[:at] + payloads[at + 1 :])
    following = next((n for n in range(at + 1, len(payloads)) if writers()[n] == writers()[at]), None)
    if following is None:
        # It was the last word of its writer: nothing contradicts a file that ends before it.
        assert (report.status, report.writer) == (Status.UNFINISHED, None)
    else:
        assert (report.status, report.check, report.record) == (Status.INVALID, "order", following - 1)
        assert report.writer is None
    report = of([*payloads[: at + 1], *payloads[at:]])
    check = "order" if at < len(payloads) - 1 else "record"
    assert (report.status, report.check, report.record, report.writer) == (Status.INVALID, check, at + 1, None)


def test_records_swapped():
    payloads = list(records())
    mine = [at for at, writer in enumerate(writers()) if writer == 1]
    for one, two in list(pairwise(mine))[::8]:
        swapped = list(payloads)
        swapped[one], swapped[two] = payloads[two], payloads[one]
        report = of(swapped)
        assert (report.status, report.check, report.record) == (Status.INVALID, "order", one)
        assert report.writer is None
    swapped = [payloads[1], payloads[0], *payloads[2:]]
    assert (of(swapped).check, of(swapped).record) == ("record", 0)
    # Two of different writers side by side may come either way: the feeds are the same, and so is the match.
    at = next(at for at, (one, two) in enumerate(pairwise(writers())) if at and None not in (one, two) and one != two)
    swapped = [*payloads[:at], payloads[at + 1], payloads[at], *payloads[at + 2 :]]
    assert (of(swapped).status, of(swapped).digest) == (Status.COMPLETE, of(payloads).digest)


@pytest.mark.parametrize("at", [1, 5, 40, -1])
def test_a_record_moved_between_matches(at):
    payloads = list(records())
    at %= len(payloads)
    foreign = records("match-rounds.nodealer")[at % len(records("match-rounds.nodealer"))]
    report = of([*payloads[:at], foreign, *payloads[at:]])
    assert (report.status, report.check, report.record, report.writer) == (Status.INVALID, "signature", at, None)
    report = of([records("match-rounds.nodealer")[0], *payloads[1:]])
    assert (report.status, report.check, report.record, report.writer) == (Status.INVALID, "signature", 1, None)


def test_cut_anywhere(tmp_path, capsys):
    rng = random.Random("cuts")
    data, whole = content(SMALL), set(ends(SMALL))
    for at in [len(MAGIC) + 1, *(rng.randrange(len(MAGIC) + 1, len(data)) for _ in range(30)), len(data) - 1]:
        report = checked(data[:at])
        assert (report.status, report.writer, report.check) == (Status.UNFINISHED, None, None), at
        assert ("middle of a record" in report.sentence) == (at not in whole and at > ends(SMALL)[0])
        # All that stands before the cut is told.
        assert report.entries == max(sum(end <= at for end in ends(SMALL)) - 1, 0)
    file = tmp_path / "cut.nodealer"
    file.write_bytes(data[: ends(SMALL)[30] + 9])
    assert command.main(["verify", "--json", str(file)]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["entries"] == 30


@pytest.mark.parametrize(
    ("what", "checks"),
    [
        ("a shuffle", {"shuffle V1", "shuffle V2+V3", "shuffle V4"}),
        ("a lock", {"lock proof"}),
        ("pieces of keys", {"escrow sum", "escrow piece"}),
        ("a key", {"key share", "key count"}),
        ("a face", {"shown face", "shown key", "hand"}),
        ("a verdict", {"hand one proof", "hand all, keys proof", "hand all, candidates V1", "sealed hand"}),
        ("a score", {"final digest"}),
        ("a choice", {"choice"}),
        ("a coin", {"coin"}),
        ("a move", {"rules"}),
        ("a call", {"heard"}),
    ],
)
def test_what_its_writer_replaced_and_signed_anew(what, checks):
    """Each of these is a vector that names its writer and the entry; `test_match_vectors` holds the verifier to it."""
    named = {vector["check"] for vector in INVALID if vector["writer"] is not None and vector["number"] is not None}
    assert checks <= named, what


def test_the_checksum_is_that_of_zlib_alone():
    assert frame(b"\x90") == b"\x00\x00\x00\x01\x90" + zlib.crc32(b"\x90").to_bytes(4, "big")
