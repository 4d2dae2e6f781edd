"""A small match of three peers in one process, told whole: every message, every step of every proof, every event.

    python examples/one_match.py [--seats 2] [--edition lilo-stitch] [--seed 7] [--quiet]

Only the wire and the clock are simulated (`table.py`): the keys, shuffles, proofs and signatures are those of a real
table. What happens at one peer is told from its side; `<` came in and `>` goes out. `--quiet` leaves the messages out.
The last lines are the offline verifier's, about the transcript that this peer would have written.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nodealer import engine
from nodealer.cli.narrator import Narrator
from nodealer.cli.tally import Tally
from nodealer.cli.verify import told
from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.identity import Identity
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.trace import Trace
from nodealer.p2p.transcript import MAGIC, frame
from nodealer.p2p.verify import Status, verify

from examples.program import exit_code
from examples.table import Table, eager

# The peer whose side is told.
SIDE = 0


class Told(Peer):
    """A peer of which one sees the messages, and the steps of the proofs that it makes and checks."""

    trace: Trace

    def receive(self, line: int, message: bytes, now: float) -> None:
        with self.trace.watching():
            super().receive(line, message, now)

    def act(self, action: engine.Action, now: float) -> None:
        with self.trace.watching():
            super().act(action, now)

    def tick(self, now: float) -> None:
        with self.trace.watching():
            super().tick(now)


def main(words: list[str] | None = None) -> int:
    """Play and tell; 0 if all peers ended alike and the transcript is valid and complete."""
    parser = argparse.ArgumentParser(description="A small match in one process, with every message and proof step.")
    parser.add_argument("--seats", type=int, default=3, choices=range(2, 6), help="how many peers (3)")
    parser.add_argument("--edition", default="four-colors", help="four-colors, despicable-me-4 or lilo-stitch")
    parser.add_argument("--seed", help="for the same match again; without one it is a new match every time")
    parser.add_argument("--quiet", action="store_true", help="tell the game alone")
    args = parser.parse_args(words)
    seed = args.seed if args.seed is not None else os.urandom(16).hex()
    try:
        options = TableOptions.defaults(args.edition, args.seats, 0).fast().check()
    except LocalProtocolError as error:
        parser.error(str(error))
    trace = Trace(lambda line: None if args.quiet else print(line), lambda: table.now - 100)

    def make(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
        kind = Told if index == SIDE else Peer
        peer = kind.host(identity, name, options, stream) if index == 0 else kind.join(identity, name, stream)
        if isinstance(peer, Told):
            peer.trace = trace
            trace.follow(peer)
        return peer

    table = Table(args.seats, options, seed=seed, choose=eager, make=make)
    side = table.seats[SIDE]
    narrator = Narrator(print)
    heard = 0

    def tell() -> bool:
        """Tell what this peer was told since the last time; asked before every step of the simulation."""
        nonlocal heard
        for event in side.told[heard:]:
            narrator.on_event(event, table.now)
        heard = len(side.told)
        return False

    table.form()
    table.run(until=tell)
    tell()
    digests = {seated.ended.digest for seated in table.seats if seated.ended is not None}
    alike = len(digests) == 1
    print(f"All {args.seats} peers ended with the same digest." if alike else "The peers ended differently!")
    tally = Tally()
    report = verify(io.BytesIO(MAGIC + b"".join(map(frame, side.records))), tally.on_event)
    for line in told(report, tally):
        print(line)
    return 0 if alike and report.status is Status.COMPLETE else 1


if __name__ == "__main__":
    raise SystemExit(exit_code(main))
