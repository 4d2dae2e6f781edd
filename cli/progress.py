"""One line on a terminal that is rewritten while something takes its time; nothing where there is no terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

# People read no faster, and a slow terminal must not slow the work.
EVERY_S = 0.1


class Progress:
    """``show`` as often as you like; ``clear`` before anything else is written."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stderr if out is None else out
        self._live = self._out is not None and self._out.isatty()
        self._next = 0.0
        self._width = 0

    def due(self) -> bool:
        """Whether ``show`` would write now."""
        return self._live and time.monotonic() >= self._next

    def show(self, line: str) -> None:
        if not self.due():
            return
        self._next = time.monotonic() + EVERY_S
        line = line[:78]
        self._write(f"\r{line:<{self._width}}")
        self._width = len(line)

    def clear(self) -> None:
        if self._live and self._width:
            self._write(f"\r{'':<{self._width}}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        try:
            print(text, end="", file=self._out, flush=True)
        except OSError:  # the terminal is gone: that is nothing to what is being done
            self._live = False
