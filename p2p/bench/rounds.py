"""What a round costs a peer at the table, and later whoever verifies its transcript or goes on with its journal, on one
core.

The table is that of `machines.py`; only the first peer's work is told, all its proofs included. The verifier then reads
what that peer has written.
"""

from __future__ import annotations

import io
import random
from dataclasses import replace
from typing import Any

from nodealer import engine
from nodealer.crypto.bench import clock
from nodealer.crypto.cores import using

from ..events import DecisionNeeded
from ..journal import read
from ..options import TableOptions
from ..peer import Peer
from ..transcript import MAGIC, frame
from ..verify import Status, verify
from .machines import Machines, machines

EDITION = "despicable-me-4"
PLAYERS = (2, 4, 7, 10)
ROUNDS = (1, 2, 4)
SEATS_FOR_ROUNDS = 3
LIMIT = 100_000.0
"""Simulated seconds of a match; a round is a minute or so."""


def measure_rounds(players: tuple[int, ...] = PLAYERS, rounds: tuple[int, ...] = ROUNDS) -> list[dict[str, Any]]:
    """A row for each number of players (one round) and for each number of rounds (three players).

    Keys: `players`, `rounds`, `entries`, `bytes` (of the transcript), `live_ms` (all that one peer did, its own proofs
    included), `verify_ms`, `verify_ms_round`, and `resume_ms` (to go on with the journal of all that).
    """
    sizes = [*((count, 1) for count in players), *((SEATS_FOR_ROUNDS, count) for count in rounds)]
    return [_row(*size) for size in dict.fromkeys(sizes)]


def first(asked: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Plays the first card that can be played, and lets windows pass."""
    if asked.kind is engine.Kind.WINDOW:
        return None
    plays = [action for action in asked.legal if isinstance(action, engine.PlayCard)]
    return plays[0] if plays else asked.legal[0]


def _row(players: int, rounds: int) -> dict[str, Any]:
    # One round decides; with more the target is one that so few rounds seldom reach.
    options = replace(TableOptions.defaults(EDITION, players, 0 if rounds == 1 else 500).fast(), escrow=False)
    with machines() as serial:
        table = Machines(options, serial, choose=first, journal=True)
        table.form()
        # A match of one round is played to its very end; of a longer one its rounds are counted.
        table.run(LIMIT, until=lambda: table.peers[0].ended is not None or 1 < rounds <= table.rounds)
    entries, finished, spent = verifying(table.records)
    return {
        "players": players,
        "rounds": finished,
        "entries": entries,
        "bytes": len(MAGIC) + sum(len(frame(record)) for record in table.records),
        "live_ms": table.cpu[0] * 1000,
        "verify_ms": spent * 1000,
        "verify_ms_round": spent * 1000 / max(finished, 1),
        "resume_ms": resuming(table) * 1000,
    }


def verifying(records: list[bytes]) -> tuple[int, int, float]:
    """Entries, rounds, and seconds on one core to verify a transcript with these records."""
    file = io.BytesIO(MAGIC + b"".join(map(frame, records)))
    with using(1):
        began = clock()
        report = verify(file)
        spent = clock() - began
    if report.status not in (Status.COMPLETE, Status.UNFINISHED):
        raise RuntimeError(f"an honest match that does not verify: {report.sentence}")
    return report.entries, report.rounds, spent


def resuming(table: Machines) -> float:
    """Seconds on one core until the first peer, started again, knows its match from its journal."""
    with using(1):
        began = clock()
        saved = read(table.kept)
        if saved is None:
            raise RuntimeError("a journal without a match")
        Peer.resume(table.peers[0].own.identity, saved, table.now)
        return clock() - began
