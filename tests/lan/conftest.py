"""A LAN of network namespaces for tests: ``lan`` has four hosts, ``make_lan(n)`` as many as you say.

    def test_something(lan):
        host = lan.run(1, [sys.executable, "-m", …])
        host.expect("listening", within=5)
        lan.do("unplug", 1)

Skipped, with the reason, where namespaces cannot be made.
"""

from __future__ import annotations

import itertools
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("lan.sh")
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


class Lan:
    """Hosts 1 to n on one switch."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        self.name = f"nd{os.getpid()}x{next(_numbers)}"
        self.programs: list[Program] = []
        self.do("up", hosts)

    def do(self, action: str, *arguments: object) -> None:
        """Runs one action of lan.sh, such as ``do("cut", "1 2", "3")``."""
        subprocess.run(
            [SCRIPT, action, *map(str, arguments)], check=True, env={**os.environ, "LAN": self.name}, timeout=30
        )

    def address(self, host: int) -> str:
        """The IPv4 address of a host."""
        return f"10.77.0.{host}"

    def run(self, host: int, arguments: Sequence[str | Path], **environment: str) -> Program:
        """Starts a program on a host; it is ended with the LAN at the latest."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", f"{self.name}-{host}", *map(str, arguments)],
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
        """Ends the programs and takes the LAN away."""
        for program in self.programs:
            program.kill()
        self.do("down")


def _why_not() -> str | None:
    """Why this machine cannot have such a LAN; None if it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's"
    if shutil.which("ip") is None:
        return "`ip` (iproute2) is not installed"
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    name = f"nd{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode != 0:
        return f"network namespaces cannot be made here: {made.stderr.strip()}"
    cable = subprocess.run(
        ["ip", "-n", name, "link", "add", "try1", "type", "veth", "peer", "name", "try2"],
        capture_output=True,
        text=True,
    )
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return None if cable.returncode == 0 else f"veth pairs cannot be made here: {cable.stderr.strip()}"


@pytest.fixture(scope="session")
def _lan_possible() -> None:
    reason = _why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture
def make_lan(_lan_possible: None) -> Iterator[Callable[[int], Lan]]:
    """Makes LANs of any size; all are taken away after the test."""
    made: list[Lan] = []

    def make(hosts: int) -> Lan:
        lan = Lan(hosts)
        made.append(lan)
        return lan

    yield make
    for lan in made:
        lan.close()


@pytest.fixture
def lan(make_lan: Callable[[int], Lan]) -> Lan:
    """A LAN of four hosts."""
    return make_lan(4)


@pytest.fixture(scope="session")
def needs_nft() -> None:
    """For tests that cut or block: skips where nftables is not installed."""
    if shutil.which("nft") is None:
        pytest.skip("`nft` (nftables) is not installed")
