"""A match of bots on the hosts of a LAN, whose programs can be killed, started again, and told to leave."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.lan.hosts import Hosts, Program

NODEALER = Path(sys.executable).with_name("nodealer")


class Four:
    """A host and joiners, one on each host of the LAN from 1 on, all bots that keep journals and transcripts."""

    def __init__(self, hosts: Hosts, folder: Path, *table: str, seats: int = 4) -> None:
        self.hosts = hosts
        self.folder = folder
        self.seats = range(1, seats + 1)
        self.programs: dict[int, Program] = {}
        common = ["--bot", "--json", "--fast"]
        self.commands = {1: ["host", f"--seats={seats}", "--target=0", "--no-announce", *table, *common]}
        self.start(1)
        self.programs[1].expect("address", within=20)
        for seat in self.seats[1:]:
            self.commands[seat] = ["join", f"{hosts.address(1)}:7425", *common]
            self.start(seat)

    def start(self, seat: int) -> None:
        """The same command each time."""
        files = [f"--data-dir={self.folder / str(seat)}", f"--transcript={self.transcript(seat)}", f"--name=Bot {seat}"]
        self.programs[seat] = self.hosts.run(seat, [NODEALER, *self.commands[seat], *files])

    def transcript(self, seat: int) -> Path:
        return self.folder / f"{seat}.nodealer"

    def journal(self, seat: int) -> int:
        """How many bytes the journal of this seat has; 0 where there is none."""
        return sum(path.stat().st_size for path in (self.folder / str(seat) / "journals").glob("*.journal"))

    def wait_for_start(self) -> None:
        """Until all sit and the match has begun."""
        self._wait_for_journals(1)

    def wait_for_play(self) -> None:
        """Until every journal has the deck in it: cards are being played, or soon."""
        self._wait_for_journals(60_000)

    def _wait_for_journals(self, size: int, within: float = 120.0) -> None:
        end = time.monotonic() + within
        while min(self.journal(seat) for seat in self.seats) < size:
            if time.monotonic() > end or any(program.process.poll() is not None for program in self.programs.values()):
                raise AssertionError("the match has not come so far:\n" + self.said())
            time.sleep(0.05)

    def said(self) -> str:
        return "\n".join(f"{seat}: {line}" for seat, program in self.programs.items() for line in program.heard()[-4:])

    def result(self, seat: int, within: float) -> dict[str, Any]:
        """How it ended for this seat, with its exit code as ``code``; raises ``AssertionError``."""
        program = self.programs[seat]
        try:
            code = program.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{seat} has not ended within {within} s:\n{self.said()}") from None
        lines = program.heard()
        assert not any("Traceback" in line for line in lines), "\n".join(lines)
        last = [line for line in lines if line.startswith("{")]
        return {**(json.loads(last[-1]) if last else {}), "code": code, "said": lines[-3:]}

    def verified(self, seat: int) -> int:
        """The exit code of the verifier for this seat's transcript."""
        command = [NODEALER, "verify", self.transcript(seat)]
        return subprocess.run(command, capture_output=True, check=False, timeout=300).returncode

    def complete(self, within: float = 180.0) -> None:
        """All end well and alike, and each transcript verifies."""
        results = {seat: self.result(seat, within) for seat in self.seats}
        assert {result["code"] for result in results.values()} == {0}, results
        assert {result["outcome"] for result in results.values()} == {"complete"}, results
        assert len({result["digest"] for result in results.values()}) == 1, results
        assert [self.verified(seat) for seat in self.seats] == [0] * len(self.seats)
