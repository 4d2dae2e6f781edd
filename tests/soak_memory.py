"""What a long match costs each of its peers in memory: python -m tests.soak_memory [--rounds 50] [--players 4].

Real processes, all bots, play a match to more points than it can come to; at the end of every round the memory of each
is read that is its own (not of files). Afterwards the greatest growth after round 10 is compared with what is allowed:
nothing that a peer keeps may grow with the match but a few bytes for each of its entries. Exit code 1 if it is more.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nodealer.p2p.entry import Entry
from nodealer.p2p.transcript import MAGIC, parse_record

# As many points as the command line takes: hundreds of rounds. No edition has such a match, so the programs are told.
FAR = 10_000
PROGRAM = f"""
import sys
from dataclasses import replace
from nodealer.engine import EDITIONS
for name, edition in EDITIONS.items():
    EDITIONS[name] = replace(edition, targets=(*edition.targets, {FAR}))
from nodealer.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
SETTLED = 10
# Megabytes from round SETTLED to the last: what the allocator needs to settle, and the hashes of all entries.
MAY_GROW = 3.0
# A round of bots that hurry takes seconds.
ROUND_WITHIN = 300.0


class Tape:
    """A transcript that is being written: which rounds have ended in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.at = len(MAGIC)
        self.ends = 0

    def rounds(self, players: int) -> int:
        """How many have ended so far."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            file.seek(self.at)
            data = file.read()
        at = 0
        while at + 4 <= len(data) and (end := at + 8 + int.from_bytes(data[at : at + 4], "big")) <= len(data):
            # The first record is the list of players, with a target that only those programs know.
            if self.at + at > len(MAGIC):
                record = parse_record(data[at + 4 : end - 4])
                self.ends += isinstance(record, Entry) and record.header.kind == "round end"
            at = end
        self.at += at
        return self.ends // players


def megabytes(process: subprocess.Popen[str]) -> float:
    """What this process holds that is its own."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    if found is None:
        raise RuntimeError("the system does not tell what a process holds")
    return int(found[1]) / 1024


def start(folder: Path, name: str, *words: str) -> subprocess.Popen[str]:
    common = ["--bot", "--json", "--fast", "--bind=127.0.0.1", "--port=0"]
    files = [f"--name={name}", f"--data-dir={folder / name}", f"--transcript={folder / name}.nodealer"]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words, *common, *files],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(folder: Path, edition: str, players: int, rounds: int) -> list[list[float]]:
    """The memory of each peer, in megabytes, at the end of each round."""
    table = [f"--edition={edition}", f"--seats={players}", f"--target={FAR}", "--grace=120", "--no-announce"]
    processes = [start(folder, "host", "host", *table)]
    found: list[list[float]] = []
    try:
        out = processes[0].stdout
        address = json.loads(out.readline())["address"] if out is not None else ""
        processes += [start(folder, f"bot{number}", "join", address) for number in range(1, players)]
        tape, since = Tape(folder / "host.nodealer"), time.monotonic()
        while len(found) < rounds:
            time.sleep(0.2)
            if time.monotonic() - since > ROUND_WITHIN or any(process.poll() is not None for process in processes):
                raise RuntimeError(f"the match stands still after {len(found)} rounds")
            if tape.rounds(players) > len(found):
                found.append([megabytes(process) for process in processes])
                row = " ".join(f"{each:6.1f}" for each in found[-1])
                print(f"round {len(found):3}: {row} MB, {time.monotonic() - since:.0f} s", flush=True)
                since = time.monotonic()
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--edition", default="four-colors")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), args.edition, args.players, args.rounds)
    grown = [last - first for first, last in zip(found[min(SETTLED, len(found)) - 1], found[-1], strict=True)]
    told = " ".join(f"{each:+.1f}" for each in grown)
    print(f"from round {SETTLED} to {len(found)}: {told} MB; at most {MAY_GROW:+.1f} MB is allowed")
    return 1 if max(grown) > MAY_GROW else 0


if __name__ == "__main__":
    sys.exit(main())
