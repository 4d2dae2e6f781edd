"""What a round costs a peer at the table, and later whoever verifies its transcript, in one process on one core.

Everything below the sockets is real. Only the first peer's work is timed, what it does in the background left out; the
verifier then reads what that peer has written. Times are of this thread on its core, where the system can tell.
"""

from __future__ import annotations

import io
import os
import time
from collections import deque
from dataclasses import replace
from typing import Any

from nodealer import engine
from nodealer.crypto.cores import using
from nodealer.crypto.identity import Identity

from .events import DecisionNeeded, GameEvent
from .options import TableOptions
from .peer import Peer
from .transcript import MAGIC, frame
from .verify import Status, verify

EDITION = "despicable-me-4"
PLAYERS = (2, 4, 7, 10)
ROUNDS = (1, 2, 4)
SEATS_FOR_ROUNDS = 3
# A round is a hundred turns or so; one that has not ended then is measured as far as it came.
STEPS = 200_000


def measure_rounds(players: tuple[int, ...] = PLAYERS, rounds: tuple[int, ...] = ROUNDS) -> list[dict[str, Any]]:
    """A row for each number of players (one round) and for each number of rounds (three players).

    Keys: `players`, `rounds`, `entries`, `bytes` (of the transcript), `live_ms` (all that one peer did, its own proofs
    included), `verify_ms`, and `verify_ms_round`.
    """
    sizes = [*((count, 1) for count in players), *((SEATS_FOR_ROUNDS, count) for count in rounds)]
    with using(1):
        return [_row(*size) for size in dict.fromkeys(sizes)]


def _row(players: int, rounds: int) -> dict[str, Any]:
    table = _Table(players, rounds)
    table.play()
    data = MAGIC + b"".join(map(frame, table.records))
    began = time.thread_time()
    report = verify(io.BytesIO(data))
    spent = (time.thread_time() - began) * 1000
    if report.status not in (Status.COMPLETE, Status.UNFINISHED):
        raise RuntimeError(f"an honest match that does not verify: {report.sentence}")
    return {
        "players": players,
        "rounds": report.rounds,
        "entries": report.entries,
        "bytes": len(data),
        "live_ms": table.live * 1000,
        "verify_ms": spent,
        "verify_ms_round": spent / max(report.rounds, 1),
    }


class _Table:
    """Peers on a wire without delay, in simulated time. Everybody plays the first card that can be played."""

    def __init__(self, players: int, rounds: int) -> None:
        # One round decides; with more the target is one that so few rounds seldom reach.
        options = TableOptions.defaults(EDITION, players, 0 if rounds == 1 else 500).fast()
        options = replace(options, keep_delay_ms=0, escrow=False)
        self.rounds = rounds
        self.peers = [
            Peer.join(Identity.generate(), f"Player {index}", os.urandom)
            if index
            else Peer.host(Identity.generate(), "Player 0", options, os.urandom)
            for index in range(players)
        ]
        self.now = 0.0
        self.live = 0.0
        self.over = 0
        self.records: list[bytes] = []
        self._lines: dict[int, tuple[int, int]] = {}
        self._wire: deque[tuple[int, int, bytes]] = deque()

    def play(self) -> None:
        for index in range(1, len(self.peers)):
            self._connect(index, 0)
            self._deliver()
        for _ in range(STEPS):
            self._dial()
            self._deliver()
            if self._finished:
                return
            deadlines = [peer.next_deadline() for peer in self.peers]
            self.now = max(self.now, min(at for at in deadlines if at is not None))
            for index, at in enumerate(deadlines):
                if at is not None and at <= self.now:
                    self._timed(index, self.peers[index].tick, self.now)
                    self._drain(index)

    @property
    def _finished(self) -> bool:
        # A match of one round is played to its very end; of a longer one its rounds are counted.
        return self.peers[0].ended is not None or 1 < self.rounds <= self.over

    def _connect(self, dialler: int, answerer: int) -> None:
        line = len(self._lines) + 1
        self._lines[line], self._lines[line + 1] = (answerer, line + 1), (dialler, line)
        binding = line.to_bytes(32, "big")
        for index, other, number, outgoing in (
            (dialler, answerer, line, True),
            (answerer, dialler, line + 1, False),
        ):
            self.peers[index].line_up(number, self.peers[other].key, outgoing, ("", 1), self.now, binding)
            self._drain(index)

    def _dial(self) -> None:
        index_of = {peer.key: index for index, peer in enumerate(self.peers)}
        there = {frozenset((to, self._lines[back][0])) for to, back in self._lines.values()}
        for index, peer in enumerate(self.peers):
            for key, _, _ in peer.wanted():
                pair = frozenset((index, index_of[key]))
                if pair not in there:
                    there.add(pair)
                    self._connect(index, index_of[key])

    def _deliver(self) -> None:
        while self._wire and not self._finished:
            to, line, data = self._wire.popleft()
            self._timed(to, self.peers[to].receive, line, data, self.now)
            self._drain(to)

    def _drain(self, index: int) -> None:
        peer = self.peers[index]
        while True:
            for event in peer.events():
                if isinstance(event, DecisionNeeded):
                    self._decide(index, event)
                elif not index and isinstance(event, GameEvent):
                    self.over += isinstance(event.event, engine.RoundWon | engine.RoundDrawn)
            written = peer.records()
            if not index:
                self.records += written
            for line, data in peer.data_to_send():
                to, back = self._lines[line]
                self._wire.append((to, back, data))
            if not peer.events_waiting:
                return

    def _decide(self, index: int, decision: DecisionNeeded) -> None:
        if decision.kind is engine.Kind.WINDOW:
            return
        plays = [action for action in decision.legal if isinstance(action, engine.PlayCard)]
        self._timed(index, self.peers[index].act, (plays or decision.legal)[0], self.now)

    def _timed(self, index: int, work: Any, *args: object) -> None:
        began = time.thread_time()
        work(*args)
        if not index:
            self.live += time.thread_time() - began
