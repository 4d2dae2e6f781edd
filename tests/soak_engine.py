"""Play many random rounds with open cards and check every state: python tests/soak_engine.py [rounds] [edition].

Half of the rounds choose uniformly among all legal actions, half play whenever they can. After every action the state
is checked and its cards are counted; in every tenth round it is recomputed from scratch where each of them lies. Two
processes share the work. Ends with one line of counts; exit code 1 if anything failed, naming the seed.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nodealer.engine import EDITIONS, Options

from tests.helpers.open_table import POLICIES, OpenTable

PROCESSES = 2
CHUNK = 50
RECOUNTED = 10
POLICY_CYCLE = ("random", "eager")
"""A uniformly random round takes fifteen times as long as one in which people play when they can."""


def options(edition: str, seed: int) -> Options:
    """Every number of seats, both switches; a round is played whatever the target."""
    rules = EDITIONS[edition]
    seats = rules.min_seats + seed % (rules.max_seats - rules.min_seats + 1)
    return Options(edition, seats, 0, rules.stacking and seed // 7 % 2 == 1)


def play(job: tuple[str, int, int]) -> tuple[Counter[str], int, list[str]]:
    """Rounds of one edition with these seeds: counts, longest round, failures."""
    edition, start, stop = job
    counts: Counter[str] = Counter()
    longest = 0
    failures: list[str] = []
    for seed in range(start, stop):
        policy = POLICY_CYCLE[seed // 3 % len(POLICY_CYCLE)]
        table = OpenTable(options(edition, seed), seed, recounted=seed % RECOUNTED == 0)
        try:
            table.play_round(POLICIES[policy])
            table.agree(POLICIES[policy])
        except Exception as error:
            failures.append(f"{edition} seed {seed} {policy}: {type(error).__name__} {error}")
        counts += table.counts
        counts["rounds"] += 1
        counts["recounted"] += table.recounted
        counts[f"rounds {policy}"] += 1
        longest = max(longest, table.longest)
    return counts, longest, failures


def soak(edition: str, rounds: int) -> tuple[str, list[str]]:
    """Play so many rounds: the closing line, and what failed."""
    began = time.monotonic()
    jobs = [(edition, start, min(start + CHUNK, rounds)) for start in range(0, rounds, CHUNK)]
    total: Counter[str] = Counter()
    longest = 0
    failures: list[str] = []
    with Pool(PROCESSES) as pool:
        for counts, steps, failed in pool.imap_unordered(play, jobs):
            total += counts
            longest = max(longest, steps)
            failures += failed
    line = (
        f"{edition}: {total['rounds']} rounds "
        f"({total['rounds random']} uniform, {total['rounds eager']} when they can, {total['recounted']} recounted), "
        f"{total['actions']} actions, {total['RoundWon']} won, "
        f"{total['RoundDrawn']} drawn, {total['Reshuffled']} reshuffles, {total['CardsDiscarded']} special discards, "
        f"{total['Challenged']} challenges, {total['UnoCaught']} caught, longest {longest} actions, "
        f"{f'{len(failures)} FAILED' if failures else 'all invariants held'}, {time.monotonic() - began:.0f} s"
    )
    return line, failures


def main(arguments: list[str]) -> int:
    rounds = int(arguments[0]) if arguments else 1000
    failed = False
    for edition in arguments[1:] or sorted(EDITIONS):
        line, failures = soak(edition, rounds)
        print(line, flush=True)
        for failure in failures:
            failed = True
            print(failure, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
