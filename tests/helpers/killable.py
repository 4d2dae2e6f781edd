"""A match of real processes on loopback, all bots with folders of their own, any of which can be killed and started."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from nodealer.p2p.net import disk
from nodealer.p2p.transcript import MAX_RECORD

from .command import nodealer

OPTIONS = ("--target=0", "--grace=120", "--no-announce", "--port=0")


class Journal:
    """A journal that is being written: how many records it has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self._at = 0

    @property
    def path(self) -> Path | None:
        return next(iter(self.folder.glob("*.journal")), None)

    def records(self) -> int | None:
        """How many there are by now; None where there is no journal (not yet, or no more)."""
        path = self.path
        if path is None:
            return None
        try:
            with path.open("rb") as file:
                self._at = self._at or len(disk.MAGIC) + disk.MARK
                file.seek(self._at)
                data = file.read()
        except FileNotFoundError:
            return None
        at = 0
        while at + 4 <= len(data):
            length = int.from_bytes(data[at : at + 4], "big")
            if not 0 < length <= MAX_RECORD or at + length + 8 > len(data):
                break
            # Beside the records proper it says how far it is surely on the disk.
            self.count += b"synced" not in data[at + 4 : at + 12]
            at += length + 8
        self._at += at
        return self.count


class Match:
    """A host and joiners, started in this order; the host's address is read from what it says."""

    def __init__(self, folder: Path, joiners: tuple[str, ...] = ("first", "second"), *more: str) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[str]] = {}
        common = ["--bot", "--json", "--fast", "--bind=127.0.0.1"]
        table = [f"--seats={len(joiners) + 1}", *OPTIONS, *more]
        self.commands = {"host": ["host", *table, *common, *self.files("host")]}
        self.start("host")
        line = self.processes["host"].stdout.readline()  # type: ignore[union-attr]
        address = json.loads(line)["address"]
        for name in joiners:
            self.commands[name] = ["join", address, "--port=0", *common, *self.files(name)]
            self.start(name)

    def files(self, name: str) -> list[str]:
        return [f"--data-dir={self.folder / name}", f"--transcript={self.transcript(name)}", f"--name={name}"]

    def transcript(self, name: str) -> Path:
        return self.folder / f"{name}.nodealer"

    def start(self, name: str) -> None:
        self.processes[name] = subprocess.Popen(
            nodealer(*self.commands[name]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def journal(self, name: str) -> Path | None:
        return Journal(self.folder / name / "journals").path

    def wait_for_bytes(self, name: str, size: int) -> Path:
        """Wait until a journal has grown to this size."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            path = self.journal(name)
            if path is not None and path.stat().st_size >= size:
                return path
            time.sleep(0.002)
        raise AssertionError(f"the journal of {name} did not grow to {size} bytes")

    def wait_for_records(self, name: str, count: int) -> bool:
        """Wait until a journal has so many records; False where the match is over before that."""
        journal, begun, end = Journal(self.folder / name / "journals"), False, time.monotonic() + 240
        while time.monotonic() < end:
            records = journal.records()
            if records is not None and records >= count:
                return True
            begun = begun or records is not None
            if (begun and records is None) or self.processes[name].poll() is not None:
                return False
            time.sleep(0.001)
        raise AssertionError(f"the journal of {name} stands at {journal.count} records")

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].communicate()

    def results(self) -> list[dict[str, object]]:
        found = []
        for name, process in self.processes.items():
            out, err = process.communicate(timeout=240)
            assert process.returncode == 0, (name, process.returncode, err)
            found.append(json.loads(out.splitlines()[-1]))
        return found

    def end(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.communicate()
