"""Random sequences of entries into the table machine, 100,000 of them: python -m tests.soak_sequences [100000].

Matches of two to four players are played in one process and recorded. At every slot of a recorded match child processes
are forked, each of which makes one sequence (`tests/helpers/sequences.py`) and gives it to the machine as it stands
there; now and then another child gives it the same feeds in another order, which must come to the same. Every few
sequences go to a whole table of peers instead, over its lines, in the middle of a match that is being played. In each
one writer misbehaves: nobody else may be blamed, no error may come that is not ours, and a child has bounded time and
memory. Exit code 1 if anything failed, with the seed of it.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from nodealer.crypto import cores
from nodealer.p2p.match import Match
from nodealer.p2p.options import TableOptions

from examples.liar import CheatTable, _memories, share_memory
from examples.table import Table
from tests.helpers import sequences, table_sequences
from tests.helpers.sequences import Scene

# Of a child: seconds of the processor, and what it may need beyond its parent.
MOST_SECONDS = 20
MOST_MB = 100
# One in so many sequences goes to a whole table; one in so many is played in two orders.
TABLE_EVERY = 20
TWICE_EVERY = 4
EDITIONS = ("four-colors", "despicable-me-4", "lilo-stitch")


def forked(work: Callable[[], object]) -> str | None:
    """What ``work`` comes to in a child process, in words; None where it failed there."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            told = repr(work())
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            assert grown < MOST_MB, f"{grown:.0f} MB"
            os.write(writing, told.encode()[:60_000])
            code = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as told_by_child:
        told = told_by_child.read().decode()
    _, status = os.waitpid(child, 0)
    return told if status == 0 else None


class Soak:
    """Counts what was played and what failed."""

    def __init__(self, count: int, seed: int, echo: bool) -> None:
        self.count, self.seed, self.echo = count, seed, echo
        self.done = 0
        self.failed: list[str] = []
        self.ends: Counter[str] = Counter()
        self.began = time.monotonic()

    @property
    def over(self) -> bool:
        return self.done >= self.count

    def note(self, where: str, told: str | None) -> None:
        self.done += 1
        if told is None:
            self.failed.append(where)
            print(f"FAILED {where}", flush=True)
        else:
            self.ends[told if len(told) < 40 else "…"] += 1
        if self.echo and self.done % 1000 == 0:
            took = time.monotonic() - self.began
            print(f"{self.done} sequences, {len(self.failed)} failed, {took:.0f} s", flush=True)

    # -- the machine alone --------------------------------------------------------------------------------------------

    def machine(self, scene: Scene, number: int) -> None:
        """One sequence at this scene, in one order or in two."""
        where = f"sequence {number} of seed {self.seed}, slot {scene.match.slot.number} ({scene.match.slot.kind.value})"

        def work(order: int) -> sequences.Outcome:
            made = sequences.make(scene, random.Random(repr((self.seed, number))))
            return sequences.play(scene, made, random.Random(repr((self.seed, number, order))))

        told = forked(lambda: work(0))
        if told is not None and number % TWICE_EVERY == 0:
            made = sequences.make(scene, random.Random(repr((self.seed, number))))
            again = forked(lambda: work(1)) if made.any_order else told
            if again != told:
                print(f"in one order {told}\nin another {again}")
                told = None
        self.note(where, told if told is None else "machine")

    def recorded(self, number: int, each: int) -> None:
        """A match of its own, played whole, and then gone through slot by slot with ``each`` sequences at every one."""
        rng = random.Random(repr((self.seed, "match", number)))
        edition, players = EDITIONS[number % 3], rng.randint(2, 4)
        options = replace(
            TableOptions.defaults(edition, players, 0).fast(),
            escrow=players > 2 and rng.random() < 0.5,
            stacking=edition == "four-colors" and rng.random() < 0.5,
        )
        table = Table(players, options, seed=(self.seed, "match", number))
        # What was verified once is not verified again at every sequence: it is the made up that counts.
        share_memory([seated.peer for seated in table.seats])
        table.play()
        played = table.seats[0].peer.match
        if played is None or not played.complete:
            raise RuntimeError("an honest match did not come to its end")
        by_key = {seated.peer.key: seated.peer.own.identity for seated in table.seats}
        entries = [list(feed.entries) for feed in played.feeds]
        bodies: dict[str, list[bytes]] = {}
        for entry in (entry for feed in entries for entry in feed):
            bodies.setdefault(entry.header.kind, []).append(entry.body)
        memory = _memories[table.seats[0].peer]
        match = Match(played.roster, remembered=set(memory), judge_digests=rng.random() < 0.5)
        identities = [by_key[key] for key in played.roster.keys]
        sequence = self.done
        while not match.over:
            slot = match.slot.number
            coming = {w: [e for e in feed if e.header.slot == slot] for w, feed in enumerate(entries)}
            scene = Scene(match, identities, coming, bodies)
            gc.collect()
            gc.freeze()
            for _ in range(each):
                if not self.over:
                    self.machine(scene, sequence)
                    sequence += 1
            for feed in coming.values():
                for entry in feed:
                    match.offer(entry)
            match.advance()

    # -- a whole table ------------------------------------------------------------------------------------------------

    def table(self, number: int, count: int) -> None:
        """So many sequences for the peers of one table, at moments spread over the match that they play."""
        rng = random.Random(repr((self.seed, "table", number)))
        players = rng.randint(3, 4)
        table = CheatTable(players=players, seed=(self.seed, "table", number), escrow=rng.random() < 0.5)
        table.form()
        gc.freeze()
        sequence = self.done
        while count and not self.over:
            if all(seated.peer.done for seated in table.seats):
                break
            for _ in range(rng.randrange(12)):
                table.step()
            if any(seated.peer.match is None for seated in table.seats):
                continue
            where = f"table sequence {sequence} of seed {self.seed}"
            seed = repr((self.seed, "in table", sequence))
            self.note(where, forked(lambda seed=seed: table_sequences.play(table, random.Random(seed))))
            sequence += 1
            count -= 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sequences", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=40, help="sequences at every slot of a match")
    args = parser.parse_args()
    soak = Soak(args.sequences, args.seed, echo=True)
    number = 0
    with cores.using(1):
        while not soak.over:
            before = soak.done
            soak.recorded(number, args.each)
            soak.table(number, (soak.done - before) // (TABLE_EVERY - 1))
            number += 1
    ends = ", ".join(f"{count} {told}" for told, count in soak.ends.most_common(12))
    print(f"{soak.done} sequences, {len(soak.failed)} failed, {time.monotonic() - soak.began:.0f} s: {ends}")
    return 1 if soak.failed else 0


if __name__ == "__main__":
    sys.exit(main())
