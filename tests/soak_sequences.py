"""Random sequences of entries into the table machine, 100,000 of them: python -m tests.soak_sequences [100000].

Matches of two to four players are played in one process and recorded. At every slot of a recorded match sequences are
made (`tests/helpers/sequences.py`), and each is given to a copy of the machine as it stands there; now and then another
copy gets the same feeds in another order, which must come to the same. Some sequences go to a whole table of peers
instead, over its lines, in the middle of a match that is being played, each in a forked process. In each one writer
misbehaves: nobody else may be blamed, no error may come that is not ours, and it has bounded time and memory. Exit code
1 if anything failed, with the seed of it.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable

from nodealer.crypto import cores

from examples.liar import CheatTable
from tests.helpers import sequences, table_sequences
from tests.helpers.sequences import Scene

# Of one sequence: seconds of the processor, and by how much the process may grow in it.
MOST_SECONDS = 20
MOST_MB = 100
# One in so many sequences goes to a whole table; one in so many is played in two orders.
TABLE_EVERY = 20
TWICE_EVERY = 4


class TooLong(Exception):
    """A sequence has had its time."""


def _too_long(number: int, frame: object) -> None:
    raise TooLong


def bounded(work: Callable[[], object]) -> str | None:
    """What ``work`` comes to, in words; None where it failed or took more time or memory than it may."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        told = repr(work())
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        assert grown < MOST_MB, f"{grown:.0f} MB"
    except Exception:
        traceback.print_exc()
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return told


def forked(work: Callable[[], object]) -> str | None:
    """The same in a child process, which leaves everything here as it was."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        told = None
        try:
            told = bounded(work)
            os.write(writing, (told or "").encode())
        finally:
            sys.stderr.flush()
            os._exit(told is None)
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
            again = scene.again()
            made = sequences.make(again, random.Random(repr((self.seed, number))))
            return sequences.play(again, made, random.Random(repr((self.seed, number, order))))

        told = bounded(lambda: work(0))
        if told is not None and number % TWICE_EVERY == 0:
            made = sequences.make(scene, random.Random(repr((self.seed, number))))
            again = bounded(lambda: work(1)) if made.any_order else told
            if again != told:
                print(f"in one order {told}\nin another {again}")
                told = None
        self.note(where, told if told is None else "machine")

    def recorded(self, number: int, each: int) -> None:
        """A match of its own, gone through slot by slot with ``each`` sequences at every one."""
        for scene in sequences.scenes((self.seed, "match", number)):
            for sequence in range(self.done, min(self.done + each, self.count)):
                self.machine(scene, sequence)
            if self.over:
                break

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
    signal.signal(signal.SIGPROF, _too_long)
    # A child has none of its parent's threads, so nothing may be left to one.
    with cores.one_by_one(time.thread_time):
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
