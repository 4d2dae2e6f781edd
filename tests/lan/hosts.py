"""Programs on the hosts of a LAN for tests: started in a namespace, heard line by line."""

from __future__ import annotations

import itertools
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

_numbers = itertools.count()


class Program:
    """A program that runs on one host. Its standard output comes line by line, standard error with it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.output: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        if self.process.stdout is not None:
            for line in self.process.stdout:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def expect(self, text: str, within: float = 5.0) -> str:
        """The next line that holds this text; fails the test when it does not come in time."""
        end = time.monotonic() + within
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"no line with {text!r} within {within} s; so far:\n" + "\n".join(self.output))
            if line is None:
                self._lines.put(None)
                pytest.fail(f"the program ended without a line with {text!r}; it said:\n" + "\n".join(self.output))
            self.output.append(line)
            if text in line:
                return line

    def heard(self) -> list[str]:
        """All lines so far."""
        while not self._lines.empty():
            line = self._lines.get()
            if line is None:
                self._lines.put(None)
                break
            self.output.append(line)
        return self.output

    def say(self, line: str) -> None:
        """Types a line."""
        if self.process.stdin is not None:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def kill(self) -> None:
        """Ends it at once, without a goodbye."""
        self.process.kill()
        self.process.wait()

    def wait(self, within: float = 10.0) -> int:
        """Its exit code."""
        return self.process.wait(within)


class Hosts:
    """Hosts 1 to n, each a network namespace, and what runs there."""

    def __init__(self) -> None:
        self.name = f"nd{os.getpid()}x{next(_numbers)}"
        self.programs: list[Program] = []

    def space(self, host: int) -> str:
        """The namespace of a host."""
        return f"{self.name}-{host}"

    def address(self, host: int) -> str:
        """The IPv4 address of a host."""
        return f"10.77.0.{host}"

    def run(self, host: int, arguments: Sequence[str | Path], **environment: str) -> Program:
        """Starts a program on a host; it is ended with the LAN at the latest."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.space(host), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )
        program = Program(process)
        self.programs.append(program)
        return program

    def python(self, host: int, *arguments: str | Path, **environment: str) -> Program:
        """Starts this Python with arguments on a host."""
        return self.run(host, [sys.executable, *arguments], **environment)

    def close(self) -> None:
        """Ends the programs."""
        for program in self.programs:
            program.kill()
