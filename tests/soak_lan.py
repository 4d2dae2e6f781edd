"""Matches of real processes on a LAN that fails them at random: python tests/soak_lan.py [matches] [--seed N].

Each match has three to five seats on hosts of their own, one hand of one of the editions, a grace of three seconds,
and one to four mishaps at random times: a program is killed and started again, killed for good, or told to leave; a
cable is out, the LAN is cut in two, frames are lost or late, a host gets another address. Whatever happens, every
program must end in time with a sentence and none may accuse another; all who come to the end have one digest; no
transcript is invalid. A program that was only killed must find its journal good. One line a match; exit code 1 if
anything failed, with the seed.

Needs root, iproute2 and /dev/net/tun.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.lan.air import Air
from tests.lan.four import Four

EDITIONS = ("four-colors", "despicable-me-4", "lilo-stitch")
GRACE = 3
# A match whose every slot waits for its limit takes minutes; one that has not ended then hangs.
WITHIN = 300.0
# Ways to end that a mishap explains: complete, gone, dissolved before the first card, left, unreached, told to stop,
# and told so when it was ending already.
EXPLAINED = {0, 4, 5, 6, 7, 143, -15}
# The same for a program that was killed and not started again, or had no journal yet.
KILLED = -9


class Mishaps:
    """What goes wrong in one match, chosen with its seed."""

    def __init__(self, match: Four, air: Air, rng: random.Random) -> None:
        self.match, self.air, self.rng = match, air, rng
        self.told: list[str] = []
        self.killed: set[int] = set()
        self.started: set[int] = set()
        self.kinds: list[tuple[str, Callable[[int], None]]] = [
            ("killed and started", self.again),
            ("killed", self.kill),
            ("leaves", self.leave),
            ("unplugged", self.unplug),
            ("cut", self.cut),
            ("loses", self.lose),
            ("late", self.late),
            ("moved", self.move),
        ]

    def happen(self) -> None:
        """Some of them, one after the other."""
        for _ in range(self.rng.randint(1, 4)):
            time.sleep(self.rng.uniform(0.0, 2.5))
            seat = self.rng.choice(list(self.match.seats))
            name, act = self.rng.choice(self.kinds)
            self.told.append(f"{seat} {name}")
            act(seat)

    def again(self, seat: int) -> None:
        self.match.programs[seat].kill()
        time.sleep(self.rng.choice([0.0, 0.5, 2.0, 5.0]))
        self.match.start(seat)
        self.killed.discard(seat)
        self.started.add(seat)

    def kill(self, seat: int) -> None:
        self.match.programs[seat].kill()
        self.killed.add(seat)

    def leave(self, seat: int) -> None:
        self.match.programs[seat].process.terminate()

    def unplug(self, seat: int) -> None:
        self.air.links[seat].plugged = False
        time.sleep(self.rng.choice([0.5, 2.0, 6.0, 12.0]))
        self.air.links[seat].plugged = True

    def cut(self, seat: int) -> None:
        seats = set(self.match.seats)
        some = {seat, *self.rng.sample(sorted(seats), self.rng.randint(0, len(seats) - 2))}
        self.air.groups = [some, seats - some]
        time.sleep(self.rng.choice([0.5, 2.0, 6.0, 12.0]))
        self.air.groups = None

    def lose(self, seat: int) -> None:
        self.air.links[seat].loss = self.rng.choice([0.02, 0.1, 0.2])

    def late(self, seat: int) -> None:
        self.air.links[seat].delay, self.air.links[seat].jitter = self.rng.choice([(0.02, 0.05), (0.2, 0.1)])

    def move(self, seat: int) -> None:
        # Who is reached by an address that was typed in cannot be looked for under another one.
        self.air.move(seat, 20 * len(self.told) + seat)


def one(seed: int, keep: Path | None) -> tuple[str, list[str]]:
    """One match: its line, and what was wrong with it; then its files go to a folder of ``keep``."""
    rng = random.Random(seed)
    edition, seats = rng.choice(EDITIONS), rng.randint(3, 5)
    if edition == "four-colors":
        seats = min(seats, 4)
    began = time.monotonic()
    wrong: list[str] = []
    air = Air(seats, seed)
    try:
        with tempfile.TemporaryDirectory() as folder:
            match = Four(air, Path(folder), f"--edition={edition}", f"--grace={GRACE}", seats=seats)
            mishaps = Mishaps(match, air, rng)
            # A lobby would wait for ever for who was killed before it sat down.
            match.wait_for_start()
            mishaps.happen()
            results: dict[int, dict[str, Any]] = {}
            for seat in match.seats:
                try:
                    results[seat] = match.result(seat, max(WITHIN - (time.monotonic() - began), 1.0))
                except AssertionError as error:
                    wrong.append(str(error))
            for seat, result in results.items():
                explained = EXPLAINED | ({KILLED, 247} if seat in mishaps.killed else set())
                if seat in mishaps.started and match.transcript(seat).exists() and match.verified(seat) == 0:
                    # It was killed when all was over: there is nothing to go on with, and the transcript is kept.
                    explained |= {2}
                if result["code"] not in explained:
                    wrong.append(f"{seat} ended with {result['code']}: {result['said']}")
                if match.transcript(seat).exists() and match.verified(seat) not in (0, 3):
                    wrong.append(f"the transcript of {seat} is not valid")
            ended = [result for result in results.values() if result.get("outcome") == "complete"]
            if len({result["digest"] for result in ended}) > 1:
                wrong.append(f"{[result['digest'] for result in ended]} differ")
            codes = " ".join(str(results[seat]["code"]) if seat in results else "-" for seat in match.seats)
            line = f"{seed}: {edition}, {seats} seats; {', '.join(mishaps.told)}: {codes}"
            if wrong and keep is not None:
                shutil.copytree(folder, keep / str(seed), dirs_exist_ok=True)
    finally:
        air.close()
    return f"{line}, {time.monotonic() - began:.0f} s", wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("matches", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=0, help="of the first match; the next has the next one")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the files of a match that failed go")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(args.seed, args.seed + args.matches):
        line, wrong = one(seed, args.keep)
        print(line, flush=True)
        counts["failed" if wrong else "good"] += 1
        for what in wrong:
            print(f"  FAILED {what}", flush=True)
    print(f"{args.matches} matches, {counts['failed']} failed", flush=True)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
