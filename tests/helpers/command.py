"""The command as a real process, for tests that script it the way a person or another program would."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}


def nodealer(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "nodealer.cli", *arguments]


class Program:
    """A running command. Its lines of standard output arrive in ``lines``; ``answer`` replies to each question."""

    def __init__(self, arguments: Sequence[str], answer: Callable[[str], str | None] | None = None) -> None:
        self.process = subprocess.Popen(
            nodealer(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            bufsize=1,
            env=ENVIRONMENT,
        )
        self.lines: list[str] = []
        self._answer = answer
        self._new: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            text = line.rstrip("\n")
            self.lines.append(text)
            self._new.put(text)
            if text.startswith("? ") and self._answer is not None:
                reply = self._answer(text)
                if reply is not None:
                    self.say(reply)
        self._new.put(None)

    def say(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self.process.stdin is not None:
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()

    def expect(self, text: str, within: float) -> str:
        """Wait for the next line that contains ``text``."""
        end = time.monotonic() + within
        while True:
            try:
                line = self._new.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError(f"{text!r} did not come within {within} s; came:\n" + self.tail()) from None
            if line is None:
                raise AssertionError(f"the program ended without {text!r}; came:\n" + self.tail() + self.complaint())
            if text in line:
                return line

    def end(self, within: float) -> int:
        """Wait for its end; the exit code."""
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the program did not end within {within} s; came:\n" + self.tail()) from None

    def complaint(self) -> str:
        """All of standard error; only after the end."""
        return self.process.stderr.read() if self.process.stderr is not None else ""

    def tail(self) -> str:
        return "\n".join(self.lines[-15:])

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def children(pid: int) -> list[int]:
    """The living children of a process (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(path.parent.name))
    return sorted(found)


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], within: float, what: str) -> None:
    end = time.monotonic() + within
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(0.05)
