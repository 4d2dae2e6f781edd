"""A table whose peers keep journals, on disks that lose what was not synced; any of them may die and start again.

`CrashTable.crash_at` names the moment: how many frames the victim has sent or received by then, before or after the
next. Every header that ever left a peer is collected, so that a number signed twice is found wherever it went.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from unittest import mock

from nodealer.crypto.identity import Identity
from nodealer.p2p import journal
from nodealer.p2p import sitting as sitting_module
from nodealer.p2p.entry import Entry
from nodealer.p2p.match import Match
from nodealer.p2p.mesh import MAX_FRAME
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.wire import decode

from examples.liar import _memories, share_memory
from examples.table import Chooser, Table, eager, seeded

Side = Literal["before sending", "after sending", "before receiving", "after receiving"]
SIDES: tuple[Side, ...] = ("before sending", "after sending", "before receiving", "after receiving")


@dataclass
class Disk:
    """What one peer has written, and how much of that a crash of its machine leaves."""

    records: list[bytes] = field(default_factory=list)
    synced: int = 0
    syncs: int = 0

    def lose(self, keep: int = 0) -> None:
        """The machine dies: of what was not synced only ``keep`` records have reached the disk."""
        del self.records[self.synced + keep :]


class Crash(Exception):
    """The victim dies here."""


class CrashTable(Table):
    """Peers with journals. The victim dies once (or ``again`` times more, at the same distance) and starts again."""

    def __init__(
        self, players: int, options: TableOptions, *, seed: object = 0, choose: Chooser = eager, torn: int = 0
    ) -> None:
        self.disks = [Disk() for _ in range(players)]
        self.victim = -1
        self.side: Side = "before sending"
        self.at = -1
        self.again = 0
        self.torn = torn
        self.crashes = 0
        self.counts = dict.fromkeys(SIDES, 0)
        self._seed = seed
        self._parts: dict[tuple[int, int], bytearray] = {}
        # (writer's key or number, number) -> header
        self.signed: dict[tuple[int, int], bytes] = {}
        # Of these writers it is no failure: they are made to fork.
        self.forkers: set[int] = set()
        super().__init__(players, options, seed=seed, choose=choose)
        for seated in self.seats:
            seated.peer.keep_journal()
        share_memory([seated.peer for seated in self.seats])
        self._memory = _memories[self.seats[0].peer]

    def crash_at(self, victim: int, side: Side, at: int, again: int = 0) -> None:
        """Kill ``victim`` before or after its frame number ``at`` from now on."""
        self.victim, self.side, self.at, self.again = victim, side, at, again
        self.counts = dict.fromkeys(SIDES, 0)

    # -- dying ---------------------------------------------------------------------------------------------------------

    def _pass(self, index: int, side: Side) -> None:
        if index != self.victim or not self.disks[index].synced:
            # Before the match has begun there is nothing to come back to: the table dissolves.
            return
        count = self.counts[side]
        self.counts[side] = count + 1
        if side == self.side and count == self.at:
            raise Crash

    def _die(self) -> None:
        index = self.victim
        self.crashes += 1
        disk = self.disks[index]
        disk.lose(self.torn)
        for other in range(len(self.seats)):
            if other != index:
                self.disconnect(index, other)
                self.heal(index, other)
        self._queue = [item for item in self._queue if item[3] != index]
        self._parts = {}
        if self.again:
            self.again -= 1
            self.counts = dict.fromkeys(SIDES, 0)
        else:
            self.victim = -1
        self.start_again(index)

    def start_again(self, index: int) -> None:
        """A new process reads the journal."""
        saved = journal.read(self.disks[index].records)
        seated = self.seats[index]
        if saved is None:
            raise AssertionError("nothing was on the disk although something had been sent")
        identity = Identity.from_seed(seeded((self._seed, "identity", index))(32))
        seated.records.clear()
        seated.told.clear()
        stream = seeded((self._seed, "again", index, self.crashes))
        with mock.patch.object(sitting_module, "Match", partial(Match, remembered=self._memory)):
            seated.peer = Peer.resume(identity, saved, self.now, stream)
        _memories[seated.peer] = self._memory
        self._drain(index)

    # -- wiring --------------------------------------------------------------------------------------------------------

    def _drain(self, index: int) -> None:
        try:
            super()._drain(index)
        except Crash:
            self._die()

    def _send(self, index: int, line: int, frame: bytes) -> None:
        self._pass(index, "before sending")
        self._note(index, line, frame)
        super()._send(index, line, frame)
        self._pass(index, "after sending")

    def _keep(self, index: int) -> None:
        batch = self.seats[index].peer.to_keep()
        disk = self.disks[index]
        disk.records += batch.records
        if batch.sync:
            disk.synced = len(disk.records)
            disk.syncs += 1

    def _receive(self, to: int, line: int, message: bytes) -> None:
        try:
            self._pass(to, "before receiving")
            super()._receive(to, line, message)
            self._pass(to, "after receiving")
        except Crash:
            self._die()

    def _note(self, index: int, line: int, frame: bytes) -> None:
        """Whatever entry a frame carries is remembered by its writer and number; a second one is a failure."""
        message = decode(frame, max_bytes=MAX_FRAME)
        if message[0] == "part":
            parts = self._parts.setdefault((index, line), bytearray())
            parts += message[2]
            if not message[1]:
                return
            message = decode(bytes(parts), max_bytes=1 << 20)
            parts.clear()
        for entry in _entries(message):
            place = (entry.header.writer, entry.header.number)
            before = self.signed.setdefault(place, entry.signed.raw)
            known = before == entry.signed.raw or place[0] in self.forkers
            assert known, f"writer {place[0]} has signed number {place[1]} twice"

    def check(self) -> None:
        """All have ended alike."""
        endings = [seated.ended for seated in self.seats]
        assert all(ended is not None and ended.outcome.value == 0 for ended in endings), endings
        assert len({ended.digest for ended in endings if ended is not None}) == 1


def _entries(message: list[object]) -> Iterator[Entry]:
    if message[0] == "entry" and isinstance(message[1], bytes):
        yield Entry.decode(message[1])
