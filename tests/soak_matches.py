"""Matches of real bot processes in a row: python tests/soak_matches.py [--repeat 30] [--seats 3 10] [--target 0].

Each must end with exit code 0, equal digests and a transcript that verifies, in time. One line for each kind of table,
with what happened in its matches, and a closing line; exit code 1 if anything failed, with what was said.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nodealer import engine
from nodealer.p2p.events import GameEvent, PeerEvent
from nodealer.p2p.verify import Status, verify

from tests.helpers.command import ENVIRONMENT, nodealer

EDITIONS = ["despicable-me-4", "lilo-stitch"]
SEATS = [2, 3, 5, 10]
TARGETS = [0, 500]
# Seconds that one hand may take for each seat; a match to 500 is some fifteen hands at most.
SECONDS_A_SEAT = 30
HANDS = 15
COUNTED = (
    engine.Reshuffled,
    engine.Accepted,
    engine.ChallengeWon,
    engine.ChallengeLost,
    engine.CardsDiscarded,
    engine.UnoCalled,
    engine.UnoCaught,
    engine.RoundWon,
    engine.RoundDrawn,
)


class Failed(Exception):
    """A match did not end as it must."""


def run(command: list[str], within: float) -> str:
    """Run a command and all it starts; its output. Raises `Failed` when it does not end well, or in time."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"not over after {within:.0f} s") from None
    if process.returncode:
        raise Failed(f"exit code {process.returncode}: {complained.strip() or said.strip()}")
    return said


def match(edition: str, seats: int, target: int, folder: str) -> Counter[str]:
    """One match, checked; what happened in it."""
    file = Path(folder, "match.nodealer")
    file.unlink(missing_ok=True)
    table = ["--edition", edition, "--seats", str(seats), "--target", str(target)]
    within = SECONDS_A_SEAT * seats * (HANDS if target else 1)
    told = json.loads(run(nodealer("bots", *table, "--fast", "--json", "--transcript", str(file)), within))
    if not told["complete"] or len(told["digests"]) != seats or len(set(told["digests"])) != 1:
        raise Failed(f"incomplete, or different digests: {told}")
    counts: Counter[str] = Counter()

    def count(event: PeerEvent) -> None:
        if isinstance(event, GameEvent) and isinstance(event.event, COUNTED):
            counts[type(event.event).__name__] += 1

    with file.open("rb") as transcript:
        report = verify(transcript, count)
    if report.status is not Status.COMPLETE or report.digest.hex() != told["digests"][0]:
        raise Failed(f"the transcript: {report.sentence}")
    return counts


def soak(edition: str, seats: int, target: int, repeat: int) -> tuple[Counter[str], int]:
    """So many matches of one kind; what happened, and how many failed."""
    began = time.monotonic()
    total: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeat):
            try:
                total += match(edition, seats, target, folder)
            except Failed as error:
                failed += 1
                print(f"{edition}, {seats} seats, to {target}, match {number}: {error}", file=sys.stderr, flush=True)
    happened = ", ".join(f"{total[kind.__name__]} {kind.__name__}" for kind in COUNTED)
    verdict = f"{failed} FAILED" if failed else "all well"
    seconds = time.monotonic() - began
    print(
        f"{edition}, {seats} seats, to {target}: {repeat} matches, {verdict}, {seconds:.0f} s; {happened}", flush=True
    )
    return total, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--edition", nargs="+", default=EDITIONS)
    parser.add_argument("--seats", nargs="+", type=int, default=SEATS)
    parser.add_argument("--target", nargs="+", type=int, default=TARGETS)
    given = parser.parse_args()
    kinds = [(e, n, t) for t in given.target for n in given.seats for e in given.edition]
    total: Counter[str] = Counter()
    failed = 0
    for edition, seats, target in kinds:
        counts, bad = soak(edition, seats, target, given.repeat)
        total, failed = total + counts, failed + bad
    never = [kind.__name__ for kind in COUNTED if not total[kind.__name__] and kind is not engine.RoundDrawn]
    verdict = f"{failed} FAILED" if failed else "all ended alike and verified"
    print(f"{len(kinds) * given.repeat} matches: {verdict}{'; never: ' + ', '.join(never) if never else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
