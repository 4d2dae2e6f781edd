"""SIGKILL of real processes at sampled moments of a whole match of four: python -m tests.soak_kills [40] [--seed N].

One match is played to see how many records a journal comes to. Then for each of so many moments, spread evenly over
that, a match is played in which one process dies when its journal has that many, and is started again with the same
command; host and joiners take turns. All must end complete, with one digest; every transcript must be valid and
complete; and over all transcripts and the journal that the dead one left, no number of a feed may stand for two
entries. One line a match; exit code 1 if anything failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from nodealer.p2p.entry import Entry
from nodealer.p2p.errors import WireError
from nodealer.p2p.net import disk
from nodealer.p2p.transcript import TranscriptReader, parse_record
from nodealer.p2p.verify import Status, verify

from tests.helpers.killable import Match

JOINERS = ("first", "second", "third")
NAMES = ("host", *JOINERS)
# Before it there is no match to come back to, or none for the others: the seat, the players, where they are, one's own
# word for the list of players, and another's, which shows that it has gone out.
FIRST = 6
# Some matches are over sooner than the one that was counted.
TRIES = 10


def entries(payloads: Iterable[bytes]) -> Iterable[Entry]:
    for payload in payloads:
        try:
            record = parse_record(payload)
        except WireError:
            # Of a journal's records some are its owner's own.
            continue
        if isinstance(record, Entry):
            yield record


def signed_twice(match: Match, journal: bytes) -> list[tuple[int, int]]:
    """Writers and numbers for which there are two entries anywhere."""
    seen: dict[tuple[int, int], set[bytes]] = {}
    sources: list[Iterable[bytes]] = [disk.parse(journal).records]
    for name in NAMES:
        with match.transcript(name).open("rb") as file:
            sources.append(list(TranscriptReader(file).payloads()))
    for source in sources:
        for entry in entries(source):
            seen.setdefault((entry.header.writer, entry.header.number), set()).add(entry.hash)
    return [place for place, hashes in seen.items() if len(hashes) > 1]


def check(match: Match, journal: bytes) -> list[str]:
    """What is wrong with how it ended."""
    wrong = []
    results = match.results()
    if len({result["digest"] for result in results}) != 1:
        wrong.append("digests differ")
    if {result["outcome"] for result in results} != {"complete"}:
        wrong.append(f"ended {[result['outcome'] for result in results]}")
    for name in NAMES:
        with match.transcript(name).open("rb") as file:
            report = verify(file)
        if report.status is not Status.COMPLETE:
            wrong.append(f"the transcript of {name}: {report.sentence}")
        if match.journal(name) is not None:
            wrong.append(f"the journal of {name} has stayed")
    wrong += [f"writer {writer} has signed number {number} twice" for writer, number in signed_twice(match, journal)]
    return wrong


def length() -> int:
    """How many records the host's journal has shortly before the end of one match."""
    with tempfile.TemporaryDirectory() as folder:
        match, count = Match(Path(folder), JOINERS), 0
        try:
            while match.wait_for_records("host", count + 1):
                count += 1
            match.results()
        finally:
            match.end()
    return count


def one(victim: str, at: int) -> tuple[int | None, list[str]]:
    """Kill ``victim`` at this record; at which it was in truth (None: the match was over sooner), what was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        match = Match(Path(folder), JOINERS)
        try:
            if not match.wait_for_records(victim, at):
                match.results()
                return None, []
            match.kill(victim)
            path = match.journal(victim)
            if path is None:
                # It had just come to its end.
                return None, []
            journal = path.read_bytes()
            match.start(victim)
            return len(disk.parse(journal).records), check(match, journal)
        except AssertionError as error:
            return at, [str(error)]
        finally:
            match.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", type=int, nargs="?", default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng, begun, failed, killed = random.Random(args.seed), time.monotonic(), 0, 0
    records = length()
    print(f"a match comes to {records} records", flush=True)
    for number in range(args.kills):
        victim, since = NAMES[number % len(NAMES)], time.monotonic()
        at = FIRST + int((number + rng.random()) * (records - FIRST) / args.kills)
        for _ in range(TRIES):
            died_at, wrong = one(victim, at)
            if died_at is not None:
                break
            at -= at // 10
        killed += died_at is not None
        failed += bool(wrong)
        print(f"{number}: {victim} killed at record {died_at}, {time.monotonic() - since:.0f} s", flush=True)
        for what in wrong:
            print(f"  FAILED {what}", flush=True)
    print(f"{killed} killed of {args.kills}, {failed} failed, {time.monotonic() - begun:.0f} s", flush=True)
    return 0 if killed == args.kills and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
