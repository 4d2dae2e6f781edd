"""The journal's file: torn tails, damage, locks, disks that fail; and that nothing is sent before it is kept."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import threading
from pathlib import Path

import pytest
from nodealer.p2p.book import Batch
from nodealer.p2p.journal import NoJournal
from nodealer.p2p.net import disk
from nodealer.p2p.net.disk import JournalBusy, JournalError, JournalFile, Ledger, parse
from nodealer.p2p.net.outgoing import Outgoing

from examples.table import FAST
from tests.helpers.crash import CrashTable


def records() -> list[bytes]:
    """A journal's records of a whole hand."""
    table = CrashTable(4, FAST, seed="disk")
    table.form()
    table.run(until=lambda: table.seats[0].peer.match.slot.number > 12)
    return table.disks[0].records


RECORDS = records()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    ledger = Ledger(tmp_path)
    ledger.keep(RECORDS[:6], sync=True)
    ledger.keep(RECORDS[6:8], sync=False)
    ledger.keep(RECORDS[8:], sync=True)
    assert ledger.file is not None
    ledger.close(finished=False)
    return ledger.file.path


def test_what_was_written_is_read_again(written: Path) -> None:
    assert stat.S_IMODE(written.stat().st_mode) == 0o600 or os.name == "nt"
    assert parse(written.read_bytes()).records == RECORDS
    file, saved = JournalFile.open(written)
    assert saved is not None
    assert len(saved.history) > 10
    file.append(RECORDS[-1:], sync=True)
    file.close()
    assert parse(written.read_bytes()).records == [*RECORDS, RECORDS[-1]]


def test_a_torn_tail_costs_nothing_but_itself(written: Path) -> None:
    """Cut at every byte of the last batch: all before it is read, and what is appended then is read too."""
    whole = written.read_bytes()
    contents = parse(whole)
    last = whole.rindex(RECORDS[-1])
    for end in range(last, len(whole), 7):
        written.write_bytes(whole[:end])
        kept = parse(whole[:end]).records
        assert contents.records[: len(kept)] == kept
        assert len(kept) >= len(RECORDS) - 1
    written.write_bytes(whole[: last + 10])
    file, saved = JournalFile.open(written)
    assert saved is not None
    file.append(RECORDS[-1:], sync=True)
    file.close()
    assert parse(written.read_bytes()).records == RECORDS


def test_bytes_that_no_sync_covered_may_be_anything(written: Path) -> None:
    whole = written.read_bytes()
    for rest in (bytes(5000), b"\xff" * 300, b"\x00\x00\x00\x04abcd\x00\x00\x00\x00" * 9):
        assert parse(whole + rest).records == RECORDS


def test_a_flipped_byte_is_damage_wherever_a_sync_came_after_it(written: Path) -> None:
    whole = bytearray(written.read_bytes())
    for at in range(len(disk.MAGIC) + disk.MARK, len(whole) - 60, 97):
        whole[at] ^= 1
        with pytest.raises(NoJournal):
            disk.read(parse(bytes(whole)).records)
        whole[at] ^= 1


@pytest.mark.parametrize("content", [b"", b"nodealer transcript 1\n", b"x" * 100, disk.MAGIC.replace(b"1", b"2")])
def test_a_foreign_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.journal"
    path.write_bytes(content)
    with pytest.raises(NoJournal):
        JournalFile.open(path)


def test_a_match_that_had_not_begun_is_none(tmp_path: Path) -> None:
    file = JournalFile.create(tmp_path / "a.journal")
    file.append(RECORDS[:1], sync=True)
    file.close()
    assert JournalFile.open(file.path)[1] is None


def test_a_second_process_is_refused(written: Path) -> None:
    first, _ = JournalFile.open(written)
    with pytest.raises(JournalBusy, match="Another nodealer plays the match"):
        JournalFile.open(written)
    first.close()
    JournalFile.open(written)[0].remove()
    assert not written.exists()
    with pytest.raises(FileNotFoundError):
        JournalFile.open(written)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str) -> None:
    ledger = Ledger(tmp_path)
    ledger.keep(RECORDS[:5], sync=True)

    def fails(*args: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(disk.os, call, fails)
    with pytest.raises(JournalError, match=os.strerror(code)) as told:
        ledger.keep(RECORDS[5:], sync=True)
    assert "same command again" in str(told.value)
    monkeypatch.undo()
    ledger.close(finished=False)
    assert ledger.file is not None
    file, saved = JournalFile.open(ledger.file.path)
    assert saved is not None
    file.close()


def test_a_full_disk_in_earnest(tmp_path: Path) -> None:
    """The system itself refuses to write more of a file, in the middle of a record."""
    resource = pytest.importorskip("resource")
    import signal

    ledger = Ledger(tmp_path)
    ledger.keep(RECORDS[:5], sync=True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        with pytest.raises(JournalError, match="cannot be written"):
            ledger.keep(RECORDS[5:] * 20, sync=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    ledger.close(finished=False)
    assert ledger.file is not None
    assert parse(ledger.file.path.read_bytes()).records[:5] == RECORDS[:5]


class Slow:
    """A disk that takes its time: until it is let go."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.go = threading.Event()
        self.fault: Exception | None = None

    def keep(self, kept: object, sync: bool) -> None:
        self.go.wait()
        if self.fault is not None:
            raise self.fault
        self.kept += kept  # type: ignore[operator]


async def test_nothing_goes_out_before_it_is_kept() -> None:
    slow, sent, faults = Slow(), [], []
    outgoing = Outgoing(slow, lambda frames, closes: sent.extend([*frames, *closes]), faults.append)
    outgoing.add(Batch((), False), [(1, b"at once")], [])
    assert sent == [(1, b"at once")]
    outgoing.add(Batch((b"own entry",), True), [(1, b"entry")], [])
    outgoing.add(Batch((), False), [(2, b"a list that counts it")], [7])
    await asyncio.sleep(0.05)
    assert sent == [(1, b"at once")]
    slow.go.set()
    await outgoing.drained(5)
    assert slow.kept == [b"own entry"]
    assert sent[1:] == [(1, b"entry"), (2, b"a list that counts it"), 7]
    assert not faults


async def test_after_a_fault_nothing_goes_out_any_more() -> None:
    slow, sent, faults = Slow(), [], []
    slow.fault = JournalError("no room")
    slow.go.set()
    outgoing = Outgoing(slow, lambda frames, closes: sent.extend(frames), faults.append)
    outgoing.add(Batch((b"own entry",), True), [(1, b"entry")], [])
    await outgoing.drained(5)
    outgoing.add(Batch((), False), [(1, b"ping")], [])
    assert sent == []
    assert faults == [slow.fault]
