"""Crashes at every step of a whole one-hand match: right before and after each message that a victim sends or receives.

The match is played once; at every step a child process is forked that lets the victim die there and plays to the end.
A victim per role: the host, and the first and the last of the others in the order of the seats. Usage:

    python tests/soak_crashes.py [--players 4] [--every 1] [--victims 0,1,3] [--jobs 2] [--seed 1]
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import traceback
from dataclasses import replace

from nodealer.crypto import cores
from nodealer.p2p.events import Outcome
from nodealer.p2p.options import TableOptions

from tests.helpers.crash import SIDES, CrashTable, Side


def options(players: int) -> TableOptions:
    return replace(TableOptions.defaults("four-colors", seats=players, target=0).fast(), grace=60)


class Steps(CrashTable):
    """Plays without a crash; before every step of the victim ``fork`` may let a child die there."""

    jobs = 1
    every = 1
    running: dict[int, str]
    failed: list[str]
    done = 0

    def watch(self, victim: int, jobs: int, every: int) -> None:
        self.crash_at(victim, SIDES[0], -1)
        self.jobs, self.every = jobs, every
        self.running, self.failed = {}, []
        self._steps = itertools.count()

    def _pass(self, index: int, side: Side) -> None:
        if index == self.victim and self.at == -1 and self.disks[index].synced and next(self._steps) % self.every == 0:
            self._fork(side)
        super()._pass(index, side)

    def _fork(self, side: Side) -> None:
        while len(self.running) >= self.jobs:
            self.reap()
        count = self.counts[side]
        child = os.fork()
        if child:
            self.running[child] = f"victim {self.victim}, {side} {count}"
            return
        # From here on this process is the experiment: the next `_pass` dies, and `run` below goes on after it.
        self.side, self.at = side, count

    def reap(self) -> None:
        child, status = os.wait()
        what = self.running.pop(child)
        self.done += 1
        if self.done % 100 == 0:
            print(f"{self.done} crashes so far, {len(self.failed)} failed", flush=True)
        if status:
            self.failed.append(what)
            print(f"FAILED {what}", flush=True)


def nothing_had_begun(table: Steps) -> bool:
    """The host died with the list of players, which nobody else had seen: to all others it is a lobby that closed.

    Until the coin has fallen anybody's going dissolves the table, for the host too when it comes back.
    """
    others = [seated for index, seated in enumerate(table.seats) if index != 0]
    endings = [seated.ended for seated in table.seats]
    dissolved = all(ended is not None and ended.outcome is Outcome.DISSOLVED for ended in endings)
    return table.crashes == 1 and dissolved and all(seated.peer.match is None for seated in others)


def experiment(players: int, victim: int, seed: object, jobs: int, every: int) -> list[str]:
    table = Steps(players, options(players), seed=seed)
    parent = os.getpid()
    table.watch(victim, jobs, every)
    code = 1
    try:
        table.form()
        table.run()
        if not nothing_had_begun(table):
            table.check()
        code = 0
    except BaseException:
        traceback.print_exc()
    if os.getpid() != parent:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or (0 if table.crashes == 1 else 2))
    while table.running:
        table.reap()
    print(f"victim {victim}: {table.done} crashes, {len(table.failed)} failed", flush=True)
    return table.failed if not code else [*table.failed, "the match without a crash"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--victims", default="0,1,3")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", default="crashes")
    args = parser.parse_args()
    begun = time.monotonic()
    failed: list[str] = []
    # A child has none of its parent's threads, so nothing may be left to one.
    with cores.one_by_one(time.thread_time):
        for victim in map(int, args.victims.split(",")):
            failed += experiment(args.players, victim, args.seed, args.jobs, args.every)
    print(f"{len(failed)} failed, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
